"""Profiles and levels beside the goldens, found once more by looking them up in lists.

It shares no code with any implementation and none with the makers of fixtures.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from vindex3_fixtures.goldens import Golden, Request, goldens

Struct = dict[str, Any]
Agrees = Callable[[Request, Any], None]

LEVELS = [
    "analysis-only",
    "structurally-approximate",
    "numerically-approximate",
    "source-equivalent",
    "source-exact",
]
FORMS = [golden for name, golden in goldens().items() if name.startswith("representation/")]


def asked(verb: str) -> list[Any]:
    """Every question of this verb, by golden and position."""
    return [
        pytest.param(golden, request, id=f"{golden.name}-{position}")
        for golden in FORMS
        for position, request in enumerate(golden.requests)
        if request.verb == verb
    ]


def resolved(profile: str, profiles: list[Any], catalogue: Struct) -> Struct | tuple[str, Struct]:
    """A profile by looking everything up."""
    selects = {
        one if isinstance(one, str) else one["name"]: {} if isinstance(one, str) else one.get("selects", {})
        for one in profiles
    }
    if profile not in selects:
        return "undeclared-profile", {"requested": profile, "declared": list(selects)}
    defects: list[tuple[str, Struct]] = []
    for name, wanted in sorted(selects[profile].items()):
        if name not in catalogue:
            defects.append(("unknown-region-set", {"region_set": name, "catalogued": sorted(catalogue)}))
        elif wanted not in catalogue[name]["variants"]:
            present = sorted(catalogue[name]["variants"])
            defects.append(("absent-variant", {"region_set": name, "requested": wanted, "present": present}))
    for name, stored in sorted(catalogue.items()):
        present = sorted(stored["variants"])
        if not present:
            defects.append(("no-variants", {"region_set": name}))
        elif stored["baseline"] not in present:
            facts = {"region_set": name, "baseline": stored["baseline"], "present": present}
            defects.append(("baseline-absent", facts))
    if defects:
        listed = [{"kind": kind, "names": names} for kind, names in defects]
        return defects[0][0], {**defects[0][1], "defects": listed}
    picks = {name: selects[profile].get(name, stored["baseline"]) for name, stored in catalogue.items()}
    taken = {name: {"variant": pick, **catalogue[name]["variants"][pick]} for name, pick in picks.items()}
    weakest = min((LEVELS.index(one["fidelity"]) for one in taken.values()), default=0)
    return {"profile": profile, "selections": taken, "authority": LEVELS[weakest]}


@pytest.mark.parametrize(("golden", "request_"), asked("selection.resolve"))
def test_a_profile_takes_what_it_names(
    golden: Golden, request_: Request, agrees: Callable[..., None]
) -> None:
    """Selections, levels and all defects follow from the catalogue and the declared profiles."""
    given = request_.placed(golden.path)
    stored = json.loads((golden.path / "index.json").read_bytes()) if "path" in given else given
    agrees(request_, resolved(given["profile"], stored["profiles"], stored["variants"]))


@pytest.mark.parametrize("golden", [one for one in FORMS if "SELECT-EARLY-01" in one.clauses])
def test_a_container_opens_where_all_profiles_do(golden: Golden, agrees: Agrees) -> None:
    """What container.open is refused for is what its first failing profile is refused for."""
    stored = json.loads((golden.path / "index.json").read_bytes())
    names = [one["name"] for one in stored["profiles"]]
    found = [resolved(name, stored["profiles"], stored["variants"]) for name in names]
    failing = [one for one in found if isinstance(one, tuple)]
    [request] = [one for one in golden.requests if one.verb == "container.open"]
    assert (request.kind is None) == (not failing)
    if failing:
        agrees(request, failing[0])


@pytest.mark.parametrize(("golden", "request_"), asked("authority.fold"))
def test_a_level_is_a_place_in_a_list(golden: Golden, request_: Request, agrees: Agrees) -> None:
    """The least place of what is selected, held down by what is missing and by what was changed."""
    given = request_.placed(golden.path)
    words = [*given["selected"], *filter(None, [given.get("claim")])]
    strange = [word for word in words if word not in LEVELS]
    if strange:
        agrees(request_, ("unknown-value", {"value": strange[0]}))
        return
    weakest = min(map(LEVELS.index, given["selected"]), default=0)
    missing, changed = not given["execution_complete"], given.get("structural") is not None
    place = 0 if missing else min(weakest, 1) if changed else weakest
    claim = given.get("claim")
    if claim and LEVELS.index(claim) > place:
        agrees(request_, ("overclaim", {"claimed": claim, "derived": LEVELS[place]}))
        return
    told = {
        "level": LEVELS[place],
        "weakest_selected": LEVELS[weakest],
        "capped_by_completeness": missing and weakest > 0,
        "capped_by_structure": changed and not missing and weakest > 1,
        "claim_permitted": True if claim else None,
    }
    agrees(request_, told)
