"""selection.resolve: baselines, selections, and every way in which a profile cannot be met."""

from __future__ import annotations

from typing import Any

import pytest

from vindex3_fixtures.container.tiny import bank, tiny
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.verbs import selection_resolve

Document = dict[str, Any]

GATE_UP, DOWN = "layer.0.routed.gate_up", "layer.0.routed.down"
Q6K = {"storage": "routed/layer_000.q6k", "fidelity": "numerically-approximate"}
MXFP4 = {"storage": "routed/layer_000.mxfp4", "fidelity": "source-exact"}
VARIANTS = {
    GATE_UP: {"baseline": "exact-q6k", "variants": {"exact-q6k": Q6K, "native-mxfp4": MXFP4}},
    DOWN: {"baseline": "exact-q6k", "variants": {"exact-q6k": Q6K}},
}
PROFILES: list[Document | str] = [
    {"name": "exact"},
    {"name": "routed-mxfp4", "selects": {GATE_UP: "native-mxfp4"}},
    "bare",
]


def taken(profile: str, variants: Document = VARIANTS) -> tuple[dict[str, str], str]:
    """The variant of each region set, and the authority."""
    answer: Any = selection_resolve(profile=profile, variants=variants, profiles=PROFILES)
    assert answer["profile"] == profile
    for region_set, one in answer["selections"].items():
        stored = variants[region_set]["variants"][one["variant"]]
        assert one == {"variant": one["variant"], **stored}
    return {key: one["variant"] for key, one in answer["selections"].items()}, answer["authority"]


def with_set(name: str, baseline: str, **variants: Document) -> Document:
    """The catalogue with another set, or one in place of an old."""
    return {**VARIANTS, name: {"baseline": baseline, "variants": variants}}


def test_a_set_takes_its_selection_or_its_baseline():
    """The example's profiles take what the law's table says, and no name raises the authority."""
    exact = {DOWN: "exact-q6k", GATE_UP: "exact-q6k"}
    assert taken("exact") == (exact, "numerically-approximate")
    assert taken("bare") == (exact, "numerically-approximate")
    assert taken("routed-mxfp4") == ({**exact, GATE_UP: "native-mxfp4"}, "numerically-approximate")
    only = {GATE_UP: VARIANTS[GATE_UP]}
    assert taken("routed-mxfp4", only) == ({GATE_UP: "native-mxfp4"}, "source-exact")
    assert taken("exact", {}) == ({}, "analysis-only")


def test_a_container_answers_as_its_catalogue_does(written):
    """With the storage gone the answer is the same; a graph container resolves to nothing."""
    files = [name for name in bank().files if name.endswith(".lyrw")]
    assert files
    model = bank()
    for name in files:
        model = model.without_file(name)
    for profile in ("exact", "routed-mxfp4"):
        expected = selection_resolve(profile=profile, variants=VARIANTS, profiles=PROFILES)
        assert selection_resolve(profile=profile, path=written(model)) == expected
    name = tiny().index["profiles"][0]["name"]
    assert selection_resolve(profile=name, path=written(tiny())) == {
        "profile": name,
        "selections": {},
        "authority": "analysis-only",
    }


@pytest.mark.parametrize(
    "asked", ["Native-MXFP4", "native-mxfp4 ", "native", "", "e\u0301", "\u00e9"], ids=ascii
)
def test_a_variant_is_named_exactly(asked, refused):
    """Another case, a space, a prefix or another composition is another name, and nothing answers for it."""
    other = {"\u00e9": "e\u0301", "e\u0301": "\u00e9"}.get(asked, "native-mxfp4")
    variants = with_set(GATE_UP, "exact-q6k", **{"exact-q6k": Q6K, other: MXFP4})
    profiles = [{"name": "p", "selects": {GATE_UP: asked}}]
    assert refused(selection_resolve, profile="p", variants=variants, profiles=profiles) == (
        "absent-variant",
        {"region_set": GATE_UP, "requested": asked, "present": sorted(["exact-q6k", other])},
    )
    profiles = [{"name": "p", "selects": {GATE_UP: other}}]
    answer: Any = selection_resolve(profile="p", variants=variants, profiles=profiles)
    assert answer["selections"][GATE_UP]["variant"] == other


