"""Arguments from the command line, and answers for a person or a programme to read."""

from __future__ import annotations

import base64
import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pytest_vindex3.contract.scratch import Scratch
from pytest_vindex3.contract.slots import Blob
from pytest_vindex3.contract.texts import visible
from pytest_vindex3.contract.verb import Verb
from pytest_vindex3.contract.wire import Unfit, resolved
from pytest_vindex3.contract.words import slot_words

_INTEGER = re.compile(r"[+-]?(\d+|0[xX][0-9a-fA-F]+)")
_SHOWN_BYTES = 24
_SHOWN_NUMBERS = 6
_NO_SCRATCH = Scratch(Path(os.devnull), "")
"""Bytes inside a document stand there in base64: no file is shared with a command line."""


def parsed(verb: Verb, text: str) -> tuple[str, object]:
    """One `key=value` of the command line, the value read by the verb's type for that key.

    Raises:
        ValueError: there is no `=`, no such key, or the value is not of its type.
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is no key=value")
    if key not in verb.arguments:
        raise ValueError(f"{verb.name} takes no argument {key!r}; it takes {', '.join(verb.arguments)}")
    try:
        return key, _value(verb.arguments[key], value)
    except (ValueError, OSError) as error:
        wanted = slot_words(verb.arguments[key], "")
        raise ValueError(f"{key} of {verb.name} takes {wanted}, not {value!r}: {error}") from None


def _value(annotation: Any, text: str) -> object:
    types = _types(annotation)
    if NoneType in types and text == "null":
        return None
    if int in types and _INTEGER.fullmatch(text):
        return int(text, 16 if "x" in text.lower() else 10)
    if str in types and not (text.startswith("[") and any(get_origin(one) is list for one in types)):
        return text
    if Blob in types:
        return Path(text.removeprefix("@")).read_bytes() if text.startswith("@") else bytes.fromhex(text)
    if int in types:
        raise ValueError("no integer in decimal or 0x...")
    document = json.loads(Path(text.removeprefix("@")).read_text("utf-8") if text.startswith("@") else text)
    try:
        return resolved(annotation, document, _NO_SCRATCH)
    except Unfit as error:
        raise ValueError(str(error)) from None


def _types(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)


def for_people(value: object) -> str:
    """Plain data as indented JSON, without control characters; bytes and arrays by their beginning."""
    text = json.dumps(_spelled(value, _shortened), indent=2, ensure_ascii=False)
    return "\n".join(map(visible, text.split("\n")))


def for_programmes(value: object) -> str:
    """Plain data as one line of JSON; bytes whole, in base64, arrays and numbers as on the pipe."""
    return json.dumps(_spelled(value, _whole), separators=(",", ":"))


def _spelled(value: Any, leaf: Any) -> object:
    if isinstance(value, Mapping):
        return {key: _spelled(item, leaf) for key, item in value.items()}
    if isinstance(value, list):
        return [_spelled(item, leaf) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return leaf(value) if isinstance(value, bytes) or hasattr(value, "dtype") else value


def _shortened(value: Any) -> str:
    if isinstance(value, bytes):
        more = " ..." if len(value) > _SHOWN_BYTES else ""
        return f"<{len(value)} bytes: {value[:_SHOWN_BYTES].hex(' ').upper()}{more}>"
    more = " ..." if value.size > _SHOWN_NUMBERS else ""
    numbers = " ".join(map(str, value.ravel()[:_SHOWN_NUMBERS].tolist()))
    return f"<{value.dtype} {list(value.shape)}: {numbers}{more}>"


def _whole(value: Any) -> dict[str, object]:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    stored = value.astype(value.dtype.newbyteorder("<"), copy=False)
    return {"dtype": value.dtype.name, "shape": list(value.shape), "data": _whole(stored.tobytes())}
