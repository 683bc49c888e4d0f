"""A file that gets one more name, in place of whatever has that name (representation.md, section 8)."""

from __future__ import annotations

import os
from contextlib import suppress

from vindex3_reference.disk import Disk, refusing
from vindex3_reference.target import former_file, part_beside


class Link:
    """One more name of a file, staged beside the place that it is to take.

    Neither the file nor what stands in the place is written to, and permissions stay those of the file.

    Attributes:
        path: the place.
        name: what refusals call it.
        changed: whether something else than this very file has the place.

    Args:
        source: the file, a regular one and no link.
        path, name: as above.
        disk: what makes the calls of the system.

    Raises:
        OSError: where the system makes no such name: on another file system, or for lack of right.
        Refusal: `io`, where a folder or a device has the place.
    """

    def __init__(self, source: str, path: str, name: str, disk: Disk) -> None:
        self.path = path
        self.name = name
        self._disk = disk
        former = former_file(path, name)
        self.changed = former is None or not os.path.samestat(former, os.lstat(source))
        self._part = part_beside(path) if self.changed else None
        if self._part is not None:
            disk.link(source, self._part)

    def publish(self) -> None:
        """Take the place."""
        if self._part is not None:
            with refusing(self.name):
                self._disk.replace(self._part, self.path)
            self._part = None

    def discard(self) -> None:
        """Give up what was not published."""
        if self._part is not None:
            with suppress(OSError):
                self._disk.unlink(self._part)
            self._part = None
