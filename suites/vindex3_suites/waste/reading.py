"""What is done below the implementation to reads of a bank; whether a file system is read direct."""

from __future__ import annotations

import errno
import mmap
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3 import answers
from pytest_vindex3.contract.outcome import Reading, Refused, Reply
from pytest_vindex3.plugin.check import NotRun
from vindex3_suites.waste.records import RECORD, record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Waste

PAGE: Final = 4096
NO_DIRECT_OPEN: Final = {"direct": True, "opening": True, "error": errno.EINVAL}
"""Opening for direct reads fails."""
NO_DIRECT_READ: Final = {"direct": True, "error": errno.EINVAL}
"""Opening for direct reads succeeds, and every direct read fails."""
NOT_DIRECT: Final = {"open": NO_DIRECT_OPEN, "read": NO_DIRECT_READ}


def hindered(
    ask: Ask,
    model: Waste,
    layer: int,
    expert: int,
    how: Mapping[str, Any],
    *,
    bank: int | None = None,
    **options: Any,
) -> Reply:
    """Ask for a record while something is done to reads of its bank, or of another layer's.

    Args:
        ask: the implementation.
        model: the container.
        layer: of the record.
        expert: its number.
        how: what is done, as arguments of `Reading`; nothing at all only counts.
        bank: the layer whose bank it is done to.
        options: further arguments of waste.record.
    """
    path = ask.file("model", model.folder)
    file = (ask.folder / "model" / model.bank_file(layer if bank is None else bank)).resolve()
    return ask.watched(
        RECORD, reading=Reading(str(file), **how), path=path, layer=layer, expert=expert, **options
    )


def slot(model: Waste, layer: int, expert: int) -> dict[str, int]:
    """The part of a bank that holds a record, as arguments of `Reading`."""
    stride = model.record(layer, expert).length
    return {"start": expert * stride, "end": (expert + 1) * stride}


def direct_disk(folder: Path) -> None:
    """Probe whether files of this folder are really read past the page cache: misaligned reads fail then.

    Raises:
        NotRun: they are not.
    """
    path = folder / "probe"
    path.write_bytes(bytes(2 * PAGE))
    try:
        if not _is_direct(path):
            raise NotRun("files of this file system are not read direct")
    finally:
        path.unlink()


def direct_reader(ask: Ask, model: Waste, layer: int, expert: int) -> None:
    """Probe whether this implementation can be asked for direct reads; to have none harms nobody.

    Raises:
        NotRun: files of the folder are not read direct, or the implementation refuses to read this record so
            and does not claim to have read it so under auto.
    """
    direct_disk(ask.folder)
    demanded = record(ask, model, layer, expert, source="direct").outcome
    free = record(ask, model, layer, expert).outcome
    none_demanded = isinstance(demanded, Refused) and demanded.kind == "direct-unavailable"
    if none_demanded and answers(mode="buffered").difference(free) is None:
        raise NotRun("this implementation reads nothing direct")


def _is_direct(path: Path) -> bool:
    flag = getattr(os, "O_DIRECT", None)
    if flag is None or not hasattr(os, "preadv"):
        return False
    room = memoryview(mmap.mmap(-1, 2 * PAGE))
    try:
        descriptor = os.open(path, os.O_RDONLY | flag)
    except OSError:
        return False
    try:
        with suppress(OSError):
            if os.preadv(descriptor, [room[:PAGE]], 0) == PAGE:
                return _fails(descriptor, room[1 : PAGE + 1])
        return False
    finally:
        os.close(descriptor)


def _fails(descriptor: int, room: memoryview) -> bool:
    try:
        os.preadv(descriptor, [room], 1)
    except OSError:
        return True
    return False
