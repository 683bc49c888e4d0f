"""What a program uses, seen from outside: processor time, bytes read, and a bound on its memory.

All of it comes from Linux: the processor clock and `/proc` of every process in the program's session, and
RLIMIT_DATA set from outside by `prlimit`. Reserved memory counts, whether or not it was touched; a
read-only memory map does not.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_vindex3.contract.outcome import Cost, Held

SAMPLING = 0.001
"""Seconds between two looks at the mapped pages while a request runs."""

_PROC = Path("/proc")


class Unmeasurable(Exception):  # noqa: N818 -- a property of the machine
    """This machine, or this program, does not let itself be measured; the text says why."""


class Meter:
    """What the processes of a session use from now on.

    Bytes read are those of read calls, also of children that ended meanwhile, and the growth of mapped
    file pages in memory. The pages are looked at whenever `look` is called, and their peak counts: a map
    that is made, read and closed between two looks is not seen.

    Raises:
        Unmeasurable: nothing can be seen, here or in `cost`.
    """

    def __init__(self, session: int) -> None:
        _require_linux()
        self._session = session
        self._members = _members(session)
        self._start = _usage(self._members)
        self._mapped = self._start.mapped

    def look(self) -> None:
        """Note the mapped file pages of this moment, of the processes there were at the start."""
        self._mapped = max(self._mapped, sum(_status(pid, "RssFile") for pid in self._members))

    def cost(self, received: int) -> Cost:
        """What was used since the start, less the `received` bytes of the request itself."""
        members = _members(self._session)
        end = _usage(members)
        mapped = max(self._mapped, end.mapped) - self._start.mapped
        read = max(0, end.read - self._start.read - received)
        return Cost(max(0.0, end.cpu_seconds - self._start.cpu_seconds), read + mapped, _held(members))


@contextmanager
def held_to(session: int, allowance: int | None) -> Iterator[None]:
    """Let no process of the session reserve more than `allowance` bytes of data memory beyond what it has.

    None is no bound. The soft limit alone is lowered, and raised again afterwards.

    Raises:
        Unmeasurable: the limit cannot be set.
    """
    if allowance is None:
        yield
        return
    _require_linux()
    import resource

    former: dict[int, tuple[int, int]] = {}
    try:
        for pid in _members(session):
            former[pid] = resource.prlimit(pid, resource.RLIMIT_DATA)
            _bound(pid, _status(pid, "VmData") + allowance, former[pid][1])
    except OSError as error:
        _restore(former)
        raise Unmeasurable(f"the memory of process {session} cannot be bounded ({error.strerror})") from None
    try:
        yield
    finally:
        _restore(former)


@dataclass(frozen=True, slots=True)
class _Usage:
    cpu_seconds: float
    read: int
    mapped: int


def _usage(members: Sequence[int]) -> _Usage:
    parts = [_usage_of(pid) for pid in members]
    return _Usage(
        sum(part.cpu_seconds for part in parts),
        sum(part.read for part in parts),
        sum(part.mapped for part in parts),
    )


def _usage_of(pid: int) -> _Usage:
    fields = _stat(pid)
    if not fields:
        return _Usage(0.0, 0, 0)
    waited_for = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    try:
        own = time.clock_gettime(_processor_clock(pid))
        counters = (_PROC / str(pid) / "io").read_text("ascii")
    except ProcessLookupError:
        return _Usage(waited_for, 0, 0)
    except OSError as error:
        raise Unmeasurable(f"what process {pid} uses cannot be seen ({error.strerror})") from None
    read = int(counters.partition("rchar:")[2].split()[0])
    return _Usage(own + waited_for, read, _status(pid, "RssFile"))


def _held(members: Sequence[int]) -> Held:
    """What these processes hold; one that is gone holds nothing."""
    places = [_PROC / str(pid) for pid in members]
    return Held(
        sum(_entries(place / "fd") for place in places),
        sum(_entries(place / "task") for place in places),
        sum(_mapped_bytes(place / "maps") for place in places),
    )


def _entries(folder: Path) -> int:
    try:
        return len(os.listdir(folder))  # noqa: PTH208 -- a count, not paths
    except OSError:
        return 0


def _mapped_bytes(maps: Path) -> int:
    """Bytes of address space that show files, from /proc/PID/maps."""
    try:
        lines = maps.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return 0
    total = 0
    for line in lines:
        span, _, _, _, inode, *_ = line.split(maxsplit=5)
        if inode != "0":
            first, _, end = span.partition("-")
            total += int(end, 16) - int(first, 16)
    return total


def _processor_clock(pid: int) -> int:
    """The kernel's number for the processor clock of a process, as clock_getcpuclockid(3) gives it."""
    return (~pid << 3) | 2


def _members(session: int) -> list[int]:
    """The processes of the session, its leader first.

    Raises:
        Unmeasurable: the leader is gone or cannot be seen.
    """
    if not _stat(session):
        raise Unmeasurable(f"process {session} cannot be seen in {_PROC}")
    others = (int(name) for name in os.listdir(_PROC) if name.isdigit())  # noqa: PTH208 -- thousands of names
    return [session, *(pid for pid in others if pid != session and _session_of(pid) == session)]


def _session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, numbered from 0 at the state; none if it is gone."""
    try:
        text = (_PROC / str(pid) / "stat").read_text("ascii", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _status(pid: int, field: str) -> int:
    """A field of /proc/PID/status in bytes; 0 where the process is gone."""
    try:
        text = (_PROC / str(pid) / "status").read_text("utf-8", "replace")
    except OSError:
        return 0
    found = text.partition(f"\n{field}:")[2].split(maxsplit=1)
    return int(found[0]) * 1024 if found else 0


def _bound(pid: int, most: int, hard: int) -> None:
    import resource

    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.prlimit(pid, resource.RLIMIT_DATA, (soft, hard))


def _restore(former: Mapping[int, tuple[int, int]]) -> None:
    import resource

    for pid, limits in former.items():
        try:
            resource.prlimit(pid, resource.RLIMIT_DATA, limits)
        except OSError:
            continue  # the process is gone


def _require_linux() -> None:
    if sys.platform != "linux" or not _PROC.is_dir():
        raise Unmeasurable(
            f"processor time, reading and memory of a process are not measured on {sys.platform}"
        )
