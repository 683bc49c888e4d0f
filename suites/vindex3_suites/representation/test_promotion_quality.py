"""The first two steps of promotion: a quality bank, and a gate that it passes in every criterion."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.json_text import removed
from vindex3_fixtures.representation import bank, candidate, gate, ladder
from vindex3_fixtures.representation import vocabulary as v
from vindex3_suites.representation.promoting import (
    SELECTED,
    UNPROVEN,
    failing,
    promote,
    refused,
    rules,
    scoped,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

Struct = dict[str, Any]

MASS = 0.95
COVERING = gate(covered_mass_min=MASS)
BELOW, ABOVE = math.nextafter(MASS, 0), math.nextafter(MASS, 1)
KL = 0.001
EDGES: dict[str, tuple[Any, Any, Any]] = {
    "positions_min": (4097, 4096, 4095),
    "kl_p99_max": (math.nextafter(KL, 0), KL, math.nextafter(KL, 1)),
    "top1_flip_max": (7, 8, 9),
    "top10_change_max": (81, 82, 83),
    "route_flip_max": (81, 82, 83),
    "covered_mass_min": (ABOVE, MASS, BELOW),
}
"""By criterion of the gate above: a value that is better than asked, the very one, and a worse one."""
FAR = {
    "positions_min": 0,
    "kl_p99_max": 40.0,
    "top1_flip_max": 1_000_000,
    "top10_change_max": 1_000_000,
    "route_flip_max": 1_000_000,
    "covered_mass_min": 0.0,
}
COVERED = bank(covered_mass_min=0.99)


SHOWING: dict[str, Struct] = {
    "all_else": {},
    "nothing_else": {
        "ladder": dict.fromkeys(ladder(), False),
        "native_kernel": False,
        "target_gpu_ms": None,
    },
    "ladder_alone": {"native_kernel": False, "target_gpu_ms": None},
    "measurement_alone": {"ladder": dict.fromkeys(ladder(), False)},
    "a_selected_flag": {"ladder": ladder(selected=True)},
    "great_speed": {"target_gpu_ms": 0.001},
}


@clause("PROMOTE-QUALITY-01")
@cases(SHOWING)
def test_nothing_replaces_a_bank(ask: Ask, case: Struct) -> None:
    """Without a quality bank a candidate is unproven, whatever else it shows, alone and beside others."""
    proven, unproven = candidate(), candidate(v.EXPERT, bank=None, **case)
    check("PROMOTE-QUALITY-01", promote(ask, [proven]), rules([SELECTED]))
    check("PROMOTE-QUALITY-01", promote(ask, [unproven]), rules([UNPROVEN]))
    check("PROMOTE-QUALITY-01", promote(ask, [unproven, proven]), rules([UNPROVEN, SELECTED]))


SUBSETS = [subset for size in range(1, 7) for subset in combinations(v.CRITERIA, size)]


@clause("PROMOTE-QUALITY-02")
@cases(just={one: edges[2] for one, edges in EDGES.items()}, far=FAR)
def test_every_failing_criterion_is_told(ask: Ask, case: Struct) -> None:
    """Each set of failing criteria is told whole in the order of the gate, with the gate's id."""
    banks = [bank(**{"covered_mass_min": 0.99, **{one: case[one] for one in subset}}) for subset in SUBSETS]
    candidates = scoped(candidate(gate=COVERING, bank=one) for one in [COVERED, *banks])
    verdicts = [
        refused("quality-gate-failed", gate=COVERING["id"], failed=list(subset)) for subset in SUBSETS
    ]
    check("PROMOTE-QUALITY-02", promote(ask, candidates), rules([SELECTED, *verdicts]))


@clause("PROMOTE-QUALITY-02")
def test_a_gate_is_told_by_its_id(ask: Ask) -> None:
    """Each candidate is held to its own gate, which is named as it is written."""
    ids = ("größe 2", "v", "another-gate-v1", "kimi-logit-v2")
    strict = [gate(id=name, top1_flip_max=2) for name in ids]
    candidates = scoped(candidate(gate=one) for one in [gate(), *strict])
    verdicts = [refused("quality-gate-failed", gate=name, failed=["top1_flip_max"]) for name in ids]
    check("PROMOTE-QUALITY-02", promote(ask, candidates), rules([SELECTED, *verdicts]))


@clause("PROMOTE-QUALITY-03")
@cases({one: one for one in EDGES})
def test_equal_passes(ask: Ask, case: str) -> None:
    """At its threshold and better than it a value passes; the next worse one does not."""
    better, equal, worse = (
        candidate(gate=COVERING, bank=bank(**{"covered_mass_min": 0.99, case: value}))
        for value in EDGES[case]
    )
    expected = rules([SELECTED, SELECTED, failing([case])])
    check("PROMOTE-QUALITY-03", promote(ask, scoped([better, equal, worse])), expected)


