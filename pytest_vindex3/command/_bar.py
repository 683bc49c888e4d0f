"""A bar of pieces as lines of text: four rows, in box characters or in plain ASCII."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pytest_vindex3.formats import Bar, Piece

LEAST_COLUMNS: Final = 24
_TICK_ROOM: Final = 2


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What borders are made of: two lines, corners, and where a line ends at the upper and lower border."""

    across: str
    down: str
    corners: str
    upper: str
    lower: str


PLAIN: Final = Glyphs("-", "|", "++++", "+", "+")
BOX: Final = Glyphs("\u2500", "\u2502", "\u250c\u2510\u2514\u2518", "\u252c", "\u2534")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The rows of a bar.

    Attributes:
        title: with what the scale and the ticks are.
        rows: upper border, labels, lower border, places.
        cells: first and last column of each piece in the row of labels, borders apart.
    """

    title: str
    rows: tuple[str, str, str, str]
    cells: tuple[tuple[int, int], ...]


def draw(bar: Bar, columns: int, glyphs: Glyphs) -> Drawn:
    """The bar in so many columns, borders included; `LEAST_COLUMNS` where they are fewer."""
    inner = max(columns, LEAST_COLUMNS) - 1
    first, last = bar.pieces[0].start, bar.pieces[-1].stop
    edges = _magnified(bar.pieces, inner) if bar.magnified else _scaled(bar.pieces, inner)
    every, ticks = thinned(bar.ticks, inner)
    marks = {inner * (tick - first) // max(1, last - first) for tick in ticks}
    stops = {*edges, *marks} - {0, inner}
    upper = _border(stops, inner, glyphs, glyphs.corners[:2], glyphs.upper)
    lower = _border(stops, inner, glyphs, glyphs.corners[2:], glyphs.lower)
    cells = tuple((left + 1, right) for left, right in pairwise(edges))
    scale = "magnified" if bar.magnified else "to scale"
    title = ", ".join(filter(None, (bar.title, scale, tick_words(every, len(bar.ticks)))))
    return Drawn(title, (upper, _labels(bar.pieces, edges, inner, glyphs), lower, _places(bar, edges)), cells)


def _scaled(pieces: tuple[Piece, ...], inner: int) -> list[int]:
    first = pieces[0].start
    whole = max(1, pieces[-1].stop - first)
    return [0, *(round(inner * (piece.stop - first) / whole) for piece in pieces[:-1]), inner]


def _magnified(pieces: tuple[Piece, ...], inner: int) -> list[int]:
    """Edges that leave room for every label and share out the rest by size."""
    needs = [max(len(piece.label), len(f"{piece.start:,}")) + 1 for piece in pieces]
    spare = inner - sum(needs)
    if spare < 0:
        return _scaled(pieces, inner)
    first, whole = pieces[0].start, max(1, pieces[-1].stop - pieces[0].start)
    edges, needed = [0], 0
    for piece, need in zip(pieces, needs, strict=True):
        needed += need
        edges.append(needed + round(spare * (piece.stop - first) / whole))
    return [*edges[:-1], inner]


def thinned(ticks: tuple[int, ...], room: int) -> tuple[int, tuple[int, ...]]:
    """Every second, fourth, eighth ... tick, until the room tells them apart; and how many one stands for."""
    every = 1
    while len(ticks) // every * _TICK_ROOM > room:
        every *= 2
    return every, ticks[::every]


def tick_words(every: int, count: int) -> str:
    """What the ticks of a bar are, "" where there are none to tell apart."""
    if count < 2:
        return ""
    return f"a tick for each of {count:,} entries" if every == 1 else f"a tick for every {every} entries"


def _border(stops: set[int], inner: int, glyphs: Glyphs, corners: str, stop: str) -> str:
    between = "".join(stop if column in stops else glyphs.across for column in range(1, inner))
    return f"{corners[0]}{between}{corners[1]}"


def _labels(pieces: tuple[Piece, ...], edges: list[int], inner: int, glyphs: Glyphs) -> str:
    row = [" "] * (inner + 1)
    for piece, (left, right) in zip(pieces, pairwise(edges), strict=True):
        room = right - left - 1
        label = next((text for text in (piece.label, piece.short) if len(text) <= room), "")
        begin = left + 1 + (room - len(label)) // 2
        row[begin : begin + len(label)] = label
    for edge in edges:
        row[edge] = glyphs.down
    return "".join(row)


def _places(bar: Bar, edges: list[int]) -> str:
    """Where pieces begin and the last one ends, as far as the numbers have room."""
    end = f"{bar.pieces[-1].stop:,}"
    row = ""
    for piece, edge in zip(bar.pieces, edges, strict=False):
        text = f"{piece.start:,}"
        if edge >= len(row) + bool(row) and edge + len(text) < edges[-1] - len(end):
            row = row.ljust(edge) + text
    return row.ljust(edges[-1] + 1 - len(end)) + end
