"""A layout as a drawing: the file to scale, its tables magnified above, an entry of each bank below."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from pytest_vindex3.command._bar import thinned, tick_words
from pytest_vindex3.command._layout_page import entry_bars, layout_page, payload_bar
from pytest_vindex3.formats import Bar, Piece, exact, near
from pytest_vindex3.formats.lyrw.page import tables_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.command._placement import Placement

WIDTH: Final = 1000
MARGIN: Final = 24
_INNER: Final = WIDTH - 2 * MARGIN
_HEIGHT: Final = 44
_STEP: Final = 124
_MOST_TICKS: Final = 8192
_LETTER: Final = 6.7
"""Pixels of a letter at the size of labels."""
_COLOURS: Final = ("#7cc4c4", "#9ccf7c", "#c9a3e0", "#8fb4ec", "#e6cf7a", "#e6a98c")
_STYLE: Final = (
    "text{font:11px ui-monospace,monospace;fill:#222}.h{font-weight:bold;font-size:13px}"
    ".p{fill:#666;font-size:10px}rect{stroke:#444;stroke-width:.5}.t{stroke:#222;stroke-width:.5;opacity:.55}"
    ".z{fill:#bbb;opacity:.35}"
)


@dataclass(frozen=True, slots=True)
class _Band:
    """A bar at a height, with the left and right edge of each piece in pixels."""

    bar: Bar
    top: int
    edges: tuple[float, ...]

    def at(self, place: int) -> float:
        """The pixel of a byte, for a bar to scale."""
        first, last = self.bar.pieces[0].start, self.bar.pieces[-1].stop
        return MARGIN + _INNER * (place - first) / max(1, last - first)


def drawing(placement: Placement) -> str:
    """The whole drawing as one SVG document; exact numbers are in the titles of its shapes."""
    layout = placement.layout
    records = [(name, length) for name, _, _, length in placement.tables()]
    tables = _band(tables_bar(records, layout.table_bytes, layout.payload_start), 70)
    payload = payload_bar(placement)
    whole = Bar(
        f"file, {exact(layout.file_length)}",
        (Piece("tables and padding", 0, layout.payload_start), *payload.pieces),
        payload.ticks,
    )
    file = _band(whole, 70 + _STEP)
    entries = [_band(bar, 70 + _STEP * (2 + number)) for number, bar in enumerate(entry_bars(placement))]
    height = 70 + _STEP * (2 + len(entries)) - 20
    title = escape(layout_page(placement).title)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img"><title>{title}</title><style>{_STYLE}</style>',
        f'<rect x="0" y="0" width="{WIDTH}" height="{height}" fill="#fff" style="stroke:none"/>',
        f'<text class="h" x="{MARGIN}" y="28">{title}</text>',
        _lens(
            tables.top + _HEIGHT, (MARGIN, MARGIN + _INNER), file.top, _stretch(file, 0, layout.payload_start)
        ),
    ]
    for band in entries:
        start, stop = band.bar.pieces[0].start, band.bar.pieces[-1].stop
        if band is entries[0]:
            low, high = _stretch(file, start, stop)
            lines.append(_lens(file.top + _HEIGHT, (low, high), band.top, (MARGIN, MARGIN + _INNER)))
    for band in (tables, file, *entries):
        lines += _drawn(band)
    return "\n".join([*lines, "</svg>", ""])


def _band(bar: Bar, top: int) -> _Band:
    first, whole = bar.pieces[0].start, max(1, bar.pieces[-1].stop - bar.pieces[0].start)
    edges = [float(MARGIN)]
    if bar.magnified:
        room = [_LETTER * (len(piece.label) + 2) for piece in bar.pieces]
        spare = max(0.0, _INNER - sum(room))
        shrink = min(1.0, _INNER / sum(room))
        for piece, need in zip(bar.pieces, room, strict=True):
            edges.append(edges[-1] + shrink * need + spare * (piece.stop - piece.start) / whole)
    else:
        edges += [MARGIN + _INNER * (piece.stop - first) / whole for piece in bar.pieces]
    return _Band(bar, top, tuple(edges))


def _stretch(band: _Band, start: int, stop: int) -> tuple[float, float]:
    return band.at(start), band.at(stop)


def _lens(top: int, upper: tuple[float, float], bottom: int, lower: tuple[float, float]) -> str:
    """What shows that one stretch is another one magnified."""
    corners = [(upper[0], top), (upper[1], top), (lower[1], bottom), (lower[0], bottom)]
    return f'<polygon class="z" points="{" ".join(f"{x:.2f},{y}" for x, y in corners)}"/>'


def _drawn(band: _Band) -> Iterator[str]:
    bar, top = band.bar, band.top
    scale = "magnified" if bar.magnified else "to scale"
    every, ticks = thinned(bar.ticks, _MOST_TICKS)
    title = ", ".join(filter(None, (bar.title, scale, tick_words(every, len(bar.ticks)))))
    yield f'<text class="h" x="{MARGIN}" y="{top - 10}">{escape(title)}</text>'
    for number, (piece, (left, right)) in enumerate(zip(bar.pieces, pairwise(band.edges), strict=True)):
        yield _piece(piece, left, right, top, _COLOURS[number % len(_COLOURS)])
    for number, tick in enumerate(ticks):
        x = f"{band.at(tick):.2f}"
        yield (
            f'<line class="t" x1="{x}" x2="{x}" y1="{top}" y2="{top + 10}">'
            f"<title>tick {number * every} at {tick}</title></line>"
        )
    yield from _places(band)


def _piece(piece: Piece, left: float, right: float, top: int, colour: str) -> str:
    label = escape(piece.label)
    length = piece.stop - piece.start
    told = f"{label}: {length} bytes, from {piece.start} to {piece.stop}"
    rect = (
        f'<rect x="{left:.2f}" y="{top}" width="{right - left:.2f}" height="{_HEIGHT}" fill="{colour}">'
        f"<title>{told}</title></rect>"
    )
    fits = [text for text in (piece.label, piece.short) if text and _LETTER * len(text) <= right - left]
    if not fits:
        return rect
    middle = (left + right) / 2
    text = f'<text x="{middle:.2f}" y="{top + 30}" text-anchor="middle">{escape(fits[0])}</text>'
    return rect + text


def _places(band: _Band) -> Iterator[str]:
    """Where pieces begin, as far as the numbers have room, and where the last one ends."""
    y, end = band.top + _HEIGHT + 13, f"{band.bar.pieces[-1].stop:,}"
    stop = MARGIN + _INNER - _LETTER * (len(end) + 1)
    taken = 0.0
    for piece, left in zip(band.bar.pieces, band.edges, strict=False):
        text = f"{piece.start:,}"
        if taken <= left and left + _LETTER * len(text) < stop:
            yield f'<text class="p" x="{left:.2f}" y="{y}">{text}</text>'
            taken = left + _LETTER * (len(text) + 1)
    size = near(band.bar.pieces[-1].stop - band.bar.pieces[0].start)
    yield f'<text class="p" x="{MARGIN + _INNER}" y="{y}" text-anchor="end"><title>{size}</title>{end}</text>'
