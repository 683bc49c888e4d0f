"""Profiles: named choices among the variants of a catalogue (representation.md, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vindex3_reference.representation.variants import Catalogue, RegionSet, Variant
    from vindex3_reference.slot import Slot

NAMED = 1_000_000
"""So many names the defects of one profile list together, since each of them may list all that there are."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A name, and the variant that it selects in some region sets."""

    name: str
    selects: dict[str, str]

    @classmethod
    def read(cls, slot: Slot) -> Profile:
        """A profile as it is declared: an object, or a bare name that selects nothing (INDEX-PROFILE-02).

        Raises:
            Refusal: `missing-field` or `bad-type`.
        """
        if type(slot.value) is str:
            return cls(slot.value, {})
        name = slot.required("name").text()
        selects = slot.optional("selects")
        if selects is None:
            return cls(name, {})
        return cls(name, {region_set: variant.text() for region_set, variant in selects.members()})

    def answer(self) -> dict[str, object]:
        """The profile as plain data."""
        return {"name": self.name, "selects": self.selects}


def profiles_of(slot: Slot) -> list[Profile]:
    """The declared profiles, in their order.

    Raises:
        Refusal: as from `Profile.read`.
    """
    return [Profile.read(element) for element in slot.elements()]


def resolve_all(profiles: Sequence[Profile], catalogue: Catalogue) -> None:
    """See that every declared profile resolves, in declared order.

    Raises:
        Refusal: that of the first profile that does not (`resolved`), or `duplicate-id` for a name that
            is declared again: which of the two would be meant is not guessed (PROFILE-TWICE-01).
    """
    declared = set()
    for profile in profiles:
        if profile.name in declared:
            raise Refusal(
                "duplicate-id",
                f"profile {profile.name!r} is declared twice",
                id=profile.name,
                field="profiles",
            )
        declared.add(profile.name)
        resolved(profile, catalogue)


def resolved(profile: Profile, catalogue: Catalogue) -> dict[str, tuple[str, Variant]]:
    """The variant that the profile takes in each region set, with its name; sets sorted by name.

    Raises:
        Refusal: with all defects: selections that cannot be met, sorted by region set, then broken sets
            (SELECT-ALL-01). There is no way back to a baseline or to another variant. Of thousands that
            would each list thousands of catalogued names, as many as `NAMED` allows.
    """
    found = [*_few(_unmet(profile, catalogue), catalogue), *catalogue.broken()]
    if found:
        raise joined(found)
    return {name: _taken(profile, name, region_set) for name, region_set in sorted(catalogue.sets.items())}


def _few(unmet: Iterator[Refusal], catalogue: Catalogue) -> Iterator[Refusal]:
    """So many that their facts outgrow the document no further than `NAMED`."""
    return islice(unmet, max(1, NAMED // max(1, len(catalogue.sets))))


def _taken(profile: Profile, name: str, region_set: RegionSet) -> tuple[str, Variant]:
    variant = profile.selects.get(name, region_set.baseline)
    return variant, region_set.variants[variant]


def _unmet(profile: Profile, catalogue: Catalogue) -> Iterator[Refusal]:
    """Each selection over a set that is not catalogued, or of a variant that its set does not have."""
    catalogued = sorted(catalogue.sets)
    for name, variant in sorted(profile.selects.items()):
        region_set = catalogue.sets.get(name)
        if region_set is None:
            yield Refusal(
                "unknown-region-set",
                f"profile {profile.name!r} selects over {name!r}, which is not catalogued",
                region_set=name,
                catalogued=catalogued,
            )
        elif variant not in region_set.variants:
            yield Refusal(
                "absent-variant",
                f"profile {profile.name!r} selects {variant!r}, which {name} does not have",
                region_set=name,
                requested=variant,
                present=sorted(region_set.variants),
            )
