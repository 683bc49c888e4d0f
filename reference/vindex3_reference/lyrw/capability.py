"""Whether an operation can be done with a bank: where tags are judged (lyrw.md, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.lyrw import execution, pair, region, vocabulary, wire
from vindex3_reference.lyrw.reader import LayerFile
from vindex3_reference.lyrw.supports import Supports
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import U32, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vindex3_reference.strict_json import Json

    Answer = dict[str, object]

FREE = ("describe", "read", "copy")
"""Operations that need nothing but a file that parses (CAPABILITY-OPEN-01)."""
ON_SCHEMA = ("decode", "split-fused", "walk")
EXECUTE = "execute"
ZERO_COPY = ("f32", "f16")


class Subject(NamedTuple):
    """A schema that an operation is asked for, in the first file that declares its bank."""

    layer: LayerFile
    bank_id: int
    bank: int
    schema_index: int

    def tag(self, field: str) -> int:
        """A stored field of the schema."""
        return int(self.layer.schemas_of(self.bank)[field][self.schema_index])

    def unsupported(self, operation: str, field: str, value: str | int) -> Refusal:
        """The reason that names a tag of the schema."""
        return Refusal(
            "unsupported-operation",
            f"{operation} of schema {self.schema_index} of bank {self.bank_id}: {field} is {value}",
            operation=operation,
            bank_id=self.bank_id,
            schema_index=self.schema_index,
            role=vocabulary.shown(vocabulary.ROLES, self.tag("role")),
            field=field,
            value=value,
        )


def checked(files: Sequence[str], bank_id: int, operation: str, options: Json) -> Answer:
    """The verdict on an operation, with every reason against it.

    Args:
        files: all layer files of the layer; only their tables are read (CAPABILITY-OPEN-02).
        bank_id: the bank that is worked with.
        operation: one of `FREE`, one of `ON_SCHEMA`, or `EXECUTE`.
        options: as section 10 lists them; null takes all defaults.

    Raises:
        Refusal: what opening a file refuses; `missing-field`, `bad-type`, `out-of-range` or
            `unknown-value` for a request that is none.
    """
    asked = Slot.root({} if options is None else options, "options")
    if not files:
        raise Refusal("missing-field", "no file is listed", field="files")
    layers = {path: _described(path) for path in files}
    if operation in FREE:
        return _answer(operation, [])
    if operation == EXECUTE:
        reasons, role_sets = execution.judged(layers, bank_id, asked)
        return {**_answer(operation, reasons), "role_sets": role_sets}
    if operation in ON_SCHEMA:
        return _on_schema(layers.values(), bank_id, operation, asked)
    raise Refusal("unknown-value", f"no operation is {operation!r}", field="operation", value=operation)


def decode(subject: Subject, supports: Supports) -> list[Refusal]:
    """What stands against decoding a region (CAPABILITY-DECODE-01 to 03)."""
    reasons = []
    for field in ("format", "packing"):
        lacking = supports.lacks(field, subject.tag(field))
        if lacking is not None:
            reasons.append(subject.unsupported("decode", field, lacking))
    if subject.tag("packing") == vocabulary.BLOCKS_VALUES:
        slot = region.Slot(subject.bank, 0, subject.bank_id, 0)
        try:
            pair.partner_of(subject.layer, slot, subject.schema_index, "scales")
        except Refusal as refusal:
            refusal.names["schema_index"] = subject.schema_index
            reasons.append(refusal)
    return reasons


def split_fused(subject: Subject, supports: Supports) -> list[Refusal]:
    """What stands against taking gate and up apart (CAPABILITY-SPLIT-01 and 02)."""
    lacking = supports.lacks("layout", subject.tag("layout"))
    return [] if lacking is None else [subject.unsupported("split-fused", "layout", lacking)]


def walk(subject: Subject, mode: str) -> list[Refusal]:
    """What stands against walking a region of a bank that has a browse mode (BROWSE-WALK-02 and 03)."""
    packing = vocabulary.shown(vocabulary.PACKINGS, subject.tag("packing"))
    if mode == "strided" and packing != "row_major":
        return [subject.unsupported("walk", "packing", packing)]
    return []


def walked(subject: Subject) -> Answer:
    """What a walk finds: whether it copies, and how many features the bank has (BROWSE-WALK-04)."""
    format_ = vocabulary.shown(vocabulary.FORMATS, subject.tag("format"))
    packing = vocabulary.shown(vocabulary.PACKINGS, subject.tag("packing"))
    _, _, _, _, num_entries, _, intermediate_dim, _ = subject.layer.banks[subject.bank].item()
    return {
        "zero_copy": packing == "row_major" and format_ in ZERO_COPY,
        "features": num_entries * intermediate_dim,
    }


def browse_mode(layer: LayerFile, bank: int) -> str:
    """How a bank may be walked."""
    return vocabulary.browse_mode(int(layer.banks["flags"][bank]) & wire.BROWSE)


def _on_schema(layers: Iterable[LayerFile], bank_id: int, operation: str, asked: Slot) -> Answer:
    """The answer about an operation on one schema."""
    layer = next((layer for layer in layers if layer.bank_position(bank_id) is not None), None)
    if layer is None:
        return _answer(
            operation, [Refusal("unknown-bank", f"no file declares bank {bank_id}", bank_id=bank_id)]
        )
    bank = layer.bank_position(bank_id) or 0
    mode = browse_mode(layer, bank)
    if operation == "walk" and mode == vocabulary.BROWSE_MODES[0]:
        return _answer(operation, [_not_walkable(bank_id, mode)])
    try:
        schema_index = _asked_schema(layer, bank_id, bank, asked)
    except Refusal as refusal:
        if refusal.kind in ("missing-operand", "ambiguous-role"):
            return _answer(operation, [refusal])
        raise
    subject = Subject(layer, bank_id, bank, schema_index)
    if operation == "walk":
        reasons = walk(subject, mode)
        return _answer(operation, reasons) if reasons else {**_answer(operation, []), **walked(subject)}
    judge = decode if operation == "decode" else split_fused
    return _answer(operation, judge(subject, Supports(asked)))


def _asked_schema(layer: LayerFile, bank_id: int, bank: int, asked: Slot) -> int:
    """The schema that options name by index or by role.

    Raises:
        Refusal: `missing-operand` where there is none, `ambiguous-role` where several have the role.
    """
    index, role = asked.optional("schema_index"), asked.optional("role")
    slot = region.Slot(bank, 0, bank_id, 0)
    if index is not None:
        found = index.integer(U32)
        if region.has_schema(layer, slot, found):
            return found
        operand: str | int = found
    else:
        named = asked.required("role") if role is None else role
        operand = named.text() if isinstance(named.value, str) else named.integer(U32)
        schema = region.schema_with_role(layer, slot, operand)
        if schema is not None:
            return schema
    raise Refusal(
        "missing-operand",
        f"bank {bank_id} has no schema {operand}",
        object=bank_id,
        operand=operand,
        layer=layer.logical_layer,
        segment=None,
        reason="absent",
    )


def _not_walkable(bank_id: int, mode: str) -> Refusal:
    return Refusal(
        "unsupported-operation",
        f"walk of bank {bank_id}: browse is {mode}",
        operation="walk",
        bank_id=bank_id,
        field="browse",
        value=mode,
    )


def _described(path: str) -> LayerFile:
    """A file of which only the tables are kept."""
    with LayerFile(path) as layer:
        return layer


def _answer(operation: str, reasons: Sequence[Refusal]) -> Answer:
    return {
        "operation": operation,
        "verdict": "refused" if reasons else "permitted",
        "reasons": [{"kind": reason.kind, "names": reason.names} for reason in reasons],
    }
