"""Executing over entries: role sets whose roles cover all, some or different entries of what is required."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, free_order
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.lyrw.programmes import APART as APART_ROLES
from vindex3_fixtures.lyrw.programmes import FUSED as FUSED_ROLES
from vindex3_fixtures.lyrw.programmes import RoleSet
from vindex3_fixtures.numbers import Numbers
from vindex3_suites.lyrw.operations import (
    covered,
    forbidden,
    forbidden_by_each,
    judged,
    judged_paths,
    permitted,
    reason,
)
from vindex3_suites.lyrw.role_banks import layer_of, schema, slice_of
from vindex3_suites.lyrw.test_execute import GATED, missing

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.lyrw import LyrwFile

FUSED_FC1 = "gated-mlp-fused-fc1-v1"
ENTRIES = 6
Part = tuple[tuple[str, ...], tuple[tuple[int, int], ...]]
"""Roles of one file, and the entries that it holds as [first, end)."""


def layer(*parts: Part) -> list[LyrwFile]:
    """Files of one split layer of six entries, each with its own roles over its own entries."""
    files: list[LyrwFile] = []
    index = 0
    for roles, ranges in parts:
        files.append(slice_of(layer_of(*roles, bank_id=6, entries=ENTRIES), *ranges, index=index))
        index += len(ranges)
    return files


WHOLE = layer((FUSED_ROLES, ((0, 3),)), (FUSED_ROLES, ((3, 6),)))


def _executed(ask: Ask, files: list[LyrwFile], programme: str = GATED, /, **options: object) -> Reply:
    return judged(ask, files, "execute", 6, programme=programme, **options)


def _set(roles: RoleSet, state: str, *ranges: tuple[int, int]) -> dict[str, Any]:
    there = {"covered": covered(*ranges)} if ranges else {}
    return {"roles": list(roles), "state": state, **there}


BLOCKED_FUSED = _set(FUSED_ROLES, "blocked")
BLOCKED_APART = _set(APART_ROLES, "blocked")


@clause("CAPABILITY-EXEC-04")
@cases(
    behind=({"first_entry": 0, "entry_count": 3}, (3, 6)),
    in_front=({"first_entry": 4, "entry_count": 2}, (0, 4)),
    next_to_one_entry=({"first_entry": 2, "entry_count": 1}, (3, 4)),
)
def test_a_role_of_other_entries_blocks_its_set(
    ask: Ask, case: tuple[dict[str, int], tuple[int, int]]
) -> None:
    """A role that is stored only for entries outside the required range is outside-segments."""
    required, stored = case
    first, end = required["first_entry"], required["first_entry"] + required["entry_count"]
    files = layer((("gate_up_fused",), ((first, end),)), (("down",), (stored,)))
    check("CAPABILITY-EXEC-04", _executed(ask, WHOLE, **required), permitted("execute"))
    lost = missing("down", "outside-segments", 6)
    expected = forbidden("execute", lost, role_sets=[BLOCKED_FUSED, BLOCKED_APART])
    check("CAPABILITY-EXEC-04", _executed(ask, files, **required), expected)


@clause("CAPABILITY-EXEC-04")
def test_a_whole_file_may_lie_outside(ask: Ask) -> None:
    """Where a split layer's file holds none of the required entries, each of its roles is outside."""
    required = {"first_entry": 0, "entry_count": 3}
    check("CAPABILITY-EXEC-04", _executed(ask, WHOLE, FUSED_FC1, **required), permitted("execute"))
    lost = [missing(role, "outside-segments", 6) for role in FUSED_ROLES]
    reply = _executed(ask, WHOLE[1:], FUSED_FC1, **required)
    check("CAPABILITY-EXEC-04", reply, forbidden("execute", *lost, role_sets=[BLOCKED_FUSED]))


def _unequal(roles: RoleSet) -> dict[str, Any]:
    return reason("unequal-coverage", bank_id=6, roles=free_order(roles))


UNEQUAL: dict[str, list[LyrwFile]] = {
    "down_ends_earlier": layer((FUSED_ROLES, ((0, 4),)), (("gate_up_fused",), ((4, 6),))),
    "down_begins_later": layer((("gate_up_fused",), ((0, 2),)), (FUSED_ROLES, ((2, 6),))),
    "down_has_a_gap": layer((FUSED_ROLES, ((0, 2), (3, 6))), (("gate_up_fused",), ((2, 3),))),
    "each_has_its_own": layer((("gate_up_fused",), ((0, 3),)), (("down",), ((3, 6),))),
    "equally_many_entries": layer((("gate_up_fused",), ((0, 2),)), (("down",), ((1, 3),))),
    "one_entry_less": layer((FUSED_ROLES, ((0, 5),)), (("down",), ((5, 6),))),
}


