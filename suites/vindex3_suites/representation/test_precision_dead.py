"""Exceptions that can never decide anything, and those that merely overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.representation import Placed, exception, policy, tensor
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.tensors import BESIDE, TOKENS, linear
from vindex3_suites.representation.compiling import compile_, rulings, says

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses

Map = dict[str, Any]
Dead = tuple[int, str]

NAMES = ("up_proj", "down_proj", "gate_proj")
GRID = [linear(f"{depth}.mlp.{name}.weight") for depth in range(4) for name in NAMES]
"""Three projections in four layers."""

NORM_UP = tensor(v.NORM, "9.norm.lone_proj.weight")
UNMATCHED, SHADOWED, CATCH_ALL = "unmatched", "shadowed", "catch-all-not-last"


def dead(*rules: Dead) -> Refuses:
    """The first dead rule, and where there are several the whole list."""
    listed = [{"kind": "dead-rule", "names": {"index": index, "reason": reason}} for index, reason in rules]
    (index, reason), *more = rules
    return refuses("dead-rule", index=index, reason=reason, **({"defects": listed} if more else {}))


def _check_compiles(ask: Ask, clause_id: str, chosen: Map, tensors: list[Placed]) -> None:
    check(clause_id, compile_(ask, chosen, tensors), says(chosen, tensors, rulings(chosen, tensors)))


ALIVE = exception("up_proj", (1, 1), v.Q8_0)
RULES: dict[str, tuple[list[Map], list[Dead]]] = {
    "unmatched_projection": ([ALIVE, exception("lost_proj")], [(1, UNMATCHED)]),
    "unmatched_depth": ([exception(layers=(4, 9)), ALIVE], [(0, UNMATCHED)]),
    "unmatched_together": ([ALIVE, exception("down_proj", (4, 9), v.Q8_0)], [(1, UNMATCHED)]),
    "unmatched_by_case": ([ALIVE, exception("Up_proj")], [(1, UNMATCHED)]),
    "unmatched_alone": ([exception("lost_proj")], [(0, UNMATCHED)]),
    "only_ineligible_ones": ([ALIVE, exception("lone_proj", encoding=v.Q8_0)], [(1, UNMATCHED)]),
    "shadowed_by_its_twin": ([ALIVE, exception("down_proj"), exception("down_proj")], [(2, SHADOWED)]),
    "shadowed_by_another_encoding": ([ALIVE, {**ALIVE, "encoding": v.Q6_K}], [(1, SHADOWED)]),
    "shadowed_by_a_wider_one": (
        [exception("down_proj"), ALIVE, exception("down_proj", (0, 2))],
        [(2, SHADOWED)],
    ),
    "shadowed_by_a_range": ([exception(layers=(1, 2)), exception("up_proj", (1, 2))], [(1, SHADOWED)]),
    "shadowed_by_two_halves": (
        [exception("up_proj", (0, 1)), exception("up_proj", (2, 3)), exception("up_proj")],
        [(2, SHADOWED)],
    ),
    "shadowed_by_all_projections": (
        [*map(exception, NAMES[:2]), exception(layers=(0, 3), encoding=v.Q8_0), exception("gate_proj")],
        [(3, SHADOWED)],
    ),
    "shadowed_by_crossing_ones": (
        [
            exception("up_proj"),
            exception("down_proj", (0, 3)),
            exception(layers=(0, 0)),
            exception("gate_proj", (0, 0)),
        ],
        [(3, SHADOWED)],
    ),
    "catch_all_before_one": ([exception(encoding=v.Q8_0), ALIVE], [(0, CATCH_ALL), (1, SHADOWED)]),
    "catch_all_in_the_middle": (
        [ALIVE, exception(), exception("down_proj")],
        [(1, CATCH_ALL), (2, SHADOWED)],
    ),
    "catch_all_before_an_unmatched_one": (
        [exception(encoding=v.Q8_0), exception("lost_proj")],
        [(0, CATCH_ALL), (1, UNMATCHED)],
    ),
    "two_unmatched": ([exception("x"), ALIVE, exception("y")], [(0, UNMATCHED), (2, UNMATCHED)]),
    "shadowed_and_unmatched": (
        [exception("up_proj"), ALIVE, exception("down_proj"), exception("x"), exception("down_proj", (1, 1))],
        [(1, SHADOWED), (3, UNMATCHED), (4, SHADOWED)],
    ),
}


@clause("PRECISION-DEAD-01")
@cases(RULES)
def test_a_dead_rule_is_refused(ask: Ask, case: tuple[list[Map], list[Dead]]) -> None:
    """Without its dead rules a map compiles; with them it is refused, and all of them are listed by index."""
    rules, expected = case
    tensors = [*GRID, NORM_UP, *BESIDE]
    at = {index for index, _ in expected}
    _check_compiles(
        ask, "PRECISION-DEAD-01", policy(*(one for i, one in enumerate(rules) if i not in at)), tensors
    )
    check("PRECISION-DEAD-01", compile_(ask, policy(*rules), tensors), dead(*expected))


@clause("PRECISION-DEAD-01")
def test_shapes_do_not_keep_a_rule_alive(ask: Ask) -> None:
    """What is shadowed stays so where the tensors that it is about fit neither encoding."""
    tensors = [linear("0.mlp.up_proj.weight", 3, 5), linear("0.mlp.down_proj.weight")]
    first, second = exception("up_proj", encoding=v.Q6_K), exception("up_proj", (0, 0), v.Q8_0)
    _check_compiles(ask, "PRECISION-DEAD-01", policy(first), tensors)
    check("PRECISION-DEAD-01", compile_(ask, policy(first, second), tensors), dead((1, SHADOWED)))


@clause("PRECISION-DEAD-01")
def test_a_rule_lives_by_the_tensors_of_the_request(ask: Ask) -> None:
    """One map is sound for a stack that has the layer, and has a dead rule for one that has not."""
    chosen = policy(exception("up_proj", (3, 9)))
    _check_compiles(ask, "PRECISION-DEAD-01", chosen, GRID)
    check("PRECISION-DEAD-01", compile_(ask, chosen, GRID[:9]), dead((0, UNMATCHED)))


@clause("PRECISION-DEAD-01")
def test_an_empty_range_matches_nothing(ask: Ask) -> None:
    """A range whose first layer is above its last is a dead rule, or has no effect."""
    for rule in (exception("up_proj", (3, 1), v.Q8_0), exception(layers=(1, 0))):
        chosen = policy(rule)
        _check_compiles(ask, "PRECISION-DEAD-01", policy(), GRID)
        without = says(chosen, GRID, rulings(chosen, GRID))
        check("PRECISION-DEAD-01", compile_(ask, chosen, GRID), either(without, dead((0, UNMATCHED))))


OVERLAPPING: dict[str, list[Map]] = {
    "narrow_before_wide": [exception("up_proj", (1, 1)), exception("up_proj", encoding=v.Q8_0)],
    "crossing": [exception("up_proj"), exception(layers=(1, 2), encoding=v.Q8_0)],
    "crossing_the_other_way": [exception(layers=(1, 2)), exception("up_proj", encoding=v.Q8_0)],
    "chain": [exception(layers=(0, 1)), exception(layers=(1, 2), encoding=v.Q8_0), exception(layers=(2, 3))],
    "one_tensor_left": [
        exception("up_proj", (0, 0), v.Q8_0),
        exception("up_proj", (2, 3)),
        exception("up_proj", encoding=v.Q6_K),
    ],
    "catch_all_at_the_end": [
        exception("up_proj"),
        exception("down_proj", (0, 2)),
        exception(encoding=v.Q8_0),
    ],
    "catch_all_alone": [exception(encoding=v.Q4_K)],
    "one_encoding": [exception("up_proj", (0, 1), v.Q8_0), exception("up_proj", (1, 2), v.Q8_0)],
    "the_default": [exception("up_proj", (0, 0), v.NVFP4), exception("up_proj", (0, 1))],
    "beyond_the_stack": [exception("up_proj", (3, 1000)), exception(layers=(2, 1000), encoding=v.Q8_0)],
}


@clause("PRECISION-DEAD-02")
@cases(OVERLAPPING)
def test_overlapping_rules_are_alive(ask: Ask, case: list[Map]) -> None:
    """Exceptions that each decide some tensor are compiled, however much they overlap."""
    _check_compiles(ask, "PRECISION-DEAD-02", policy(*case), GRID)


@clause("PRECISION-DEAD-02")
def test_a_rule_is_alive_whose_tensors_do_not_fit(ask: Ask) -> None:
    """An exception that decides tensors which cannot hold its encoding is not dead."""
    tensors = [linear("0.mlp.up_proj.weight", 3, 5), linear("0.mlp.down_proj.weight")]
    tensors.append(tensor(v.EMBEDDING, "weight", thing=TOKENS))
    _check_compiles(ask, "PRECISION-DEAD-02", policy(exception("up_proj", encoding=v.Q6_K)), tensors)
