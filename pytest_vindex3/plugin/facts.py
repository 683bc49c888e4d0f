"""The facts of a failure as plain data: what a page shows and the report holds.

Paths in them are relative to the test's own folder, so that the same failure has the same facts on
every machine.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from pytest_vindex3.contract import fresh
from pytest_vindex3.contract.outcome import Fault, Refused
from pytest_vindex3.plugin.blame import blame
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.compared import LONGEST_SIDE, compare
from pytest_vindex3.report.page import DOCUMENT, INPUT
from pytest_vindex3.report.shown import cut, shown

_INDEX = re.compile(r"\[\d+\]")
_ADDRESS = re.compile(r"at 0x[0-9a-f]+>")
_EXCERPT = re.compile(r": ['\"].*", re.DOTALL)
"""What was said on the pipe, quoted in a fault: it differs from test to test where the cause is one."""
_QUOTING = ("garbage", "hang", "crash")
_NUMBER = re.compile(r"\d+")
_STDERR_LINES = 2
_DETAIL_LINES = 4
_MOST_BYTES = 64
_MOST_TEXT = 200
_MOST_PLACES = 20
_LONGEST_PATH = 5000
_MOST_DOCUMENT = 120
_MOST_BESIDE = 1 << 20


def facts(failure: Failure, folder: Path) -> dict[str, Any]:
    """What a failure found, as JSON types.

    `cause` is for people; failures of one `group` have one cause, whatever numbers occur in it.
    """
    reply = failure.reply
    here = f"{folder}/"
    data: dict[str, Any] = {
        "clause": failure.clause.id,
        "level": failure.clause.level,
        "claim": failure.clause.text,
        "verb": reply.verb,
        "arguments": {name: _argument(name, value, folder) for name, value in reply.arguments.items()},
        "difference": None,
        "fault": None,
        "refused": cut(reply.outcome.kind) if isinstance(reply.outcome, Refused) else "",
        "said": _said(failure).replace(here, ""),
        "blame": blame(failure),
    }
    if failure.fault:
        detail = _detail(failure.fault, here)
        data["fault"] = {"what": failure.fault.what, "detail": detail}
        data["cause"] = f"{failure.fault.what}: {detail[0]}" if detail else failure.fault.what
        quoting = failure.fault.what in _QUOTING
        data["group"] = _NUMBER.sub("#", _EXCERPT.sub("", data["cause"]) if quoting else data["cause"])
    elif failure.difference:
        compared = compare(failure)
        data["difference"] = {
            "path": cut(failure.difference.path, _LONGEST_PATH),
            "expected": cut(compared.expected.replace(here, ""), LONGEST_SIDE),
            "found": cut(compared.found.replace(here, ""), LONGEST_SIDE),
        }
        data["places"] = [cut(place) for place in compared.places[:_MOST_PLACES]]
        place = cut(", ".join(data["places"])) or "the outcome"
        outcomes = compared.outcomes.replace(here, "")
        data["cause"] = ": ".join(filter(None, (f"{failure.clause.id} at {place}", outcomes)))
        data["group"] = _INDEX.sub("[]", data["cause"])
    return data


def stderr(failure: Failure) -> list[str]:
    """The last lines that the implementation printed."""
    return [cut(line) for line in failure.reply.stderr.splitlines()[-_STDERR_LINES:]]


def _detail(fault: Fault, here: str) -> list[str]:
    text = _ADDRESS.sub("at 0x...>", fault.detail.replace(here, ""))
    return [cut(line) for line in text.splitlines() if line.strip()][:_DETAIL_LINES]


def _argument(name: str, value: object, folder: Path) -> object:
    """An argument as `vindex3 call` reads it; the path of an input as `{"input": its name}`, at any depth.

    Bytes and documents that are too long for a line are written beside the inputs, and named as
    `{"document": its name}`; an array has the form that it has on the pipe.
    """
    if isinstance(value, bytes):
        return value.hex() if len(value) <= _MOST_BYTES else _beside(f"argument_{name}.bin", value, folder)
    try:
        named = _named(value, folder)
        text = json.dumps(named)
    except (TypeError, ValueError):
        return shown(value)
    inline = isinstance(value, str) or f'"{INPUT}"' in text
    if len(text) <= (_MOST_TEXT if inline else _MOST_DOCUMENT):
        return named
    return shown(value) if inline else _beside(f"argument_{name}.json", text.encode("ascii"), folder)


def _beside(name: str, data: bytes, folder: Path) -> object:
    """The bytes in a file beside the inputs; shown where they are too many to be kept."""
    if len(data) > _MOST_BESIDE:
        return shown(data)
    fresh.folder(folder)
    fresh.write(folder / name, data)
    return {DOCUMENT: name}


def _named(value: object, folder: Path) -> object:
    """The value with the name of an input wherever its path stands, and its bytes in base64."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, str):
        below = Path(value).is_relative_to(folder)
        return {INPUT: Path(value).relative_to(folder).as_posix()} if below else value
    if isinstance(value, list):
        return [_named(item, folder) for item in value]
    if hasattr(value, "dtype"):
        array: Any = value
        stored = array.astype(array.dtype.newbyteorder("<"), copy=False)
        data = _named(stored.tobytes(), folder)
        return {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}
    return {key: _named(item, folder) for key, item in value.items()} if isinstance(value, dict) else value


def _said(failure: Failure) -> str:
    outcome = failure.reply.outcome
    return cut(outcome.message) if isinstance(outcome, Refused) else ""
