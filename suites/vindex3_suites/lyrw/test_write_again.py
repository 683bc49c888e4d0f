"""A file parsed and written again: the same bytes, whatever nobody has a name for included."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.plugin.ask import needs
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.lyrw_plans import planned_layer_files
from vindex3_fixtures.lyrw import Bank, LyrwFile
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.lengths import RULES
from vindex3_fixtures.lyrw.plan import payload
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.planning import on_disk, write
from vindex3_suites.lyrw.samples import DENSE, FUSED, GATE, UP, bank_of
from vindex3_suites.lyrw.test_write import FILES

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Answer
    from pytest_vindex3.plugin.ask import Ask


def _check_again(ask: Ask, file: LyrwFile) -> None:
    """Parse the file, add the lengths that no rule gives, write it, and compare the bytes."""
    parsed = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TAGS-07", parsed, parses(file))
    shown = cast("dict[str, Any]", cast("Answer", parsed.outcome).value)
    document = {**shown, "lengths": _unruled_lengths(file)}
    reply = write(ask, "again.lyrw", document, payload(file))
    same = replace(file, reserved=0).data()
    check("LYRW-TAGS-07", reply, on_disk(ask, "again.lyrw", same))


def _unruled_lengths(file: LyrwFile) -> list[dict[str, Any]]:
    """The lengths of the regions that no rule gives, one by one."""
    lengths = []
    for place, row in file.stored.items():
        bank_id = file.all_segments[place.segment].bank_id
        bank = file.bank(bank_id)
        schema = bank.schemas[place.schema] if bank else None
        if schema and (schema.format, schema.packing) not in RULES:
            numbers = {"bank_id": bank_id, "entry": place.entry, "schema_index": place.schema}
            lengths.append({**numbers, "length": row.length})
    return lengths


def _banks(*flags: int, kind: int = v.ROUTED) -> LyrwFile:
    """A bank for each of these flags."""
    banks = (Bank((GATE, UP), bank_id, kind, each) for bank_id, each in enumerate(flags))
    return LyrwFile(banks=tuple(banks))


@needs("lyrw.parse")
@clause("LYRW-TAGS-07")
@cases(
    {
        **FILES,
        "header_flags": replace(DENSE, flags=0xDEADBEEC),
        "header_flags_of_a_split_layer": replace(DENSE, flags=0xDEADBEED),
        "bank_flags": _banks(0x0004, 0x8001, 0xFFFE, 0x7FF0),
        "browse_bits_without_a_meaning": _banks(3, 0xFFFF, 7),
        "unknown_kinds": _banks(0, 1, kind=3),
        "unknown_layout": bank_of(replace(FUSED, layout=3), replace(FUSED, layout=65535)),
        "unknown_role": bank_of(replace(GATE, role=8), replace(UP, role=256), replace(UP, role=65535)),
        "unknown_format": bank_of(replace(GATE, format=11, length=24), replace(UP, format=65535, length=1)),
        "unknown_packing": bank_of(replace(GATE, packing=4, length=24)),
        "reserved_word": replace(DENSE, reserved=0xDEADBEEF),
    }
)
def test_a_file_comes_out_as_it_went_in(ask: Ask, case: LyrwFile) -> None:
    """What a parse shows is a plan: with the regions of the file it gives the same bytes again."""
    _check_again(ask, case)


@needs("lyrw.parse")
@clause("LYRW-TAGS-07")
@generated(planned_layer_files())
def test_a_drawn_file_comes_out_as_it_went_in(ask: Ask, drawn: LyrwFile) -> None:
    """Any file in the writer's own order, parsed and written again, is byte-identical."""
    _check_again(ask, drawn)
