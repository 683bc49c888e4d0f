"""Every call of the system by which the reference changes the disk."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Result = TypeVar("Result")

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Disk:
    """The calls that create, fill, rename and remove files and folders: one method for each.

    All of them go through `call`, so that a subclass can count them, stop before one or let one fail.
    None writes through a link: `create` makes a file of its own, the others act on names.

    Raises:
        OSError: from any method, as the system has it.
        ValueError: for a name that no file can have.
    """

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Make one call."""
        return function(*arguments)

    def create(self, path: str, mode: int) -> int:
        """Make a new file and give its descriptor, which is for writing alone."""
        return self.call(os.open, path, _NEW, mode)

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        """Append bytes, and say how many of them were taken."""
        return self.call(os.write, descriptor, data)

    def truncate(self, descriptor: int, length: int) -> None:
        """Give a file its length; what is new of it is a hole."""
        self.call(os.ftruncate, descriptor, length)

    def sync(self, descriptor: int) -> None:
        """Wait until a file is on the disk."""
        self.call(os.fsync, descriptor)

    def sync_folder(self, path: str) -> None:
        """Wait until the names of a folder are on the disk."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def chmod(self, path: str, mode: int) -> None:
        """Set the permissions of a file."""
        self.call(os.chmod, path, mode)

    def link(self, path: str, name: str) -> None:
        """Give a file one more name, which must be free."""
        self.call(os.link, path, name)

    def replace(self, path: str, name: str) -> None:
        """Give a file another name, which an older file loses."""
        self.call(os.replace, path, name)

    def unlink(self, path: str) -> None:
        """Take the name away from a file."""
        self.call(os.unlink, path)

    def mkdir(self, path: str) -> None:
        """Make a folder."""
        self.call(os.mkdir, path)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        self.call(os.rmdir, path)


@contextmanager
def refusing(name: str, done: str = "written") -> Iterator[None]:
    """Refuse as `io`, with path and reason, what the system refuses for the file of this name."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise io_refusal(name, reason, done) from None
    except ValueError as error:  # a NUL or a lone surrogate: no file can have this name
        raise io_refusal(name, str(error), done) from None


def io_refusal(name: str, reason: str, done: str = "written") -> Refusal:
    """The refusal of a file that cannot be written, or whatever else was to be done with it."""
    return Refusal("io", f"{name} cannot be {done}: {reason}", path=name, reason=reason)
