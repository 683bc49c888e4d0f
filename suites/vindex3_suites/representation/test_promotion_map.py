"""The steps of promotion in their order, and the map of what was promoted."""

from __future__ import annotations

from itertools import combinations
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
    promotes,
    refused,
    rules,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

Struct = dict[str, Any]

STEPS: tuple[tuple[Struct, Struct], ...] = (
    ({"bank": None}, UNPROVEN),
    ({"bank": bank(top1_flip_max=9)}, failing(["top1_flip_max"])),
    ({"native_kernel": False}, UNMEASURED),
    ({"ladder": ladder(available=False)}, refused("ladder-incomplete", missing=["available"])),
)
"""The first four steps, each with evidence that fails it and with its verdict."""


def _candidate_failing(steps: tuple[int, ...], projection: str) -> Struct:
    evidence: Struct = {}
    for step in reversed(steps):
        evidence.update(STEPS[step][0])
    return candidate(projection=projection, **evidence)


@clause("PROMOTE-ORDER-01")
@cases(alone=False, with_a_rival=True)
def test_the_first_failing_step_is_told(ask: Ask, case: bool) -> None:
    """Of every set of failing steps the first one is the verdict; a conflict comes behind all of them."""
    request: list[Struct] = []
    verdicts: list[Struct] = []
    for subset in [one for size in range(5) for one in combinations(range(4), size)]:
        name = f"p{len(request)}_proj"
        request.append(_candidate_failing(subset, name))
        verdicts.append(STEPS[subset[0]][1] if subset else SELECTED)
        if case:
            request.append(candidate(projection=name, target=v.Q8_0))
            verdicts.append(SELECTED)
    if case:
        verdicts[:2] = [conflicting(1), conflicting(0)]
    check("PROMOTE-ORDER-01", promote(ask, request), rules(verdicts))


REFUSED = [candidate(role, target=v.Q8_0, **STEPS[at][0]) for at, role in enumerate(v.ROLES[:4])]
REFUSED_VERDICTS = [verdict for _, verdict in STEPS]


@clause("PROMOTE-MAP-01")
@cases(
    nothing=([], []),
    one_refused=(REFUSED[:1], REFUSED_VERDICTS[:1]),
    all_refused=(REFUSED, REFUSED_VERDICTS),
    backward=(REFUSED[::-1], REFUSED_VERDICTS[::-1]),
    in_conflict=([candidate(), candidate(target=v.Q8_0)], [conflicting(1), conflicting(0)]),
)
def test_refused_candidates_leave_no_trace(ask: Ask, case: tuple[list[Struct], list[Struct]]) -> None:
    """The request is answered, with a map of the given name and default that has no roles."""
    request, verdicts = case
    for default in v.ENCODINGS:
        reply = promote(ask, request, default=default, name=f"map of {default}")
        expected = promotes(verdicts, roles=[], default=default, name=f"map of {default}")
        check("PROMOTE-MAP-01", reply, expected)


@clause("PROMOTE-MAP-01")
@cases({f"at_{at}": at for at in range(5)})
def test_verdicts_stand_in_the_order_of_the_request(ask: Ask, case: int) -> None:
    """Wherever the promoted candidate stands among refused ones, so does its verdict."""
    request = [*REFUSED[:case], candidate(v.HEAD), *REFUSED[case:]]
    verdicts = [*REFUSED_VERDICTS[:case], SELECTED, *REFUSED_VERDICTS[case:]]
    check("PROMOTE-MAP-01", promote(ask, request), promotes(verdicts, roles=[v.HEAD]))


