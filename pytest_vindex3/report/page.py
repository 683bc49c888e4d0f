"""The page of a failure: at most 15 lines, for a person who has never seen the suite."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pytest_vindex3.report.row import Row
from pytest_vindex3.report.shown import cut

MOST_LINES = 15
WIDTH = 110
INPUT = "input"
"""In the arguments of a row's failure, an input of the test is named as `{"input": name}`."""
FUZZED = "fuzz"
"""What stands for the clause of a finding of fuzzing, which the call alone shows again."""
DOCUMENT = "document"
"""An argument that was too long for a line lies among the inputs, named as `{"document": name}`."""
_INDENT = 12
_MOST_CLAIM = 3


def page(row: Row, spec: str, more: str = "") -> list[str]:
    """The page of a red row: clause and claim, difference, bytes, blame, and lines to replay it.

    Args:
        row: with its failure.
        spec: the implementation as it was named, for the replay lines.
        more: what else has the same cause.
    """
    data = row.failure or {}
    title = f"{row.verdict.upper()} {data['clause']} ({data['level']})  {row.id}"
    found = _found(data, row.stderr)
    if row.reason:
        found.append(_line("listed", cut(row.reason)))
    last = [_line("may be", data["blame"]), *_replay(row, data, spec)]
    if more:
        last.append(_line("also", more))
    shown = data.get("bytes", [])
    room = MOST_LINES - 1 - len(found) - len(last)
    claim = _wrapped("claim", data["claim"], min(_MOST_CLAIM, max(2, room - len(shown))))
    excerpt = _whole(shown, max(0, room - len(claim)))
    lines = [_line("" if index else "bytes", text) for index, text in enumerate(excerpt)]
    return [title, *claim, *found, *lines, *last]


def _found(data: Mapping[str, Any], stderr: Sequence[str]) -> list[str]:
    fault, difference = data["fault"], data["difference"]
    if fault:
        detail = fault["detail"]
        lines = [
            _line(fault["what"] if index == 0 else "", text)
            for index, text in enumerate(detail[:1] + detail[1:][-2:])
        ]
        return (lines or [_line("fault", fault["what"])]) + [_line("stderr", text) for text in stderr[-1:]]
    lines = [
        _line("differs", cut(", ".join(data["places"]) or "the outcome")),
        *_wrapped("expected", difference["expected"], 2),
        *_wrapped("found", difference["found"], 2),
    ]
    return lines + ([_line("said", data["said"])] if data["said"] else [])


def _whole(shown: Sequence[str], most: int) -> Sequence[str]:
    """As many lines as there is room for; none but the first ends before what goes on below it."""
    while 1 < most < len(shown) and re.match(r" +;", shown[most]):
        most -= 1
    return shown[:most]


def _replay(row: Row, data: Mapping[str, Any], spec: str) -> list[str]:
    which = shlex.quote(row.node) if row.node else f"--vindex3-only={shlex.quote(row.id)}"
    again = f"pytest {shlex.quote(f'--vindex3-impl={spec}')} {which}"
    if not data["verb"]:
        return [_line("replay", again)]
    words = [f"{name}={_word(value, row.inputs)}" for name, value in data["arguments"].items()]
    call = " ".join(["vindex3 call", shlex.quote(spec), data["verb"], *map(shlex.quote, words)])
    return (
        [_line("replay", call)] if data["clause"] == FUZZED else [_line("replay", again), _line("or", call)]
    )


def _word(value: object, inputs: str) -> str:
    if isinstance(value, Mapping) and set(value) == {DOCUMENT}:
        return f"@{PurePath(inputs, str(value[DOCUMENT]))}"
    placed = _placed(value, inputs)
    return placed if isinstance(placed, str) else json.dumps(placed)


def _placed(value: object, inputs: str) -> object:
    """The value with the path of a kept input wherever one is named."""
    if isinstance(value, Mapping):
        if set(value) == {INPUT} and isinstance(value[INPUT], str):
            return str(PurePath(inputs, value[INPUT]))
        return {key: _placed(item, inputs) for key, item in value.items()}
    return [_placed(item, inputs) for item in value] if isinstance(value, list) else value


def _line(label: str, text: str) -> str:
    return f"  {label:<{_INDENT - 3}} {text}"


def _wrapped(label: str, text: str, most: int) -> list[str]:
    parts = textwrap.wrap(text, WIDTH - _INDENT)
    if len(parts) > most:
        parts = [*parts[: most - 1], parts[most - 1][: WIDTH - _INDENT - 4] + " ..."]
    return [_line(label if index == 0 else "", part) for index, part in enumerate(parts)]
