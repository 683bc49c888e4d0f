"""The flags of a bank: browse bits, and bits that no rule names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.samples import SMALLEST, TWO_BANKS, bank_of, scales, values, with_flags

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.lyrw import LyrwFile


@clause("BROWSE-BITS-01")
@cases(none=(0, "none"), direct=(1, "direct"), strided=(2, "strided"))
def test_browse_is_a_word(ask: Ask, case: tuple[int, str]) -> None:
    """Bits 0 and 1 are shown as none, direct or strided."""
    flags, word = case
    file = with_flags(SMALLEST, flags)
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("BROWSE-BITS-01", reply, answers(banks=[{"browse": word, "flags": flags}]))
    check("BROWSE-BITS-01", reply, parses(file))


@clause("BROWSE-BITS-01")
def test_each_bank_browses_its_own_way(ask: Ask) -> None:
    """The bits of one bank say nothing of another."""
    first, second = TWO_BANKS.banks
    file = replace(TWO_BANKS, banks=(replace(first, flags=v.STRIDED), replace(second, flags=v.DIRECT)))
    check("BROWSE-BITS-01", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("BROWSE-BITS-02")
def test_browse_3_is_none_and_unknown(ask: Ask) -> None:
    """Both bits set are shown as none, kept in flags, and listed as browse 3."""
    file = with_flags(SMALLEST, 3)
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    listed = [{"where": "banks[0]", "field": "browse", "value": 3}]
    check("BROWSE-BITS-02", reply, answers(banks=[{"browse": "none", "flags": 3}], unknown=listed))
    check("BROWSE-BITS-02", reply, parses(file))


@clause("BROWSE-BITS-02")
def test_browse_3_is_listed_for_its_bank(ask: Ask) -> None:
    """Of two banks, the second with both bits set, the list names the second."""
    first, second = TWO_BANKS.banks
    file = replace(TWO_BANKS, banks=(first, replace(second, flags=3)))
    check("BROWSE-BITS-02", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("BROWSE-BITS-03")
@cases(bit_2=4, bit_2_and_direct=5, bit_8_and_strided=0x102, bit_15=0x8000, all_but_browse=0xFFFC, all=0xFFFF)
def test_unassigned_bank_flags_are_kept(ask: Ask, case: int) -> None:
    """The whole word is shown; bits above bit 1 are listed, do not change browse and stop nothing."""
    file = with_flags(SMALLEST, case)
    check("BROWSE-BITS-03", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("BROWSE-BITS-04")
@cases(
    values_and_scales=bank_of(values(1), scales(1)),
    inline=bank_of(replace(values(v.UNPAIRED), packing=v.BLOCKS_WITH_SCALES_INLINE)),
)
def test_blocks_may_be_strided(ask: Ask, case: LyrwFile) -> None:
    """Browse strided on a bank of block packings is described."""
    file = with_flags(case, v.STRIDED)
    check("BROWSE-BITS-04", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))
