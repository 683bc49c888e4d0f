"""Which file a name stands for, and where links to files can be made."""

from __future__ import annotations

import errno
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_vindex3.plugin.check import NotRun

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOUNTED: Final = ("/dev/shm", "/var/tmp")  # noqa: S108 -- a fresh folder is made there, as tempfile does
_PROBE: Final = "probe"


def node(path: Path) -> tuple[int, int] | None:
    """Which file stands under a name, links followed; None where there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


def linkable(folder: Path) -> None:
    """Go on where hard links can be made in a folder.

    Raises:
        NotRun: they cannot.
    """
    with _probe(folder) as probe:
        error = _refusal(probe, folder)
    if error:
        raise NotRun(f"links cannot be made here: {error.strerror}")


@contextmanager
def other_file_system(folder: Path) -> Iterator[Path]:
    """A new folder to which no file below `folder` can be linked; it goes with the context.

    Raises:
        NotRun: there is none.
    """
    with _probe(folder) as probe:
        found = _apart(probe)
    try:
        yield found
    finally:
        shutil.rmtree(found, ignore_errors=True)


def _apart(probe: Path) -> Path:
    for home in (*_MOUNTED, tempfile.gettempdir(), str(Path.home())):
        try:
            found = Path(tempfile.mkdtemp(prefix="vindex3-", dir=home)).resolve()
        except OSError:
            continue
        error = _refusal(probe, found)
        if error and error.errno == errno.EXDEV:
            return found
        shutil.rmtree(found, ignore_errors=True)
    raise NotRun("there is no second file system here to which no link can be made")


@contextmanager
def _probe(folder: Path) -> Iterator[Path]:
    """A file that is there for a while."""
    probe = folder / _PROBE
    probe.write_bytes(b"")
    try:
        yield probe
    finally:
        probe.unlink()


def _refusal(probe: Path, folder: Path) -> OSError | None:
    """Why the file cannot have one more name in a folder."""
    link = folder / f"link of the {_PROBE}"
    try:
        link.hardlink_to(probe)
    except OSError as error:
        return error
    link.unlink()
    return None
