"""The three matrices of an expert, and the room that they take in a record (waste.md, sections 2.2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.kernels import Geometry
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.waste.config import Config
    from vindex3_reference.waste.quant import Quant

KINDS = ("gate", "up", "down")
HEADER = 48
"""Bytes before the first region of a record."""
PAGE = 4096
"""Records are a whole number of these."""


class Expert(NamedTuple):
    """The matrices of every expert of a model, in the order of `KINDS`.

    Attributes:
        matrices: their shapes and packings.
        regions: bytes of the indices of each.
        scale_bytes: bytes of the scales of all.
    """

    matrices: tuple[Geometry, Geometry, Geometry]
    regions: tuple[int, int, int]
    scale_bytes: int

    @property
    def payload_end(self) -> int:
        """Bytes of a record without gaps, up to the end of its scales."""
        return HEADER + sum(self.regions) + self.scale_bytes

    @property
    def offsets(self) -> tuple[int, int, int, int]:
        """Where the regions and the scales begin in a record without gaps."""
        gate, up, down = self.regions
        return HEADER, HEADER + gate, HEADER + gate + up, HEADER + gate + up + down

    def scales_before(self, kind: int) -> int:
        """Bytes of scales that come before those of a matrix (VQ-DECODE-09)."""
        return 2 * sum(matrix.rows for matrix in self.matrices[:kind])


def expert_of(config: Config, quant: Quant) -> Expert:
    """The expert of a model that has any.

    Raises:
        Refusal: `partial-block` where some columns would have no index (WASTE-QUANT-11).
    """
    for field, columns in ((config.width_key, config.width), (config.rows_key, config.rows)):
        if columns % quant.vec_dim:
            message = f"{field} {columns} is no whole number of vectors of {quant.vec_dim}"
            raise Refusal("partial-block", message, field=field, columns=columns, vec_dim=quant.vec_dim)
    wide, tall = _geometry(config.rows, config.width, quant), _geometry(config.width, config.rows, quant)
    regions = (wide.index_bytes, wide.index_bytes, tall.index_bytes)
    return Expert((wide, wide, tall), regions, 2 * (2 * config.rows + config.width))


def _geometry(rows: int, columns: int, quant: Quant) -> Geometry:
    return Geometry(rows, columns, *quant[:5])
