"""Bars as lines of text: whatever the pieces, the rows fit together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vindex3.command._bar import BOX, LEAST_COLUMNS, PLAIN, draw
from pytest_vindex3.command._page import folded, legible
from pytest_vindex3.formats import Bar, Piece, near

lengths = st.lists(st.integers(0, 2**64), min_size=1, max_size=40)


def bar(sizes: list[int], magnified: bool = False, ticks: int = 0) -> Bar:
    """Pieces of these sizes, one after the other, with so many ticks at equal distances."""
    pieces, at = [], 100
    for number, size in enumerate(sizes):
        pieces.append(Piece(f"piece {number}", at, at + size, str(number)))
        at += size
    places = tuple(100 + (at - 100) * number // ticks for number in range(ticks))
    return Bar("bar", tuple(pieces), places, magnified)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(lengths, st.booleans(), st.integers(0, 300), st.integers(1, 200))
def test_rows_are_of_one_width(sizes: list[int], magnified: bool, ticks: int, columns: int) -> None:
    """Every row has the columns asked for, or the least there are; cells lie between borders, in order."""
    drawn = draw(bar(sizes, magnified, ticks), columns, PLAIN)
    upper, labels, lower, places = drawn.rows
    width = max(columns, LEAST_COLUMNS)
    assert {len(upper), len(labels), len(lower)} == {width}
    assert places.endswith(f"{100 + sum(sizes):,}")
    assert len(drawn.cells) == len(sizes)
    assert all(0 < left <= right + 1 <= width for left, right in drawn.cells)
    assert labels[0] == labels[-1] == "|"


def test_a_bar_to_scale_shares_out_its_columns() -> None:
    """Pieces of 1, 2 and 1 quarter lie at a quarter and three quarters; labels without room are shortened."""
    drawn = draw(bar([100, 200, 100]), 41, PLAIN)
    assert drawn.title == "bar, to scale"
    assert drawn.rows == (
        "+---------+-------------------+---------+",
        "| piece 0 |      piece 1      | piece 2 |",
        "+---------+-------------------+---------+",
        "100       200                 400     500",
    )
    assert draw(bar([10, 380, 10]), 41, BOX).rows[1] == f"\u2502\u2502{'piece 1':^37}\u2502\u2502"
    assert draw(bar([50, 300, 50]), 41, PLAIN).rows[1].startswith("| 0  |")


def test_a_magnified_bar_has_room_for_every_label() -> None:
    """A piece of one byte beside one of a gigabyte keeps its label, as long as there are columns for all."""
    drawn = draw(bar([1, 2**30], magnified=True), 60, PLAIN)
    assert "piece 0" in drawn.rows[1]
    assert "piece 1" in drawn.rows[1]
    assert drawn.title == "bar, magnified"


@pytest.mark.parametrize(
    ("ticks", "said", "marked"),
    [
        (1, "bar, to scale", 0),
        (20, "bar, to scale, a tick for each of 20 entries", 19),
        (21, "bar, to scale, a tick for every 2 entries", 10),
        (300, "bar, to scale, a tick for every 16 entries", 18),
    ],
)
def test_ticks_are_thinned_until_they_are_apart(ticks: int, said: str, marked: int) -> None:
    """Ticks that would touch are left out by powers of two, and the title says for how many one stands."""
    drawn = draw(bar([1000], ticks=ticks), 42, PLAIN)
    assert drawn.title == said
    assert drawn.rows[0][1:-1].count("+") == marked
    assert "++" not in drawn.rows[0]


def test_sizes_are_told_in_the_largest_unit_that_they_fill() -> None:
    """Bytes below 1 KiB as they are, above in powers of 1024."""
    assert [near(size) for size in (0, 1023, 1024, 641728512, 24277155840, 2**64)] == [
        "0 B", "1023 B", "1.0 KiB", "612.0 MiB", "22.61 GiB", "16.00 EiB",
    ]  # fmt: skip


def test_cells_are_folded_behind_spaces_and_underscores() -> None:
    """Lines of a narrow column stay below 14 letters where a word allows it; brackets stay together."""
    assert folded("blocks_with_scales_inline, interleaved").splitlines() == [
        "blocks_with_", "scales_", "inline,", "interleaved",
    ]  # fmt: skip
    assert folded("8,192 (8.0 KiB)").splitlines() == ["8,192", "(8.0 KiB)"]


def test_only_glyphs_are_printed() -> None:
    """Letters of any script stay; control characters and line breaks are spelled out."""
    assert legible("d\u00e9j\u00e0 \x1b[31m\n\u202e") == r"déjà \x1b[31m\n\u202e"
