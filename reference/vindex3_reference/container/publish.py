"""Files of a folder that become visible together, the root of them last (container.md, section 5)."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vindex3_reference.container.digest import AT_ONCE
from vindex3_reference.container.link import Link
from vindex3_reference.disk import Disk, io_refusal, refusing
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source
from vindex3_reference.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

try:
    import fcntl
except ImportError:  # only some systems have it
    fcntl = None  # type: ignore[assignment]


class Publication:
    """New files for a folder, staged under other names until all of them are on the disk.

    While they are staged, a container that stands in the folder is as it was. Once the first of them
    takes its name, no root stands in the folder until the new root does, so that after a stop at any
    call the folder holds the old container, the new one, or none (PUBLISH-REPLACE-01). A file that is
    already there with the same bytes is left alone; where only the root is new, it takes the place of
    the old one in one step. Names are replaced, never written through: other hard links to an old file
    and readers that have it open keep its bytes.

    Use it as a context manager: what was staged and not published vanishes, and after a refusal also
    what was published and the folders that were made, since without a root they mean nothing.

    Args:
        folder: made where it is missing, with the folders above it.
        root: the file without which nothing in the folder means anything.
        disk: what makes the calls of the system.
        adding: whether the old root means the same with the new files beside it, and so stays until the
            new one takes its place in one step.

    Raises:
        Refusal: `io`, wherever the system fails. Files are named by their way from the folder.
    """

    def __init__(self, folder: str, root: str, disk: Disk, *, adding: bool = False) -> None:
        self._root = root
        self._disk = disk
        self._adding = adding
        self._parts: list[Part | Link] = []
        self._folders = _Folders(folder, disk)
        self._fresh: list[str] = []
        self._locks = ExitStack()
        self._over = False

    def exclude(self) -> None:
        """Wait until no other writer who excludes others is in the folder, and keep them out until the end.

        Without it two writers at once may leave files of both; a system without such locks has no better.
        """
        if fcntl is not None:
            self._locks.callback(os.close, self._folders.locked())

    @contextmanager
    def stage(self, name: str) -> Iterator[Part]:
        """A file to be filled; the root comes after all others."""
        path = self._folders.place(name)
        part = Part(path, name, self._disk)
        self._parts.append(part)
        yield part
        part.seal(kept=name == self._root)

    def link(self, name: str, source: str) -> bool:
        """Stage one more name of a file; False where there can be none, so that a copy must do."""
        path = self._folders.place(name)
        try:
            self._parts.append(Link(source, path, name, self._disk))
        except OSError:
            return False
        return True

    def publish(self, stop_before: str | None = None) -> list[str] | None:
        """Make the files visible in the order of staging, and give their names in that order.

        Args:
            stop_before: the name of a file that must not become visible, nor any after it; None is
                then the answer, and what was published until then stays.
        """
        published = []
        for part in self._parts:
            if part.name == stop_before:
                self._over = True
                return None
            if part.changed or not os.path.lexists(part.path):  # an equal root may have been taken away
                self._give_name(part)
            published.append(part.name)
        self._folders.sync()
        return published

    def _give_name(self, part: Part | Link) -> None:
        if part.name == self._root:
            self._folders.sync()
        elif not self._adding:
            self._remove_root()
        if not os.path.lexists(part.path):
            self._fresh.append(part.path)
        part.publish()
        self._over = part.name == self._root

    def _remove_root(self) -> None:
        """Take an old root away, before any file that it may mean becomes another one."""
        path = self._folders.place(self._root)
        if os.path.lexists(path):
            with refusing(self._root):
                self._disk.unlink(path)
            self._folders.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._locks:
            for part in self._parts:
                part.discard()
            if not self._over:
                for path in self._fresh:
                    with suppress(OSError):
                        self._disk.unlink(path)
                self._folders.remove_made()


class Part:
    """A file on its way, compared while it is written with the one that has its name.

    Attributes:
        changed: whether its bytes are others than those of a regular file under its name; known once it
            is sealed.
    """

    def __init__(self, path: str, name: str, disk: Disk) -> None:
        self.path = path
        self.name = name
        self.changed = False
        self._written = 0
        self._target = Target(path, name, disk)
        self._former = _former(path, name)

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes."""
        self._target.write(data)
        if not self.changed and self._former is not None:
            self.changed = self._former.read(self._written, len(data)) != data
        self._written += len(data)

    def skip(self, length: int) -> None:
        """Append a hole."""
        self._target.skip(length)
        self.changed = True  # what the old file has there is not looked at
        self._written += length

    def seal(self, *, kept: bool) -> None:
        """Take no more bytes; what is there already is given up unless it is `kept`."""
        self._target.seal()
        if self._former is None or self._former.length != self._written:
            self.changed = True
        self._close_former()
        if not (self.changed or kept):
            self._target.discard()

    def publish(self) -> None:
        """Let the file take its name."""
        self._target.publish()

    def discard(self) -> None:
        """Give up what was not published."""
        self._close_former()
        self._target.discard()

    def _close_former(self) -> None:
        if self._former is not None:
            self._former.close()
            self._former = None


