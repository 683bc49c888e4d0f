"""The two digests of a segment, from one pass over its bytes (container.md, section 3)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vindex3_reference.container.meter import Meter
    from vindex3_reference.source import Source

AT_ONCE = 1 << 18
"""Bytes taken in at a time: they are still in the cache when the second digest takes them."""


class Digests(NamedTuple):
    """SHA-256 in lowercase hexadecimal: of the whole file, and of the payload where there is one."""

    segment: str
    payload: str | None


def digests(source: Source, payload_start: int | None, meter: Meter) -> Digests:
    """Both digests of an open segment whose payload begins at `payload_start`, or is not known to begin.

    Raises:
        Refusal: `io`.
    """
    whole, payload = hashlib.sha256(), hashlib.sha256()
    start = source.length if payload_start is None else payload_start
    for at in range(0, source.length, AT_ONCE):
        data = memoryview(source.read(at, min(AT_ONCE, source.length - at)))
        whole.update(data)
        payload.update(data[max(0, start - at) :])
        meter.add(len(data))
    return Digests(whole.hexdigest(), None if payload_start is None else payload.hexdigest())
