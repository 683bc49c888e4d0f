"""The trunk of a container of WASTE: its entries judged, its rows read where they lie."""

from __future__ import annotations

import math
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No
from waste_document import Slots
from waste_numbers import PAYLOADS, halves, trunk_row_bytes, trunk_rows

__all__ = ["Tensor", "judge_trunk", "tensor_scales", "tensor_values"]

MANIFEST = "manifest.json"
Span = tuple[int, int, str, str]


class Tensor(NamedTuple):
    """An entry of the trunk, as it is reported."""

    name: str
    fmt: int
    shape: list[int]
    group: int | None
    off: int
    scale_off: int | None
    bytes: int

    @property
    def rows(self) -> int:
        """The product of all dimensions but the last."""
        return math.prod(self.shape[:-1])

    def spans(self) -> list[Span]:
        """The ranges of the codes and of the scales."""
        payload, scales = trunk_row_bytes(self.fmt, self.shape[-1], self.group)
        codes = (self.off, self.off + self.rows * payload, self.name, "off")
        if self.scale_off is None:
            return [codes]
        return [codes, (self.scale_off, self.scale_off + self.rows * scales, self.name, "scale_off")]


def judge_trunk(entries: list[Any], size: int, strict: bool) -> list[Tensor]:
    """The tensors in their order, disjoint and inside a file of this size."""
    tensors = [judge_tensor(Slots(home, f"trunk[{k}]", MANIFEST), strict) for k, home in enumerate(entries)]
    spans = [span for one in tensors for span in one.spans()]
    for judge in (judge_names, judge_extents, judge_overlaps)[:: 1 if strict else -1]:
        judge(tensors, spans, size)
    return tensors


def judge_names(tensors: list[Tensor], spans: list[Span], size: int) -> None:
    """No name twice."""
    names = [one.name for one in tensors]
    if len(set(names)) < len(names):
        raise No("duplicate-id", id=max(names, key=names.count), field="trunk")


def judge_extents(tensors: list[Tensor], spans: list[Span], size: int) -> None:
    """No range beyond the end."""
    for _, end, name, field in spans:
        if end > size:
            raise No("extent-out-of-file", tensor=name, field=field, need=end, have=size)


def judge_overlaps(tensors: list[Tensor], spans: list[Span], size: int) -> None:
    """No byte of two ranges."""
    for (_, end, tensor, _), (start, _, other, _) in pairwise(sorted(spans)):
        if start < end:
            raise No("overlap", tensor=other, other=tensor)


def judge_tensor(entry: Slots, strict: bool) -> Tensor:
    """One entry by itself."""
    name, fmt = entry.typed("name", str), entry.typed("fmt", int)
    off = entry.integer("off", tensor=name)
    shape = judge_shape(entry, name)
    if fmt not in PAYLOADS or (fmt == 1 and strict):
        raise No("unknown-format", tensor=name, found=fmt, supported=[0, 2, 3, 7])
    group = scale_off = None
    if fmt > 1:
        group = entry.integer("group", 1, tensor=name)
        scale_off = entry.integer("scale_off", tensor=name)
        if fmt == 3 and group % 2:
            raise No("out-of-range", tensor=name, field=entry.field("group"), value=group)
    one = Tensor(name, fmt, shape, group, off, scale_off, 0)
    size = one.rows * sum(trunk_row_bytes(fmt, shape[-1], group))
    if entry.has("bytes") and entry.typed("bytes", int) != size:
        raise No("shape-mismatch", tensor=name, expected=size, found=entry.home["bytes"])
    return one._replace(bytes=size)


def judge_shape(entry: Slots, name: str) -> list[int]:
    """The dimensions of an entry."""
    shape: list[int] = entry.typed("shape", list)
    told = {"tensor": name, "field": entry.field("shape")}
    if not 1 <= len(shape) <= 4:
        raise No("out-of-range", **told, value=len(shape))
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, int):
            raise No("bad-type", path=MANIFEST, **told)
        if not 1 <= size <= 1 << 26:
            raise No("out-of-range", **told, value=size)
    return shape


def tensor_values(place: str, one: Tensor, first: int, count: int) -> Any:
    """Rows of a tensor as float32 of [count, columns], a MiB of numbers at a time."""
    columns = one.shape[-1]
    payload, scales = trunk_row_bytes(one.fmt, columns, one.group)
    values = np.empty((count, columns), np.float32)
    step = max(1, (1 << 20) // columns)
    file = os.open(place, os.O_RDONLY)
    try:
        for row in range(0, count, step):
            rows = min(step, count - row)
            codes = taken(file, one, one.off + (first + row) * payload, rows * payload)
            wide = taken(file, one, (one.scale_off or 0) + (first + row) * scales, rows * scales)
            values[row : row + rows] = trunk_rows(one.fmt, columns, one.group, codes, wide)
    finally:
        os.close(file)
    return values


def tensor_scales(place: str, one: Tensor) -> Any:
    """The scales of a tensor as float32 of [rows, groups]."""
    if one.scale_off is None:
        return np.zeros((0, 0), np.float32)
    _, size = trunk_row_bytes(one.fmt, one.shape[-1], one.group)
    file = os.open(place, os.O_RDONLY)
    try:
        return halves(taken(file, one, one.scale_off, one.rows * size)).reshape(one.rows, -1)
    finally:
        os.close(file)


def taken(file: int, one: Tensor, at: int, size: int) -> bytes:
    """Bytes of the trunk, all of them."""
    parts, have = [], 0
    while have < size:
        try:
            part = os.pread(file, size - have, at + have)
        except OSError as problem:
            raise No("io", path="trunk.bin", tensor=one.name, reason=str(problem)) from None
        if not part:
            raise No("truncated", path="trunk.bin", tensor=one.name, need=size, have=have)
        parts.append(part)
        have += len(part)
    return b"".join(parts)
