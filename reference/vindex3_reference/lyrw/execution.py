"""Whether a programme can run on a bank: the states of its role sets (lyrw.md, section 8)."""

from __future__ import annotations

from collections import deque
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.lyrw import segments, vocabulary
from vindex3_reference.lyrw.programmes import PROGRAMMES
from vindex3_reference.lyrw.supports import Supports
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vindex3_reference.lyrw.programmes import RoleSet
    from vindex3_reference.lyrw.reader import LayerFile
    from vindex3_reference.slot import Slot

    Ranges = list[tuple[int, int]]
    """Entries as first and end, in rising order and apart from each other."""

BLOCKED, INCOMPATIBLE, PARTIAL, EXECUTABLE = "blocked", "incompatible", "partial", "executable"


class Carrier(NamedTuple):
    """A schema that has a role, with its file and the required entries that the file holds."""

    path: str
    schema_index: int
    format: int
    packing: int
    layout: int
    covered: Ranges


class SetState(NamedTuple):
    """A role set under judgement; `reasons` say why it is not executable."""

    roles: RoleSet
    state: str
    covered: Ranges
    reasons: list[Refusal]

    @property
    def missing(self) -> int:
        """How many roles are missing, which decides the closest set."""
        return len(self.reasons) if self.state == BLOCKED else 0


class Execution:
    """A request to run a programme on a bank.

    Attributes:
        layers: the described files by path.
        bank_id: the bank.
        required: the entries that must be there.
        omitted: roles that must not be used.
        supports: the tags that can be worked with.
    """

    def __init__(self, layers: Mapping[str, LayerFile], bank_id: int, options: Slot) -> None:
        self.layers = layers
        self.bank_id = bank_id
        self.supports = Supports(options)
        omit = options.optional("omit")
        self.omitted = () if omit is None else tuple(role.text() for role in omit.elements())
        self.required = self._required(options)
        self._covered = {path: self._covered_by(layer) for path, layer in layers.items()}

    @property
    def logical_layer(self) -> int:
        """The layer that the first file is of."""
        return next(iter(self.layers.values())).logical_layer

    def carriers(self, role: str) -> list[Carrier]:
        """Every schema with this role, file by file."""
        tag = vocabulary.ROLES.index(role)
        found = []
        for path, layer in self.layers.items():
            bank = layer.bank_position(self.bank_id)
            if bank is None:
                continue
            covered = self._covered[path]
            for index, (_, other, format_, packing, _, layout, _, _) in enumerate(
                layer.schemas_of(bank).tolist()
            ):
                if other == tag:
                    found.append(Carrier(path, index, format_, packing, layout, covered))
        return found

    def _covered_by(self, layer: LayerFile) -> Ranges:
        """The required entries of the bank that a file holds."""
        first, end = self.required
        held = (span for span in segments.spans(layer) if span.bank_id == self.bank_id)
        return joined((max(first, span.first_entry), min(end, span.end_entry)) for span in held)

    def _required(self, options: Slot) -> tuple[int, int]:
        populations = (segments.populations(layer) for layer in self.layers.values())
        known = [counts[self.bank_id] for counts in populations if self.bank_id in counts]
        first, count = options.optional("first_entry"), options.optional("entry_count")
        first_entry = 0 if first is None else first.u32()
        if count is not None:
            return first_entry, first_entry + count.u32()
        return first_entry, max(first_entry, known[0] if known else 0)


def judged(
    layers: Mapping[str, LayerFile], bank_id: int, options: Slot
) -> tuple[list[Refusal], list[dict[str, object]]]:
    """Why a programme cannot run, and the state of each of its role sets (CAPABILITY-EXEC-01 to 09)."""
    execution = Execution(layers, bank_id, options)
    name = options.required("programme").text()
    programme = PROGRAMMES.get(name)
    if programme is None:
        return [Refusal("unknown-programme", f"{name!r} is no programme", programme=name)], []
    states = [judge(execution, roles) for roles in programme.role_sets]
    shown: list[dict[str, object]] = [
        {"roles": list(each.roles), "state": each.state, "covered": [list(pair) for pair in each.covered]}
        for each in states
    ]
    if any(each.state == EXECUTABLE for each in states):
        return [], shown
    return closest(states).reasons, shown