@clause("CAPABILITY-EXEC-05")
@cases(UNEQUAL)
def test_roles_of_different_entries_are_incompatible(ask: Ask, case: list[LyrwFile]) -> None:
    """Roles that cover different required entries are unequal-coverage, and never partial."""
    check("CAPABILITY-EXEC-05", _executed(ask, WHOLE), permitted("execute"))
    expected = forbidden(
        "execute", _unequal(FUSED_ROLES), role_sets=[_set(FUSED_ROLES, "incompatible"), BLOCKED_APART]
    )
    check("CAPABILITY-EXEC-05", _executed(ask, case), expected)


@clause("CAPABILITY-EXEC-05")
@cases(
    equal_in_front=(UNEQUAL["down_ends_earlier"], 0, 4),
    equal_behind=(UNEQUAL["down_begins_later"], 3, 3),
    equal_beside_the_gap=(UNEQUAL["down_has_a_gap"], 3, 2),
)
def test_entries_that_are_not_required_do_not_count(ask: Ask, case: tuple[list[LyrwFile], int, int]) -> None:
    """Where roles differ only outside the required entries, they are executed."""
    files, first, count = case
    reply = _executed(ask, files, first_entry=first, entry_count=count)
    check("CAPABILITY-EXEC-05", reply, permitted("execute"))
    expected = forbidden("execute", _unequal(FUSED_ROLES))
    check("CAPABILITY-EXEC-05", _executed(ask, files), expected)


@clause("CAPABILITY-EXEC-05")
def test_an_incompatible_set_refuses_no_other(ask: Ask) -> None:
    """Beside an incompatible set a complete one is executed."""
    four = ("gate", "up", "gate_up_fused", "down")
    files = layer((four, ((0, 4),)), (("gate", "up", "down"), ((4, 6),)))
    sets = [_set(FUSED_ROLES, "incompatible"), _set(APART_ROLES, "executable")]
    check("CAPABILITY-EXEC-05", _executed(ask, files), permitted("execute", role_sets=sets))


PARTIAL: dict[str, tuple[list[LyrwFile], tuple[tuple[int, int], ...]]] = {
    "first_half": (layer((FUSED_ROLES, ((0, 3),))), ((0, 3),)),
    "last_half": (layer((FUSED_ROLES, ((3, 6),))), ((3, 6),)),
    "last_entry_missing": (layer((FUSED_ROLES, ((0, 5),))), ((0, 5),)),
    "two_parts": (layer((FUSED_ROLES, ((0, 1), (4, 6)))), ((0, 1), (4, 6))),
    "two_files": (layer((FUSED_ROLES, ((4, 6),)), (FUSED_ROLES, ((0, 1),))), ((0, 1), (4, 6))),
}


@clause("CAPABILITY-EXEC-06")
@cases(PARTIAL)
def test_a_set_of_some_entries_is_partial(
    ask: Ask, case: tuple[list[LyrwFile], tuple[tuple[int, int], ...]]
) -> None:
    """Roles that cover the same entries, but not all, name those; the operand is missing for the others."""
    files, ranges = case
    check("CAPABILITY-EXEC-06", _executed(ask, WHOLE), permitted("execute"))
    names = {"object": 6, "operand": one_of(*FUSED_ROLES), "covered": covered(*ranges)}
    lost = reason("missing-operand", reason="partial-coverage", **names)
    sets = [_set(FUSED_ROLES, "partial", *ranges), BLOCKED_APART]
    check("CAPABILITY-EXEC-06", _executed(ask, files), forbidden_by_each("execute", lost, role_sets=sets))


@clause("CAPABILITY-EXEC-06")
def test_covered_entries_are_those_required(ask: Ask) -> None:
    """Of a required range the covered part is named, and nothing beyond it."""
    required = {"first_entry": 1, "entry_count": 4}
    check("CAPABILITY-EXEC-06", _executed(ask, WHOLE, **required), permitted("execute"))
    files = layer((FUSED_ROLES, ((0, 3),)))
    sets = [_set(FUSED_ROLES, "partial", (1, 3)), BLOCKED_APART]
    lost = reason("missing-operand", reason="partial-coverage", covered=covered((1, 3)))
    expected = forbidden_by_each("execute", lost, role_sets=sets)
    check("CAPABILITY-EXEC-06", _executed(ask, files, **required), expected)


@clause("CAPABILITY-EXEC-07")
@cases(
    absent=(layer((("gate", "up"), ((0, 4),)), (("gate",), ((4, 6),))), [missing("down", "absent", 6)]),
    omitted=(
        layer((("gate", "up", "down"), ((0, 4),)), (("gate",), ((4, 6),))),
        [missing("down", "omitted", 6)],
    ),
)
def test_a_missing_role_outranks_coverage(
    ask: Ask, case: tuple[list[LyrwFile], list[dict[str, Any]]]
) -> None:
    """A set that lacks a role is blocked, although its other roles cover different entries."""
    files, reasons = case
    omit = {"omit": ["down", "gate_up_fused"]}
    legal = layer((APART_ROLES, ((0, 6),)))
    check("CAPABILITY-EXEC-07", _executed(ask, legal, omit=["gate_up_fused"]), permitted("execute"))
    expected = forbidden("execute", *reasons, role_sets=[BLOCKED_FUSED, BLOCKED_APART])
    options = omit if reasons[0]["names"]["reason"] == "omitted" else {}
    check("CAPABILITY-EXEC-07", _executed(ask, files, **options), expected)


