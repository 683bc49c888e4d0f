"""system_graph.json as a JSON document: the rules of the index hold for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, refuses
from pytest_vindex3.contract.difference import Stored
from pytest_vindex3.contract.patterns import element, field
from vindex3_fixtures.container.index import GRAPH
from vindex3_fixtures.graph import minimal, policy
from vindex3_fixtures.graph.policies import partial_rope, yarn
from vindex3_fixtures.json_faults import cuts, faults
from vindex3_fixtures.json_text import Raw, Way, at, changed, json_text
from vindex3_fixtures.json_twins import twins
from vindex3_suites.container.graphs import INTEGERS, LOADS, MEMBERS, TAPPED, load, load_legal
from vindex3_suites.container.repeating import escaped, with_twice

if TYPE_CHECKING:
    from pytest_vindex3.contract.patterns import FieldName
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin

TEXT = json_text(TAPPED.graph)
GRAMMAR = ("JSON-GRAMMAR-01", "JSON-GRAMMAR-03", "JSON-GRAMMAR-04", "JSON-GRAMMAR-05", "JSON-GRAMMAR-06")
MALFORMED = refuses("malformed-json", path=GRAPH)


@clause("JSON-GRAPH-01")
@cases({law.lower(): faults(law) for law in (*GRAMMAR, "JSON-TEXT-01", "JSON-ROOT-01")})
def test_what_no_document_may_be_is_refused(ask: Ask, case: dict[str, JsonFault]) -> None:
    """Grammar, trailing data, control characters, UTF-8 and the root's type are judged as in the index."""
    check("JSON-GRAPH-01", load_legal(ask), LOADS)
    for fault in case.values():
        check("JSON-GRAPH-01", load(ask, fault.edit(TEXT)), refuses(*fault.kinds, path=GRAPH))


@clause("JSON-GRAPH-01")
def test_every_cut_is_malformed(ask: Ask) -> None:
    """A graph that is cut before its last brace is malformed-json, wherever that is."""
    check("JSON-GRAPH-01", load_legal(ask), LOADS)
    for text in list(cuts(TEXT))[::67]:
        check("JSON-GRAPH-01", load(ask, text), MALFORMED)


@clause("JSON-GRAPH-01")
@cases(
    graph=b'{"schema":6,"components":[],"objects":[],"edges":[],}',
    object=b'{"schema":6,"components":[{"id":"a",}]}',
    no_end=b'{"schema":6',
    words=b"schema: 6",
    nothing=b"",
)
def test_a_text_is_judged_alike(ask: Ask, case: bytes) -> None:
    """A graph that is given as a text has the same rules; no file is named then."""
    check("JSON-GRAPH-01", ask("graph.load", text=TEXT.decode()), LOADS)
    check("JSON-GRAPH-01", ask("graph.load", text=case.decode()), refuses("malformed-json"))


@clause("JSON-GRAPH-01")
@cases(twins("JSON-GRAMMAR-02", *GRAMMAR, "JSON-TEXT-01"))
def test_what_a_document_may_be_is_loaded(ask: Ask, case: JsonTwin) -> None:
    """Whitespace between tokens, escapes and every legal spelling of numbers and text change nothing."""
    check("JSON-GRAPH-01", load(ask, case.edit(TEXT)), LOADS)


NUMBERS = {name: way for name, way in INTEGERS.items() if name != "schema"}


@clause("JSON-GRAPH-01")
@cases(NUMBERS)
def test_an_integer_fits_its_slot(ask: Ask, case: Way) -> None:
    """A negative integer, and one beyond 64 bits, is out-of-range; it is never wrapped."""
    check("JSON-GRAPH-01", load_legal(ask), LOADS)
    value = at(TAPPED.graph, case)
    for wrong in (-1, -(1 << 63), 1 << 64, (1 << 64) + value, value - (1 << 64)):
        reply = load(ask, json_text(changed(TAPPED.graph, case, wrong)))
        check("JSON-GRAPH-01", reply, refuses("out-of-range", path=GRAPH))


@clause("JSON-GRAPH-01")
def test_a_negative_schema_is_no_version(ask: Ask) -> None:
    """A schema below 0 is out-of-range, and not a version that nobody knows."""
    check("JSON-GRAPH-01", load_legal(ask), LOADS)
    for wrong in (-1, -6, 6 - (1 << 32)):
        reply = load(ask, json_text(changed(TAPPED.graph, ("schema",), wrong)))
        check("JSON-GRAPH-01", reply, refuses("out-of-range", path=GRAPH))


