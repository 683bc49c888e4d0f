"""Profiles over a catalogue: what they take, and every defect of one that does not resolve."""

from __future__ import annotations

from typing import Any

import pytest

from vindex3_reference.representation.profile import profiles_of, resolve_all, resolved
from vindex3_reference.representation.variants import Catalogue, Variant
from vindex3_reference.slot import Slot

EXACT = {"storage": "q6k", "fidelity": "numerically-approximate"}
NATIVE = {"storage": "mxfp4", "fidelity": "source-exact"}
VARIANTS = {
    "gate_up": {"baseline": "exact", "variants": {"exact": EXACT, "native": NATIVE}},
    "down": {"baseline": "exact", "variants": {"exact": EXACT}},
}


def catalogue(variants: Any) -> Catalogue:
    """The catalogue of this document."""
    return Catalogue.read(Slot(variants, "variants", None))


def profile(**selects: str) -> Any:
    """A profile with these selections."""
    (one,) = profiles_of(Slot([{"name": "p", "selects": selects}], "profiles", None))
    return one


def test_a_set_gives_its_selection_or_its_baseline():
    """A selection counts in its own set alone; sets come out sorted, each with the variant's name."""
    exact, native = Variant(**EXACT), Variant(**NATIVE)
    assert [*resolved(profile(), catalogue(VARIANTS)).items()] == [
        ("down", ("exact", exact)),
        ("gate_up", ("exact", exact)),
    ]
    assert resolved(profile(gate_up="native"), catalogue(VARIANTS)) == {
        "down": ("exact", exact),
        "gate_up": ("native", native),
    }


def test_an_empty_catalogue_resolves_to_nothing():
    """Where nothing is catalogued, a profile that selects nothing takes nothing."""
    assert resolved(profile(), catalogue({})) == {}
    assert resolved(profile(), Catalogue.read(None)) == {}


@pytest.mark.parametrize("near", ["Native", "native ", "nativ", "nativ\u00e9", ""])
def test_a_variant_is_matched_exactly(near, refusal):
    """What is not there under this very name is refused; no sibling and no baseline answers."""
    facts = {"region_set": "gate_up", "requested": near, "present": ["exact", "native"]}
    assert refusal(resolved, profile(gate_up=near), catalogue(VARIANTS)) == ("absent-variant", facts)


def test_all_defects_are_listed_in_order(refusal):
    """Selections by region set, then broken sets; the first is the refusal's own."""
    broken = {
        **VARIANTS,
        "z": {"baseline": "b", "variants": {}},
        "a": {"baseline": "native", "variants": {"exact": EXACT}},
    }
    selecting = profile(up="exact", gate_up="exact", down="native", a="exact")
    kind, names = refusal(resolved, selecting, catalogue(broken))
    defects = names.pop("defects")
    assert (kind, names) == (
        "absent-variant",
        {"region_set": "down", "requested": "native", "present": ["exact"]},
    )
    assert [(each["kind"], each["names"]["region_set"]) for each in defects] == [
        ("absent-variant", "down"),
        ("unknown-region-set", "up"),
        ("baseline-absent", "a"),
        ("no-variants", "z"),
    ]
    assert defects[0]["names"] == names
    assert defects[1]["names"]["catalogued"] == ["a", "down", "gate_up", "z"]
    assert defects[2]["names"] == {"region_set": "a", "baseline": "native", "present": ["exact"]}


def test_a_broken_set_refuses_every_profile(refusal):
    """A single defect is refused by itself, also to a profile that selects a variant that is there."""
    broken = catalogue({"a": {"baseline": "b", "variants": {"exact": EXACT}}})
    facts = {"region_set": "a", "baseline": "b", "present": ["exact"]}
    for selecting in (profile(), profile(a="exact")):
        assert refusal(resolved, selecting, broken) == ("baseline-absent", facts)


def test_the_first_profile_that_fails_is_named(refusal):
    """Profiles are resolved in declared order; a name that is declared again is refused."""
    declared = profiles_of(
        Slot(["x", {"name": "y", "selects": {"down": "d"}}, {"name": "z", "selects": {"no": "d"}}], "p", None)
    )
    kind, names = refusal(resolve_all, declared, catalogue(VARIANTS))
    assert (kind, names["region_set"]) == ("absent-variant", "down")
    resolve_all(declared[:1], catalogue(VARIANTS))
    twice = [declared[0], declared[0]]
    assert refusal(resolve_all, twice, catalogue(VARIANTS)) == (
        "duplicate-id",
        {"id": "x", "field": "profiles"},
    )


def test_without_profiles_nothing_is_resolved():
    """A broken catalogue hurts nobody where no profile is declared."""
    resolve_all([], catalogue({"z": {"baseline": "b", "variants": {}}}))