def closest(states: list[SetState]) -> SetState:
    """The set that lacks the fewest roles, the earlier on a tie (CAPABILITY-EXEC-02)."""
    return min(states, key=lambda each: each.missing)


def judge(execution: Execution, roles: RoleSet) -> SetState:
    """The state of a role set, the first that applies (CAPABILITY-EXEC-05 to 07)."""
    carriers = {role: execution.carriers(role) for role in roles}
    blocking = [reason for role in roles for reason in blockers(execution, role, carriers[role])]
    if blocking:
        return SetState(roles, BLOCKED, [], blocking)
    covered = {role: joined(pair for each in carriers[role] for pair in each.covered) for role in roles}
    common = covered[roles[0]]
    if any(other != common for other in covered.values()):
        unequal = Refusal(
            "unequal-coverage",
            f"{', '.join(roles)} of bank {execution.bank_id} cover different entries",
            bank_id=execution.bank_id,
            roles=list(roles),
        )
        return SetState(roles, INCOMPATIBLE, reduce(shared, covered.values()), [unequal])
    if common != joined([execution.required]):
        partial = [missing(execution, role, None, "partial-coverage") for role in roles]
        for reason in partial:
            reason.names["covered"] = [list(pair) for pair in common]
        return SetState(roles, PARTIAL, common, partial)
    return SetState(roles, EXECUTABLE, common, [])


def blockers(execution: Execution, role: str, carriers: list[Carrier]) -> list[Refusal]:
    """Why a role cannot be used at all; empty where it can (CAPABILITY-EXEC-02 to 04 and 09)."""
    if role in execution.omitted:
        return [missing(execution, role, None, "omitted")]
    if not carriers:
        return [missing(execution, role, None, "absent")]
    used = [each for each in carriers if each.covered]
    if not used and joined([execution.required]):
        return [missing(execution, role, carriers[0].path, "outside-segments")]
    for carrier in used:
        for field, tag in (("format", carrier.format), ("packing", carrier.packing)):
            lacking = execution.supports.lacks(field, tag)
            if lacking is not None:
                reason = missing(execution, role, carrier.path, f"unsupported-{field}")
                reason.names["value"] = lacking
                return [reason]
        if role == vocabulary.ROLES[vocabulary.GATE_UP_FUSED]:
            lacking = execution.supports.lacks("layout", carrier.layout)
            if lacking is not None:
                return [_unsaid(execution, role, carrier, lacking)]
    return []


def missing(execution: Execution, role: str, path: str | None, reason: str) -> Refusal:
    """The reason that names a role."""
    return Refusal(
        "missing-operand",
        f"bank {execution.bank_id} lacks {role}: {reason}",
        object=execution.bank_id,
        operand=role,
        layer=execution.logical_layer,
        segment=path,
        reason=reason,
    )


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges in rising order, those that touch or overlap made one, empty ones left out."""
    result: Ranges = []
    for first, end in sorted(pair for pair in ranges if pair[0] < pair[1]):
        if result and first <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((first, end))
    return result


def shared(one: Ranges, other: Ranges) -> Ranges:
    """The entries that both have."""
    result: Ranges = []
    left, right = deque(one), deque(other)
    while left and right:
        first, end = max(left[0][0], right[0][0]), min(left[0][1], right[0][1])
        if first < end:
            result.append((first, end))
        (left if left[0][1] == end else right).popleft()
    return result


def _unsaid(execution: Execution, role: str, carrier: Carrier, layout: str | int) -> Refusal:
    """The reason that names a layout under which gate and up cannot be told apart."""
    return Refusal(
        "unsupported-operation",
        f"{role} of bank {execution.bank_id} has layout {layout}",
        operation="execute",
        bank_id=execution.bank_id,
        schema_index=carrier.schema_index,
        role=role,
        field="layout",
        value=layout,
    )
