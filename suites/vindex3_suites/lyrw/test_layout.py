"""The layout of fused regions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, either, refuses
from vindex3_fixtures.lyrw import Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.samples import DOWN, GATE, bank_of, only

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

OTHER_ROLES = {0: "gate", 1: "up", 3: "down", 4: "bias", 5: "scales", 6: "latent_in", 7: "latent_out"}
LAYOUTS = {1: "contiguous_halves", 2: "interleaved"}


@clause("LYRW-FUSED-01")
@cases(
    {
        f"{layout}_on_{role}": (role_tag, role, layout_tag, layout)
        for role_tag, role in OTHER_ROLES.items()
        for layout_tag, layout in LAYOUTS.items()
    }
)
def test_a_layout_belongs_to_fused_regions(ask: Ask, case: tuple[int, str, int, str]) -> None:
    """A layout on another known role is refused, naming bank, schema, role and layout; on fused it parses."""
    role_tag, role, layout_tag, layout = case
    legal = bank_of(DOWN, replace(GATE, role=v.GATE_UP_FUSED, layout=layout_tag), bank_id=6)
    check("LYRW-FUSED-01", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    file = bank_of(DOWN, replace(GATE, role=role_tag, layout=layout_tag), bank_id=6)
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", file))
    facts = {"bank_id": 6, "schema_index": 1, "role": role, "layout": layout}
    check("LYRW-FUSED-01", wrong, refuses("layout-on-non-fused", **facts))


@clause("LYRW-FUSED-02")
@cases(
    unknown_layout_on_gate=(replace(GATE, layout=3), "gate", 3),
    largest_layout_on_down=(replace(DOWN, layout=65535), "down", 65535),
    known_layout_on_the_first_unknown_role=(replace(GATE, role=8, layout=1), 8, "contiguous_halves"),
    interleaved_on_a_vendor_role=(replace(GATE, role=300, layout=2), 300, "interleaved"),
    both_unknown=(replace(GATE, role=65535, layout=903), 65535, 903),
)
def test_an_unknown_tag_leaves_the_choice(ask: Ask, case: tuple[Schema, int | str, int | str]) -> None:
    """Where layout or role is unknown the numbers are kept, or the schema is refused."""
    schema, role, layout = case
    legal = bank_of(DOWN, replace(schema, layout=v.UNSPECIFIED), bank_id=6)
    check("LYRW-FUSED-02", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    file = bank_of(DOWN, schema, bank_id=6)
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    facts = {"bank_id": 6, "schema_index": 1, "role": role, "layout": layout}
    check("LYRW-FUSED-02", reply, either(parses(file), refuses("layout-on-non-fused", **facts)))


@clause("LYRW-FUSED-03")
@cases(
    f32=replace(GATE, role=v.GATE_UP_FUSED),
    block_values=replace(
        GATE, role=v.GATE_UP_FUSED, format=v.MXFP4, packing=v.BLOCKS_VALUES, pair_id=1, cols=32
    ),
)
def test_an_unspecified_layout_stays_unspecified(ask: Ask, case: Schema) -> None:
    """A fused schema without a layout is shown as unspecified."""
    file = only(case)
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    unspecified = [{"schemas": [{"role": "gate_up_fused", "layout": "unspecified"}]}]
    check("LYRW-FUSED-03", reply, answers(banks=unspecified))
    check("LYRW-FUSED-03", reply, parses(file))
