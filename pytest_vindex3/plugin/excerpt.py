"""The annotated bytes that a failure is about: the field that differs, or what the ruler marks as wrong.

The lines of a dump say in which place of an answer they are told of, and what they belong to; so nothing
is guessed here, and nothing of any format is known.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from pytest_vindex3.contract.difference import MISSING, Difference
from pytest_vindex3.contract.outcome import Answer, Misfit, Refused
from pytest_vindex3.contract.patterns import FieldName
from pytest_vindex3.formats import Line, dump
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.expect import Answers, Refuses
from pytest_vindex3.plugin.twins import Shown, place_of, shown

MOST_LINES = 5
WIDTH = 98
_MOST_OF_A_LINE = 3
_LOOKED_AT = 2000
_DEFECT = re.compile(r"(\w+)\[(\d+)\]")


def excerpt(failure: Failure, folder: Path) -> list[str]:
    """A few annotated lines of the input that the failing request was about; none where it has no file.

    The line that matters comes first, unless it is the last one; a long line goes on below its comment. Of a
    folder, the file that is shown is named in front.
    """
    named = failure.reply.arguments.get("path")
    if not isinstance(named, str):
        return []
    try:
        seen = shown(Path(named), folder, list(_facts(failure).values()), _keys(failure))
        if seen is None:
            return []
        chosen = _chosen(failure, seen)
    except OSError:
        return []
    width = max(4, len(str(chosen[-1].offset))) if chosen else 0
    heading = [[f"{seen.name}:"]] if seen.name and chosen else []
    told = heading + [_wrapped(line.text(width)) for line in chosen]
    return [
        part for at, parts in enumerate(told) for part in parts if sum(map(len, told[: at + 1])) <= MOST_LINES
    ]


def _chosen(failure: Failure, seen: Shown) -> Sequence[Line]:
    """The lines from the one that the failure is about; where nothing says it, those that no twin has.

    Without a twin they are those from the key on that a fact names, or the first ones.
    """
    lines = _lines(seen.path)
    place = _place(failure, lines)
    if place is not None:
        first = max(0, min(place, len(lines) - 2))
        return lines[first : first + MOST_LINES]
    same = {_content(line) for line in _lines(seen.twin)} if seen.twin else set()
    changed = [line for line in lines if _content(line) not in same]
    if changed and same:
        return changed[:MOST_LINES]
    at = place_of(seen.path, _keys(failure)) or 0
    begun = sum(line.offset <= at for line in lines)
    return lines[max(0, begun - 1) :][:MOST_LINES]


def _lines(path: Path) -> list[Line]:
    return list(islice(dump(path, everything=False), _LOOKED_AT))


def _content(line: Line) -> tuple[object, ...]:
    return line.comment, line.data, line.marks


def _facts(failure: Failure) -> Mapping[str, object]:
    """The facts that were wanted, else those that were given."""
    wanted, outcome = failure.expectation, failure.reply.outcome
    names = wanted.names if isinstance(wanted, Refuses) else getattr(outcome, "names", None)
    return names if isinstance(names, Mapping) else {}


def _keys(failure: Failure) -> list[bytes]:
    """The last key of the fact `field`, in the quotes that a document has it in."""
    told = _facts(failure).get("field")
    names = told.names if isinstance(told, FieldName) else [told] if isinstance(told, str) else []
    keys = (name.rpartition(".")[2].partition("[")[0] for name in names)
    return [f'"{key}"'.encode() for key in keys if key]


def _place(failure: Failure, lines: Sequence[Line]) -> int | None:
    """The line that the failure is about; None where nothing says it."""
    difference, outcome, wanted = failure.difference, failure.reply.outcome, failure.expectation
    if isinstance(wanted, Refuses):
        return _marked(lines, wanted.kinds, wanted.names)
    if isinstance(outcome, Refused):
        return _marked(lines, (outcome.kind,), outcome.names)
    return _told(failure, difference, lines) if difference else None


def _told(failure: Failure, difference: Difference, lines: Sequence[Line]) -> int | None:
    """The line of the place in the answer that differs."""
    outcome = failure.reply.outcome
    item = difference.found if difference.expected is MISSING else difference.expected
    if isinstance(item, Mapping) and {"where", "field"} <= item.keys():
        return _of_path(lines, f"{item['where']}.{item['field']}", {})
    defect = item if isinstance(item, Mapping) else _listed(outcome, difference.path)
    if {"kind", "names"} <= defect.keys():
        return _marked(lines, (str(defect["kind"]),), defect["names"])
    path = outcome.where if isinstance(outcome, Misfit) else difference.path
    expected = failure.expectation.keys if isinstance(failure.expectation, Answers) else {}
    return _of_path(lines, path, {**failure.reply.arguments, **expected})


def _listed(outcome: object, path: str) -> Mapping[str, object]:
    """The item of a list in the answer that a path leads through; nothing where there is none."""
    step = _DEFECT.match(path)
    value = outcome.value if isinstance(outcome, Answer) else None
    items = value.get(step[1]) if step and isinstance(value, Mapping) else None
    item = items[int(step[2])] if step and isinstance(items, list) and int(step[2]) < len(items) else None
    return item if isinstance(item, Mapping) else {}


def _of_path(lines: Sequence[Line], path: str, about: Mapping[str, object]) -> int | None:
    """The line that is told of at this path, else below it, else at the nearest place around it."""
    nearest, depth = None, 0
    for at, line in enumerate(lines):
        for told in line.paths if _fits(line, about) else ():
            if told == path:
                return at
            if nearest is None and told.startswith((f"{path}.", f"{path}[")):
                nearest, depth = at, len(path)
            if path.startswith((f"{told}.", f"{told}[")) and len(told) > depth:
                nearest, depth = at, len(told)
    return nearest


def _marked(lines: Sequence[Line], kinds: Sequence[str], names: object) -> int | None:
    """The first line that has a mark of one of these kinds and belongs to what the facts name, else any."""
    marked = [
        at for at, line in enumerate(lines) if any(mark.partition(":")[0] in kinds for mark in line.marks)
    ]
    facts = names if isinstance(names, Mapping) else {}
    fitting = (at for at in marked if _fits(lines[at], facts))
    return next(fitting, marked[0] if marked else None)


def _fits(line: Line, about: Mapping[str, object]) -> bool:
    """Whether the line belongs to what these coordinates name, as far as they name it."""
    return all(about.get(name) in (None, value) for name, value in line.about.items())


def _wrapped(text: str) -> list[str]:
    """A line of a dump, gone on with below its comment where it is long."""
    plain = text.encode("ascii", "backslashreplace").decode("ascii").rstrip()
    column = max(0, plain.find("; "))
    parts = textwrap.wrap(plain, WIDTH, subsequent_indent=" " * column + ";   ") or [plain]
    if len(parts) > _MOST_OF_A_LINE:
        parts = [*parts[: _MOST_OF_A_LINE - 1], parts[_MOST_OF_A_LINE - 1][: WIDTH - 4] + " ..."]
    return parts
