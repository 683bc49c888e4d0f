"""The schema of a graph: 6 and nothing else, judged before the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import Present, field
from vindex3_fixtures.container import tiny
from vindex3_fixtures.graph import edge, example, graph, minimal
from vindex3_fixtures.json_text import changed, removed
from vindex3_suites.graph.asking import NAME, load, load_stored
from vindex3_suites.graph.expected import loads

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

OTHER_SCHEMAS = {
    "5": 5,
    "7": 7,
    "0": 0,
    "1": 1,
    "2": 2,
    "3": 3,
    "4": 4,
    "60": 60,
    "6_and_2_to_the_32": (1 << 32) + 6,
    "largest": (1 << 64) - 1,
}


@clause("GRAPH-SCHEMA-01")
@cases(OTHER_SCHEMAS)
def test_another_schema_is_unknown(ask: Ask, case: int) -> None:
    """A schema other than 6 is unknown-version, with what was found and what is supported."""
    legal = example()
    check("GRAPH-SCHEMA-01", load(ask, legal), loads(legal))
    expected = refuses("unknown-version", found=case, supported=Present())
    check("GRAPH-SCHEMA-01", load(ask, changed(legal, ("schema",), case)), expected)


@clause("GRAPH-SCHEMA-01")
@cases({"5": 5, "7": 7})
def test_another_schema_of_a_container_names_the_file(ask: Ask, case: int) -> None:
    """In a container the refusal names the graph's file, and the file is as it was."""
    legal = tiny().graph
    check("GRAPH-SCHEMA-01", load_stored(ask, legal), loads(legal))
    expected = refuses("unknown-version", path=NAME, found=case, supported=Present())
    check("GRAPH-SCHEMA-01", load_stored(ask, changed(legal, ("schema",), case), "wrong"), expected)


@clause("GRAPH-SCHEMA-02")
def test_a_schema_is_required(ask: Ask) -> None:
    """Without schema a graph is refused as missing-field, and in a container with the file's name."""
    for legal in (minimal(), example()):
        check("GRAPH-SCHEMA-02", load(ask, legal), loads(legal))
        wrong = load(ask, removed(legal, ("schema",)))
        check("GRAPH-SCHEMA-02", wrong, refuses("missing-field", field=field("schema")))
    wrong = load_stored(ask, removed(tiny().graph, ("schema",)))
    check("GRAPH-SCHEMA-02", wrong, refuses("missing-field", path=NAME, field=field("schema")))


@clause("GRAPH-SCHEMA-02")
@cases(capital="Schema", plural="schemas", version="version", graph_schema="graph_schema", empty="")
def test_a_key_alike_is_no_schema(ask: Ask, case: str) -> None:
    """A schema under another key is none."""
    legal = minimal()
    check("GRAPH-SCHEMA-02", load(ask, legal), loads(legal))
    wrong = {case: 6, **removed(legal, ("schema",))}
    check("GRAPH-SCHEMA-02", load(ask, wrong), refuses("missing-field", field=field("schema")))


def _strange() -> dict[str, Any]:
    """A graph of another time: unknown words and absent keys everywhere."""
    strange = {"id": "t", "role": "oracle", "attention": [{"operator": "hyena"}]}
    return graph([strange], [{"kind": "crystal", "source_bindings": None}], [{}])


BEHIND = {
    "absent_arrays": {"schema": 5},
    "schema_alone_of_7": {"schema": 7},
    "unknown_words": {**_strange(), "schema": 5},
    "unknown_words_before_schema": {**removed(_strange(), ("schema",)), "schema": 7},
    "ill_typed_arrays": {"schema": 5, "components": 1, "objects": "none", "edges": {}},
    "nulls": {"edges": None, "objects": None, "components": None, "schema": 5},
    "defects": {**minimal(), "schema": 5, "edges": [edge("nobody", (9,), "nobody")]},
}


@clause("GRAPH-SCHEMA-03")
@cases(BEHIND)
def test_the_schema_is_judged_first(ask: Ask, case: dict[str, Any]) -> None:
    """Whatever else is wrong with a graph of another schema, its schema is what is refused."""
    legal = minimal()
    check("GRAPH-SCHEMA-03", load(ask, legal), loads(legal))
    expected = refuses("unknown-version", found=case["schema"], supported=Present())
    check("GRAPH-SCHEMA-03", load(ask, case), expected)
