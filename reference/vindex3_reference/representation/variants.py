"""The catalogue: which variants of a region set are stored, and which answers unasked (representation.md)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from vindex3_reference.container import names
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.slot import Slot

LEVELS = (
    "analysis-only",
    "structurally-approximate",
    "numerically-approximate",
    "source-equivalent",
    "source-exact",
)
"""The five levels of authority, weakest first."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One stored form of a region set: the storage key of its bytes, and its level of authority."""

    storage: str
    fidelity: str


@dataclass(frozen=True, slots=True)
class RegionSet:
    """The variants of a region set by name, and the name of the one that is taken unasked."""

    baseline: str
    variants: dict[str, Variant]


class Catalogue:
    """The region sets of a container.

    Attributes:
        sets: each region set by its name, in file order.
    """

    def __init__(self, sets: dict[str, RegionSet]) -> None:
        self.sets = sets

    @classmethod
    def read(cls, variants: Slot | None) -> Catalogue:
        """The catalogue of a `variants` slot; an absent one is empty.

        Raises:
            Refusal: `missing-field`, `bad-type`, `unknown-value` for a fidelity that is no level,
                `path-escape` for a storage that is no plain name (INDEX-REP-02, INDEX-AUTH-02).
        """
        return cls({} if variants is None else {name: _region_set(slot) for name, slot in variants.members()})

    def broken(self) -> Iterator[Refusal]:
        """Each set that cannot answer unasked, by name: `no-variants` or `baseline-absent`."""
        for name, region_set in sorted(self.sets.items()):
            if not region_set.variants:
                yield Refusal("no-variants", f"{name} has no variants", region_set=name)
            elif region_set.baseline not in region_set.variants:
                yield Refusal(
                    "baseline-absent",
                    f"{name} names {region_set.baseline!r} as its baseline, which it does not have",
                    region_set=name,
                    baseline=region_set.baseline,
                    present=sorted(region_set.variants),
                )

    def answer(self) -> dict[str, object]:
        """The sets as plain data."""
        return {name: asdict(region_set) for name, region_set in self.sets.items()}


def _region_set(slot: Slot) -> RegionSet:
    return RegionSet(
        slot.required("baseline").text(),
        {name: _variant(variant) for name, variant in slot.required("variants").members()},
    )


def _variant(slot: Slot) -> Variant:
    return Variant(names.checked(slot.required("storage").text()), slot.required("fidelity").word(LEVELS))
