"""The shape of a matrix of indices, and what its buffers must hold (waste.md, sections 2.3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vindex3_reference.kernels.buffers import floats_of
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vindex3_reference.kernels.buffers import Buffer, Floats

LIMITS = {
    "rows": (1, 2**63 - 1),
    "n_in": (1, 2**63 - 1),
    "stages": (1, 8),
    "vec_dim": (1, 64),
    "entries": (1, 256),
    "index_block": (0, 2**63 - 1),
}
WHOLE_BYTES, PACKED = 8, 6
"""Bits of an index: a byte for each stage, or four stages in three bytes."""
PACKED_FORM = {"stages": 4, "entries": 64, "vec_dim": 8}


@dataclass(frozen=True, slots=True)
class Geometry:
    """Rows of n_in columns, stored as one index per stage and `vec_dim` columns.

    Raises:
        Refusal: `bad-type` or `out-of-range` for a number, `unsupported-packing` for numbers that form no
            packing, `partial-block` for columns that `vec_dim` does not divide.
    """

    rows: int
    n_in: int
    stages: int
    vec_dim: int
    entries: int
    index_bits: int = WHOLE_BYTES
    index_block: int = 0

    def __post_init__(self) -> None:
        for field, (least, largest) in LIMITS.items():
            value = getattr(self, field)
            if type(value) is not int:
                raise Refusal("bad-type", f"{field} is no integer", path="request", field=field)
            if not least <= value <= largest:
                message = f"{field} is not between {least} and {largest}"
                raise Refusal("out-of-range", message, field=field, value=value)
        for field, value in self._unsupported():
            message = f"{field} {value} is part of no packing with index_bits {self.index_bits}"
            raise Refusal("unsupported-packing", message, field=field, value=value)
        if self.n_in % self.vec_dim:
            message = f"{self.n_in} columns are no whole number of vectors of {self.vec_dim}"
            raise Refusal("partial-block", message, field="n_in", columns=self.n_in, vec_dim=self.vec_dim)

    @property
    def positions(self) -> int:
        """Vectors in a row."""
        return self.n_in // self.vec_dim

    @property
    def run(self) -> int:
        """Bytes that hold the indices of one row at one position."""
        return 3 if self.packed else self.stages

    @property
    def packed(self) -> bool:
        """Whether four stages share three bytes."""
        return self.index_bits == PACKED

    @property
    def block(self) -> int:
        """Rows stored side by side at each position."""
        return self.index_block or 1

    @property
    def stored_rows(self) -> int:
        """Rows that have indices: the last block is filled up."""
        return -(-self.rows // self.block) * self.block

    @property
    def index_bytes(self) -> int:
        """Bytes of the region of indices (VQ-LAYOUT-03)."""
        return self.stored_rows * self.positions * self.run

    @property
    def book_values(self) -> int:
        """Halves of all books, stage after stage."""
        return self.stages * self.entries * self.vec_dim

    def require(self, **lengths: int) -> None:
        """Compare the lengths of `indices`, `codebooks` and `scales`, in bytes, with what is needed.

        Raises:
            Refusal: `length-mismatch` for one that is too short (VQ-LAYOUT-05).
        """
        needs = {"indices": self.index_bytes, "codebooks": 2 * self.book_values, "scales": 2 * self.rows}
        for subject, found in lengths.items():
            if found < needs[subject]:
                raise too_short(subject, needs[subject], found)

    def _unsupported(self) -> Iterable[tuple[str, object]]:
        if self.index_bits not in (WHOLE_BYTES, PACKED):
            yield "index_bits", self.index_bits
        if self.packed:
            yield from (
                (field, getattr(self, field))
                for field, value in PACKED_FORM.items()
                if getattr(self, field) != value
            )


def vector_of(x: Buffer, geometry: Geometry) -> Floats:
    """The vector of a product, float32 of [n_in].

    Raises:
        Refusal: `bad-type`, or `length-mismatch` for another number of values.
    """
    vector = floats_of(x, "x").reshape(-1)
    if vector.size != geometry.n_in:
        raise too_short("x", geometry.n_in, vector.size)
    return vector


def too_short(subject: str, expected: int, found: int) -> Refusal:
    """The refusal of a buffer that holds fewer bytes, or values of x, than the arguments need."""
    message = f"{subject}: {expected} are needed, {found} are there"
    return Refusal("length-mismatch", message, subject=subject, expected=expected, found=found)