@clause("JSON-GRAPH-02")
@cases(MEMBERS)
def test_no_known_key_stands_twice(ask: Ask, case: Way) -> None:
    """In every object of the graph a repeated key is refused, however it is spelt and whatever it says."""
    check("JSON-GRAPH-02", load_legal(ask), LOADS)
    expected = refuses("duplicate-key", path=GRAPH, key=case[-1])
    for text in (with_twice(TAPPED.graph, case), with_twice(TAPPED.graph, case, escaped)):
        check("JSON-GRAPH-02", load(ask, text), expected)


@clause("JSON-GRAPH-02")
def test_no_key_stands_twice(ask: Ask) -> None:
    """An unknown key that an object has twice is refused at any depth."""
    check("JSON-GRAPH-02", load_legal(ask), LOADS)
    for fault in faults("JSON-KEY-01").values():
        expected = refuses("duplicate-key", **{"path": GRAPH, **fault.names})
        check("JSON-GRAPH-02", load(ask, fault.edit(TEXT)), expected)


def _named(way: Way) -> FieldName:
    *_, home, key = ("", *way)
    return element(str(home), key) if isinstance(key, int) else field(key)


@clause("JSON-GRAPH-03")
@cases(INTEGERS)
def test_an_integer_is_spelt_as_one(ask: Ask, case: Way) -> None:
    """A fraction, an exponent, a boolean and a string in an integer slot are bad-type, naming the field."""
    check("JSON-GRAPH-03", load_legal(ask), LOADS)
    value = at(TAPPED.graph, case)
    expected = refuses("bad-type", path=GRAPH, field=_named(case))
    for spelt in (
        f"{value}.0",
        f"{value}e0",
        f"{10 * value}e-1",
        f"{value}.5",
        "true",
        "false",
        f'"{value}"',
    ):
        check("JSON-GRAPH-03", load(ask, json_text(changed(TAPPED.graph, case, Raw(spelt)))), expected)


@clause("JSON-GRAPH-03")
@cases(INTEGERS)
def test_an_integer_of_a_text_is_spelt_as_one(ask: Ask, case: Way) -> None:
    """In a graph that is given as a text the field is named alike."""
    check("JSON-GRAPH-03", ask("graph.load", text=TEXT.decode()), LOADS)
    for spelt in ("1.0", "true", '"1"'):
        text = json_text(changed(TAPPED.graph, case, Raw(spelt))).decode()
        check("JSON-GRAPH-03", ask("graph.load", text=text), refuses("bad-type", field=_named(case)))


_LAYERS = [policy("softmax", partial_rope()), policy("softmax", yarn())]
REALS = minimal(_LAYERS)
_TARGET = ("components", 0)
REAL_SLOTS: dict[str, Way] = {
    "theta": (*_TARGET, "attention", 0, "position", "theta"),
    "theta_of_yarn": (*_TARGET, "attention", 1, "position", "theta"),
    "rotary_fraction": (*_TARGET, "attention", 0, "position", "rotary_fraction"),
    "score_scale": (*_TARGET, "execution", "attention", "score_scale"),
    "eps": (*_TARGET, "execution", "norm", "pre", "eps"),
    "eps_of_the_final_norm": (*_TARGET, "execution", "norm", "final_norm", "eps"),
}


@clause("JSON-NUMBER-06")
@cases(REAL_SLOTS)
def test_a_real_slot_takes_an_integer(ask: Ask, case: Way) -> None:
    """Spelt as an integer, with a fraction or with an exponent, a real number is the same number."""
    expected = answers(document=Stored(changed(REALS, case, 1)), schema=6, defects=[])
    for spelt in ("1", "1.0", "1e0", "10E-1", "1.000"):
        text = json_text(changed(REALS, case, Raw(spelt))).decode()
        check("JSON-NUMBER-06", ask("graph.load", text=text), expected)


@clause("JSON-NUMBER-06")
def test_real_slots_of_a_container_take_integers(ask: Ask) -> None:
    """In the graph of a container it is alike, with a large integer as well."""
    way = ("components", 1, "attention", 0, "position", "theta")
    for value, spelt in ((10000000, "10000000"), (10000000, "1e7"), (0.5, "0.5"), (0.5, "5E-1")):
        text = json_text(changed(TAPPED.graph, way, Raw(spelt)))
        expected = answers(document=Stored(changed(TAPPED.graph, way, value)), defects=[])
        check("JSON-NUMBER-06", load(ask, text), expected)
