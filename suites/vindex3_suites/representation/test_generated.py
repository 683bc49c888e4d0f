"""Catalogues, words, maps and candidates that are drawn, and what holds of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from pytest_vindex3 import answers, check, clause
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.representation import (
    choices,
    compilations,
    levels,
    promotions,
    reordered_choices,
)
from vindex3_fixtures.representation import profile
from vindex3_fixtures.representation import vocabulary as v
from vindex3_suites.representation.compiling import compile_, rulings, says
from vindex3_suites.representation.folding import OMITTED, REPLACED, Structural, fold
from vindex3_suites.representation.promoting import SELECTED, UNPROVEN, promote, refused, rules
from vindex3_suites.representation.selecting import absent, resolve, takes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers
    from vindex3_fixtures.representation.sampled import Choice, Compilation, Promotion

PLACES = st.integers(0, 1 << 16)
"""Where to change a request: positions, modulo how many there are."""


MISSING = st.sampled_from(("", "x", "EXACT", "q6k  ", "Baseline"))
"""Names that no drawn variant has."""


def _weakest(words: Iterable[str]) -> str:
    return min(words, key=v.LEVELS.index, default=v.ANALYSIS)


def _taken(choice: Choice) -> Answers:
    return takes(choice.asked, choice.catalogue, choice.picks)


@clause("SELECT-BASELINE-01", "SELECT-PICK-01", "AUTHORITY-RESOLVE-01")
@generated(choices())
def test_a_drawn_profile_resolves(ask: Ask, drawn: Choice) -> None:
    """Of any catalogue a profile takes what it selects and baselines, at the weakest of their words."""
    variants = (drawn.catalogue[name]["variants"][pick] for name, pick in drawn.picks.items())
    authority = _weakest(one["fidelity"] for one in variants)
    reply = resolve(ask, drawn.asked, drawn.profiles, drawn.catalogue)
    check("SELECT-BASELINE-01", reply, _taken(drawn))
    check("SELECT-PICK-01", reply, _taken(drawn))
    check("AUTHORITY-RESOLVE-01", reply, answers(authority=authority))


@clause("SELECT-PICK-01")
@generated(reordered_choices(), examples=30)
def test_the_order_of_keys_says_nothing(ask: Ask, drawn: tuple[Choice, Choice]) -> None:
    """With the keys of every object and the profiles in another order the answer is the same."""
    for choice in drawn:
        reply = resolve(ask, choice.asked, choice.profiles, choice.catalogue)
        check("SELECT-PICK-01", reply, _taken(drawn[0]))


@clause("SELECT-ABSENT-01")
@generated(st.tuples(choices(), PLACES, MISSING), examples=30)
def test_a_drawn_absent_variant_is_refused(ask: Ask, drawn: tuple[Choice, int, str]) -> None:
    """Any set of any catalogue, asked for a variant that it lacks, is named with those that it has."""
    choice, place, missing = drawn
    legal = resolve(ask, choice.asked, choice.profiles, choice.catalogue)
    check("SELECT-ABSENT-01", legal, _taken(choice))
    name = sorted(choice.catalogue)[place % len(choice.catalogue)]
    wrong = profile("wrong", {**choice.picks, name: missing})
    present = sorted(choice.catalogue[name]["variants"], key=str.encode)
    reply = resolve(ask, "wrong", [*choice.profiles, wrong], choice.catalogue)
    check("SELECT-ABSENT-01", reply, absent(name, missing, *present))


SHUFFLED = st.randoms(use_true_random=False)
CHANGES: st.SearchStrategy[Structural] = st.sampled_from((None, OMITTED, REPLACED))


@clause("AUTHORITY-MIN-01")
@generated(st.tuples(levels(least=1), SHUFFLED), examples=30)
def test_a_fold_is_free_of_order(ask: Ask, drawn: tuple[list[str], Any]) -> None:
    """Any words fold to the weakest, in any order and however often each stands there."""
    words, random = drawn
    expected = answers(level=_weakest(words), weakest_selected=_weakest(words))
    shuffled = random.sample(words, len(words))
    for selected in (words, shuffled, words + shuffled):
        check("AUTHORITY-MIN-01", fold(ask, selected), expected)


@clause("AUTHORITY-MIN-01", "AUTHORITY-CAP-01", "AUTHORITY-CAP-02")
@generated(st.tuples(levels(least=1), PLACES, st.booleans(), CHANGES), examples=30)
def test_a_fold_is_monotone(ask: Ask, drawn: tuple[list[str], int, bool, Structural]) -> None:
    """A stronger word never lowers the level, and one word more never raises it."""
    words, place, complete, structural = drawn
    at = place % len(words)
    raised = [*words[:at], v.LEVELS[min(4, v.LEVELS.index(words[at]) + 1)], *words[at + 1 :]]
    more = [*words, v.LEVELS[place % 5]]
    level = _capped(_weakest(words), complete, structural)
    rank = v.LEVELS.index(level)
    for selected, possible in ((words, [level]), (raised, v.LEVELS[rank:]), (more, v.LEVELS[: rank + 1])):
        reply = fold(ask, selected, complete, structural)
        for clause_id in ("AUTHORITY-MIN-01", "AUTHORITY-CAP-01", "AUTHORITY-CAP-02"):
            check(clause_id, reply, answers(level=one_of(*possible)))


def _capped(weakest: str, complete: bool, structural: Structural) -> str:
    if not complete:
        return v.ANALYSIS
    return _weakest([weakest, v.STRUCTURAL]) if structural else weakest


@clause("PRECISION-FIRST-01", "ELIGIBLE-ORDER-01", "ELIGIBLE-SHAPE-01")
@generated(compilations())
def test_a_drawn_map_compiles(ask: Ask, drawn: Compilation) -> None:
    """Any map without dead rules decides every tensor by the first match, its role and its shape."""
    reply = compile_(ask, drawn.policy, drawn.tensors)
    expected = says(drawn.policy, drawn.tensors, rulings(drawn.policy, drawn.tensors))
    for clause_id in ("PRECISION-FIRST-01", "ELIGIBLE-ORDER-01", "ELIGIBLE-SHAPE-01"):
        check(clause_id, reply, expected)


@clause("PRECISION-ROLE-02")
@generated(st.tuples(compilations(), st.sampled_from(v.KEPT_ROLES)), examples=20)
def test_a_role_more_compiles_nobody_elses_tensors(ask: Ask, drawn: tuple[Compilation, str]) -> None:
    """With one role more, tensors of all other roles are decided as before."""
    sample, role = drawn
    narrow = {**sample.policy, "roles": [v.LINEAR]}
    wide = {**narrow, "roles": [v.LINEAR, role]}
    for chosen in (narrow, wide):
        expected = says(chosen, sample.tensors, rulings(chosen, sample.tensors))
        check("PRECISION-ROLE-02", compile_(ask, chosen, sample.tensors), expected)


@clause("PROMOTE-ORDER-01", "PROMOTE-MAP-01")
@generated(promotions())
def test_drawn_candidates_are_judged_each_for_itself(ask: Ask, drawn: Promotion) -> None:
    """Any candidates get the verdicts that their evidence carries, in their order."""
    verdicts = [SELECTED if one is None else refused(one[0], **one[1]) for one in drawn.refusals]
    reply = promote(ask, drawn.candidates, default=drawn.default)
    for clause_id in ("PROMOTE-ORDER-01", "PROMOTE-MAP-01"):
        check(clause_id, reply, rules(verdicts))


@clause("PROMOTE-QUALITY-01")
@generated(promotions(), examples=30)
def test_nothing_is_promoted_without_evidence(ask: Ask, drawn: Promotion) -> None:
    """Without their banks none of any candidates is promoted, and the map compiles nothing."""
    judged = [SELECTED if one is None else refused(one[0], **one[1]) for one in drawn.refusals]
    check("PROMOTE-QUALITY-01", promote(ask, drawn.candidates, default=drawn.default), rules(judged))
    stripped = [{**one, "bank": None} for one in drawn.candidates]
    reply = promote(ask, stripped, default=drawn.default)
    check("PROMOTE-QUALITY-01", reply, rules([UNPROVEN] * len(stripped)))
    check("PROMOTE-QUALITY-01", reply, answers(map={"roles": []}))
