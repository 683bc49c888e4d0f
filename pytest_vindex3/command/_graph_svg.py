"""A system graph as a drawing: a column for each component, its objects below each other, edges between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.command._diagram import Arrow, Box, Diagram, Group

MARGIN: Final = 24
GAP: Final = 150
"""Pixels between two columns, in which the labels of edges stand."""
_LINE: Final = 16
_BOX: Final = 44
_STEP: Final = 56
_LETTER: Final = 6.7
"""Pixels of a letter at the size of labels."""
_LEAST: Final = 190
_COLOURS: Final = {"primary_text": "#7cc4c4", "drafter": "#e6cf7a", "perception": "#c9a3e0"}
_STYLE: Final = (
    "text{font:11px ui-monospace,monospace;fill:#222}.h{font-weight:bold;font-size:13px}.p{fill:#666}"
    "rect{stroke:#444;stroke-width:.5}path{fill:none;stroke:#b3402f;stroke-width:1.5}.l{fill:#b3402f}"
)
_ARROW: Final = (
    '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L8 4L0 8z" style="fill:#b3402f;stroke:none"/></marker></defs>'
)


@dataclass(frozen=True, slots=True)
class _Column:
    """Where a component stands."""

    group: Group
    left: float
    width: float
    head: int

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.head + _STEP * len(self.group.boxes) + 8

    def top(self, number: int) -> int:
        """The upper edge of an object's box."""
        return self.head + _STEP * number


def drawing(drawn: Diagram, title: str) -> str:
    """The whole drawing as one SVG document."""
    columns = _columns(drawn)
    width = max((column.right for column in columns), default=_LEAST) + MARGIN
    lowest = max((column.bottom for column in columns), default=MARGIN)
    depth = 28 * len(drawn.arrows)
    height = lowest + depth + MARGIN + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img"><title>{escape(title)}</title><style>{_STYLE}</style>{_ARROW}',
        f'<rect x="0" y="0" width="{width:.0f}" height="{height}" fill="#fff" style="stroke:none"/>',
        f'<text class="h" x="{MARGIN}" y="28">{escape(title)}</text>',
    ]
    for column in columns:
        lines += _component(column)
    for number, arrow in enumerate(drawn.arrows):
        lines += _edge(arrow, columns, lowest + 28 * number + 26)
    return "\n".join([*lines, "</svg>", ""])


def _columns(drawn: Diagram) -> list[_Column]:
    head = 64 + _LINE * max((len(group.said) for group in drawn.groups), default=0) + 10
    columns: list[_Column] = []
    left = float(MARGIN)
    for group in drawn.groups:
        texts = [group.title, *group.said, *(text for box in group.boxes for text in (box.title, box.said))]
        width = max(_LEAST, *(_LETTER * 1.15 * len(text) + 32 for text in texts))
        columns.append(_Column(group, left, width, head))
        left += width + GAP / 2
    return columns


def _component(column: _Column) -> Iterator[str]:
    group, colour = column.group, _COLOURS.get(column.group.role, "#ddd")
    yield (
        f'<rect x="{column.left:.1f}" y="44" width="{column.width:.1f}" height="{column.bottom - 44}" rx="6" '
        f'fill="{colour}" fill-opacity=".35"><title>{escape(group.title)}</title></rect>'
        f'<text class="h" x="{column.left + 12:.1f}" y="62">{escape(group.title)}</text>'
    )
    for number, text in enumerate(group.said):
        yield f'<text class="p" x="{column.left + 12:.1f}" y="{80 + _LINE * number}">{escape(text)}</text>'
    for number, box in enumerate(group.boxes):
        yield _object(box, column, column.top(number), colour)


def _object(box: Box, column: _Column, top: int, colour: str) -> str:
    left = column.left + 12
    return (
        f'<rect x="{left:.1f}" y="{top}" width="{column.width - 24:.1f}" height="{_BOX}" rx="4" '
        f'fill="{colour}"><title>{escape(box.id)}</title></rect>'
        f'<text x="{left + 10:.1f}" y="{top + 18}">{escape(box.title)}</text>'
        f'<text class="p" x="{left + 10:.1f}" y="{top + 34}">{escape(box.said)}</text>'
    )


def _edge(arrow: Arrow, columns: list[_Column], lane: int) -> Iterator[str]:
    """An edge from the foot of its producer, along a lane of its own, to the side of its consumer's box."""
    starts = [column for column in columns if column.group.id == arrow.start]
    ends = [
        (column, column.top(number) + _BOX // 2)
        for column in columns
        for number, box in enumerate(column.group.boxes)
        if box.id == arrow.end
    ]
    label = f"{arrow.start}, {arrow.label} -> {arrow.end}"
    if not starts or not ends:
        yield f'<text class="l" x="{MARGIN}" y="{lane}">{escape(label)} (an end is not in the graph)</text>'
        return
    producer, (consumer, y) = starts[0], ends[0]
    x, side = producer.left + producer.width / 2, consumer.left - 14
    way = f"M{x:.1f} {producer.bottom}V{lane}H{side:.1f}V{y}H{consumer.left + 12:.1f}"
    yield (
        f'<path marker-end="url(#a)" d="{way}">'
        f"<title>{escape(label)}</title></path>"
        f'<text class="l" x="{min(x, side) + 6:.1f}" y="{lane - 4}">{escape(label)}</text>'
    )
