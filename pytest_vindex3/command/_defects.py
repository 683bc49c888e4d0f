"""Defects as lines: one each, so that they can be searched, and what they come to."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pytest_vindex3.formats import counted
from pytest_vindex3.law.registry import kinds

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    Defect = Mapping[str, Any]

ALIKE: Final = 10
"""Defects of one kind that are listed without being asked for."""

_BARE: Final = re.compile(r"[\w./-]+")


def defect_lines(title: str, defects: Sequence[Defect], everything: bool) -> Iterator[str]:
    """A line for each defect: the file, the kind, the facts.

    Unless `everything` is wanted, one line stands for what is above `ALIKE` of one kind, with the facts
    of the last.
    """
    total = Counter(defect["kind"] for defect in defects)
    seen: Counter[str] = Counter()
    for defect in defects:
        kind = defect["kind"]
        seen[kind] += 1
        if everything or seen[kind] <= ALIKE or total[kind] == ALIKE + 1:
            yield _line(title, defect)
        elif seen[kind] == total[kind]:
            yield f"{_line(title, defect)} is the last of {total[kind] - ALIKE} more; --all lists them"


def _line(title: str, defect: Defect) -> str:
    names = dict(defect["names"])
    of_file = _file_of(title, names.pop("path", None))
    facts = "".join(f" {name}={text}" for name, text in _facts(names))
    return f"{of_file}: {click.style(defect['kind'], fg='red', bold=True)}{facts}"


def _file_of(title: str, path: str | None) -> str:
    """The file of a defect; in a container its path is relative to the folder."""
    if path is None:
        return title
    return str(Path(title, path)) if Path(title).is_dir() else path


def _facts(names: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, fact in names.items():
        if isinstance(fact, dict):
            yield from _facts(fact, f"{prefix}{name}.")
        else:
            bare = isinstance(fact, str) and _BARE.fullmatch(fact)
            yield f"{prefix}{name}", str(fact) if bare else json.dumps(fact)


def summary_lines(title: str, defects: Sequence[Defect], more: Container[str]) -> Iterator[str]:
    """What the defects come to: how many of each kind, with what the law says the kind means."""
    if not defects:
        yield f"{title}: {click.style('clean', fg='green', bold=True)}"
        return
    total = Counter(defect["kind"] for defect in defects)
    beyond = any(kind in more for kind in total)
    yield f"{title}: {'more than ' if beyond else ''}{counted(len(defects), 'defect')}"
    width = max(map(len, total))
    for kind, count in total.most_common():
        shown = f"{count:,}{'+' if kind in more else ''}"
        yield f"  {kind:<{width}}  {shown:>7}  {kinds()[kind].meaning}"
