"""A file that comes to be as a whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_BUFFER = 1 << 20


class Target:
    """A new file that takes the place of a name when it is published; use it as a context manager.

    Bytes go to a file of another name in the same folder, which vanishes unless it is published. Only the
    name is replaced: a symbolic link under it gives way to the file, what the link led to and other
    hard links to a former file keep their bytes. A former file's permissions are kept. What is neither
    a regular file nor a link (a folder, a device) is not replaced.

    Raises:
        Refusal: `io` with path and reason, wherever the system fails.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._part = Path(path).parent / f".{secrets.token_hex(8)}.part"
        with self._refusing():
            former = self._former()
            # Nobody may read or write the part who may not read or write the file that it replaces.
            mode = 0o666 if former is None else stat.S_IMODE(former.st_mode) & 0o666
            descriptor = os.open(self._part, _FLAGS, mode)
        self._file = os.fdopen(descriptor, "wb", _BUFFER)

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes."""
        with self._refusing():
            self._file.write(data)

    def publish(self) -> None:
        """Put the file in its place, once its bytes are on the disk."""
        with self._refusing():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            former = self._former()
            if former is not None:
                self._part.chmod(stat.S_IMODE(former.st_mode))
            self._part.replace(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # bytes that are given up may still be in the buffer of a full disk
            self._file.close()
        with suppress(OSError):
            self._part.unlink()

    def _former(self) -> os.stat_result | None:
        """The regular file that stands under the name; None where it is free or a link."""
        try:
            status = os.lstat(self._path)
        except FileNotFoundError:
            return None
        if stat.S_ISREG(status.st_mode):
            return status
        if stat.S_ISLNK(status.st_mode):
            return None
        raise self._refusal("no regular file")

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._refusal(os.strerror(error.errno) if error.errno else str(error)) from None
        except ValueError as error:  # a NUL or a lone surrogate: no file can have this name
            raise self._refusal(str(error)) from None

    def _refusal(self, reason: str) -> Refusal:
        return Refusal("io", f"{self._path} cannot be written: {reason}", path=self._path, reason=reason)
