"""How a profile is asked for, and what a right selector answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3.contract.patterns import Exactly
from pytest_vindex3.plugin.expect import answers, refuses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers, Refuses

Catalogue = dict[str, Any]


def resolve(ask: Ask, profile: str, profiles: Sequence[Any], catalogue: Catalogue) -> Reply:
    """Ask for a profile of a catalogue that is given as such."""
    return ask("selection.resolve", profile=profile, profiles=list(profiles), variants=catalogue)


def resolve_stored(ask: Ask, profile: str, path: str) -> Reply:
    """Ask for a profile of a container."""
    return ask("selection.resolve", profile=profile, path=path)


def takes(
    profile: str, catalogue: Catalogue, picks: Mapping[str, str], authority: str | None = None
) -> Answers:
    """Exactly these variants, each with what the catalogue says of it.

    Args:
        profile: the profile that was asked for.
        catalogue: the region sets.
        picks: by region set the variant that has to be taken.
        authority: what they come to, where that is judged.
    """
    selections = {
        name: {"variant": pick, **catalogue[name]["variants"][pick]} for name, pick in picks.items()
    }
    judged = {} if authority is None else {"authority": authority}
    return answers(profile=profile, selections=Exactly(selections), **judged)


def takes_baselines(profile: str, catalogue: Catalogue, authority: str | None = None) -> Answers:
    """The baseline of every region set."""
    return takes(profile, catalogue, {name: one["baseline"] for name, one in catalogue.items()}, authority)


def absent(region_set: str, requested: str, *present: str) -> Refuses:
    """A variant that its region set does not have; `present` as they are told, sorted by bytes."""
    return refuses("absent-variant", region_set=region_set, requested=requested, present=list(present))
