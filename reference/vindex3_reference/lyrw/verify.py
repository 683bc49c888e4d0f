"""Everything that is wrong with a layer file, or with all files of one layer (lyrw.md, sections 3 and 6)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from vindex3_reference.defects import Defects
from vindex3_reference.lyrw import layer_set, partners, structure
from vindex3_reference.lyrw.lengths import SchemaLengths
from vindex3_reference.lyrw.partners import Partners
from vindex3_reference.lyrw.reader import LayerFile
from vindex3_reference.lyrw.row_checks import RowChecks
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def verified(asked: str | Sequence[str]) -> Defects:
    """The defects of a file, or of a list of files, which are all files of one logical layer.

    Payload bytes are not read. With a list, a defect or refusal of one file has `path` among its facts.

    Raises:
        Refusal: what opening a file refuses (LYRW-VERIFY-02, SEGMENTS-SET-07); `missing-field` where no
            file is listed.
    """
    listed, paths = (False, [asked]) if isinstance(asked, str) else (True, asked)
    if not paths:
        raise Refusal("missing-field", "no file is listed", field="path")
    defects = Defects()
    members = []
    for path in paths:
        facts = {"path": path} if listed else {}
        with _named(facts), LayerFile(path) as layer:
            for found in faults(layer):
                defects.take(found, **facts)
        members.append(layer_set.Member(path, layer))
    for found in layer_set.faults(members, named=listed):
        defects.take(found)
    return defects


def file_faults(path: str) -> Iterator[Iterator[Refusal]]:
    """All findings about one file, kind by kind.

    Raises:
        Refusal: what opening the file refuses.
    """
    with LayerFile(path) as layer:
        yield from faults(layer)
        yield from layer_set.faults([layer_set.Member(path, layer)], named=False)


def faults(layer: LayerFile) -> Iterator[Iterator[Refusal]]:
    """All findings about an open file by itself, but for what its segments cover, kind by kind."""
    lengths, pairs = SchemaLengths(layer.schemas), Partners(layer)
    yield from structure.faults(layer, pairs, lengths)
    yield partners.misshapen(pairs)
    yield from RowChecks(layer, lengths).faults()


@contextmanager
def _named(facts: dict[str, str]) -> Iterator[None]:
    """Add facts to a refusal that passes."""
    try:
        yield
    except Refusal as refusal:
        refusal.names.update(facts)
        raise
