"""What is wrong with the layer files of a bank container (container.md, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference import source
from vindex3_reference.lyrw import moe_defects, verify
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.container.container import Container
    from vindex3_reference.defects import Defects


def take_bank_faults(container: Container, defects: Defects) -> None:
    """Take what moe.check finds with the files that `segments` names, and lyrw.verify in each of them.

    A container without a manifest has none (VERIFY-BANK-01 and 02). A defect of a file names it.
    """
    if container.manifest is None:
        return
    files = container.index.bank_files()
    for found in moe_defects.faults(
        container.manifest, {key: [container.file(name)] for key, name in files.items()}
    ):
        defects.take(found)
    segments = {entry.segment for entry in container.index.representations.values()}
    for name in sorted(set(files.values()) - segments):
        _take_faults_of(container.file(name), name, defects)


def _take_faults_of(path: str, name: str, defects: Defects) -> None:
    try:
        source.require(path, name)
        for found in verify.file_faults(path):
            defects.take(found, path=name)
    except Refusal as refusal:
        defects.take([refusal], path=name)
