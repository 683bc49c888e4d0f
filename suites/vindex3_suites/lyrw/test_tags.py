"""Tags: known ones by their words, unknown ones kept as integers and listed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import delivers, parses
from vindex3_suites.lyrw.samples import DOWN, GATE, UP, bank_of, only

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _first_schema(**shown: object) -> dict[str, object]:
    """An observation whose only schema shows these fields, and no unknown tag."""
    return {"banks": [{"schemas": [shown]}], "unknown": []}


@clause("LYRW-TAGS-01")
@cases(
    gate=(0, "gate"),
    up=(1, "up"),
    gate_up_fused=(2, "gate_up_fused"),
    down=(3, "down"),
    bias=(4, "bias"),
    scales=(5, "scales"),
    latent_in=(6, "latent_in"),
    latent_out=(7, "latent_out"),
)
def test_roles_are_words(ask: Ask, case: tuple[int, str]) -> None:
    """Role tags 0 to 7 are shown by their words."""
    tag, word = case
    file = only(replace(GATE, role=tag))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TAGS-01", reply, answers(_first_schema(role=word)))
    check("LYRW-TAGS-01", reply, parses(file))


@clause("LYRW-TAGS-01")
@cases(
    row_major=(0, v.UNPAIRED, "row_major"),
    blocks_with_scales_inline=(1, v.UNPAIRED, "blocks_with_scales_inline"),
    blocks_values=(2, 4, "blocks_values"),
    blocks_scales=(3, 4, "blocks_scales"),
)
def test_packings_are_words(ask: Ask, case: tuple[int, int, str]) -> None:
    """Packing tags 0 to 3 are shown by their words."""
    tag, pair_id, word = case
    file = only(replace(GATE, packing=tag, pair_id=pair_id, format=v.MXFP4, cols=32))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TAGS-01", reply, answers(_first_schema(packing=word)))
    check("LYRW-TAGS-01", reply, parses(file))


@clause("LYRW-TAGS-01")
@cases(
    unspecified=(0, "unspecified"), contiguous_halves=(1, "contiguous_halves"), interleaved=(2, "interleaved")
)
def test_layouts_are_words(ask: Ask, case: tuple[int, str]) -> None:
    """Layout tags 0 to 2 are shown by their words."""
    tag, word = case
    file = only(replace(GATE, role=v.GATE_UP_FUSED, layout=tag))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TAGS-01", reply, answers(_first_schema(layout=word)))
    check("LYRW-TAGS-01", reply, parses(file))


@clause("LYRW-TAGS-02")
@cases(
    f32=(0, "f32"),
    f16=(1, "f16"),
    bf16=(2, "bf16"),
    q4_0=(3, "q4_0"),
    q4_k=(4, "q4_k"),
    q6_k=(5, "q6_k"),
    q8_0=(6, "q8_0"),
    fp4_larql=(7, "fp4_larql"),
    mxfp4=(8, "mxfp4"),
    nvfp4=(9, "nvfp4"),
    mxfp8=(10, "mxfp8"),
)
def test_formats_are_words(ask: Ask, case: tuple[int, str]) -> None:
    """Format tags 0 to 10 are shown by their words; 5 is q6_k and 6 is q8_0."""
    tag, word = case
    file = only(replace(GATE, format=tag, cols=256))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TAGS-02", reply, answers(_first_schema(format=word)))
    check("LYRW-TAGS-02", reply, parses(file))


@clause("LYRW-TAGS-03")
@cases(
    first_role={"role": 8},
    registered_role={"role": 255},
    vendor_role={"role": 256},
    largest_role={"role": 65535},
    first_format={"format": 11},
    format_above_8_bits={"format": 256},
    largest_format={"format": 65535},
    both={"role": 300, "format": 77},
)
def test_unknown_roles_and_formats_are_kept(ask: Ask, case: dict[str, int]) -> None:
    """A role of 8 or more and a format of 11 or more are shown as integers and listed."""
    file = only(replace(GATE, **case))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TAGS-03", reply, answers(banks=[{"schemas": [dict(case)]}]))
    check("LYRW-TAGS-03", reply, parses(file))


SOME_UNKNOWN = LyrwFile(
    banks=(
        Bank((GATE, replace(UP, role=9, format=901, packing=902)), num_entries=2),
        Bank((replace(DOWN, format=11), replace(GATE, role=2, layout=903), DOWN), bank_id=1, kind=55),
    )
)


@clause("LYRW-TAGS-03")
def test_each_unknown_tag_is_listed_where_it_stands(ask: Ask) -> None:
    """In two banks of several schemas each unknown tag is one entry, and known tags are none."""
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", SOME_UNKNOWN))
    check("LYRW-TAGS-03", reply, parses(SOME_UNKNOWN))


@clause("LYRW-TAGS-04")
@cases(first=4, above_8_bits=258, largest=65535)
def test_an_unknown_packing_is_kept(ask: Ask, case: int) -> None:
    """An unpaired schema with a packing of 4 or more is shown with its integer and listed."""
    file = only(replace(GATE, packing=case))
    check("LYRW-TAGS-04", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("LYRW-TAGS-05")
@cases(first=3, above_8_bits=257, largest=65535)
def test_an_unknown_layout_is_kept_on_fused(ask: Ask, case: int) -> None:
    """A layout of 3 or more on gate_up_fused is shown as its integer and listed."""
    file = only(replace(GATE, role=v.GATE_UP_FUSED, layout=case))
    check("LYRW-TAGS-05", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


UNKNOWN: dict[str, Schema] = {
    "role": replace(GATE, role=300),
    "format": replace(GATE, format=77, length=37),
    "packing": replace(GATE, packing=77, length=41),
    "layout": replace(GATE, role=v.GATE_UP_FUSED, layout=903),
    "all": Schema(v.GATE_UP_FUSED, 4242, 4, v.UNPAIRED, 903, 16, 8, length=70),
}


@clause("LYRW-TAGS-06")
@cases(UNKNOWN)
def test_a_region_of_unknown_tags_is_delivered(ask: Ask, case: Schema) -> None:
    """Bytes are delivered whatever the tags say."""
    file = bank_of(DOWN, case, UP)
    path = ask.file("layer.lyrw", file)
    for schema_index in range(3):
        reply = region(ask, path, 0, 0, schema_index)
        check("LYRW-TAGS-06", reply, delivers(file, 0, 0, schema_index))
