"""Promotion: what evidence turns a capability into a selection (representation.md, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.evidence import Bank, Gate, failed
from vindex3_reference.representation.layers import layers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vindex3_reference.representation.layers import Layers
    from vindex3_reference.slot import Slot

RUNGS = ("available", "measured", "represented", "runnable")
"""What a candidate must show before it is selected, sorted; other flags earn nothing (PROMOTE-LADDER-02)."""
UNEARNED = ("backend_supported", "selected")


class Scope(NamedTuple):
    """The tensors that a candidate is about; None is any."""

    role: str
    projection: str | None
    layers: Layers | None


class Candidate(NamedTuple):
    """An encoding that somebody proposes for a scope, with what there is to show for it.

    Attributes:
        missing: the rungs of the ladder that it has not reached, sorted.
        bank, gate: the evidence of quality and what it is held to; None where there is none.
        native: whether it was measured on the format's own kernel.
    """

    scope: Scope
    target: str
    missing: list[str]
    bank: Bank | None
    gate: Gate | None
    native: bool

    @classmethod
    def read(cls, candidate: Slot) -> Candidate:
        """One element of the request's `candidates`.

        Raises:
            Refusal: `missing-field`, `bad-type` or `out-of-range`.
        """
        ladder = candidate.required("ladder")
        for flag in filter(None, map(ladder.optional, UNEARNED)):
            flag.flag()
        projection, layers = candidate.optional("projection"), candidate.optional("layers")
        bank, gate = candidate.optional("bank"), candidate.optional("gate")
        time = candidate.optional("target_gpu_ms")
        if time is not None:
            time.real()
        return cls(
            scope=Scope(
                role=candidate.required("role").text(),
                projection=None if projection is None else projection.text(),
                layers=None if layers is None else layers_of(layers),
            ),
            target=candidate.required("target").text(),
            missing=[rung for rung in RUNGS if not ladder.required(rung).flag()],
            bank=None if bank is None else Bank.read(bank),
            gate=None if gate is None else Gate.read(gate),
            native=candidate.required("native_kernel").flag() and time is not None,
        )

    def refusal(self) -> Refusal | None:
        """What stands against it by itself, the first step that it fails (PROMOTE-ORDER-01)."""
        if self.bank is None or self.gate is None:
            return Refusal("quality-unproven", "there is no quality bank, or no gate to hold it to")
        criteria = failed(self.bank, self.gate)
        if criteria:
            message = f"the bank fails {self.gate.id}: {', '.join(criteria)}"
            return Refusal("quality-gate-failed", message, gate=self.gate.id, failed=criteria)
        if not self.native:
            return Refusal("not-natively-measured", "nobody has measured it on the format's own kernel")
        if self.missing:
            message = f"it is not {', '.join(self.missing)}"
            return Refusal("ladder-incomplete", message, missing=self.missing)
        return None


def promoted(name: str, default: str, candidates: Sequence[Candidate]) -> dict[str, object]:
    """The answer of promotion.promote: a verdict for each candidate, and the map of those promoted.

    No candidate makes the others refused (PROMOTE-MAP-01).

    Args:
        name: of the map.
        default: its encoding.
        candidates: in the order of the request.
    """
    refusals = _refusals(candidates)
    chosen = [candidate for candidate, refusal in zip(candidates, refusals, strict=True) if refusal is None]
    exceptions = [
        _exception(candidate)
        for candidate in chosen
        if candidate.target != default or candidate.scope[1:] != (None, None)
    ]
    policy = {
        "name": name,
        "encoding": default,
        "roles": list(dict.fromkeys(candidate.scope.role for candidate in chosen)),
        **({"exceptions": exceptions} if exceptions else {}),
    }
    return {"map": policy, "verdicts": list(map(_verdict, refusals))}


def _refusals(candidates: Sequence[Candidate]) -> list[Refusal | None]:
    refusals = [candidate.refusal() for candidate in candidates]
    proven = {at: candidate for at, candidate in enumerate(candidates) if refusals[at] is None}
    firsts = _first_of_each_target(proven)
    for at, candidate in proven.items():
        # The first position of the first two targets: one of them is not this candidate's.
        others = [other for target, other in firsts[candidate.scope].items() if target != candidate.target]
        if others:
            message = f"candidate {others[0]} has the same scope and another target"
            refusals[at] = Refusal("conflicting-candidates", message, other=others[0])
    return refusals


def _first_of_each_target(proven: Mapping[int, Candidate]) -> dict[Scope, dict[str, int]]:
    """By scope the first positions of its first two targets, which are all that decides a conflict."""
    firsts: dict[Scope, dict[str, int]] = {}
    for at, candidate in proven.items():
        targets = firsts.setdefault(candidate.scope, {})
        if len(targets) < 2:
            targets.setdefault(candidate.target, at)
    return firsts


def _exception(candidate: Candidate) -> dict[str, object]:
    """The exception that gives the candidate's scope its target, in the form of a map."""
    scope = candidate.scope
    selectors = {
        "projection": scope.projection,
        "layers": None if scope.layers is None else list(scope.layers),
    }
    present = {key: value for key, value in selectors.items() if value is not None}
    return {**present, "encoding": candidate.target}


def _verdict(refusal: Refusal | None) -> dict[str, object]:
    if refusal is None:
        return {"selected": True, "refusal": None}
    return {"selected": False, "refusal": {"kind": refusal.kind, "names": refusal.names}}
