"""The fold of authority: every row of its table, every pair of words, every cap, every claim."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, refuses
from vindex3_fixtures.representation import profile, region_set, variant
from vindex3_fixtures.representation import vocabulary as v
from vindex3_suites.representation.folding import OMITTED, REPLACED, Structural, fold, folds
from vindex3_suites.representation.selecting import resolve, takes

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers

CHANGES: dict[str, Structural] = {
    "omitted": OMITTED,
    "replaced": REPLACED,
    "several_omitted": {"omitted": ["a", "b", "c"]},
}
WORDS = dict(zip(("analysis", "structural", "numerical", "equivalent", "exact"), v.LEVELS, strict=True))


TABLE: dict[str, tuple[list[str], Answers]] = {
    "exact_twice": ([v.EXACT, v.EXACT], folds(v.EXACT, v.EXACT)),
    "one_of_twenty_one": ([*[v.EXACT] * 20, v.NUMERICAL], folds(v.NUMERICAL, v.NUMERICAL)),
    "equivalent": ([v.EQUIVALENT], folds(v.EQUIVALENT, v.EQUIVALENT)),
    **{f"{name}_alone": ([level], folds(level, level)) for name, level in WORDS.items()},
    "all_ascending": (list(v.LEVELS), folds(v.ANALYSIS, v.ANALYSIS)),
    "all_descending": (list(v.LEVELS[::-1]), folds(v.ANALYSIS, v.ANALYSIS)),
    "weakest_in_the_middle": ([v.EXACT, v.STRUCTURAL, v.EQUIVALENT], folds(v.STRUCTURAL, v.STRUCTURAL)),
    "a_thousand": ([*[v.EQUIVALENT] * 999, v.NUMERICAL], folds(v.NUMERICAL, v.NUMERICAL)),
}


@clause("AUTHORITY-MIN-01")
@cases(TABLE)
def test_the_weakest_word_decides(ask: Ask, case: tuple[list[str], Answers]) -> None:
    """The level is the weakest word, whatever the order; no majority and no first word decides."""
    selected, expected = case
    for words in (selected, selected[::-1]):
        check("AUTHORITY-MIN-01", fold(ask, words), expected)


@clause("AUTHORITY-MIN-01")
@cases(WORDS)
def test_every_pair_of_words_has_its_weaker_one(ask: Ask, case: str) -> None:
    """With each other word, in either order and with either repeated, the weaker one is the level."""
    for other in v.LEVELS:
        weaker = v.LEVELS[min(v.LEVELS.index(case), v.LEVELS.index(other))]
        for selected in ([case, other], [other, case], [case, case, other], [other, case, other, case]):
            check("AUTHORITY-MIN-01", fold(ask, selected), folds(weaker, weaker))


@clause("AUTHORITY-MIN-02")
@cases(nothing=None, **CHANGES)
def test_nothing_selected_is_analysis_only(ask: Ask, case: Structural) -> None:
    """Nothing folds to analysis-only without a cap, complete or not, changed or not."""
    for complete in (True, False):
        check("AUTHORITY-MIN-02", fold(ask, [], complete, case), folds(v.ANALYSIS, v.ANALYSIS))


@clause("AUTHORITY-CAP-01")
@cases(WORDS)
def test_an_incomplete_execution_is_analysis_only(ask: Ask, case: str) -> None:
    """Missing operands cap every word, changed or not; the flag says whether that lowered anything."""
    lowered = case != v.ANALYSIS
    check("AUTHORITY-CAP-01", fold(ask, [case]), folds(case, case))
    for structural in (None, *CHANGES.values()):
        for selected in ([case], [v.EXACT, case]):
            expected = folds(v.ANALYSIS, case, by_completeness=lowered)
            check("AUTHORITY-CAP-01", fold(ask, selected, False, structural), expected)


CAPPED = {
    v.ANALYSIS: folds(v.ANALYSIS, v.ANALYSIS),
    v.STRUCTURAL: folds(v.STRUCTURAL, v.STRUCTURAL),
    v.NUMERICAL: folds(v.STRUCTURAL, v.NUMERICAL, by_structure=True),
    v.EQUIVALENT: folds(v.STRUCTURAL, v.EQUIVALENT, by_structure=True),
    v.EXACT: folds(v.STRUCTURAL, v.EXACT, by_structure=True),
}


@clause("AUTHORITY-CAP-02")
@cases({f"{name}_{word}": (WORDS[word], CHANGES[name]) for name, word in product(CHANGES, WORDS)})
def test_a_change_caps_at_structurally_approximate(ask: Ask, case: tuple[str, Structural]) -> None:
    """An omission or a replacement lowers what is above, and raises nothing that is below."""
    word, structural = case
    check("AUTHORITY-CAP-02", fold(ask, [word], True, structural), CAPPED[word])
    check("AUTHORITY-CAP-02", fold(ask, [word, v.EXACT], True, structural), CAPPED[word])


@clause("AUTHORITY-CAP-03")
@cases({f"{name}_{word}": (WORDS[word], CHANGES[name]) for name, word in product(CHANGES, WORDS)})
def test_the_flag_of_structure_says_whether_it_lowered(ask: Ask, case: tuple[str, Structural]) -> None:
    """It is true where a change lowered a complete execution, and nowhere else."""
    word, structural = case
    check("AUTHORITY-CAP-03", fold(ask, [word], True, structural), CAPPED[word])
    check("AUTHORITY-CAP-03", fold(ask, [word]), folds(word, word))
    lowered = word != v.ANALYSIS
    incomplete = fold(ask, [word], False, structural)
    check("AUTHORITY-CAP-03", incomplete, folds(v.ANALYSIS, word, by_completeness=lowered))


DERIVED: dict[str, tuple[str, bool, Structural, str]] = {
    **{name: (word, True, None, word) for name, word in WORDS.items()},
    "exact_changed": (v.EXACT, True, OMITTED, v.STRUCTURAL),
    "analysis_changed": (v.ANALYSIS, True, REPLACED, v.ANALYSIS),
    "exact_incomplete": (v.EXACT, False, None, v.ANALYSIS),
    "numerical_incomplete_and_changed": (v.NUMERICAL, False, OMITTED, v.ANALYSIS),
}
"""A selected word, completeness, change, and the level that follows."""


def _claims(level: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The claims that a level carries, and those above it."""
    place = v.LEVELS.index(level) + 1
    return v.LEVELS[:place], v.LEVELS[place:]


