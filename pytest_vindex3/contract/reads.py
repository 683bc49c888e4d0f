"""Reads of one file by Python code: the functions of `os`, and `open`, counted and hindered.

What was wrapped stays wrapped (`wrapping.py`). What C code reads by itself, past these functions, is not
seen, and neither is what is read from memory that a file is mapped to.
"""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pytest_vindex3.contract.outcome import Reading
from pytest_vindex3.contract.tally import Tally
from pytest_vindex3.contract.wrapping import Function, opening, path_of, put_in_place, writes

try:
    import fcntl
except ImportError:  # only some systems have it
    fcntl = None  # type: ignore[assignment]

_DIRECT = getattr(os, "O_DIRECT", 0)
_EXCHANGED = ".exchanged"


def watch(reading: Reading, tally: Tally) -> None:
    """Count what Python code of this process reads of a file from now on, and hinder it.

    Args:
        reading: which reads, and how.
        tally: takes the counts; it may be shared with another process.
    """
    watched = _RawFile.watched = _Watched(reading, tally)
    opened = opening(io.open, _RawFile, lambda file, mode: not writes(mode) and watched.is_file(file))
    wrappers: dict[Function, Function] = {
        io.open: opened,
        io.FileIO: _RawFile,
        os.open: watched.opening(os.open),
        os.read: watched.giving(os.read),
    }
    if hasattr(os, "preadv"):
        wrappers[os.pread] = watched.giving(os.pread)
        wrappers[os.readv] = watched.filling(os.readv)
        wrappers[os.preadv] = watched.filling(os.preadv)
    put_in_place(wrappers)


class _Turn(NamedTuple):
    """A call that touches the watched part.

    Attributes:
        descriptor: of the file.
        offset: where it reads.
        moves: whether it reads from the position of the descriptor, and moves that.
        most: how many bytes it may give; None for as many as there are.
    """

    descriptor: int
    offset: int
    moves: bool
    most: int | None


