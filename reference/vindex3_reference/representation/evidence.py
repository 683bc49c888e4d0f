"""Evidence of quality: what was measured, and the gate that it is held to (representation.md, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot

Number = int | float


class Bank(NamedTuple):
    """What was measured of an encoding against its source.

    Attributes:
        positions: how many were compared.
        kl_p99: divergence of the logits at the 99th percentile.
        top1_flips, top10_changes: positions whose first token, or first ten, became others.
        route_flips: positions that were sent to other experts.
        covered_mass: the part of the routing's mass that was covered; None where nobody recorded it.
    """

    positions: int
    kl_p99: Number
    top1_flips: int
    top10_changes: int
    route_flips: int
    covered_mass: Number | None

    @classmethod
    def read(cls, bank: Slot) -> Bank:
        """A quality bank.

        Raises:
            Refusal: `missing-field`, `bad-type` or `out-of-range`.
        """
        logits, routing = bank.required("logits"), bank.required("routing")
        covered_mass = routing.optional("covered_mass")
        return cls(
            positions=bank.required("positions").u64(),
            kl_p99=logits.required("kl_p99").real(),
            top1_flips=logits.required("top1_flips").u64(),
            top10_changes=logits.required("top10_changes").u64(),
            route_flips=routing.required("route_flips").u64(),
            covered_mass=None if covered_mass is None else covered_mass.real(),
        )


class Gate(NamedTuple):
    """The thresholds of a gate; another set of them is another id."""

    id: str
    positions_min: int
    kl_p99_max: Number
    top1_flip_max: int
    top10_change_max: int
    route_flip_max: int
    covered_mass_min: Number | None

    @classmethod
    def read(cls, gate: Slot) -> Gate | None:
        """A gate; None for one without an id, which is none (PROMOTE-QUALITY-06).

        Raises:
            Refusal: `missing-field`, `bad-type` or `out-of-range`.
        """
        name = gate.optional("id")
        if name is None:
            return None
        covered_mass_min = gate.optional("covered_mass_min")
        return cls(
            id=name.text(),
            positions_min=gate.required("positions_min").u64(),
            kl_p99_max=gate.required("kl_p99_max").real(),
            top1_flip_max=gate.required("top1_flip_max").u64(),
            top10_change_max=gate.required("top10_change_max").u64(),
            route_flip_max=gate.required("route_flip_max").u64(),
            covered_mass_min=None if covered_mass_min is None else covered_mass_min.real(),
        )


def failed(bank: Bank, gate: Gate) -> list[str]:
    """The thresholds that the bank fails, in the order of the gate; equal passes (PROMOTE-QUALITY-03).

    Logits and routes are judged apart (PROMOTE-QUALITY-04), and what was not recorded passes nothing
    (PROMOTE-QUALITY-05). A float that is no number passes nothing either.
    """
    passes = {
        "positions_min": bank.positions >= gate.positions_min,
        "kl_p99_max": bank.kl_p99 <= gate.kl_p99_max,
        "top1_flip_max": bank.top1_flips <= gate.top1_flip_max,
        "top10_change_max": bank.top10_changes <= gate.top10_change_max,
        "route_flip_max": bank.route_flips <= gate.route_flip_max,
        "covered_mass_min": gate.covered_mass_min is None
        or (bank.covered_mass is not None and bank.covered_mass >= gate.covered_mass_min),
    }
    return [threshold for threshold, passed in passes.items() if not passed]
