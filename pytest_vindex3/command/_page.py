"""A page for the terminal: plain ASCII without one, box characters and colour on one."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Final

from pytest_vindex3.command._bar import BOX, PLAIN, draw
from pytest_vindex3.formats import Bar, Branch, Facts, Grid, Page, Part, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, RenderableType
    from rich.text import Text
    from rich.tree import Tree as Drawn

WIDEST_BAR: Final = 120
"""Columns beyond which a bar does not grow."""
_PLAIN_BAR: Final = 80
_PLAIN_WIDTH: Final = 1 << 12
_NARROW: Final = 13
_LONGEST: Final = 400
_PALETTE: Final = ("cyan", "green", "magenta", "blue", "yellow")


def show(page: Page) -> None:
    """Print a page on stdout."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    # A pipe has no width: tables are not folded there, unless COLUMNS asks for it.
    width = None if terminal or os.environ.get("COLUMNS") else _PLAIN_WIDTH
    console = Console(highlight=False, width=width)
    with console.capture() as captured:
        _print(page, console)
    text = captured.get()
    if not terminal:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    sys.stdout.write(text)


def legible(text: str) -> str:
    """Text from a file with what is no glyph spelled out, and no longer than anyone reads."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}..."
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def _print(page: Page, console: Console) -> None:
    from rich.text import Text

    console.print(Text(legible(page.title), "bold"), soft_wrap=True)
    for part in page.parts:
        console.print()
        if not isinstance(part, Bar) and part.title:
            console.print(Text(legible(part.title), "bold"), soft_wrap=True)
        console.print(_drawn(part, console))
    if page.remarks:
        console.print()
    for remark in page.remarks:
        console.print(Text(f"! {legible(remark)}", "yellow"), soft_wrap=True)


def _drawn(part: Part, console: Console) -> RenderableType:
    if isinstance(part, Bar):
        return _bar(part, console)
    if isinstance(part, Tree):
        return _tree(part, console)
    return _grid(part, console.width) if isinstance(part, Grid) else _facts(part)


def _facts(facts: Facts) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, said in facts.rows:
        table.add_row(Text(f"  {name}"), Text(legible(said)))
    return table


def _tree(tree: Tree, console: Console) -> RenderableType:
    from rich.console import Group
    from rich.text import Text
    from rich.tree import Tree as Drawn

    if not console.is_terminal:
        return Text("\n".join(_indented(tree.branches, 1)), no_wrap=True, overflow="ignore")
    drawn = [Drawn(_leaf(branch), guide_style="dim") for branch in tree.branches]
    for root, branch in zip(drawn, tree.branches, strict=True):
        _grow(root, branch)
    return Group(*drawn)


def _grow(drawn: Drawn, branch: Branch) -> None:
    for one in branch.branches:
        _grow(drawn.add(_leaf(one)), one)


def _leaf(branch: Branch) -> Text:
    from rich.text import Text

    return Text.assemble((legible(branch.name), "bold"), ("  " if branch.said else ""), legible(branch.said))


def _indented(branches: Sequence[Branch], depth: int) -> Iterator[str]:
    for branch in branches:
        yield "  " * depth + legible("  ".join(filter(None, (branch.name, branch.said))))
        yield from _indented(branch.branches, depth + 1)


def _grid(grid: Grid, width: int) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    cells = [tuple(legible(cell) for cell in row) for row in (grid.heads, *grid.rows)]
    columns = [column for column in zip(*cells, strict=True) if any(column[1:])]
    narrow = sum(2 + max(map(len, column)) for column in columns) > width
    table.add_column()
    for head, *_ in columns:
        table.add_column(Text(head), justify="right" if head in grid.right else "left", overflow="fold")
    for row in list(zip(*columns, strict=True))[1:]:
        table.add_row("", *(Text(folded(cell) if narrow else cell) for cell in row))
    return table


def folded(text: str) -> str:
    """Text in lines of a narrow column, broken behind spaces and underscores."""
    lines = [""]
    for piece in re.findall(r"\([^)]*\)|[^ _]*[ _]?", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > _NARROW:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def _bar(bar: Bar, console: Console) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    fancy = console.is_terminal and console.encoding.startswith("utf")
    columns = min(console.width, WIDEST_BAR) if console.width < _PLAIN_WIDTH else _PLAIN_BAR
    drawn = draw(bar, columns - 2, BOX if fancy else PLAIN)
    upper, labels, lower, places = drawn.rows
    middle = Text(f"  {labels}")
    for number, (left, right) in enumerate(drawn.cells):
        middle.stylize(f"black on {_PALETTE[number % len(_PALETTE)]}", left + 2, right + 2)
    lines: list[Text] = [
        Text(drawn.title, "bold"),
        Text(f"  {upper}"),
        middle,
        Text(f"  {lower}"),
        Text(f"  {places}", "dim"),
    ]
    for line in lines[1:]:
        line.no_wrap = True
    return Group(*lines)