class _Watched:
    """A file whose reads are counted and hindered."""

    def __init__(self, reading: Reading, tally: Tally) -> None:
        self._reading = reading
        self._tally = tally
        self._exchanged = False

    def is_file(self, file: Any) -> bool:
        """Whether a descriptor or a path, as it is given to a call, is that of the file."""
        with suppress(OSError, TypeError, ValueError):  # the call itself will say what is wrong
            found = path_of(file) if isinstance(file, int) else os.path.realpath(os.fsdecode(file))
            return str(found) == self._reading.file
        return False

    def opening(self, plain: Function) -> Function:
        """`os.open`, which may fail for the file."""

        @functools.wraps(plain)
        def opened(path: Any, flags: Any, *arguments: Any, **named: Any) -> Any:
            descriptor = plain(path, flags, *arguments, **named)
            try:
                if self._reading.opening and self.is_file(descriptor) and self._applies(descriptor):
                    self._fail()
            except BaseException:
                os.close(descriptor)
                raise
            return descriptor

        return opened

    def giving(self, plain: Function) -> Function:
        """A function that gives bytes: descriptor, length and perhaps an offset."""

        @functools.wraps(plain)
        def read(descriptor: Any, length: Any, /, *offset: Any) -> Any:
            turn = self.turn(descriptor, offset, length)
            data = plain(descriptor, length, *offset)
            return data if turn is None else data[: self.given(turn, len(data))]

        return read

    def filling(self, plain: Function) -> Function:
        """A function that fills buffers: descriptor, buffers and perhaps an offset."""

        @functools.wraps(plain)
        def read(descriptor: Any, buffers: Any, /, *offset: Any) -> Any:
            turn = self.turn(descriptor, offset, _length(buffers))
            return self.filled(turn, buffers, lambda: plain(descriptor, buffers, *offset))

        return read

    def filled(self, turn: _Turn | None, buffers: Sequence[Any], read: Callable[[], int]) -> int:
        """Fill buffers as far as the turn goes; what lies behind stays as it was."""
        if turn is None:
            return read()
        kept = [] if turn.most is None else [bytes(memoryview(one).cast("B")) for one in buffers]
        got = read()
        given = self.given(turn, got)
        if given < got:
            _restore(buffers, kept, given)
        return given

    def turn(self, descriptor: Any, offset: Sequence[Any], length: Any) -> _Turn | None:
        """What becomes of a call; None where it does not touch the part.

        Raises:
            OSError: it fails.
        """
        reading = self._reading
        if not (isinstance(descriptor, int) and isinstance(length, int) and self.is_file(descriptor)):
            return None
        at = offset[0] if offset else os.lseek(descriptor, 0, os.SEEK_CUR)
        if at + length <= reading.start or (reading.end is not None and at >= reading.end):
            return None
        self._tally.add(calls=1)
        self._exchange()
        applies = self._applies(descriptor)
        if applies and reading.error is not None and not reading.opening:
            self._fail()
        return _Turn(descriptor, at, not offset, self._most(at) if applies else None)

    def given(self, turn: _Turn, got: int) -> int:
        """How many of the bytes that were read the call gives, which are counted."""
        reading = self._reading
        given = got if turn.most is None else min(got, turn.most)
        if given < got and turn.moves:
            os.lseek(turn.descriptor, turn.offset + given, os.SEEK_SET)
        behind = turn.offset + given
        end = behind if reading.end is None else min(behind, reading.end)
        part = max(0, end - max(turn.offset, reading.start))
        direct = _is_direct(turn.descriptor)
        self._tally.add(
            hindered=int(given < got), direct=part if direct else 0, buffered=0 if direct else part
        )
        return given

    def _applies(self, descriptor: int) -> bool:
        return not self._reading.direct or _is_direct(descriptor)

    def _most(self, offset: int) -> int | None:
        """How many bytes a call from this offset may give."""
        reading = self._reading
        ends = None if reading.length is None else max(0, reading.length - offset)
        return min((one for one in (reading.most, ends) if one is not None), default=None)

    def _fail(self) -> None:
        reading = self._reading
        if reading.error is None or (reading.times is not None and self._tally.failed >= reading.times):
            return
        self._tally.add(hindered=1, failed=1)
        raise OSError(reading.error, os.strerror(reading.error))

    def _exchange(self) -> None:
        """Let the two folders exchange their names, once."""
        folders = self._reading.swapped
        if folders is None or self._exchanged:
            return
        self._exchanged = True
        one, other = map(Path, folders)
        aside = one.rename(f"{one}{_EXCHANGED}")
        other.rename(one)
        aside.rename(other)
        self._tally.add(hindered=1)


class _RawFile(io.FileIO):
    """A file without a buffer whose reads are counted and hindered."""

    watched: ClassVar[_Watched]

    def __init__(
        self,
        file: Any,
        mode: str = "r",
        closefd: bool = True,
        opener: Callable[[Any, int], int] | None = None,
    ) -> None:
        super().__init__(file, mode, closefd, opener or _opened)

    def readinto(self, buffer: Any, /) -> int:
        turn = self.watched.turn(self.fileno(), (), _length([buffer]))
        return self.watched.filled(turn, [buffer], lambda: super(_RawFile, self).readinto(buffer) or 0)

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        room = bytearray(size)
        return bytes(room[: self.readinto(room)])

    def readall(self) -> bytes:
        pieces = []
        while piece := self.read(1 << 20):
            pieces.append(piece)
        return b"".join(pieces)


def _opened(name: Any, flags: int) -> int:
    return os.open(name, flags, 0o666)


def _is_direct(descriptor: int) -> bool:
    return bool(_DIRECT and fcntl.fcntl(descriptor, fcntl.F_GETFL) & _DIRECT)


def _length(buffers: Any) -> int:
    return sum(memoryview(one).nbytes for one in buffers)


def _restore(buffers: Sequence[Any], kept: Sequence[bytes], given: int) -> None:
    """Put back what lay behind the bytes that are given."""
    for buffer, former in zip(buffers, kept, strict=True):
        if given < len(former):
            memoryview(buffer).cast("B")[given:] = former[given:]
        given = max(0, given - len(former))
