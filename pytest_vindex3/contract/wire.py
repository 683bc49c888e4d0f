"""The form of requests and answers on the pipe: one JSON object a line.

Plain data travels as JSON. What JSON has no word for has a form of its own, which is read only in
slots of that type, so that a stored document may contain the same keys and stay as it is:

* bytes: `{"base64": text}` up to `INLINE` bytes, `{"file": name}` in the scratch folder above;
* an array of floats: `{"dtype", "shape", "data"}`, row-major, little-endian, `data` as bytes;
* a number that is not finite: "NaN", "Infinity" or "-Infinity" (finite ones keep all their bits).

Strings may hold lone surrogates (file names that are not UTF-8), written as JSON escapes.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import sys
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from pytest_vindex3.contract.scratch import Scratch, ScratchError
from pytest_vindex3.contract.slots import Blob, FloatArray

INLINE = 64 * 1024
"""Bytes that still travel inside the line."""

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_WIDTHS = {"float16": 2, "float32": 4, "float64": 8}
_BLOB = "bytes as {base64} or {file}"
_ARRAY = "an array as {dtype, shape, data}"


class Unfit(Exception):  # noqa: N818 -- a property of the value
    """A value that has not the form of its slot: where, what was expected and what was found."""

    def __init__(self, where: str, expected: str, found: str) -> None:
        super().__init__(f"{where}: expected {expected}, found {found}")
        self.where = where
        self.expected = expected
        self.found = found


def to_line(message: Mapping[str, object], scratch: Scratch) -> bytes:
    """The message as a line, long bytes put into `scratch`.

    Raises:
        ValueError, TypeError, RecursionError: the message holds something that is no plain data.
    """

    def other(value: object) -> object:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return _blob_form(value, scratch)
        if "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].ndarray):
            return _array_form(value, scratch)
        raise TypeError(f"{type(value).__name__} is no plain data")

    def dumped(value: object) -> str:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=other)

    try:
        text = dumped(message)
    except ValueError:
        text = dumped(_spelled(message))
    return text.encode("ascii") + b"\n"


def from_line(line: bytes) -> object:
    """The JSON value of a line; its slots are still in their wire form, see `resolved`.

    Raises:
        ValueError: the line is no JSON, nests too deep, names a key twice in an object, or holds a number
            beyond any bound.
    """
    try:
        return _DECODER.decode(line.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None


def resolved(annotation: Any, raw: object, scratch: Scratch, where: str = "") -> object:
    """`raw` with the slots that `annotation` types as bytes, arrays or real numbers in their Python form.

    Whatever else does not fit the type is left for `typed.py` to judge.

    Raises:
        Unfit: a slot of bytes or of an array whose form cannot be read.
    """
    if not _travels_in_form(annotation):
        return raw
    for option in _options(annotation):
        value = _resolved_as(option, raw, scratch, where)
        if value is not raw:
            return value
    return raw


def _resolved_as(option: Any, raw: object, scratch: Scratch, where: str) -> object:
    origin, inner = get_origin(option), get_args(option)
    if isinstance(raw, dict):
        if option is Blob and raw.keys() & {"base64", "file"}:
            return _blob(raw, scratch, where)
        if option is FloatArray and raw.keys() & {"dtype", "shape", "data"}:
            return _array(raw, scratch, where)
        if is_typeddict(option):
            hints = _hints(option)
            return {
                key: resolved(hints[key], value, scratch, _join(where, key)) if key in hints else value
                for key, value in raw.items()
            }
        if origin in {dict, Mapping}:
            return {key: resolved(inner[1], value, scratch, _join(where, key)) for key, value in raw.items()}
    elif isinstance(raw, list) and origin in {list, tuple}:
        items = inner if origin is tuple and inner[-1] is not Ellipsis else (inner[0],) * len(raw)
        pairs = zip(raw, (*items, *(Any,) * (len(raw) - len(items))), strict=False)
        return [resolved(item, value, scratch, f"{where}[{at}]") for at, (value, item) in enumerate(pairs)]
    elif option is float and isinstance(raw, str):
        return _NOT_FINITE.get(raw, raw)
    return raw


def _blob(form: Mapping[str, object], scratch: Scratch, where: str) -> bytes:
    if len(form) != 1:
        raise Unfit(where, _BLOB, f"an object with the keys {', '.join(sorted(form))}")
    [(key, text)] = form.items()
    if not isinstance(text, str):
        raise Unfit(_join(where, key), "a string", type(text).__name__)
    try:
        return base64.b64decode(text, validate=True) if key == "base64" else scratch.take(text)
    except binascii.Error as error:
        raise Unfit(_join(where, key), "base64 with padding", f"{text[:40]!r} ({error})") from None
    except ValueError:
        raise Unfit(_join(where, key), "base64 with padding", f"{text[:40]!r} (not ASCII)") from None
    except ScratchError as error:
        raise Unfit(_join(where, key), "the name of a file in scratch", f"{text[:80]!r}: {error}") from None


def _array(form: Mapping[str, object], scratch: Scratch, where: str) -> object:
    import numpy as np

    dtype, shape, data = (form.get(key) for key in ("dtype", "shape", "data"))
    if len(form) != 3:
        raise Unfit(where, _ARRAY, f"an object with the keys {', '.join(sorted(form))}")
    if not isinstance(dtype, str) or dtype not in _WIDTHS:
        raise Unfit(_join(where, "dtype"), f"one of {', '.join(_WIDTHS)}", repr(dtype)[:40])
    if not isinstance(shape, list) or not all(type(side) is int and side >= 0 for side in shape):
        raise Unfit(_join(where, "shape"), "a list of counts", repr(shape)[:40])
    content = resolved(Blob, data, scratch, _join(where, "data"))
    if not isinstance(content, bytes):
        raise Unfit(_join(where, "data"), _BLOB, type(data).__name__)
    try:
        values: object = (
            np.frombuffer(content, np.dtype(dtype).newbyteorder("<")).reshape(shape).astype(dtype)
        )
    except (ValueError, OverflowError):  # what numpy cannot hold is no better than what does not fit
        raise Unfit(where, f"{dtype} of shape {repr(shape)[:80]}", f"{len(content)} bytes of data") from None
    return values


def _blob_form(value: bytes | bytearray | memoryview, scratch: Scratch) -> dict[str, str]:
    if memoryview(value).nbytes > INLINE:
        return {"file": scratch.put(value)}
    return {"base64": base64.b64encode(value).decode("ascii")}


def _array_form(value: Any, scratch: Scratch) -> dict[str, object]:
    if value.dtype.name not in _WIDTHS:
        raise TypeError(f"an array of {value.dtype} has no form on the pipe")
    content = value.astype(value.dtype.newbyteorder("<"), order="C", copy=False).tobytes()
    return {
        "dtype": value.dtype.name,
        "shape": list(value.shape),
        "data": _blob_form(content, scratch),
    }


def _spelled(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spelled(item) for item in value]
    return value


def _options(annotation: Any) -> tuple[Any, ...]:
    """The members of a union that may stand on the wire in a form, bytes and arrays first."""
    if get_origin(annotation) is Annotated:
        return _options(get_args(annotation)[0])
    if get_origin(annotation) not in {Union, UnionType}:
        return (annotation,)
    members = get_args(annotation)
    kept = [
        member for member in members if member is not NoneType and (member is not float or str not in members)
    ]
    return tuple(sorted(kept, key=lambda member: member not in {Blob, FloatArray}))


@cache
def _travels_in_form(annotation: Any) -> bool:
    """Whether a value of this type can hold bytes, an array or a real number."""
    return _search(annotation, frozenset())


def _search(annotation: Any, above: frozenset[Any]) -> bool:
    for option in _options(annotation):
        if option in {Blob, FloatArray, float}:
            return True
        if option in above:
            continue
        inner = tuple(_hints(option).values()) if is_typeddict(option) else get_args(option)
        if any(_search(part, above | {option}) for part in inner if part is not Ellipsis):
            return True
    return False


@cache
def _hints(definition: Any) -> Mapping[str, Any]:
    return get_type_hints(definition)


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is beyond every binary64 number")
    return value


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _single(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    for key, _ in pairs:
        if key not in found:
            raise ValueError(f"the key {key[:40]!r} occurs twice")
        del found[key]
    return found


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_single)