PLAIN = {"encoding": v.NVFP4}
MAPPED: dict[str, tuple[list[Struct], list[str], list[Struct]]] = {
    "default_without_selectors": ([candidate()], [v.LINEAR], []),
    "another_target": ([candidate(target=v.Q8_0)], [v.LINEAR], [{"encoding": v.Q8_0}]),
    "projection": ([candidate(v.LINEAR, "up_proj")], [v.LINEAR], [{"projection": "up_proj", **PLAIN}]),
    "layers": ([candidate(v.LINEAR, None, (0, 0))], [v.LINEAR], [{"layers": [0, 0], **PLAIN}]),
    "both": (
        [candidate(v.EXPERT, "up_proj", (2, 9), v.Q4_K)],
        [v.EXPERT],
        [{"projection": "up_proj", "layers": [2, 9], "encoding": v.Q4_K}],
    ),
    "roles_in_order": ([candidate(v.EXPERT), candidate(v.LINEAR)], [v.EXPERT, v.LINEAR], []),
    "role_once": (
        [candidate(v.LINEAR, "b"), candidate(v.EXPERT), candidate(v.LINEAR, "a"), candidate(v.LINEAR)],
        [v.LINEAR, v.EXPERT],
        [{"projection": "b", **PLAIN}, {"projection": "a", **PLAIN}],
    ),
    "first_promotion_counts": (
        [candidate(v.EXPERT, bank=None), candidate(v.LINEAR), candidate(v.EXPERT, "up_proj")],
        [v.LINEAR, v.EXPERT],
        [{"projection": "up_proj", **PLAIN}],
    ),
    "overlapping": (
        [
            candidate(v.LINEAR, "up_proj", (0, 3), v.Q8_0),
            candidate(v.LINEAR, "up_proj", (0, 4), v.Q6_K),
            candidate(v.LINEAR, None, (0, 3), v.Q6_K),
            candidate(v.EXPERT, "up_proj", (0, 3), v.Q4_K),
        ],
        [v.LINEAR, v.EXPERT],
        [
            {"projection": "up_proj", "layers": [0, 3], "encoding": v.Q8_0},
            {"projection": "up_proj", "layers": [0, 4], "encoding": v.Q6_K},
            {"layers": [0, 3], "encoding": v.Q6_K},
            {"projection": "up_proj", "layers": [0, 3], "encoding": v.Q4_K},
        ],
    ),
    "wide_before_narrow": (
        [
            candidate(target=v.Q8_0),
            candidate(v.LINEAR, "up_proj"),
            candidate(v.LINEAR, "up_proj", (1, 1), v.Q6_K),
        ],
        [v.LINEAR],
        [
            {"encoding": v.Q8_0},
            {"projection": "up_proj", **PLAIN},
            {"projection": "up_proj", "layers": [1, 1], "encoding": v.Q6_K},
        ],
    ),
}


@clause("PROMOTE-MAP-02")
@cases(MAPPED)
def test_a_map_follows_from_what_is_promoted(
    ask: Ask, case: tuple[list[Struct], list[str], list[Struct]]
) -> None:
    """Roles stand once in the order of promotion; exceptions where a scope or a target needs one."""
    request, roles, exceptions = case
    verdicts = [UNPROVEN if one["bank"] is None else SELECTED for one in request]
    expected = promotes(verdicts, roles=roles, exceptions=exceptions)
    check("PROMOTE-MAP-02", promote(ask, request), expected)
    spelt = [{"projection": None, "layers": None, **one} for one in request]
    check("PROMOTE-MAP-02", promote(ask, spelt), expected)


@clause("PROMOTE-MAP-02")
@cases({encoding: encoding for encoding in v.ENCODINGS})
def test_the_default_needs_no_exception(ask: Ask, case: str) -> None:
    """Which target needs an exception depends on the default that is given."""
    request = [candidate(role, target=target) for role, target in zip(v.ROLES, v.ENCODINGS, strict=False)]
    exceptions = [{"encoding": target} for target in v.ENCODINGS if target != case]
    roles = [one["role"] for one in request]
    expected = promotes([SELECTED] * 4, roles=roles, exceptions=exceptions, default=case)
    check("PROMOTE-MAP-02", promote(ask, request, default=case), expected)
