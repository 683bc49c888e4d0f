"""What a person reads about a file: facts, tables and bars, as data that any door can draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

UNITS: Final = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what is said of each."""

    rows: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; the columns named in `right` are numbers, aligned at their end."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[str] = frozenset()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a bar, from `start` to `stop` in bytes; `short` stands where the label has no room."""

    label: str
    start: int
    stop: int
    short: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """Pieces that follow each other, drawn as one bar.

    Attributes:
        title: what it shows.
        pieces: at least one, without gaps, by their place.
        ticks: where each of its entries begins, in bytes, and rising.
        magnified: every piece has room for its label; otherwise the bar is to scale.
    """

    title: str
    pieces: tuple[Piece, ...]
    ticks: tuple[int, ...] = ()
    magnified: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """A thing of a tree: what it is called, what is said of it, and what belongs to it."""

    name: str
    said: str = ""
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """Things that have parts."""

    branches: tuple[Branch, ...]
    title: str = ""


Part = Facts | Grid | Bar | Tree


@dataclass(frozen=True, slots=True)
class Page:
    """All there is to read about one thing.

    Attributes:
        title: what it is, in a line.
        parts: in reading order.
        remarks: what deserves attention.
    """

    title: str
    parts: tuple[Part, ...]
    remarks: tuple[str, ...] = ()


def near(count: int) -> str:
    """A number of bytes in the largest unit that it fills, such as "612.0 MiB"; below 1 KiB in bytes."""
    if count < 1 << 10:
        return f"{count} B"
    power = min((count.bit_length() - 1) // 10, len(UNITS))
    size = count / (1 << 10 * power)
    return f"{size:.2f} {UNITS[power - 1]}" if power > 2 else f"{size:.1f} {UNITS[power - 1]}"


def exact(count: int) -> str:
    """A number of bytes in full, with the unit that is easier to grasp behind it."""
    return f"{count:,} bytes" if count < 1 << 10 else f"{count:,} bytes ({near(count)})"


def counted(count: int, noun: str) -> str:
    """A number and what it counts; a regular plural where it is not one."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
