"""usage.waste: the log of a container, which nothing but usage.read may depend on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Final

from pytest_vindex3.fuzz.demand import Demand, always
from pytest_vindex3.fuzz.records import Field, RecordEdits, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from pytest_vindex3.law.registry import kinds
from vindex3_fixtures import fuzz
from vindex3_fixtures.waste.usage import USAGE

NAME: Final = "waste-usage"
MOST: Final = 1024
_HEADER: Final = (4, 4, 8)
_ENTRY: Final = (2, 2, 4, 4, 4)
_REFUSED: Final = ("bad-magic", "truncated")


def _sizes() -> Iterator[int]:
    yield from _HEADER
    yield from cycle(_ENTRY)


def fields(data: bytes) -> list[Field]:
    """The fields of a log, as far as they are there."""
    found, offset = [], 0
    for size in _sizes():
        if offset + size > len(data):
            break
        found.append((offset, size))
        offset += size
    return found


target = Target(
    name=NAME,
    family="waste",
    about="usage.waste of a container: what is read of it, and that the container opens whatever is in it",
    file=USAGE,
    asked=(
        Asked(
            "usage.read",
            Demand(
                refuses=dict.fromkeys(_REFUSED, always),
                never=(*_REFUSED, "unknown-version"),
                same=("present", "version", "clock", "dropped_bytes", "entries"),
            ),
        ),
        Asked("waste.open", Demand(never=tuple(kinds()), same=("format_version", "layers"))),
    ),
    seeds=fuzz.usage_logs,
    mutate=RecordEdits(fields, fuzz.words(NAME), most=MOST),
    smaller=smaller,
    around=fuzz.around_usage,
)