@clause("CAPABILITY-EXEC-07")
def test_an_unsupported_role_outranks_coverage(ask: Ask) -> None:
    """A role in an unknown format blocks its set, whatever the others cover."""
    whole = layer_of("gate_up_fused", schema("down", format=77), bank_id=6, entries=ENTRIES)
    files = [slice_of(whole, (0, 4)), *layer((("gate_up_fused",), ((4, 6),)))]
    check("CAPABILITY-EXEC-07", _executed(ask, WHOLE, FUSED_FC1), permitted("execute"))
    lost = missing("down", "unsupported-format", 6, value=77)
    expected = forbidden("execute", lost, role_sets=[BLOCKED_FUSED])
    check("CAPABILITY-EXEC-07", _executed(ask, files, FUSED_FC1), expected)


@clause("CAPABILITY-EXEC-07")
def test_a_role_outside_outranks_coverage(ask: Ask) -> None:
    """A role that has none of the required entries blocks its set before the others are compared."""
    required = {"first_entry": 0, "entry_count": 4}
    files = layer((("gate",), ((0, 2),)), (("up",), ((2, 4),)), (("down",), ((4, 6),)))
    check("CAPABILITY-EXEC-07", _executed(ask, WHOLE, **required), permitted("execute"))
    sets = {"role_sets": [BLOCKED_FUSED, BLOCKED_APART]}
    lost = missing("down", "outside-segments", 6)
    check("CAPABILITY-EXEC-07", _executed(ask, files, **required), forbidden("execute", lost, **sets))


@clause("CAPABILITY-EXEC-02")
def test_the_file_of_a_missing_operand_is_one_of_the_layer(ask: Ask) -> None:
    """Over several files a missing operand names one of them, or none."""
    paths = [ask.file(f"part_{at}.lyrw", file) for at, file in enumerate(WHOLE)]
    legal = judged_paths(ask, paths, "execute", 6, programme=FUSED_FC1)
    check("CAPABILITY-EXEC-02", legal, permitted("execute"))
    lost = missing("bias", "absent", 6, layer=0, segment=one_of(None, *paths))
    reply = judged_paths(ask, paths, "execute", 6, programme="gpt-oss-expert-v1")
    check("CAPABILITY-EXEC-02", reply, forbidden("execute", lost))


CHOICES = ("gate_up_fused", "gate", "up", "down")
LAYERS = 60
OF_STATE = {
    "incompatible": "CAPABILITY-EXEC-05",
    "partial": "CAPABILITY-EXEC-06",
    "blocked": "CAPABILITY-EXEC-07",
}


def _seeded(numbers: Numbers) -> list[Part]:
    """One to three files of some roles each, between which the entries of a layer are dealt, or lost."""
    files = 1 + numbers.below(3)
    owners = [numbers.below(files + 1) for _ in range(ENTRIES)]
    parts = []
    for file in range(files):
        roles = tuple(role for role in CHOICES if numbers.below(4)) or CHOICES[:1]
        ranges = tuple((entry, entry + 1) for entry, owner in enumerate(owners) if owner == file)
        parts += [(roles, ranges)] if ranges else []
    return parts


def _state(parts: list[Part], roles: RoleSet, required: set[int]) -> tuple[str, list[tuple[int, int]]]:
    """The state of a role set over the entries of these parts, and of a partial one what it covers."""
    covers = [
        {entry for having, ranges in parts if role in having for entry, _ in ranges} & required
        for role in roles
    ]
    if not all(covers):
        return "blocked", []
    if any(one != covers[0] for one in covers):
        return "incompatible", []
    if covers[0] == required:
        return "executable", []
    return "partial", [(entry, entry + 1) for entry in covers[0]]


@clause("CAPABILITY-EXEC-05", "CAPABILITY-EXEC-06", "CAPABILITY-EXEC-07")
def test_seeded_layers_have_their_states(ask: Ask) -> None:
    """Over files made from the seed of the run every role set has the state that its roles' entries give."""
    for number in range(LAYERS):
        numbers = Numbers("coverage", ask.seed, number)
        parts = _seeded(numbers)
        if not parts:
            continue
        first = numbers.below(ENTRIES)
        count = 1 + numbers.below(ENTRIES - first)
        required = set(range(first, first + count))
        states = [_state(parts, roles, required) for roles in (FUSED_ROLES, APART_ROLES)]
        reply = _executed(ask, layer(*parts), first_entry=first, entry_count=count)
        for position, (state, ranges) in enumerate(states):
            if state in OF_STATE:
                sets: list[dict[str, Any]] = [{}, {}]
                sets[position] = _set((FUSED_ROLES, APART_ROLES)[position], state, *ranges)
                check(OF_STATE[state], reply, Answers({"role_sets": sets}, frozenset({"wrong"})))
