"""Codes of 8, 4 and 3 bits with a scale per group: the trunk's formats (waste.md, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.kernels import native
from vindex3_reference.kernels.buffers import bytes_of
from vindex3_reference.kernels.geometry import too_short
from vindex3_reference.kernels.halves import widened
from vindex3_reference.kernels.variants import chosen

if TYPE_CHECKING:
    import numpy.typing as npt

    from vindex3_reference.kernels.buffers import Buffer, Bytes, Floats

Q8G, Q4G, Q3G = 2, 3, 7
"""Numbers of the formats."""
CHUNK = 1 << 17


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows of `columns` codes of a format, each `group` of which share a scale.

    Attributes:
        fmt: Q8G, Q4G or Q3G.
        group: at least 1; even for Q4G.
    """

    fmt: int
    rows: int
    columns: int
    group: int

    def __post_init__(self) -> None:
        legal = self.fmt in (Q8G, Q4G, Q3G) and min(self.rows, self.columns, self.group) > 0
        if not legal or (self.fmt == Q4G and self.group % 2):
            raise ValueError(f"{self} is no shape of a trunk format")

    @property
    def per_row(self) -> int:
        """Groups, and scales, of a row: the last group is filled up."""
        return -(-self.columns // self.group)

    @property
    def row_bytes(self) -> int:
        """Bytes of the codes of a row, the guard byte of Q3G included."""
        codes = self.per_row * self.group
        return {Q8G: codes, Q4G: codes // 2, Q3G: -(-3 * codes // 8) + 1}[self.fmt]

    @property
    def payload_bytes(self) -> int:
        """Bytes of all codes."""
        return self.rows * self.row_bytes

    @property
    def scale_bytes(self) -> int:
        """Bytes of all scales."""
        return 2 * self.rows * self.per_row


def dequantised(groups: Groups, payload: Buffer, scales: Buffer, isa: str | None = None) -> Floats:
    """The values, float32 of [rows, columns]: one multiplication of code and scale each.

    Raises:
        Refusal: `length-mismatch` for a buffer that is too short, `isa-unavailable`.
    """
    codes, halves = bytes_of(payload, "payload"), bytes_of(scales, "scales")
    for subject, expected, found in (
        ("payload", groups.payload_bytes, codes.size),
        ("scales", groups.scale_bytes, halves.size),
    ):
        if found < expected:
            raise too_short(subject, expected, found)
    out = np.empty((groups.rows, groups.columns), np.float32)
    variant = chosen("dequantised", isa)
    if not native.built:
        _with_numpy(groups, codes, halves, out)
        return out
    pointers = [native.pointer("uint8_t", data) for data in (codes, halves)]
    shape = groups.rows, groups.columns, groups.group
    native.lib.dequantise(
        native.NUMBERS[variant], groups.fmt, *pointers, *shape, native.pointer("float", out)
    )
    return out


def _with_numpy(groups: Groups, codes: Bytes, halves: Bytes, out: Floats) -> None:
    step = max(1, CHUNK // groups.columns)
    for begin in range(0, groups.rows, step):
        end = min(begin + step, groups.rows)
        rows = codes[begin * groups.row_bytes : end * groups.row_bytes].reshape(end - begin, -1)
        factors = widened(halves[2 * begin * groups.per_row : 2 * end * groups.per_row])
        wide = np.repeat(factors.reshape(end - begin, -1), groups.group, axis=1)[:, : groups.columns]
        with np.errstate(all="ignore"):
            np.multiply(_CODES[groups.fmt](rows, groups.columns), wide, out=out[begin:end])


def _q8(rows: Bytes, columns: int) -> npt.NDArray[np.int8]:
    return rows[:, :columns].view(np.int8)


def _q4(rows: Bytes, columns: int) -> npt.NDArray[np.int8]:
    nibbles = np.stack([rows & 15, rows >> 4], axis=-1).reshape(len(rows), -1)
    return nibbles[:, :columns].view(np.int8) - np.int8(8)


def _q3(rows: Bytes, columns: int) -> npt.NDArray[np.int8]:
    starts = 3 * np.arange(columns)
    pairs = rows[:, starts >> 3] | rows[:, (starts >> 3) + 1].astype(np.uint16) << 8
    return (pairs >> (starts & 7).astype(np.uint16) & 7).astype(np.int8) - np.int8(4)


_CODES = {Q8G: _q8, Q4G: _q4, Q3G: _q3}
