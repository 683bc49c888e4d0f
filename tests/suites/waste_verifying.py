"""What is wrong with a container of WASTE, listed from its end by somebody who knows the text alone."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No
from waste_container import MATRICES, Container
from waste_numbers import halves, stray
from waste_records import BEHIND, Handle, Record, extent
from waste_trunk import tensor_scales

__all__ = ["verified"]


def verified(container: Container) -> dict[str, Any]:
    """Every record read and summed, every named book and scale looked at."""
    defects = [*banks(container), *books(container), *trunk(container)]
    checked = 0
    with Handle(container, slots=0) as handle:
        for layer, bank in container.layers.items():
            for expert in reversed(range(bank.experts)):
                try:
                    record = handle.record(layer, expert, "buffered")
                except No as problem:
                    defects.append(problem)
                    continue
                checked += 1
                place = {"layer": layer, "expert": expert}
                defects += [No(one.kind, **{**one.names, **place}) for one in contents(handle, record)]
    return {
        "defects": [{"kind": one.kind, "names": one.names} for one in reversed(defects)],
        "records_checked": checked,
        "clean": not defects,
    }


def banks(container: Container) -> Iterator[No]:
    """Banks that go on."""
    for bank in container.layers.values():
        have = container.length(bank.file)
        if have > bank.bytes:
            yield No("trailing-bytes", path=bank.file, offset=bank.bytes, length=have - bank.bytes)


def books(container: Container) -> Iterator[No]:
    """Headers and values of the books that layers name."""
    yield from container.book_headers()
    for number in container.named_books():
        book = container.book(number)
        (name,), (zero,) = struct.unpack_from("<H", book, 4), struct.unpack_from("<I", book, 12)
        for field, found, expected in (("id", name, number & 0xFFFF), ("zero", zero, 0)):
            if found != expected:
                yield No("codebook-header", book=number, field=field, found=found, expected=expected)
        values = halves(book[16:])
        for at in map(int, np.flatnonzero(~np.isfinite(values))):
            entry, element = divmod(at, book[7])
            yield No("non-finite", book=number, entry=entry, element=element, found=word(values[at]))


def word(value: Any) -> str:
    """How a number that is not finite is called."""
    return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def contents(handle: Handle, record: Record) -> Iterator[No]:
    """Another checksum, gaps, indices without an entry, scales that are not finite."""
    container = handle.container
    assert container.packing
    try:
        handle.judge_sum(record)
    except No as problem:
        yield problem
    sizes = dict(zip(MATRICES, container.regions(), strict=True))
    for matrix in MATRICES:
        region, (rows, columns) = record.region(matrix), container.rows(matrix)
        if len(region) > sizes[matrix]:
            end = record.header[BEHIND[matrix]]
            yield No("region-gap", **extent(container, matrix, end - len(region), end, sizes[matrix]))
        place = stray(container.packing.unpack(region, rows, columns), container.packing.entries)
        if place:
            yield No("index-out-of-codebook", matrix=matrix, **place)
        scales = record.scales(container, matrix)
        for row in map(int, np.flatnonzero(~np.isfinite(scales))):
            yield No("non-finite", matrix=matrix, row=row, found=word(scales[row]))


def trunk(container: Container) -> Iterator[No]:
    """Scales that are not finite, and tables of another shape than the model's."""
    for one in container.trunk:
        scales = tensor_scales(container.locate("trunk.bin"), one)
        for row, group in np.argwhere(~np.isfinite(scales)).tolist():
            yield No("non-finite", tensor=one.name, row=row, group=group, found=word(scales[row, group]))
        expected = [container.vocabulary, container.hidden]
        tables = {f"{container.prefix}{name}.weight" for name in ("model.embed_tokens", "lm_head")}
        if one.name in tables and one.shape != expected:
            yield No("config-mismatch", tensor=one.name, found=one.shape, expected=expected)
