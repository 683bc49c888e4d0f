"""A process that has imported everything, and of which Python implementations are forked.

To start an interpreter and import the reference takes longer than most mutants need to be tried. The nursery
does it once; each fork then answers on its pipe as `pytest_vindex3.contract.host` does.

Run as `python -m pytest_vindex3.trust.nursery SOCKET`.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

from pytest_vindex3.contract.process import Process, Program, started

_HOST = "pytest_vindex3.contract.host"
_LONGEST = 1 << 17
_MOST_DESCRIPTORS = 256


@contextmanager
def nursery() -> Iterator[None]:
    """Let Python implementations be forks for a while, where the system has what that takes."""
    if not hasattr(os, "pidfd_open") or not hasattr(socket, "SOCK_SEQPACKET"):
        yield
        return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        descriptor = theirs.fileno()
        command = [sys.executable, "-P", "-m", __spec__.name, str(descriptor)]
        with subprocess.Popen(command, pass_fds=[descriptor], stdin=subprocess.DEVNULL) as server:
            theirs.close()
            before = Process.start
            Process.start = staticmethod(_Nursery(ours).start)
            try:
                yield
            finally:
                Process.start = staticmethod(before)
                ours.close()
                server.wait()


class _Nursery:
    """The nursery as one who wants a fork sees it."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link

    def start(self, argv: Sequence[str], variables: Mapping[str, str], stderr: int) -> Program:
        """See `process.started`; what is no Python host is started as ever."""
        if _HOST not in argv:
            return started(argv, variables, stderr)
        arguments = list(argv[argv.index(_HOST) + 1 :])
        request = {"arguments": arguments, "variables": dict(variables), "folder": str(Path.cwd())}
        their_input, our_output = os.pipe()
        our_input, their_output = os.pipe()
        try:
            pid = self.asked(request, [their_input, their_output, stderr])
        finally:
            os.close(their_input)
            os.close(their_output)
        return _Fork(self, pid, os.fdopen(our_output, "wb", 0), os.fdopen(our_input, "rb", 0))

    def asked(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> int:
        """The number that the nursery answers."""
        socket.send_fds(self._link, [json.dumps(request).encode()], descriptors)
        return int(self._link.recv(_LONGEST))


class _Fork:
    """A fork of the nursery; see `process.Program`."""

    def __init__(self, home: _Nursery, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self._home = home
        self._code: int | None = None
        self._ending = os.pidfd_open(pid)

    def poll(self) -> int | None:
        if self._code is None and select.select([self._ending], [], [], 0)[0]:
            self._reap()
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        if self._code is None:
            if not select.select([self._ending], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(_HOST, timeout or 0.0)
            self._reap()
        assert self._code is not None
        return self._code

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _reap(self) -> None:
        os.close(self._ending)
        try:
            self._code = self._home.asked({"ended": self.pid})
        except OSError:  # the nursery has gone, and with it whoever could say
            self._code = -signal.SIGKILL


def serve(descriptor: int) -> None:
    """Fork, and tell how forks ended, until nobody asks any more."""
    os.fsync = os.fdatasync = _not_awaited
    _import_everything()
    gc.freeze()  # what is there stays, and no fork has to look at it
    with socket.socket(fileno=descriptor) as link:
        while True:
            message, descriptors, _, _ = socket.recv_fds(link, _LONGEST, 3)
            if not message:
                return
            request = json.loads(message)
            if "ended" in request:
                answer = os.waitstatus_to_exitcode(os.waitpid(request["ended"], 0)[1])
            else:
                answer = os.fork()
                if answer == 0:
                    _become(request, descriptors)
                for one in descriptors:
                    os.close(one)
            link.send(str(answer).encode())


def _not_awaited(fd: object) -> None:
    """Do not wait for the disk: nothing is judged by what outlives a loss of power."""


def _become(request: Mapping[str, Any], descriptors: Sequence[int]) -> NoReturn:
    """Be the host that was asked for, with these as its standard streams."""
    from pytest_vindex3.contract import host

    code = 1
    try:
        os.setsid()
        for place, one in enumerate(descriptors):
            os.dup2(one, place)
        os.closerange(3, _MOST_DESCRIPTORS)
        os.environ.clear()
        os.environ.update(request["variables"])
        os.chdir(request["folder"])
        spec, *roots = request["arguments"]
        host.serve(spec, [Path(root) for root in roots])
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)


def _import_everything() -> None:
    import importlib

    from vindex3_fixtures.mutants.mutant import mutants

    mutants()
    for name in (_HOST, "vindex3_fixtures.mutants.adapter", "vindex3_reference.adapter"):
        importlib.import_module(name)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