@clause("AUTHORITY-CLAIM-01")
@cases(DERIVED)
def test_a_claim_at_or_below_the_level_is_permitted(
    ask: Ask, case: tuple[str, bool, Structural, str]
) -> None:
    """Each such claim is permitted, and lowers nothing."""
    word, complete, structural, level = case
    for claim in _claims(level)[0]:
        reply = fold(ask, [word], complete, structural, claim)
        check("AUTHORITY-CLAIM-01", reply, answers(level=level, weakest_selected=word, claim_permitted=True))


@clause("AUTHORITY-CLAIM-02")
@cases({name: case for name, case in DERIVED.items() if case[3] != v.EXACT})
def test_a_claim_above_the_level_is_refused(ask: Ask, case: tuple[str, bool, Structural, str]) -> None:
    """Each such claim is refused with both words, also where the selected word would have carried it."""
    word, complete, structural, level = case
    legal = fold(ask, [word], complete, structural, level)
    check("AUTHORITY-CLAIM-02", legal, answers(level=level, claim_permitted=True))
    for claim in _claims(level)[1]:
        reply = fold(ask, [word], complete, structural, claim)
        check("AUTHORITY-CLAIM-02", reply, refuses("overclaim", claimed=claim, derived=level))


@clause("AUTHORITY-CLAIM-02")
def test_nothing_selected_carries_no_claim(ask: Ask) -> None:
    """Of nothing, analysis-only alone can be claimed."""
    legal = fold(ask, [], claim=v.ANALYSIS)
    check("AUTHORITY-CLAIM-02", legal, folds(v.ANALYSIS, v.ANALYSIS, claim_permitted=True))
    for claim in v.LEVELS[1:]:
        expected = refuses("overclaim", claimed=claim, derived=v.ANALYSIS)
        check("AUTHORITY-CLAIM-02", fold(ask, [], claim=claim), expected)


NO_LEVELS = {
    "canonical": "canonical",
    "approximate": "approximate",
    "derived": "derived",
    "exact": "exact",
    "empty": "",
    "capital": "Source-exact",
    "capitals": "SOURCE-EXACT",
    "space_behind": "source-exact ",
    "underscore": "source_exact",
    "joined": "sourceexact",
    "beginning": "source",
    "number": "4",
    "above_all": "bit-exact",
}


@clause("AUTHORITY-WORD-01")
@cases(NO_LEVELS)
def test_a_word_is_one_of_the_five(ask: Ask, case: str) -> None:
    """Any other word is refused, selected alone or among sound ones, and as a claim."""
    legal = fold(ask, [v.EXACT, v.NUMERICAL], claim=v.ANALYSIS)
    check("AUTHORITY-WORD-01", legal, folds(v.NUMERICAL, v.NUMERICAL, claim_permitted=True))
    expected = refuses("unknown-value", value=case)
    for selected in ([case], [v.EXACT, case], [case, v.ANALYSIS]):
        check("AUTHORITY-WORD-01", fold(ask, selected), expected)
    check("AUTHORITY-WORD-01", fold(ask, [v.EXACT], claim=case), expected)


@clause("AUTHORITY-RESOLVE-01")
@cases(WORDS)
def test_a_profile_has_the_fold_of_what_it_selects(ask: Ask, case: str) -> None:
    """The weaker of two selected variants is the authority; variants that are not selected do not count."""
    weakest_beside = {"kept": variant(case, "kept"), "unused": variant(v.ANALYSIS, "unused")}
    for other in v.LEVELS:
        catalogue = {
            "a": region_set("kept", weakest_beside),
            "b": region_set("unused", {"unused": variant(v.ANALYSIS, "b.0"), "taken": variant(other, "b.1")}),
        }
        weaker = v.LEVELS[min(v.LEVELS.index(case), v.LEVELS.index(other))]
        reply = resolve(ask, "p", [profile("p", {"b": "taken"})], catalogue)
        check("AUTHORITY-RESOLVE-01", reply, takes("p", catalogue, {"a": "kept", "b": "taken"}, weaker))
        reply = resolve(ask, "p", [profile("p")], catalogue)
        picks = {"a": "kept", "b": "unused"}
        check("AUTHORITY-RESOLVE-01", reply, takes("p", catalogue, picks, v.ANALYSIS))


@clause("AUTHORITY-RESOLVE-01")
def test_a_profile_of_nothing_is_analysis_only(ask: Ask) -> None:
    """Where no set is catalogued the authority is the fold of nothing."""
    expected = takes("exact", {}, {}, v.ANALYSIS)
    check("AUTHORITY-RESOLVE-01", resolve(ask, "exact", [profile("exact")], {}), expected)
