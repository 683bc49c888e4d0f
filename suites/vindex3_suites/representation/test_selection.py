"""What a profile takes: baselines, its own selections, and nothing that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.container.tiny import bank
from vindex3_fixtures.representation import profile, region_set, variant
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.catalogue import DECLARED, DOWN, EXAMPLE, GATE_UP
from vindex3_suites.container.models import opens
from vindex3_suites.representation.selecting import absent, resolve, resolve_stored, takes, takes_baselines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.plugin.ask import Ask

EXACT_NAME, NATIVE_NAME = "exact-q6k", "native-mxfp4"

FIDELITIES = {
    f"set {level}": region_set("kept", {"kept": variant(level, f"stored/{level}")}) for level in v.LEVELS
}
CATALOGUES: dict[str, dict[str, Any]] = {
    "published": EXAMPLE,
    "one_set": {"a": region_set("only", ["only"])},
    "baseline_is_not_the_first": {"a": region_set("m", ["z", "m", "a"])},
    "baseline_is_not_the_best": {
        "a": region_set("low", {"high": variant(), "low": variant(v.ANALYSIS, "low")})
    },
    "every_fidelity": FIDELITIES,
    "names_of_any_text": {
        "größe.重み": region_set(" a  b ", [" a  b ", "\U0001f600"]),
        " ": region_set("{}", ["{}", "x"]),
    },
    "words_of_the_document": {
        "baseline": region_set("variants", ["variants", "baseline"]),
        "variants": region_set("a", ["a"]),
    },
    "not_sorted": {name: region_set("b", ["b", "a"]) for name in ("z", "10", "9", "B", "a")},
    "many": {f"layer.{at}.routed": region_set("a", ["a", "b"]) for at in range(200)},
}


@clause("SELECT-BASELINE-01")
@cases(CATALOGUES)
def test_a_profile_without_selections_takes_baselines(ask: Ask, case: dict[str, Any]) -> None:
    """Every region set answers with its baseline, whether selections are absent, empty or not thinkable."""
    for declared in (profile("exact"), profile("exact", {}), "exact"):
        reply = resolve(ask, "exact", [declared], case)
        check("SELECT-BASELINE-01", reply, takes_baselines("exact", case))


@clause("SELECT-BASELINE-01")
def test_a_container_is_read_each_time(ask: Ask) -> None:
    """Another catalogue in the same place is the one that answers, though the profile is called as before."""
    for baseline in (EXACT_NAME, NATIVE_NAME, EXACT_NAME):
        model = bank().with_index(("variants", GATE_UP, "baseline"), baseline)
        path = ask.file("model", model.folder)
        expected = takes_baselines("exact", model.index["variants"])
        check("SELECT-BASELINE-01", resolve_stored(ask, "exact", path), expected)


@clause("SELECT-BASELINE-01")
def test_profiles_of_a_container_take_baselines(ask: Ask) -> None:
    """A container answers as its catalogue does."""
    path = ask.file("model", bank().folder)
    reply = resolve_stored(ask, "exact", path)
    check("SELECT-BASELINE-01", reply, takes_baselines("exact", EXAMPLE))


@clause("SELECT-BASELINE-01")
def test_another_profile_takes_nothing_away(ask: Ask) -> None:
    """What other profiles select is their own affair, whatever the order of the declarations."""
    profiles = [profile("other", {"a": "y"}), profile("asked"), profile("more", {"a": "z", "b": "z"})]
    catalogue = {name: region_set("x", ["x", "y", "z"]) for name in "ab"}
    for declared in (profiles, profiles[::-1]):
        reply = resolve(ask, "asked", declared, catalogue)
        check("SELECT-BASELINE-01", reply, takes_baselines("asked", catalogue))


THREE = {name: region_set("base", ["base", "other", f"only-{name}"]) for name in ("a", "b", "c")}
PICKED: dict[str, dict[str, str]] = {
    "first": {"a": "other"},
    "middle": {"b": "other"},
    "last": {"c": "only-c"},
    "two": {"a": "only-a", "c": "other"},
    "all": {"a": "other", "b": "other", "c": "other"},
    "all_in_another_order": {"c": "other", "a": "only-a", "b": "base"},
    "the_baseline_itself": {"b": "base"},
}


@clause("SELECT-PICK-01")
@cases(PICKED)
def test_a_selection_replaces_its_own_baseline(ask: Ask, case: dict[str, str]) -> None:
    """The selected sets answer with what is selected, all others with their baselines."""
    picks = {**dict.fromkeys(THREE, "base"), **case}
    reply = resolve(ask, "p", [profile("p", case)], THREE)
    check("SELECT-PICK-01", reply, takes("p", THREE, picks))


@clause("SELECT-PICK-01")
def test_the_published_profiles_resolve(ask: Ask) -> None:
    """The profile of the example takes its variant in one set and the baseline in the other."""
    expected = takes("routed-mxfp4", EXAMPLE, {DOWN: EXACT_NAME, GATE_UP: NATIVE_NAME})
    check("SELECT-PICK-01", resolve(ask, "routed-mxfp4", DECLARED, EXAMPLE), expected)
    path = ask.file("model", bank().folder)
    check("SELECT-PICK-01", resolve_stored(ask, "routed-mxfp4", path), expected)


ALIKE = {"a": region_set("x", ["x", "X", "x ", " x", "xx", "\u00e9", "e\u0301"])}


@clause("SELECT-PICK-01")
@cases({f"name_{at}": name for at, name in enumerate(ALIKE["a"]["variants"])})
def test_names_that_look_alike_are_apart(ask: Ask, case: str) -> None:
    """Where several names differ by case, space or composition alone, each answers for itself."""
    reply = resolve(ask, "p", [profile("p", {"a": case})], ALIKE)
    check("SELECT-PICK-01", reply, takes("p", ALIKE, {"a": case}))


ABSENT = {
    "nowhere": "missing",
    "of_another_set": NATIVE_NAME,
    "empty": "",
    "word": "baseline",
    "storage": "routed/layer_000.q6k",
    "fidelity": v.NUMERICAL,
    "region_set": DOWN,
    "profile": "p",
}


@clause("SELECT-ABSENT-01")
@cases(ABSENT)
def test_a_variant_that_is_not_there_is_refused(ask: Ask, case: str) -> None:
    """The set is named with what was asked and what is there; neither baseline nor sibling answers."""
    legal = resolve(ask, "p", [profile("p", {DOWN: EXACT_NAME})], EXAMPLE)
    check("SELECT-ABSENT-01", legal, takes_baselines("p", EXAMPLE))
    wrong = resolve(ask, "p", [profile("p", {DOWN: case})], EXAMPLE)
    check("SELECT-ABSENT-01", wrong, absent(DOWN, case, EXACT_NAME))


SPELT = ("b", "\U0001f600", "a", "B", "10", "9", "\uff5e", "é", "z")


@clause("SELECT-ABSENT-01")
def test_present_variants_are_told_by_their_bytes(ask: Ask) -> None:
    """The present variants are sorted as UTF-8 sorts them, in whatever order the catalogue has them."""
    for names in (SPELT, SPELT[::-1]):
        catalogue = {"a": region_set("b", names)}
        legal = resolve(ask, "p", [profile("p", {"a": "10"})], catalogue)
        check("SELECT-ABSENT-01", legal, takes("p", catalogue, {"a": "10"}))
        expected = absent("a", "x", "10", "9", "B", "a", "b", "z", "é", "\uff5e", "\U0001f600")
        check("SELECT-ABSENT-01", resolve(ask, "p", [profile("p", {"a": "x"})], catalogue), expected)


NEAR = {
    "capitals": "EXACT-Q6K",
    "one_capital": "exact-Q6k",
    "space_before": " exact-q6k",
    "space_behind": "exact-q6k ",
    "newline_behind": "exact-q6k\n",
    "tab_before": "\texact-q6k",
    "beginning": "exact",
    "all_but_one": "exact-q6",
    "ending": "q6k",
    "one_more": "exact-q6kk",
    "other_hyphen": "exact\u2010q6k",
    "underscore": "exact_q6k",
    "zero_width": "exact-\u200bq6k",
    "nul_behind": "exact-q6k\u0000",
    "full_width": "exact-q6\uff4b",
    "kelvin_sign": "exact-q6\u212a",
    "slash": "./exact-q6k",
    "glob": "exact-*",
}


@clause("SELECT-NEAR-01")
@cases(NEAR)
def test_a_name_is_matched_exactly(ask: Ask, case: str) -> None:
    """A name that is nearly right is another name, over the baseline and over another variant."""
    profiles = [profile("right", {DOWN: EXACT_NAME, GATE_UP: EXACT_NAME}), profile("near", {DOWN: case})]
    check(
        "SELECT-NEAR-01",
        resolve(ask, "right", profiles, EXAMPLE),
        takes_baselines("right", EXAMPLE),
    )
    check("SELECT-NEAR-01", resolve(ask, "near", profiles, EXAMPLE), absent(DOWN, case, EXACT_NAME))
    wrong = resolve(ask, "near", [profile("near", {GATE_UP: case})], EXAMPLE)
    check("SELECT-NEAR-01", wrong, absent(GATE_UP, case, EXACT_NAME, NATIVE_NAME))


def _composed() -> Iterator[tuple[str, str]]:
    pairs = (("é", "e\u0301"), ("Å", "\u212b"), ("ﬁ", "fi"), ("ß", "ss"), ("가", "\u1100\u1161"))
    for one, other in pairs:
        yield from ((one, other), (other, one))


@clause("SELECT-NEAR-01")
@cases({f"pair_{at}": pair for at, pair in enumerate(_composed())})
def test_no_name_is_composed_anew(ask: Ask, case: tuple[str, str]) -> None:
    """Forms that Unicode calls equivalent, or folds to one, are different names."""
    there, asked = case
    catalogue = {"a": region_set("base", ["base", f"q{there}"])}
    legal = resolve(ask, "p", [profile("p", {"a": f"q{there}"})], catalogue)
    check("SELECT-NEAR-01", legal, takes("p", catalogue, {"a": f"q{there}"}))
    wrong = resolve(ask, "p", [profile("p", {"a": f"q{asked}"})], catalogue)
    check("SELECT-NEAR-01", wrong, absent("a", f"q{asked}", "base", f"q{there}"))


UNKNOWN = {
    "nowhere": "layer.9.routed.down",
    "empty": "",
    "capitals": "LAYER.0.ROUTED.DOWN",
    "space_behind": f"{DOWN} ",
    "beginning": "layer.0.routed",
    "ending": "down",
    "variant": EXACT_NAME,
    "storage": "routed/layer_000.q6k",
}


@clause("SELECT-UNKNOWN-01")
@cases(UNKNOWN)
def test_a_selection_is_over_a_catalogued_set(ask: Ask, case: str) -> None:
    """A set that is not catalogued is refused with those that are; the selection is not left out."""
    legal = resolve(ask, "p", [profile("p", {DOWN: EXACT_NAME})], EXAMPLE)
    check("SELECT-UNKNOWN-01", legal, takes_baselines("p", EXAMPLE))
    expected = refuses("unknown-region-set", region_set=case, catalogued=[DOWN, GATE_UP])
    for selects in ({case: EXACT_NAME}, {DOWN: EXACT_NAME, case: EXACT_NAME}):
        wrong = resolve(ask, "p", [profile("p", selects)], EXAMPLE)
        check("SELECT-UNKNOWN-01", wrong, expected)


@clause("SELECT-UNKNOWN-01")
def test_catalogued_sets_are_told_by_their_bytes(ask: Ask) -> None:
    """The catalogued sets are sorted as UTF-8 sorts them, in whatever order the catalogue has them."""
    for names in (SPELT, SPELT[::-1]):
        catalogue = {name: region_set("x", ["x"]) for name in names}
        legal = resolve(ask, "p", [profile("p", {"10": "x"})], catalogue)
        check("SELECT-UNKNOWN-01", legal, takes_baselines("p", catalogue))
        told = ["10", "9", "B", "a", "b", "z", "é", "\uff5e", "\U0001f600"]
        wrong = resolve(ask, "p", [profile("p", {"x": "x"})], catalogue)
        check("SELECT-UNKNOWN-01", wrong, refuses("unknown-region-set", region_set="x", catalogued=told))


@clause("SELECT-NONE-01")
@cases(object=profile("exact"), selecting_nothing=profile("exact", {}), string="exact")
def test_an_empty_catalogue_resolves_to_nothing(ask: Ask, case: Any) -> None:
    """Where no set is catalogued, a declared profile selects nothing."""
    reply = resolve(ask, "exact", [case], {})
    check("SELECT-NONE-01", reply, takes("exact", {}, {}))


@clause("SELECT-SHARED-01")
def test_two_sets_may_share_a_storage_key(ask: Ask) -> None:
    """One file may hold several region sets; each keeps the name and the fidelity of its own variant."""
    shared = "routed/layer_000"
    catalogue = {
        "a": region_set("one", {"one": variant(v.EXACT, shared)}),
        "b": region_set("two", {"two": variant(v.STRUCTURAL, shared), "one": variant(v.EQUIVALENT, shared)}),
        "c": region_set("one", {"one": variant(v.NUMERICAL, shared), "two": variant(v.EXACT, "other")}),
    }
    reply = resolve(ask, "exact", [profile("exact")], catalogue)
    check("SELECT-SHARED-01", reply, takes_baselines("exact", catalogue))
    picks = {"a": "one", "b": "one", "c": "two"}
    reply = resolve(ask, "p", [profile("p", {"b": "one", "c": "two"})], catalogue)
    check("SELECT-SHARED-01", reply, takes("p", catalogue, picks))


FULL = {name: region_set("base", ["base", "one", "two"]) for name in ("a", "b")}
PROFILES = [
    profile("exact"),
    profile("first", {"a": "one"}),
    profile("second", {"a": "two"}),
    profile("both", {"a": "one", "b": "one"}),
]


@clause("SELECT-REMOVE-01")
@cases(first="first", both="both")
def test_a_removed_variant_is_missed_by_its_own_profiles(ask: Ask, case: str) -> None:
    """Without a variant that is no baseline, profiles that select it are refused and no others."""
    less = {**FULL, "a": region_set("base", ["base", "two"])}
    for name, picks in (
        ("exact", {"a": "base", "b": "base"}),
        ("second", {"a": "two", "b": "base"}),
    ):
        for catalogue in (FULL, less):
            reply = resolve(ask, name, PROFILES, catalogue)
            check("SELECT-REMOVE-01", reply, takes(name, catalogue, picks))
    check("SELECT-REMOVE-01", resolve(ask, case, PROFILES, less), absent("a", "one", "base", "two"))


@needs("container.open")
@clause("SELECT-REMOVE-01")
def test_a_container_without_a_variant_opens(ask: Ask) -> None:
    """With a variant, its file, its key and its profile taken out, a container opens and resolves."""
    storage = "routed/layer_000.mxfp4"
    less = (
        bank()
        .without_index(("variants", GATE_UP, "variants", NATIVE_NAME))
        .without_index(("segments", storage))
        .without_file(f"{storage}.lyrw")
        .with_index(("profiles",), [profile("exact")])
    )
    for model in (bank(), less):
        path = ask.file("model", model.folder)
        check("SELECT-REMOVE-01", ask("container.open", path=path), opens(model))
        reply = resolve_stored(ask, "exact", path)
        check("SELECT-REMOVE-01", reply, takes_baselines("exact", EXAMPLE))