def test_a_profile_that_is_not_declared_is_refused(refused):
    """The declared names come in their order; case counts, and there is no default."""
    for asked in ("Exact", "", "nothing"):
        assert refused(selection_resolve, profile=asked, variants=VARIANTS, profiles=PROFILES) == (
            "undeclared-profile",
            {"requested": asked, "declared": ["exact", "routed-mxfp4", "bare"]},
        )
    assert refused(selection_resolve, profile="exact", variants=VARIANTS, profiles=[]) == (
        "undeclared-profile",
        {"requested": "exact", "declared": []},
    )


def test_a_name_that_is_declared_twice_is_refused(refused):
    """Only for who asks for it; the others are as they were."""
    profiles = [*PROFILES, {"name": "exact", "selects": {GATE_UP: "native-mxfp4"}}]
    kind, names = refused(selection_resolve, profile="exact", variants=VARIANTS, profiles=profiles)
    assert (kind, names["id"]) == ("duplicate-id", "exact")
    assert selection_resolve(profile="bare", variants=VARIANTS, profiles=profiles)


def test_a_broken_set_refuses_every_profile(refused):
    """Also one that selects a present variant in that set, or does not mention it."""
    broken = with_set(GATE_UP, "gone", **{"native-mxfp4": MXFP4})
    for profile in ("exact", "routed-mxfp4"):
        assert refused(selection_resolve, profile=profile, variants=broken, profiles=PROFILES) == (
            "baseline-absent",
            {"region_set": GATE_UP, "baseline": "gone", "present": ["native-mxfp4"]},
        )
    empty = with_set("a", "exact-q6k")
    assert refused(selection_resolve, profile="exact", variants=empty, profiles=PROFILES) == (
        "no-variants",
        {"region_set": "a"},
    )


def test_all_defects_are_listed():
    """Selections by region set, then broken sets by name; other profiles' faults are not this one's."""
    variants = {**with_set("z", "gone", x=Q6K), "b": {"baseline": "x", "variants": {}}}
    selects = {"y": "v", DOWN: "native-mxfp4", "c": "v", GATE_UP: "exact-q6k"}
    profiles = [{"name": "other", "selects": {"q": "v"}}, {"name": "p", "selects": selects}]
    with pytest.raises(Refusal) as caught:
        selection_resolve(profile="p", variants=variants, profiles=profiles)
    names: Any = caught.value.names
    assert [(each["kind"], each["names"]["region_set"]) for each in names["defects"]] == [
        ("unknown-region-set", "c"),
        ("absent-variant", DOWN),
        ("unknown-region-set", "y"),
        ("no-variants", "b"),
        ("baseline-absent", "z"),
    ]
    assert caught.value.kind == "unknown-region-set"
    assert (names["region_set"], names["catalogued"]) == ("c", sorted(["b", DOWN, GATE_UP, "z"]))


def test_defects_by_the_thousand_are_listed_as_far_as_memory_allows():
    """5,000 selections that each name 5,000 catalogued sets are not 25,000,000 names."""
    variants = {f"set {at}": {"baseline": "x", "variants": {"x": Q6K}} for at in range(5000)}
    profiles = [{"name": "p", "selects": {f"no {at}": "x" for at in range(5000)}}]
    with pytest.raises(Refusal) as caught:
        selection_resolve(profile="p", variants=variants, profiles=profiles)
    names: Any = caught.value.names
    assert len(names["defects"]) * len(names["catalogued"]) == 1_000_000
    assert names["region_set"] == "no 0"


def test_a_request_that_says_too_little_or_something_else_is_refused(refused):
    """What is missing or has another type is named, in the catalogue and among the profiles."""

    def fault(**changes: Any) -> tuple[str, Any]:
        request = {"profile": "exact", "variants": VARIANTS, "profiles": PROFILES, **changes}
        kind, names = refused(selection_resolve, **request)
        return kind, names["field"]

    assert fault(variants=None) == ("missing-field", "variants")
    assert fault(profiles=None) == ("missing-field", "profiles")
    assert fault(profile=1) == ("bad-type", "profile")
    assert fault(variants=[]) == ("bad-type", "variants")
    assert fault(profiles={}) == ("bad-type", "profiles")
    assert fault(profiles=[*PROFILES, {"selects": {}}]) == ("missing-field", "profiles[3].name")
    assert fault(variants=with_set("a", "b", b={"storage": "x"})) == (
        "missing-field",
        "variants.a.variants.b.fidelity",
    )
    canonical = {"storage": "x", "fidelity": "canonical"}
    assert fault(variants=with_set("a", "b", b=canonical)) == (
        "unknown-value",
        "variants.a.variants.b.fidelity",
    )
