"""Tables of a page of the documents, and its refusals as the law has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_vindex3.law.registry import Clause, kinds

LEVELS = ("must", "should", "may")

Refusals = dict[str, tuple[str, set[str]]]
"""By kind the strictest level, and the facts, those that are only advised in brackets."""


def table(page: Path, heading: str) -> list[list[str]]:
    """The rows of all tables of a page whose first line is this one."""
    _, *texts = page.read_text(encoding="utf-8").split(f"{heading}\n")
    lines = [line for text in texts for line in text.split("\n\n")[0].splitlines()[1:]]
    assert lines, heading
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def refusals_on(page: Path) -> Refusals:
    """The table of refusals of a page."""
    rows = table(page, "| kind | | facts | when |")
    return {row[0].strip("`"): (row[1], {fact for fact in row[2].split(", ") if fact}) for row in rows}


def refusals_of(named: Mapping[str, Sequence[Clause]]) -> Refusals:
    """The same of these kinds, by the clauses that name each."""
    found: Refusals = {}
    for kind, those in named.items():
        asked = {fact for one in those for fact in one.names if fact in kinds()[kind].names}
        advised = {fact for fact in asked if {one.level for one in those if fact in one.names} == {"should"}}
        shown = {f"({fact})" if fact in advised else fact for fact in asked}
        found[kind] = (min((one.level for one in those), key=LEVELS.index), shown)
    return found
