"""What opening may refuse of rows, padding and the file's end, and may leave alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.lyrw import LyrwFile, Row
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.samples import DENSE, SMALLEST, SPLIT

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FIRST, MIDDLE, LAST = DENSE.places


@clause("LYRW-TRAIL-01")
@cases(
    one_zero=replace(SMALLEST, trailing=b"\x00"),
    one_byte=replace(SMALLEST, trailing=b"\xff"),
    many=replace(DENSE, trailing=bytes(range(1, 129))),
    another_layer_file=replace(SPLIT, trailing=SMALLEST.data()),
)
def test_bytes_may_trail(ask: Ask, case: LyrwFile) -> None:
    """A file that goes on after its last region is described, or refused as trailing-bytes."""
    legal = replace(case, trailing=b"")
    check("LYRW-TRAIL-01", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", case))
    check("LYRW-TRAIL-01", reply, either(parses(case), refuses("trailing-bytes")))


@clause("LYRW-PADDING-01")
@cases(first_byte=(168, b"\x01"), last_byte=(191, b"\x01"), all=(168, b"\xff" * 24))
def test_padding_before_the_payload_may_be_judged(ask: Ask, case: tuple[int, bytes]) -> None:
    """Non-zero bytes before payload_start are accepted, or refused as non-zero-padding."""
    check("LYRW-PADDING-01", ask("lyrw.parse", path=ask.file("legal.lyrw", DENSE)), parses(DENSE))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", replace(DENSE, patches=(case,))))
    check("LYRW-PADDING-01", reply, either(parses(DENSE), refuses("non-zero-padding")))


@clause("LYRW-PADDING-01")
@cases(after_the_first=(216, b"\x01"), before_the_last=(319, b"\x01"), all=(216, b"\xff" * 40))
def test_padding_between_regions_is_not_judged(ask: Ask, case: tuple[int, bytes]) -> None:
    """Non-zero bytes between regions do not stop the parse."""
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", replace(DENSE, patches=(case,))))
    check("LYRW-PADDING-01", reply, parses(DENSE))


@clause("REGION-ALIGN-01")
@cases(by_1=321, by_4=324, by_8=328, by_32=352, to_one_below=383)
def test_a_misaligned_row_may_be_judged(ask: Ask, case: int) -> None:
    """A row whose offset is no multiple of 64 is accepted, or refused as misaligned."""
    check("REGION-ALIGN-01", ask("lyrw.parse", path=ask.file("legal.lyrw", DENSE)), parses(DENSE))
    file = replace(DENSE, at={LAST: case})
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    refused = refuses("misaligned", bank_id=0, entry=0, offset=case)
    check("REGION-ALIGN-01", reply, either(parses(file), refused))


def _last_row(offset: int, length: int) -> LyrwFile:
    """The last row stated elsewhere, in a file that ends after the region before it."""
    return replace(DENSE, rows={LAST: Row(offset, length)}, length=280)


@clause("REGION-OVERLAP-01")
@cases(
    the_same_bytes=_last_row(256, 24),
    some_of_the_same_bytes=replace(DENSE, rows={FIRST: Row(192, 70)}),
    the_header=_last_row(0, 24),
    the_tables=_last_row(64, 24),
    a_row_of_zeros=_last_row(0, 0),
)
def test_overlap_may_be_judged(ask: Ask, case: LyrwFile) -> None:
    """Regions that share bytes with others or with the tables are accepted, or refused as such."""
    check("REGION-OVERLAP-01", ask("lyrw.parse", path=ask.file("legal.lyrw", DENSE)), parses(DENSE))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", case))
    refused = refuses("overlap", "region-in-tables")
    check("REGION-OVERLAP-01", reply, either(parses(case), refused))