def copy(source: Source, part: Part) -> None:
    """Append all bytes of an open file, holes as holes.

    Raises:
        Refusal: `io`, also where the file becomes shorter meanwhile.
    """
    end = 0
    for begin, data_end in source.stored(0, source.length):
        if begin > end:
            part.skip(begin - end)
        for at in range(begin, data_end, AT_ONCE):
            piece = source.read(at, min(AT_ONCE, data_end - at))
            if len(piece) < min(AT_ONCE, data_end - at):
                raise io_refusal(source.name, "it became shorter", "read")
            part.write(piece)
        end = data_end
    if source.length > end:
        part.skip(source.length - end)


class _Folders:
    """The folder of a publication and those below it, made as files need them, none of them a link."""

    def __init__(self, top: str, disk: Disk) -> None:
        self._top = top or "."
        self._name = top
        self._disk = disk
        self._known: set[str] = set()
        self._made: list[str] = []

    def place(self, name: str) -> str:
        """The path of a file, in a folder that is there."""
        folder = name.rpartition("/")[0]
        if folder not in self._known:
            self._provide_top()
            parts = folder.split("/") if folder else []
            for count in range(1, len(parts) + 1):
                self._provide("/".join(parts[:count]))
            self._known.add(folder)
        return f"{self._top}/{name}"

    def locked(self) -> int:
        """A descriptor of the topmost folder that nobody else has a lock on; closing it ends the lock."""
        self.place("")
        with refusing(self._name):
            descriptor = os.open(self._top, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return descriptor

    def sync(self) -> None:
        """Wait until the names in all these folders are on the disk."""
        for folder in sorted(self._known):
            with refusing(folder or self._name):
                self._disk.sync_folder(f"{self._top}/{folder}")

    def remove_made(self) -> None:
        """Remove the folders that were made here and hold nothing."""
        for path in reversed(self._made):
            with suppress(OSError):
                self._disk.rmdir(path)

    def _provide_top(self) -> None:
        path = Path(self._top)
        with refusing(self._name):
            missing = [folder for folder in (path, *path.parents) if not folder.exists()]
            for folder in reversed(missing):
                self._make(str(folder))
            if not path.is_dir():
                raise io_refusal(self._name, "no folder")

    def _provide(self, name: str) -> None:
        path = f"{self._top}/{name}"
        with refusing(name):
            try:
                mode = os.lstat(path).st_mode
            except FileNotFoundError:
                self._make(path)
                return
        if not stat.S_ISDIR(mode):
            raise io_refusal(name, "no folder")

    def _make(self, path: str) -> None:
        self._disk.mkdir(path)
        self._made.append(path)


def _former(path: str, name: str) -> Source | None:
    """The regular file under a name, where it can be read."""
    if Path(path).is_symlink():
        return None
    try:
        return Source(path, name)
    except Refusal:
        return None
