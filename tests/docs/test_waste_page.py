"""The tables of docs/waste.md say what the law, the contract and the records say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_vindex3.bench.row import Place, rows
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.formats import waste_bank, waste_codebooks, waste_usage
from pytest_vindex3.law.registry import Clause, clauses, kinds
from tests.docs.page import Refusals, refusals_of, refusals_on, table
from vindex3_reference.kernels import native
from vindex3_suites.waste.kernels import ISAS

PAGE = Path(__file__).parents[2] / "docs/waste.md"
RECORDS = {
    "record": waste_bank.HEADER,
    "book": waste_codebooks.HEADER,
    "usage header": waste_usage.HEADER,
    "usage entry": waste_usage.ENTRY,
}
WORD = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)*\b")


def of_the_family(verb: str) -> bool:
    """Whether the page is about a verb."""
    return verb.partition(".")[0] in ("waste", "usage", "kernel")


def test_the_records_are_those_that_dumps_show() -> None:
    """Every field of every record stands there with its offset and length, in their order."""
    lengths = {"4 bytes": 4, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "2 x u32": 8}
    rows = table(PAGE, "| record | at | type | field |")
    page = [(row[0], int(row[1]), lengths[row[2]], row[3].partition(":")[0]) for row in rows]
    expected = []
    for name, fields in RECORDS.items():
        at = 0
        for field in fields:
            expected.append((name, at, field.length, field.name))
            at += field.length
    assert page == expected


@pytest.mark.parametrize("name", RECORDS)
def test_each_record_begins_with_its_magic(name: str) -> None:
    """Where a record begins with a magic, the page has its bytes."""
    magics = {"record": waste_bank.MAGIC, "book": waste_codebooks.MAGIC, "usage header": waste_usage.MAGIC}
    [first, *_] = [row for row in table(PAGE, "| record | at | type | field |") if row[0] == name]
    assert (first[3] == f"magic: `{magics[name].hex(' ').upper()}`") if name in magics else first[2] == "u16"


def law_of_kinds() -> Refusals:
    """Of each kind that the clauses name the strictest level, and the facts, advised in brackets."""
    named: dict[str, list[Clause]] = {}
    for clause in clauses().values():
        if of_the_family(clause.verb) and clause.verdict in ("refuse", "report"):
            for kind in set(WORD.findall(clause.text)) & kinds().keys():
                named.setdefault(kind, []).append(clause)
    return refusals_of(named)


def test_the_refusals_are_those_of_the_law() -> None:
    """Every kind that a clause of the family refuses or reports as is there with its level and facts."""
    assert refusals_on(PAGE) == law_of_kinds()


def test_the_verbs_are_those_of_the_contract() -> None:
    """Every verb is there: its arguments, behind a semicolon those with a default, its options."""
    page: dict[str, tuple[list[str], list[str], set[str]]] = {}
    for name, asked, _, options in table(PAGE, "| verb | is asked with | answers | options |"):
        required, _, free = asked.partition("; ")
        arguments = _words(required)
        if arguments[0] == "the same":
            arguments[:1] = page["kernel.vq_decode"][0]
        page[name.strip("`")] = (arguments, _words(free), set(_words(options)))
    expected = {}
    for verb, definition in verbs().items():
        if of_the_family(verb):
            always = [name for name in definition.arguments if name in definition.required]
            others = [
                name for name in definition.arguments if name not in definition.required | definition.options
            ]
            expected[verb] = (always, others, set(definition.options))
    assert page == expected


def _words(text: str) -> list[str]:
    return [word for word in text.split(", ") if word]


def test_every_option_and_variant_is_explained() -> None:
    """The options of the family's verbs are those of the table, and the variants those of the suites."""
    rows = {row[0]: row[1] for row in table(PAGE, "| option | means |")}
    options = {option for name, verb in verbs().items() if of_the_family(name) for option in verb.options}
    assert rows.keys() == options
    assert rows["isa"] == f"a variant by name: {', '.join(ISAS)}"


@pytest.mark.skipif(not native.built, reason="without compiled kernels there is little to time")
def test_every_pattern_of_the_bench_has_rows(tmp_path: Path) -> None:
    """The page names patterns that choose rows of the bench."""
    with Place(tmp_path) as place:
        texts = [row.what for row in rows(place)]
    patterns = [row[0] for row in table(PAGE, "| pattern | what is timed | against |")]
    assert [one for one in patterns if not any(one in text for text in texts)] == []
