"""How experts are quantised, which the manifest alone says (waste.md, section 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.kernels.geometry import LIMITS, PACKED, PACKED_FORM, WHOLE_BYTES
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot

NEEDED = ("stages", "vec_dim", "entries")
BLOCKS = (0, 64)
"""The index blocks that are read: plain rows, and the one that files have."""
LARGEST = 2**63 - 1
"""The largest integer of a manifest."""
BOOK_HEADER = 16


class Quant(NamedTuple):
    """A packing; `bits_per_weight` is what the manifest has written, or None."""

    stages: int
    vec_dim: int
    entries: int
    index_bits: int
    index_block: int
    bits_per_weight: int | float | None

    @property
    def books(self) -> int:
        """Codebooks of a layer: a set of stages for each of gate, up and down."""
        return 3 * self.stages

    @property
    def book_bytes(self) -> int:
        """Bytes of a codebook, its header included (CODEBOOK-FILE-01)."""
        return BOOK_HEADER + 2 * self.entries * self.vec_dim

    @property
    def formats(self) -> tuple[int, ...]:
        """The fmt bytes that a record may have, the writer's first (RECORD-FMT-01, RECORD-FMT-02)."""
        return (8,) if self.index_bits == PACKED else (4, 5)


def quant_of(given: Slot) -> Quant:
    """The packing that a manifest describes, defaults filled in.

    Raises:
        Refusal: `missing-field`, `bad-type`, `out-of-range`, `unsupported-packing`,
            `unsupported-index-block`.
    """
    stages, vec_dim, entries = (
        given.required(key).integer(largest, least) for key, (least, largest) in _ranges()
    )
    bits = given.optional("bits_per_weight")
    quant = Quant(
        stages,
        vec_dim,
        entries,
        _index_bits(given),
        _index_block(given),
        None if bits is None else bits.real(),
    )
    for key, value in PACKED_FORM.items() if quant.index_bits == PACKED else ():
        if (found := getattr(quant, key)) != value:
            field = given.required(key).field
            message = f"{given.path}: indices of {PACKED} bits have {key} {value}, not {found}"
            raise Refusal("unsupported-packing", message, field=field, value=found)
    return quant


def _ranges() -> list[tuple[str, tuple[int, int]]]:
    return [(key, LIMITS[key]) for key in NEEDED]


def _index_bits(given: Slot) -> int:
    if "index_bits" not in given.object():
        return WHOLE_BYTES
    slot = given.required("index_bits")
    bits = slot.integer(WHOLE_BYTES, PACKED)
    if bits not in (PACKED, WHOLE_BYTES):
        message = f"{slot.path}: {slot.field} is neither {PACKED} nor {WHOLE_BYTES}"
        raise Refusal("out-of-range", message, path=slot.path, field=slot.field, value=bits)
    return bits


def _index_block(given: Slot) -> int:
    if "index_block" not in given.object():
        return 0
    slot = given.required("index_block")
    block = slot.integer(LARGEST)
    if block not in BLOCKS:
        message = f"{slot.path}: {slot.field} is {block}; this reader has {BLOCKS}"
        raise Refusal("unsupported-index-block", message, value=block, supported=list(BLOCKS))
    return block
