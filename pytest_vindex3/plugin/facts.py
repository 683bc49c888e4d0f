"""The facts of a failure as plain data: what a page shows and the report holds.

Paths in them are relative to the test's own folder, so that the same failure has the same facts on
every machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.contract.outcome import Fault, Misfit, Refused
from pytest_vindex3.law.registry import kinds
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.report.page import INPUT
from pytest_vindex3.report.shown import cut, shown

_INDEX = re.compile(r"\[\d+\]")
_ADDRESS = re.compile(r"at 0x[0-9a-f]+>")
_NUMBER = re.compile(r"\d+")
_STDERR_LINES = 2
_DETAIL_LINES = 4
_MOST_BYTES = 64
_MOST_TEXT = 2000
_WORDS = ("refused as ", "an answer", "at most ")


def facts(failure: Failure, folder: Path) -> dict[str, Any]:
    """What a failure found, as JSON types."""
    reply = failure.reply
    here = f"{folder}/"
    data: dict[str, Any] = {
        "clause": failure.clause.id,
        "level": failure.clause.level,
        "claim": failure.clause.text,
        "verb": reply.verb,
        "arguments": {name: _argument(value, folder) for name, value in reply.arguments.items()},
        "difference": None,
        "fault": None,
        "refused": reply.outcome.kind if isinstance(reply.outcome, Refused) else "",
        "said": _said(failure).replace(here, ""),
        "blame": _blame(failure),
    }
    if failure.fault:
        data["fault"] = {"what": failure.fault.what, "detail": _detail(failure.fault, here)}
        headline = _NUMBER.sub("#", (data["fault"]["detail"] or [""])[0])
        data["cause"] = f"{failure.fault.what}: {headline}"
    elif failure.difference:
        place = failure.difference
        data["difference"] = {
            "path": place.path,
            "expected": _side(place.expected, here),
            "found": _side(place.found, here),
        }
        data["cause"] = f"{failure.clause.id} at {_INDEX.sub('[]', place.path) or 'the outcome'}"
        if place.path in ("", "refused"):
            data["cause"] += f": {data['difference']['expected']}, {data['difference']['found']}"
    return data


def stderr(failure: Failure) -> list[str]:
    """The last lines that the implementation printed."""
    return [cut(line) for line in failure.reply.stderr.splitlines()[-_STDERR_LINES:]]


def _detail(fault: Fault, here: str) -> list[str]:
    text = _ADDRESS.sub("at 0x...>", fault.detail.replace(here, ""))
    return [cut(line) for line in text.splitlines() if line.strip()][:_DETAIL_LINES]


def _side(value: object, here: str) -> str:
    if value is MISSING:
        return "nothing"
    text = value if isinstance(value, str) and value.startswith(_WORDS) else shown(value)
    return cut(text.replace(here, ""))


def _argument(value: object, folder: Path) -> object:
    """An argument as `vindex3 call` reads it; the path of an input as `{"input": its name}`."""
    if isinstance(value, str):
        below = Path(value).is_relative_to(folder)
        return {INPUT: Path(value).relative_to(folder).as_posix()} if below else value
    if isinstance(value, bytes):
        return value.hex() if len(value) <= _MOST_BYTES else shown(value)
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        return shown(value)
    return value if len(text) <= _MOST_TEXT else shown(value)


def _said(failure: Failure) -> str:
    outcome = failure.reply.outcome
    if not isinstance(outcome, Refused):
        return ""
    names = _names(outcome.names)
    message = f": {outcome.message}" if outcome.message else ""
    return cut(f"refused as {outcome.kind}{names}{message}")


def _names(names: Mapping[str, object]) -> str:
    return (
        " (" + ", ".join(f"{key}={shown(value, 60)}" for key, value in names.items()) + ")" if names else ""
    )


def _blame(failure: Failure) -> str:
    """Whose fault it may be."""
    fault, outcome = failure.fault, failure.reply.outcome
    if fault and fault.what in ("hang", "memory"):
        return "the implementation; or a slow or small machine (--vindex3-time-scale)"
    if fault and fault.what in ("garbage", "over-claim"):
        return "the adapter: what it says does not follow the contract"
    if fault:
        return "the implementation, or its adapter"
    if isinstance(outcome, Misfit):
        return "the adapter: an answer of another type than the contract's"
    if isinstance(outcome, Refused) and outcome.kind not in kinds():
        return "the adapter: a kind that the law does not have"
    return "the implementation; or the suite, if it misreads the clause"