@clause("PROMOTE-QUALITY-03")
def test_thresholds_of_zero_are_thresholds(ask: Ask) -> None:
    """A gate that allows nothing is passed by a bank without any flip, and by no other."""
    zeros = dict.fromkeys((one for one in v.CRITERIA if one.endswith("_max")), 0)
    none_allowed = gate(**{**zeros, "kl_p99_max": 0.0, "positions_min": 0, "covered_mass_min": 0.0})
    spotless = bank(**{**zeros, "kl_p99_max": 0.0, "positions_min": 0, "covered_mass_min": 0.0})
    flawed = [
        (criterion, bank(**{**zeros, "kl_p99_max": 0.0, "covered_mass_min": 0.0, criterion: value}))
        for criterion, value in (("top1_flip_max", 1), ("kl_p99_max", 5e-324), ("route_flip_max", 1))
    ]
    candidates = scoped(candidate(gate=none_allowed, bank=one) for one in [spotless, *(b for _, b in flawed)])
    verdicts = [SELECTED, *(failing([criterion]) for criterion, _ in flawed)]
    check("PROMOTE-QUALITY-03", promote(ask, candidates), rules(verdicts))


PERFECT = {"positions_min": 1 << 20, "kl_p99_max": 0.0, "top1_flip_max": 0, "top10_change_max": 0}
APART: dict[str, tuple[Struct, list[str]]] = {
    "routes_above": ({**PERFECT, "route_flip_max": 83}, ["route_flip_max"]),
    "routes_far_above": ({**PERFECT, "route_flip_max": 1_000_000}, ["route_flip_max"]),
    "divergence_above": ({"route_flip_max": 0, "kl_p99_max": 0.0011}, ["kl_p99_max"]),
    "first_tokens_above": ({"route_flip_max": 0, "kl_p99_max": 0.0, "top1_flip_max": 9}, ["top1_flip_max"]),
    "first_ten_above": (
        {"route_flip_max": 0, "top1_flip_max": 0, "top10_change_max": 83},
        ["top10_change_max"],
    ),
    "mass_below": ({**PERFECT, "route_flip_max": 0, "covered_mass_min": 0.94}, ["covered_mass_min"]),
}


@clause("PROMOTE-QUALITY-04")
@cases(APART)
def test_logits_and_routes_are_judged_apart(ask: Ask, case: tuple[Struct, list[str]]) -> None:
    """What is perfect on one side excuses nothing on the other."""
    values, failed = case
    held = gate(covered_mass_min=MASS) if "covered_mass_min" in values else gate()
    candidates = scoped([candidate(), candidate(gate=held, bank=bank(**values))])
    check("PROMOTE-QUALITY-04", promote(ask, candidates), rules([SELECTED, failing(failed)]))


@clause("PROMOTE-QUALITY-05")
@cases(one_above_zero=5e-324, half=0.5, usual=MASS, all=1.0, zero=0.0)
def test_unrecorded_mass_fails_where_it_is_asked_for(ask: Ask, case: float) -> None:
    """A bank without a covered mass fails a gate that asks for any, and passes one that does not ask."""
    asking = gate(covered_mass_min=case)
    candidates = scoped(
        [
            candidate(bank=bank()),
            candidate(bank=bank(covered_mass_min=0.0)),
            candidate(gate=asking, bank=bank(covered_mass_min=1.0)),
            candidate(gate=asking, bank=bank()),
            candidate(gate=asking, bank=bank(top1_flip_max=9)),
        ]
    )
    verdicts = [
        *[SELECTED] * 3,
        failing(["covered_mass_min"]),
        failing(["top1_flip_max", "covered_mass_min"]),
    ]
    check("PROMOTE-QUALITY-05", promote(ask, candidates), rules(verdicts))


NO_GATES: dict[str, Struct | None] = {
    "null": None,
    "without_an_id": removed(gate(), ("id",)),
    "empty": {},
}


@clause("PROMOTE-QUALITY-06")
@cases(NO_GATES)
def test_evidence_needs_a_gate_with_an_id(ask: Ask, case: Struct | None) -> None:
    """Without one a candidate is unproven, or the request is refused; it is not promoted."""
    proven, unproven = candidate(), candidate(v.EXPERT, gate=case)
    check("PROMOTE-QUALITY-06", promote(ask, [proven]), rules([SELECTED], roles=[v.LINEAR]))
    for step in (1, -1):
        told = rules([UNPROVEN, SELECTED][::step], roles=[v.LINEAR])
        expected = either(told, refuses("missing-field", "bad-type"))
        check("PROMOTE-QUALITY-06", promote(ask, [unproven, proven][::step]), expected)
