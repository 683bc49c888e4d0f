"""The tables of docs/lyrw.md say what the law, the records and the vocabularies say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pytest_vindex3.command.schema import told_of_fields
from pytest_vindex3.contract.families.lyrw import Bank, Schema, Unknown
from pytest_vindex3.law.registry import Clause, clauses, kinds
from tests.docs.page import Refusals, refusals_of, refusals_on, table
from vindex3_fixtures.lyrw import vocabulary
from vindex3_reference.lyrw import wire

PAGE = Path(__file__).parents[2] / "docs/lyrw.md"
RECORDS = {
    "header": wire.HEADER,
    "bank": wire.BANK,
    "segment": wire.SEGMENT,
    "schema": wire.SCHEMA,
    "row": wire.ROW,
}
WORDS = {
    "role": vocabulary.ROLES,
    "format": vocabulary.FORMATS,
    "packing": vocabulary.PACKINGS,
    "layout": vocabulary.LAYOUTS,
    "kind": vocabulary.KINDS,
    "browse": vocabulary.BROWSE,
}
VERBS = ("lyrw.parse", "lyrw.region", "lyrw.partner")
KIND = re.compile(r"`([a-z0-9-]+)`")


def test_the_records_are_those_of_the_format() -> None:
    """Every field of every record stands there with its offset and type, and each record with its size."""
    types = {
        np.dtype("<u2"): "u16",
        np.dtype("<u4"): "u32",
        np.dtype("<u8"): "u64",
        np.dtype("V4"): "4 bytes",
    }
    expected = [
        [name, str(offset), types[kind], field]
        for name, record in RECORDS.items()
        for field, (kind, offset, *_) in (record.fields or {}).items()
    ]
    rows = [[*row[:3], row[3].partition(":")[0]] for row in table(PAGE, "| record | at | type | field |")]
    assert rows == expected
    sizes = {row[0]: int(row[1]) for row in table(PAGE, "| record | size | how many |")}
    assert sizes == {name: record.itemsize for name, record in RECORDS.items()}


@pytest.mark.parametrize("name", WORDS)
def test_the_vocabularies_are_those_of_the_format(name: str) -> None:
    """Every number with a word has that word in its column, and no other number has one."""
    titles = ["number", *WORDS]
    rows = table(PAGE, f"| {' | '.join(titles)} |")
    column = titles.index(name)
    assert {int(row[0]): row[column] for row in rows if row[column]} == dict(WORDS[name])


def law_of_kinds() -> Refusals:
    """Of each kind that clauses of the verbs name the strictest level, and the facts, advised in brackets."""
    named: dict[str, list[Clause]] = {}
    for clause in clauses().values():
        if clause.verb in VERBS:
            for kind in filter(kinds().__contains__, KIND.findall(clause.text)):
                named.setdefault(kind, []).append(clause)
    return refusals_of(named)


def test_the_refusals_are_those_of_the_law() -> None:
    """Every kind that a clause of the three verbs names is there with its level and the keys of its facts."""
    assert refusals_on(PAGE) == law_of_kinds()


def test_the_fields_of_unknown_are_those_of_the_schema() -> None:
    """The page and `vindex3 schema` name the same fields of `unknown`."""
    fields = {field for row in table(PAGE, "| where | field | value |") for field in row[1].split(", ")}
    assert fields == set(told_of_fields(Unknown)["field"].split(", "))


def test_the_schema_shows_the_words_of_the_vocabularies() -> None:
    """`vindex3 schema` lists beside a field the words that it takes, in the order of their numbers."""
    told = told_of_fields(Schema) | told_of_fields(Bank)
    shown = {name: told[name].split(", ") for name in WORDS}
    assert shown == {name: list(dict.fromkeys(words.values())) for name, words in WORDS.items()}
