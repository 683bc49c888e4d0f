"""The published JSON Schema of a verb, with bytes and arrays in the form they have on the pipe."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

import msgspec

from pytest_vindex3.contract.slots import Blob, Document, FloatArray
from pytest_vindex3.contract.verb import Verb

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_BYTES = {
    "description": "Bytes: base64 up to 64 KiB, above that a file in the scratch directory.",
    "oneOf": [
        {
            "type": "object",
            "properties": {"base64": {"type": "string", "contentEncoding": "base64"}},
            "required": ["base64"],
        },
        {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]},
    ],
}
_ARRAY = {
    "description": "An array of floats, row-major, little-endian.",
    "type": "object",
    "properties": {
        "dtype": {"enum": ["float16", "float32", "float64"]},
        "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        "data": _BYTES,
    },
    "required": ["dtype", "shape", "data"],
}
_DOCUMENT = {"description": "Any JSON value."}
_NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}


def json_schema(verb: Verb) -> dict[str, Any]:
    """The schema of one exchange: the keys `arguments` and `answer` of the two messages on the pipe.

    Further keys are allowed in an answer, at every level, and an integer has no upper bound.
    """
    fields: dict[str, Any] = {
        name: kind if name in verb.required else NotRequired[kind] for name, kind in verb.arguments.items()
    }
    request = TypedDict("Arguments", fields)  # type: ignore[misc]  # made of the verb's own types
    (asked, answered), definitions = msgspec.json.schema_components(
        (request, verb.answer), schema_hook=_wire_form, ref_template="#/$defs/{name}"
    )
    for name in verb.options:
        definitions["Arguments"]["properties"][name]["$comment"] = "sent only where it is declared"
    return {
        "$schema": DIALECT,
        "title": verb.name,
        "description": verb.summary,
        "type": "object",
        "properties": {"arguments": asked, "answer": answered},
        "$defs": _numbers(definitions),
    }


def _wire_form(slot: type) -> dict[str, Any]:
    forms: dict[Any, dict[str, Any]] = {Blob: _BYTES, FloatArray: _ARRAY, Document: _DOCUMENT}
    if slot not in forms:
        raise NotImplementedError(f"{slot.__name__} has no form on the pipe")
    return forms[slot]


def _numbers(schema: Any) -> Any:
    """Every slot for real numbers also takes the spellings of what JSON cannot write."""
    if isinstance(schema, list):
        return [_numbers(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "number":
        return {key: value for key, value in schema.items() if key != "type"} | _NUMBER
    return {key: _numbers(value) for key, value in schema.items()}
