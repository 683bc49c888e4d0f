"""The Python host: a Python implementation behind the pipe, with standard output protected from prints.

Run as `python -m pytest_vindex3.contract.host SPEC [ROOT...]` by the child door, and by `vindex3 serve SPEC`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from pytest_vindex3.contract import hindered
from pytest_vindex3.contract.door import Description, NotLoaded
from pytest_vindex3.contract.find import find
from pytest_vindex3.contract.frames import brief
from pytest_vindex3.contract.in_process import InProcess
from pytest_vindex3.contract.messages import DESCRIBE, reply_of, shown
from pytest_vindex3.contract.outcome import Answer, Fault, Outcome
from pytest_vindex3.contract.scratch import Scratch
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.contract.wire import from_line, resolved, to_line


def serve(spec: str, roots: Sequence[Path] = ()) -> bool:
    """Answer requests from standard input until it ends; whether the implementation was loaded.

    Standard output belongs to the pipe alone: whatever the implementation prints, by Python or by C, goes
    to stderr, and its standard input is empty. It is loaded when it is first asked to describe itself, so
    that a failure to load is an answer too.
    """
    requests, replies = _take_streams()
    host = _Host(spec, roots)
    for line in requests:
        reply = host.reply_to(line)
        with suppress(Exception):
            sys.stdout.flush()
        replies.write(reply)
        replies.flush()
    return host.loaded


class _Host:
    def __init__(self, spec: str, roots: Sequence[Path]) -> None:
        self._spec = spec
        self._roots = roots
        self._door: InProcess | None = None
        self._scratch = Scratch(Path.cwd(), "answer")

    @property
    def loaded(self) -> bool:
        """Whether it has described itself."""
        return self._door is not None

    def reply_to(self, line: bytes) -> bytes:
        """The line that answers a line."""
        number, verb, arguments, under = _request_in(line)
        if under is not None:
            return hindered.reply(
                number,
                under,
                [partial(self._outcome, verb, one) for one in (arguments, *_beside(under))],
                lambda message: self._line(number, message),
            )
        return self._line(number, reply_of(number, self._outcome(verb, arguments)))

    def _line(self, number: int, message: Mapping[str, object]) -> bytes:
        """The message as a line; a fault in its place where what was answered has no form on the pipe."""
        try:
            return to_line(message, self._scratch)
        except (ValueError, TypeError, RecursionError, MemoryError, OSError) as error:
            what = Fault("memory" if isinstance(error, MemoryError) else "exception", brief(error))
            return to_line(reply_of(number, what), self._scratch)

    def _outcome(self, verb: str, raw: Mapping[str, object]) -> Outcome:
        try:
            return self._described(raw) if verb == DESCRIBE else self._asked(verb, raw)
        except NotLoaded as error:
            return Fault("exception", str(error))
        except BaseException as error:
            return Fault("memory" if isinstance(error, MemoryError) else "exception", brief(error))

    def _described(self, raw: Mapping[str, object]) -> Outcome:
        self._scratch = Scratch(Path(str(raw["scratch"])), "answer")
        self._door = InProcess(find(self._spec, self._roots))
        return Answer(_plain(self._door.describe()))

    def _asked(self, verb: str, raw: Mapping[str, object]) -> Outcome:
        if self._door is None:
            raise NotLoaded("describe comes before every other request")
        types = verbs()[verb].arguments if verb in verbs() else {}
        arguments = {
            key: resolved(types[key], value, self._scratch) if key in types else value
            for key, value in raw.items()
        }
        return self._door.ask(verb, arguments).outcome


def _request_in(line: bytes) -> tuple[int, str, dict[str, object], dict[str, object] | None]:
    """Number, verb and arguments of a request, and the conditions under which it is put, if any."""
    try:
        match from_line(line):
            case {"id": int(number), "verb": str(verb), "arguments": dict(arguments), **more}:
                under = more.get("under")
                return number, verb, arguments, under if isinstance(under, dict) else None
    except ValueError as error:
        raise SystemExit(f"a request is a JSON object a line ({error}), not {shown(line)}") from None
    raise SystemExit(f"a request has id, verb and arguments: {shown(line)}")


def _beside(under: Mapping[str, object]) -> list[dict[str, object]]:
    """The arguments of the requests that are put at once."""
    others = under.get("beside")
    return others if isinstance(others, list) else []


def _plain(description: Description) -> dict[str, object]:
    return {
        "name": description.name,
        "version": description.version,
        "language": description.language,
        "protocol": description.protocol,
        "verbs": list(description.verbs),
        "options": {verb: list(names) for verb, names in description.options.items()},
        "origin": description.origin,
    }


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipe's two ends, out of reach of the implementation."""
    sys.stdout.flush()
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return requests, replies


if __name__ == "__main__":
    serve(sys.argv[1], [Path(root) for root in sys.argv[2:]])
