"""moe_manifest.json as a JSON document: the rules of the container chapter hold for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import field
from vindex3_fixtures.json_faults import cuts, faults
from vindex3_fixtures.json_twins import twins
from vindex3_suites.lyrw.manifests import NAME, SIMPLE, load, load_legal, loads, with_layer

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin

TEXT = SIMPLE.text()
GRAMMAR = ("JSON-GRAMMAR-01", "JSON-GRAMMAR-03", "JSON-GRAMMAR-04", "JSON-GRAMMAR-05", "JSON-GRAMMAR-06")
MUSTS = (*GRAMMAR, "JSON-TEXT-01", "JSON-ROOT-01")
SHOULDS = ("JSON-KEY-01", "JSON-TEXT-02", "JSON-NUMBER-05", "JSON-DEPTH-01")


def _check_fault(ask: Ask, clause_id: str, fault: JsonFault) -> None:
    check(clause_id, load_legal(ask, SIMPLE), loads(SIMPLE))
    names = {"path": str(ask.folder / NAME), **fault.names}
    check(clause_id, load(ask, fault.edit(TEXT)), refuses(*fault.kinds, **names))


@clause("MOE-LOAD-08")
@cases(faults(*MUSTS))
def test_what_no_document_may_be_is_refused(ask: Ask, case: JsonFault) -> None:
    """Grammar, trailing data, control characters, UTF-8 and the root's type are judged as anywhere."""
    _check_fault(ask, "MOE-LOAD-08", case)


@clause("MOE-LOAD-08")
@cases(a_few=40, all=1)
def test_every_cut_is_malformed(ask: Ask, case: int) -> None:
    """Wherever a manifest is cut before its last brace, it is malformed-json."""
    check("MOE-LOAD-08", load_legal(ask, SIMPLE), loads(SIMPLE))
    expected = refuses("malformed-json", path=str(ask.folder / NAME))
    for text in cuts(TEXT, case):
        check("MOE-LOAD-08", load(ask, text), expected)


@clause("MOE-LOAD-08")
@cases(twins("JSON-GRAMMAR-02", *GRAMMAR, "JSON-TEXT-01"))
def test_what_a_document_may_be_is_loaded(ask: Ask, case: JsonTwin) -> None:
    """Whitespace between tokens, escapes and every legal spelling of numbers and text change nothing."""
    check("MOE-LOAD-08", load(ask, case.edit(TEXT)), loads(SIMPLE))


@clause("MOE-LOAD-08")
@cases(root=("layers", "Layers"), layer=("input_space", "Input_Space"), bank=("experts", "EXPERTS"))
def test_keys_have_their_case(ask: Ask, case: tuple[str, str]) -> None:
    """A key in another case is another key, and the one that is required is missed."""
    key, spelt = case
    check("MOE-LOAD-08", load_legal(ask, SIMPLE), loads(SIMPLE))
    names = {"path": str(ask.folder / NAME), "field": field(key)}
    wrong = load(ask, TEXT.replace(f'"{key}"'.encode(), f'"{spelt}"'.encode()))
    check("MOE-LOAD-08", wrong, refuses("missing-field", **names))


@clause("MOE-LOAD-08")
def test_text_is_kept_as_it_is(ask: Ask) -> None:
    """Strings are neither normalised nor trimmed, and an escape is its character."""
    manifest = with_layer(SIMPLE, output_norm=" \u00e9 e\u0301 \U0001f600 \u00a0")
    check("MOE-LOAD-08", load(ask, manifest.text()), loads(manifest))
    escaped = json.dumps(manifest.document()).encode()
    check("MOE-LOAD-08", load(ask, escaped), loads(manifest))


@clause("MOE-LOAD-09")
@cases(faults(*SHOULDS))
def test_what_no_document_should_be_is_refused(ask: Ask, case: JsonFault) -> None:
    """Repeated keys, marks, lone surrogates, depth and numbers beyond binary64 are judged as anywhere."""
    _check_fault(ask, "MOE-LOAD-09", case)


@clause("MOE-LOAD-09")
@cases(
    root=(b'"schema_version":1', "schema_version"),
    layer=(b'"layer":0', "layer"),
    router=(b'"scores":"router.weight"', "scores"),
    selection=(b'"k":2', "k"),
    bank=(b'"experts":4', "experts"),
)
def test_no_known_key_stands_twice(ask: Ask, case: tuple[bytes, str]) -> None:
    """A field that is written twice is refused at every level, even with one value."""
    member, key = case
    check("MOE-LOAD-09", load_legal(ask, SIMPLE), loads(SIMPLE))
    twice = load(ask, TEXT.replace(member, member + b"," + member))
    check("MOE-LOAD-09", twice, refuses("duplicate-key", path=str(ask.folder / NAME), key=key))


@clause("MOE-LOAD-09")
@cases(twins("JSON-KEY-01", "JSON-KEY-02", "JSON-TEXT-02", "JSON-NUMBER-05", "JSON-DEPTH-02"))
def test_what_a_document_should_be_is_loaded(ask: Ask, case: JsonTwin) -> None:
    """Escaped keys, surrogate pairs, 64 levels below an unknown key and 1e308 are read."""
    check("MOE-LOAD-09", load(ask, case.edit(TEXT)), loads(SIMPLE))
