"""Catalogues with broken region sets, and all that is wrong with a profile told at once."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.representation import profile, region_set
from vindex3_suites.representation.selecting import absent, resolve, takes, takes_baselines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses

Struct = dict[str, Any]

SOUND: Struct = {name: region_set("base", ["base", "other"]) for name in ("a", "b", "c")}
EMPTY: Struct = region_set("base", [])


def lost(baseline: str = "lost", *variants: str) -> Struct:
    """A region set whose baseline is none of its variants."""
    return region_set(baseline, variants or ("other", "base"))


def baseline_absent(region_set: str, baseline: str = "lost", *present: str) -> Refuses:
    """The refusal of such a set; `present` as they are told."""
    told = list(present) or ["base", "other"]
    return refuses("baseline-absent", region_set=region_set, baseline=baseline, present=told)


def _check_sound(ask: Ask, clause_id: str) -> None:
    reply = resolve(ask, "p", [profile("p")], SOUND)
    check(clause_id, reply, takes_baselines("p", SOUND))


BASELINES = {
    "nowhere": "missing",
    "empty": "",
    "capitals": "BASE",
    "space_behind": "base ",
    "beginning": "bas",
    "storage": "stored/0",
    "region_set": "b",
}


@clause("SELECT-BROKEN-01")
@cases(BASELINES)
def test_a_baseline_is_one_of_the_variants(ask: Ask, case: str) -> None:
    """A baseline that is not there is refused with those that are; no first or only variant steps in."""
    _check_sound(ask, "SELECT-BROKEN-01")
    for place in SOUND:
        wrong = resolve(ask, "p", [profile("p")], {**SOUND, place: lost(case)})
        check("SELECT-BROKEN-01", wrong, baseline_absent(place, case))
    alone = resolve(ask, "p", [profile("p")], {"a": lost(case, "only")})
    check("SELECT-BROKEN-01", alone, baseline_absent("a", case, "only"))


@clause("SELECT-BROKEN-01")
def test_present_variants_of_a_broken_set_are_sorted(ask: Ask) -> None:
    """They are told by their bytes, in whatever order the catalogue has them."""
    _check_sound(ask, "SELECT-BROKEN-01")
    for names in permutations(("b", "B", "10", "9")):
        wrong = resolve(ask, "p", [profile("p")], {"a": lost("lost", *names)})
        check("SELECT-BROKEN-01", wrong, baseline_absent("a", "lost", "10", "9", "B", "b"))


@clause("SELECT-BROKEN-02")
@cases(first="a", middle="b", last="c")
def test_a_set_has_variants(ask: Ask, case: str) -> None:
    """A set whose variants are empty is refused, alone and beside sound ones."""
    _check_sound(ask, "SELECT-BROKEN-02")
    expected = refuses("no-variants", region_set=case)
    for catalogue in ({case: EMPTY}, {**SOUND, case: EMPTY}):
        check("SELECT-BROKEN-02", resolve(ask, "p", [profile("p")], catalogue), expected)


BROKEN = {"baseline_absent": (lost(), "baseline-absent"), "no_variants": (EMPTY, "no-variants")}


@clause("SELECT-BROKEN-03")
@cases(BROKEN)
def test_a_broken_set_refuses_who_does_not_mention_it(ask: Ask, case: tuple[Struct, str]) -> None:
    """Profiles that select nothing, or in other sets alone, are refused as well."""
    _check_sound(ask, "SELECT-BROKEN-03")
    broken, kind = case
    selections: Sequence[dict[str, str] | None] = (None, {}, {"a": "other"}, {"a": "base", "c": "other"})
    for selects in selections:
        wrong = resolve(ask, "p", [profile("p", selects)], {**SOUND, "b": broken})
        check("SELECT-BROKEN-03", wrong, refuses(kind, region_set="b"))


@clause("SELECT-BROKEN-03")
def test_a_broken_set_refuses_who_overrides_it(ask: Ask) -> None:
    """A profile that selects a present variant in a set without its baseline is refused all the same."""
    expected = takes("p", SOUND, {"a": "base", "b": "other", "c": "base"})
    check("SELECT-BROKEN-03", resolve(ask, "p", [profile("p", {"b": "other"})], SOUND), expected)
    wrong = resolve(ask, "p", [profile("p", {"b": "other"})], {**SOUND, "b": lost()})
    check("SELECT-BROKEN-03", wrong, refuses("baseline-absent", region_set="b"))


def _defects(*refusals: Refuses) -> list[Struct]:
    return [{"kind": one.kinds[0], "names": one.names} for one in refusals]


def _all(*refusals: Refuses) -> Refuses:
    """The first of them, with the whole list."""
    first = refusals[0]
    return refuses(first.kinds[0], **first.names, defects=_defects(*refusals))


def unknown(region_set: str, *catalogued: str) -> Refuses:
    """A selection over a set that is not catalogued."""
    return refuses("unknown-region-set", region_set=region_set, catalogued=list(catalogued))


FOUR: Struct = {name: region_set("base", ["base", "other"]) for name in ("d", "b", "10", "9")}
NAMED = ("10", "9", "b", "d")
SEVERAL: dict[str, tuple[Struct, Struct, list[Refuses]]] = {
    "two_absent": (
        FOUR,
        {"d": "x", "b": "y"},
        [absent("b", "y", "base", "other"), absent("d", "x", "base", "other")],
    ),
    "two_unknown": (FOUR, {"z": "base", "c": "base"}, [unknown("c", *NAMED), unknown("z", *NAMED)]),
    "mixed_by_region_set": (
        FOUR,
        {"d": "x", "c": "base", "9": "x", "a": "other", "10": "other"},
        [
            absent("9", "x", "base", "other"),
            unknown("a", *NAMED),
            unknown("c", *NAMED),
            absent("d", "x", "base", "other"),
        ],
    ),
    "two_broken": (
        {**FOUR, "d": EMPTY, "9": lost()},
        {},
        [baseline_absent("9"), refuses("no-variants", region_set="d")],
    ),
    "broken_the_other_way": (
        {**FOUR, "9": EMPTY, "d": lost()},
        {"b": "other"},
        [refuses("no-variants", region_set="9"), baseline_absent("d")],
    ),
    "selection_before_a_broken_set": (
        {**FOUR, "10": lost()},
        {"d": "x"},
        [absent("d", "x", "base", "other"), baseline_absent("10")],
    ),
    "unknown_before_an_empty_set": (
        {**FOUR, "10": EMPTY},
        {"z": "base"},
        [unknown("z", *NAMED), refuses("no-variants", region_set="10")],
    ),
    "one_set_twice": (
        {**FOUR, "b": lost()},
        {"b": "x"},
        [absent("b", "x", "base", "other"), baseline_absent("b")],
    ),
    "everything": (
        {**FOUR, "d": lost("gone"), "10": EMPTY},
        {"z": "base", "b": "BASE"},
        [
            absent("b", "BASE", "base", "other"),
            unknown("z", *NAMED),
            refuses("no-variants", region_set="10"),
            baseline_absent("d", "gone"),
        ],
    ),
}


@clause("SELECT-ALL-01")
@cases(SEVERAL)
def test_all_defects_are_told(ask: Ask, case: tuple[Struct, Struct, list[Refuses]]) -> None:
    """Selections come first, then broken sets, each sorted; the refusal itself is the first of them."""
    check("SELECT-ALL-01", resolve(ask, "p", [profile("p")], FOUR), takes_baselines("p", FOUR))
    catalogue, selects, refusals = case
    for turned in (False, True):
        sets = dict(reversed(catalogue.items())) if turned else catalogue
        selected = dict(reversed(selects.items())) if turned else selects
        wrong = resolve(ask, "p", [profile("p", selected)], sets)
        check("SELECT-ALL-01", wrong, _all(*refusals))


@clause("SELECT-ALL-01")
def test_defects_of_other_profiles_are_not_told(ask: Ask) -> None:
    """Of a catalogue that is given as such, what other profiles select is not judged."""
    profiles = [
        profile("bad", {"a": "x", "z": "base"}),
        profile("p", {"a": "other"}),
        profile("q", {"a": "y"}),
    ]
    picks = {"a": "other", "b": "base", "c": "base"}
    check("SELECT-ALL-01", resolve(ask, "p", profiles, SOUND), takes("p", SOUND, picks))
    two = _all(absent("a", "x", "base", "other"), unknown("z", "a", "b", "c"))
    check("SELECT-ALL-01", resolve(ask, "bad", profiles, SOUND), two)
