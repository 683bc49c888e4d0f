"""The selectors of an exception: projection and layers, whole, in exact case, both ends included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.representation import exception, policy
from vindex3_fixtures.representation import vocabulary as v
from vindex3_suites.representation.compiling import (
    DEFAULT,
    SOURCE_0,
    Map,
    Ruling,
    compile_,
    linears,
    says,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

NEAR_PROJECTIONS = {
    "longer_before": "1.mlp.xdown_proj.weight",
    "longer_behind": "1.mlp.down_projx.weight",
    "shorter": "1.mlp.down_pro.weight",
    "capitals": "1.mlp.Down_proj.weight",
    "last_part": "1.mlp.down_proj",
    "third_to_last": "1.mlp.down_proj.x.weight",
    "first_part": "down_proj.mlp.up_proj.weight",
    "only_part": "down_proj",
    "in_a_part": "1.mlp.a-down_proj-b_proj.weight",
    "space": "1.mlp.down_proj .weight",
    "empty_part": "1.mlp.down_proj..weight",
    "other_projection": "1.mlp.up_proj.weight",
}
MATCHING = (
    "1.mlp.down_proj.weight",
    "down_proj.weight",
    "1.x_proj.mlp.down_proj.anything",
    "mlp.down_proj.",
    "1.mlp.experts.3.down_proj.weight",
)


@clause("PRECISION-MATCH-01")
@cases(NEAR_PROJECTIONS)
def test_a_projection_is_the_second_to_last_part(ask: Ask, case: str) -> None:
    """That part alone is compared, whole and in exact case."""
    mixed = policy(exception("down_proj"))
    tensors = linears(*MATCHING, case)
    expected = says(mixed, tensors, [*[SOURCE_0] * len(MATCHING), DEFAULT])
    check("PRECISION-MATCH-01", compile_(ask, mixed, tensors), expected)


@clause("PRECISION-MATCH-01")
def test_a_projection_is_any_text(ask: Ask) -> None:
    """Words that are no projection, numbers and empty parts are compared alike."""
    for word, name in (
        ("dense", "0.mlp.dense.weight"),
        ("3", "0.mlp.3.w"),
        ("", "0.mlp..w"),
        ("mlp", "0.mlp.w"),
    ):
        mixed = policy(exception(word))
        tensors = linears(name, "0.mlp.other.weight")
        expected = says(mixed, tensors, [SOURCE_0, DEFAULT])
        check("PRECISION-MATCH-01", compile_(ask, mixed, tensors), expected)


RANGES = {
    "one_layer": (3, 3),
    "two_layers": (3, 4),
    "from_the_first": (0, 5),
    "the_first": (0, 0),
    "to_beyond": (5, 1_000_000),
    "two_digits": (9, 11),
    "one_hundred": (10, 100),
}
DEPTHS = (*range(13), 30, 99, 100, 101, 110)


@clause("PRECISION-MATCH-02")
@cases(RANGES)
def test_a_range_includes_both_ends(ask: Ask, case: tuple[int, int]) -> None:
    """Depths from the first to the last layer match, as numbers and not as texts."""
    mixed = policy(exception(layers=case))
    tensors = linears(*(f"{depth}.mlp.up_proj.weight" for depth in DEPTHS))
    low, high = case
    expected = [SOURCE_0 if low <= depth <= high else DEFAULT for depth in DEPTHS]
    check("PRECISION-MATCH-02", compile_(ask, mixed, tensors), says(mixed, tensors, expected))


DEPTHLESS = (
    "mlp.up_proj.weight",
    "model.0.mlp.up_proj.weight",
    "layer0.mlp.up_proj.weight",
    "0x.mlp.up_proj.weight",
    "0a1.mlp.up_proj.weight",
    "1_0.mlp.up_proj.weight",
    " 1.mlp.up_proj.weight",
    "1e0.mlp.up_proj.weight",
    ".0.mlp.up_proj.weight",
    "q_proj",
)


@clause("PRECISION-MATCH-02")
def test_a_name_without_a_depth_is_in_no_range(ask: Ask) -> None:
    """A first part that is no integer has no depth, also where a later part is one."""
    mixed = policy(exception(layers=(0, 1_000_000)))
    tensors = linears("0.mlp.up_proj.weight", *DEPTHLESS)
    expected = says(mixed, tensors, [SOURCE_0, *[DEFAULT] * len(DEPTHLESS)])
    check("PRECISION-MATCH-02", compile_(ask, mixed, tensors), expected)


GRID = [f"{depth}.mlp.{name}.weight" for depth in range(4) for name in ("up_proj", "down_proj", "gate_proj")]


@clause("PRECISION-MATCH-03")
@cases(
    both=(exception("up_proj", (1, 2)), ("1.mlp.up_proj.weight", "2.mlp.up_proj.weight")),
    projection_alone=(exception("up_proj"), tuple(f"{depth}.mlp.up_proj.weight" for depth in range(4))),
    layers_alone=(exception(layers=(3, 3)), tuple(GRID[9:])),
    none=(exception(), tuple(GRID)),
)
def test_all_selectors_have_to_match(ask: Ask, case: tuple[Map, tuple[str, ...]]) -> None:
    """With both selectors an exception is about what meets both; one that is absent is met by everything."""
    rule, matched = case
    mixed = policy({**rule, "encoding": v.Q8_0})
    tensors = linears(*GRID)
    expected: list[Ruling] = [(v.Q8_0, "exception", 0) if one in matched else DEFAULT for one in GRID]
    check("PRECISION-MATCH-03", compile_(ask, mixed, tensors), says(mixed, tensors, expected))
