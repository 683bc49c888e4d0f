"""Promotion behind its gate: native measurement, the ladder, conflicts."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.representation import bank, candidate, ladder
from vindex3_fixtures.representation import vocabulary as v
from vindex3_suites.representation.promoting import (
    SELECTED,
    UNMEASURED,
    UNPROVEN,
    conflicting,
    failing,
    promote,
    refused,
    rules,
    scoped,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

Struct = dict[str, Any]

UNTIMED = {key: value for key, value in candidate().items() if key != "target_gpu_ms"}
NATIVE: dict[str, Struct] = {
    "another_kernel": candidate(native_kernel=False),
    "no_time": candidate(target_gpu_ms=None),
    "no_time_at_all": UNTIMED,
    "neither": candidate(native_kernel=False, target_gpu_ms=None),
    "another_kernel_and_no_time_at_all": {**UNTIMED, "native_kernel": False},
}


@clause("PROMOTE-NATIVE-01")
@cases(NATIVE)
def test_a_candidate_is_measured_on_its_own_kernel(ask: Ask, case: Struct) -> None:
    """Without the kernel or the time a candidate is not natively measured, whatever its ladder says."""
    for flags in (ladder(), ladder(selected=True), ladder(backend_supported=False)):
        request = scoped([candidate(), {**case, "ladder": flags}, candidate(target_gpu_ms=250)])
        check("PROMOTE-NATIVE-01", promote(ask, request), rules([SELECTED, UNMEASURED, SELECTED]))


RUNGS = [subset for size in range(1, 5) for subset in combinations(v.RUNGS, size)]


@clause("PROMOTE-LADDER-01")
@cases({"_".join(subset): subset for subset in RUNGS})
def test_every_missing_rung_is_told(ask: Ask, case: tuple[str, ...]) -> None:
    """Rungs that are false are told, sorted; the others and further flags change nothing."""
    flags = dict.fromkeys(case, False)
    backward = dict(reversed(ladder(**flags).items()))
    request = scoped([candidate(), candidate(ladder=ladder(**flags)), candidate(ladder=backward)])
    request += scoped([candidate(v.EXPERT, ladder=ladder(selected=True, backend_supported=True, **flags))])
    told = refused("ladder-incomplete", missing=list(case))
    check("PROMOTE-LADDER-01", promote(ask, request), rules([SELECTED, told, told, told]))


UNEARNED: list[dict[str, bool]] = [
    {"backend_supported": backend, **selected}
    for backend in (True, False)
    for selected in ({}, {"selected": True}, {"selected": False})
]


@clause("PROMOTE-LADDER-02")
@cases(
    all_shown=({}, SELECTED),
    no_bank=({"bank": None}, UNPROVEN),
    failed=({"bank": bank(top1_flip_max=9)}, failing(["top1_flip_max"])),
    unmeasured=({"native_kernel": False}, UNMEASURED),
)
def test_flags_that_nobody_earns_change_nothing(ask: Ask, case: tuple[Struct, Struct]) -> None:
    """What a backend supports and what was called selected decides nothing, either way."""
    evidence, verdict = case
    request = scoped(candidate(ladder=ladder(**flags), **evidence) for flags in UNEARNED)
    roles = [v.LINEAR] if verdict is SELECTED else []
    expected = rules([verdict] * len(request), roles=roles)
    check("PROMOTE-LADDER-02", promote(ask, request), expected)


@clause("PROMOTE-LADDER-02")
def test_a_selected_flag_is_no_rung(ask: Ask) -> None:
    """Whatever was called selected, the rungs that lack are told, and those alone."""
    request = scoped(candidate(ladder=ladder(runnable=False, **flags)) for flags in UNEARNED)
    told = refused("ladder-incomplete", missing=["runnable"])
    check("PROMOTE-LADDER-02", promote(ask, [candidate(v.EXPERT), *request]), rules([SELECTED, *[told] * 6]))


SCOPES: dict[str, Struct] = {
    "role": {"role": v.LINEAR},
    "projection": {"role": v.LINEAR, "projection": "up_proj"},
    "layers": {"role": v.EXPERT, "layers": (3, 7)},
    "both": {"role": v.EXPERT, "projection": "down_proj", "layers": (0, 0)},
}


NORMS, MORE_NORMS = candidate(v.NORM), candidate(v.NORM, "x_proj")
"""Two candidates that conflict with nobody."""


@clause("PROMOTE-CONFLICT-01")
@cases(SCOPES)
def test_one_scope_has_one_target(ask: Ask, case: Struct) -> None:
    """Two targets of one scope refuse each other: neither the first nor the faster one is taken."""
    faster = candidate(**case, target=v.Q8_0, target_gpu_ms=0.001)
    for first, second in permutations((candidate(**case), faster)):
        reply = promote(ask, [first, second, NORMS])
        expected = rules([conflicting(1), conflicting(0), SELECTED], roles=[v.NORM])
        check("PROMOTE-CONFLICT-01", reply, expected)
        reply = promote(ask, [NORMS, first, MORE_NORMS, second])
        expected = rules([SELECTED, conflicting(3), SELECTED, conflicting(1)], roles=[v.NORM])
        check("PROMOTE-CONFLICT-01", reply, expected)


@clause("PROMOTE-CONFLICT-01")
def test_scopes_conflict_each_for_itself(ask: Ask) -> None:
    """Of several scopes those that have two targets are refused, each naming its own other."""
    scopes = [("a_proj", (0, 1)), ("a_proj", None), (None, (0, 1)), ("b_proj", (0, 1))]
    first = [candidate(v.LINEAR, *scope) for scope in scopes]
    second = [candidate(v.LINEAR, *scope, target=v.Q8_0) for scope in scopes[:3]]
    verdicts = [*(conflicting(4 + at) for at in range(3)), SELECTED, *map(conflicting, range(3))]
    expected = rules(verdicts, roles=[v.LINEAR])
    check("PROMOTE-CONFLICT-01", promote(ask, [*first, *second]), expected)


@clause("PROMOTE-CONFLICT-01")
@cases(
    three_targets=((v.NVFP4, v.Q8_0, v.Q6_K), (1, 0, 0)),
    two_of_one_target=((v.NVFP4, v.NVFP4, v.Q8_0), (2, 2, 0)),
    the_odd_one_first=((v.NVFP4, v.Q8_0, v.Q8_0), (1, 0, 0)),
    alternating=((v.Q4_K, v.Q8_0, v.Q4_K, v.Q8_0), (1, 0, 1, 0)),
)
def test_the_first_other_is_told(ask: Ask, case: tuple[tuple[str, ...], tuple[int, ...]]) -> None:
    """Of several candidates with another target the first one is named."""
    targets, others = case
    request = [candidate(projection="up_proj", target=target) for target in targets]
    expected = rules([*map(conflicting, others), SELECTED], roles=[v.NORM])
    check("PROMOTE-CONFLICT-01", promote(ask, [*request, NORMS]), expected)


@clause("PROMOTE-CONFLICT-01")
def test_a_null_selector_is_an_absent_one(ask: Ask) -> None:
    """A scope that spells out that it has no selector is the scope that leaves it out."""
    spelt = {**candidate(target=v.Q8_0), "projection": None, "layers": None}
    expected = rules([conflicting(1), conflicting(0), SELECTED], roles=[v.NORM])
    check("PROMOTE-CONFLICT-01", promote(ask, [candidate(), spelt, NORMS]), expected)


FAILING: dict[str, tuple[Struct, Struct]] = {
    "no_bank": ({"bank": None}, UNPROVEN),
    "failed": ({"bank": bank(kl_p99_max=1.0)}, failing(["kl_p99_max"])),
    "unmeasured": ({"native_kernel": False}, UNMEASURED),
    "untimed": ({"target_gpu_ms": None}, UNMEASURED),
    "incomplete": ({"ladder": ladder(measured=False)}, refused("ladder-incomplete", missing=["measured"])),
}
"""Evidence that does not carry a candidate, and the verdict over it."""


@clause("PROMOTE-CONFLICT-02")
@cases(FAILING)
def test_a_refused_candidate_conflicts_with_nobody(ask: Ask, case: tuple[Struct, Struct]) -> None:
    """Beside one that is refused on other grounds, a candidate of its scope is promoted."""
    evidence, verdict = case
    sound, failed = candidate(v.EXPERT), candidate(v.EXPERT, target=v.Q8_0, **evidence)
    check("PROMOTE-CONFLICT-02", promote(ask, [sound, failed]), rules([SELECTED, verdict], roles=[v.EXPERT]))
    check("PROMOTE-CONFLICT-02", promote(ask, [failed, sound]), rules([verdict, SELECTED], roles=[v.EXPERT]))


@clause("PROMOTE-CONFLICT-02")
@cases(SCOPES)
def test_one_target_is_no_conflict(ask: Ask, case: Struct) -> None:
    """Two candidates with one scope and one target are both promoted, and their role is named once."""
    for target in (v.NVFP4, v.Q8_0):
        reply = promote(ask, [candidate(**case, target=target), candidate(**case, target=target)])
        check("PROMOTE-CONFLICT-02", reply, rules([SELECTED] * 2, roles=[case["role"]]))


@clause("PROMOTE-CONFLICT-02")
def test_overlapping_scopes_are_no_conflict(ask: Ask) -> None:
    """Scopes that overlap and are not equal may have different targets."""
    request = [
        candidate(v.LINEAR, "up_proj", (0, 3), v.Q8_0),
        candidate(v.LINEAR, "up_proj", (0, 4), v.Q6_K),
        candidate(v.LINEAR, "up_proj", None, v.Q4_K),
        candidate(v.LINEAR, None, (0, 3), v.Q6_K),
        candidate(v.EXPERT, "up_proj", (0, 3), v.Q4_K),
    ]
    for step in (1, -1):
        expected = rules([SELECTED] * 5, roles=[v.LINEAR, v.EXPERT])
        check("PROMOTE-CONFLICT-02", promote(ask, request[::step]), expected)
