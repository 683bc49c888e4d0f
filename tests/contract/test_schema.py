"""The published JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NotRequired, Protocol, TypedDict

import pytest

from pytest_vindex3.contract.schema import DIALECT, json_schema
from pytest_vindex3.contract.slots import Blob, Document, FloatArray
from pytest_vindex3.contract.verb import define, verbs

TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
KEYWORDS = {
    "$comment",
    "$defs",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "contentEncoding",
    "description",
    "enum",
    "items",
    "minimum",
    "oneOf",
    "properties",
    "required",
    "title",
    "type",
}


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all below it."""
    yield schema
    for key in ("properties", "$defs"):
        for below in schema.get(key, {}).values():
            yield from schemas_in(below)
    for key in ("anyOf", "oneOf"):
        for below in schema.get(key, []):
            yield from schemas_in(below)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from schemas_in(schema[key])


@pytest.mark.parametrize("name", verbs())
def test_schemas_are_schemas(name: str) -> None:
    """Every keyword is one of the dialect with a value of its type, and every reference has its target."""
    whole = json_schema(verbs()[name])
    assert whole["$schema"] == DIALECT
    assert set(whole["properties"]) == {"arguments", "answer"}
    for schema in schemas_in(whole):
        assert set(schema) <= KEYWORDS
        assert schema.get("type", "object") in TYPES
        assert set(schema.get("required", [])) <= set(schema.get("properties", {}))
        if "$ref" in schema:
            assert schema["$ref"].removeprefix("#/$defs/") in whole["$defs"]


class Shown(TypedDict):
    """One slot of every sort that JSON has no word for."""

    blob: NotRequired[Blob | None]
    floats: FloatArray
    real: float
    document: Document


class ToyShow(Protocol):
    """Show something."""

    def __call__(self, *, path: str, data: Blob, guard: bool = False) -> Shown:
        """Answer."""
        ...


def test_slots_have_the_form_of_the_pipe() -> None:
    """Bytes, arrays and numbers that are not finite are described as they travel."""
    whole = json_schema(define("toy.show", ToyShow, options=("guard",)))
    answer, asked = whole["$defs"]["Shown"], whole["$defs"]["Arguments"]
    blob, null = answer["properties"]["blob"]["anyOf"]
    assert null == {"type": "null"}
    assert [set(form["properties"]) for form in blob["oneOf"]] == [{"base64"}, {"file"}]
    assert answer["properties"]["floats"]["required"] == ["dtype", "shape", "data"]
    assert answer["properties"]["real"]["anyOf"][1] == {"enum": ["NaN", "Infinity", "-Infinity"]}
    assert "type" not in answer["properties"]["document"]
    assert set(answer["required"]) == {"floats", "real", "document"}
    assert set(asked["required"]) == {"path", "data"}
    assert "declared" in asked["properties"]["guard"]["$comment"]


def test_integers_have_no_bound_and_answers_no_closed_keys() -> None:
    """Integers may have any size, and further keys are allowed at every level."""
    for schema in schemas_in(json_schema(verbs()["lyrw.parse"])):
        assert not {"maximum", "additionalProperties"} & set(schema)
