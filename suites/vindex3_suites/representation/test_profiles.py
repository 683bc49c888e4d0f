"""Profiles by their names: declared or not, twice, and with names that promise something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.container.tiny import bank, tiny
from vindex3_fixtures.representation import profile, region_set, variant
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.catalogue import DECLARED, EXAMPLE
from vindex3_suites.representation.selecting import resolve, resolve_stored, takes, takes_baselines

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

UNDECLARED = {
    "nowhere": "fast",
    "empty": "",
    "capital": "Exact",
    "capitals": "EXACT",
    "space_before": " exact",
    "space_behind": "exact ",
    "beginning": "exac",
    "one_more": "exactly",
    "zero_width": "ex\u200bact",
    "default": "default",
    "baseline": "baseline",
    "variant": "native-mxfp4",
    "position": "0",
}


@clause("PROFILE-UNDECLARED-01")
@cases(UNDECLARED)
def test_a_profile_has_to_be_declared(ask: Ask, case: str) -> None:
    """Another name is refused with the declared ones in their order; none of them answers for it."""
    expected = refuses("undeclared-profile", requested=case, declared=["exact", "routed-mxfp4"])
    legal = resolve(ask, "exact", DECLARED, EXAMPLE)
    check("PROFILE-UNDECLARED-01", legal, takes_baselines("exact", EXAMPLE))
    check("PROFILE-UNDECLARED-01", resolve(ask, case, DECLARED, EXAMPLE), expected)


@clause("PROFILE-UNDECLARED-01")
@cases(
    decomposed=("caf\u00e9", "cafe\u0301"), composed=("cafe\u0301", "caf\u00e9"), wide=("fast", "\uff46ast")
)
def test_declared_names_are_not_composed(ask: Ask, case: tuple[str, str]) -> None:
    """A name that Unicode makes alike is another name."""
    declared, asked = case
    catalogue = {"a": region_set("x", ["x"])}
    legal = resolve(ask, declared, [declared], catalogue)
    check("PROFILE-UNDECLARED-01", legal, takes_baselines(declared, catalogue))
    expected = refuses("undeclared-profile", requested=asked, declared=[declared])
    check("PROFILE-UNDECLARED-01", resolve(ask, asked, [declared], catalogue), expected)


@clause("PROFILE-UNDECLARED-01")
@cases(
    not_sorted=["z", "a", "M", "10", "9"],
    strings_and_objects=["z", {"name": "a"}, "B"],
    one=["only"],
    none=[],
)
def test_declared_names_are_told_in_their_order(ask: Ask, case: list[Any]) -> None:
    """The order is that of the declarations; where there is none, nothing is told."""
    catalogue = {"a": region_set("x", ["x"])}
    legal = resolve(ask, "p", [*case, "p"], catalogue)
    check("PROFILE-UNDECLARED-01", legal, takes_baselines("p", catalogue))
    names = [one if isinstance(one, str) else one["name"] for one in case]
    wrong = resolve(ask, "p", case, catalogue)
    check("PROFILE-UNDECLARED-01", wrong, refuses("undeclared-profile", requested="p", declared=names))


@clause("PROFILE-UNDECLARED-01")
@cases(graph=tiny(), bank=bank(), bank_without_any=bank().with_index(("profiles",), []))
def test_a_container_declares_its_profiles(ask: Ask, case: Any) -> None:
    """A profile that an index does not declare is refused, whatever the shape of the container."""
    declared = [one["name"] for one in case.index["profiles"]]
    whole = case.with_index(("profiles",), [*case.index["profiles"], profile("p")])
    legal = resolve_stored(ask, "p", ask.file("legal", whole.folder))
    catalogue = case.index.get("variants", {})
    check("PROFILE-UNDECLARED-01", legal, takes_baselines("p", catalogue))
    wrong = resolve_stored(ask, "p", ask.file("wrong", case.folder))
    check("PROFILE-UNDECLARED-01", wrong, refuses("undeclared-profile", requested="p", declared=declared))


LOSSY = {
    "a": region_set("q4", {"q4": variant(v.NUMERICAL, "a.q4"), "f32": variant(v.EXACT, "a.f32")}),
    "b": region_set("f32", {"f32": variant(v.EXACT, "b.f32"), "cut": variant(v.STRUCTURAL, "b.cut")}),
}
NAMES = ("exact", v.EXACT, "canonical", v.EQUIVALENT, "lossless", "f32", "analysis-only", "native-mxfp4")


@clause("PROFILE-NAME-01")
@cases({name: name for name in NAMES})
def test_a_name_promises_nothing(ask: Ask, case: str) -> None:
    """Baselines answer, and the authority is theirs, whatever the profile is called."""
    reply = resolve(ask, case, [profile(case)], LOSSY)
    check("PROFILE-NAME-01", reply, takes_baselines(case, LOSSY, v.NUMERICAL))
    reply = resolve(ask, case, [profile(case, {"a": "f32"})], LOSSY)
    check("PROFILE-NAME-01", reply, takes(case, LOSSY, {"a": "f32", "b": "f32"}, v.EXACT))
    reply = resolve(ask, case, [profile(case, {"b": "cut"})], LOSSY)
    check("PROFILE-NAME-01", reply, takes(case, LOSSY, {"a": "q4", "b": "cut"}, v.STRUCTURAL))


@clause("PROFILE-NAME-01")
def test_names_of_variants_promise_nothing(ask: Ask) -> None:
    """A variant called exact is worth what its fidelity says; so is one called approximate."""
    catalogue = {
        "a": region_set("exact", {"exact": variant(v.STRUCTURAL, "exact"), "q4": variant(v.EXACT, "q4")})
    }
    profiles = [profile("exact"), profile("approximate", {"a": "q4"})]
    check(
        "PROFILE-NAME-01",
        resolve(ask, "exact", profiles, catalogue),
        takes_baselines("exact", catalogue, v.STRUCTURAL),
    )
    reply = resolve(ask, "approximate", profiles, catalogue)
    check("PROFILE-NAME-01", reply, takes("approximate", catalogue, {"a": "q4"}, v.EXACT))


TWICE: dict[str, list[Any]] = {
    "alike": [profile("p", {"a": "q4"}), profile("p", {"a": "q4"})],
    "different": [profile("p", {"a": "f32"}), profile("p", {"b": "cut"})],
    "string_and_object": ["p", profile("p", {"a": "f32"})],
    "apart": [profile("p", {"a": "f32"}), profile("q"), profile("p")],
    "strings": ["p", "p"],
    "three_times": ["p", "p", profile("p", {"b": "cut"})],
}


@clause("PROFILE-TWICE-01")
@cases(TWICE)
def test_a_name_is_declared_once(ask: Ask, case: list[Any]) -> None:
    """A name that is declared twice is refused; names that differ by case or space are not one."""
    legal = resolve(ask, "p", [case[0], "P", "p ", " p"], LOSSY)
    picks = {"a": "q4", "b": "f32", **({} if isinstance(case[0], str) else case[0].get("selects", {}))}
    check("PROFILE-TWICE-01", legal, takes("p", LOSSY, picks))
    check("PROFILE-TWICE-01", resolve(ask, "p", case, LOSSY), refuses("duplicate-id", id="p"))
