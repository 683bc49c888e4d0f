"""manifest.json as a JSON document: grammar, ends, encoding, keys, depth and the root."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, clause
from vindex3_fixtures.json_faults import cuts, faults
from vindex3_fixtures.json_text import Raw, Way
from vindex3_fixtures.json_twins import twins
from vindex3_fixtures.waste import MANIFEST, Waste
from vindex3_suites.container.repeating import escaped, quoted, with_twice
from vindex3_suites.waste.judging import check_fault, check_opened, check_refused, check_twin
from vindex3_suites.waste.models import DENSE, FULL, PACKED, SINGLE, TINY
from vindex3_suites.waste.slots import INTEGERS

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin

GRAMMAR = "WASTE-JSON-01"
ADVISED = "WASTE-JSON-04"
MUST = (
    "JSON-GRAMMAR-01",
    "JSON-GRAMMAR-03",
    "JSON-GRAMMAR-04",
    "JSON-GRAMMAR-05",
    "JSON-GRAMMAR-06",
    "JSON-TEXT-01",
    "JSON-ROOT-01",
)
SHOULD = ("JSON-TEXT-02", "JSON-KEY-01", "JSON-NUMBER-05", "JSON-DEPTH-01")
LEGAL = (*MUST, "JSON-GRAMMAR-02", "JSON-DEPTH-02")


@clause(GRAMMAR)
@cases(faults(*MUST))
def test_the_grammar_is_kept(ask: Ask, case: JsonFault) -> None:
    """What family JSON must refuse in a document is refused in a manifest, naming manifest.json."""
    check_fault(ask, GRAMMAR, case, DENSE)


@clause(GRAMMAR)
@cases(twins(*LEGAL))
def test_the_grammar_is_read(ask: Ask, case: JsonTwin) -> None:
    """Whatever the grammar allows is read: blanks anywhere, numbers in every form, 64 levels."""
    for model in (DENSE, TINY):
        check_twin(ask, GRAMMAR, case, model)


@clause(GRAMMAR)
def test_every_cut_is_malformed(ask: Ask) -> None:
    """Wherever a manifest is cut before its last brace, it is malformed-json."""
    check_opened(ask, GRAMMAR, DENSE)
    for text in list(cuts(DENSE.text))[::5]:
        check_refused(ask, GRAMMAR, DENSE.folder.with_file(MANIFEST, text), "malformed-json")


@clause(GRAMMAR)
def test_a_long_manifest_is_malformed_when_it_is_cut(ask: Ask) -> None:
    """Cut behind a brace, a bracket, a comma, a colon or a quote of any depth, it is malformed-json."""
    check_opened(ask, GRAMMAR, FULL)
    text = FULL.text
    for end in [at for at, byte in enumerate(text[:-1]) if byte in b'{}[],:"'][::9]:
        check_refused(ask, GRAMMAR, FULL.folder.with_file(MANIFEST, text[: end + 1]), "malformed-json")


@clause(GRAMMAR)
@cases({name: way for name, way in INTEGERS.items() if way[0] != "config" or way[-1] == "hidden_size"})
def test_a_number_is_spelt_in_one_way(ask: Ask, case: Way) -> None:
    """In a slot of the format, too, what is no number of the grammar is malformed, and not repaired."""
    check_opened(ask, GRAMMAR, FULL)
    for spelt in ("04", "+4", "4.", ".5", "0x4", "4_0", "NaN", "-Infinity", "4e", "--4"):
        check_refused(ask, GRAMMAR, FULL.with_manifest(case, Raw(spelt)), "malformed-json")


PLACES: dict[str, Way] = {
    "root": (),
    "config": ("config",),
    "below_config": ("config", "linear_attn_config"),
    "expert_quant": ("expert_quant",),
    "layers": ("layers",),
    "layer": ("layers", "2"),
    "trunk_entry": ("trunk", 1),
    "last_trunk_entry": ("trunk", 3),
    "unknown": ("unknown",),
    "below_unknown": ("unknown", "deeper", 0),
}
"""The objects of a manifest, one that nobody knows among them."""

PLACED = FULL.with_manifest(("unknown",), {"deeper": [{}]})


def _spelt_below(way: Way, member: str) -> Waste:
    """The container with one more member, as it is spelt, in the object at this place."""
    value: Any = PLACED.manifest
    for step in way:
        value = value[step]
    kept = json.dumps(value)[1:-1]
    text = Raw("{" + member + ("," + kept if kept else "") + "}")
    return PLACED.with_manifest(way, text) if way else _whole(text)


def _whole(text: Raw) -> Waste:
    return Waste(manifest=text, files=PLACED.files)


@clause(GRAMMAR)
@cases(PLACES)
def test_the_grammar_holds_at_every_depth(ask: Ask, case: Way) -> None:
    """Control characters, words for numbers and missing values are malformed in every object."""
    check_opened(ask, GRAMMAR, PLACED)
    for member in ('"x":', '"x":NaN', '"x":"a\tb"', '"x":[1,]', '"x":.5', '"x":"\\x41"', '"x" 1', "x:1"):
        check_refused(ask, GRAMMAR, _spelt_below(case, member), "malformed-json")


@clause(ADVISED)
@cases(faults(*SHOULD))
def test_advice_on_documents_holds_for_a_manifest(ask: Ask, case: JsonFault) -> None:
    """What family JSON should refuse is refused in a manifest too: marks, repeated keys, depth, overflow."""
    check_fault(ask, ADVISED, case, DENSE)


@clause(ADVISED)
@cases(twins("JSON-TEXT-02", "JSON-KEY-01", "JSON-KEY-02", "JSON-NUMBER-05", "JSON-DEPTH-02"))
def test_near_advice_a_manifest_is_read(ask: Ask, case: JsonTwin) -> None:
    """Pairs of escapes, keys that are only alike, the largest numbers and 64 levels are read."""
    for model in (DENSE, PACKED):
        check_twin(ask, ADVISED, case, model)


MEMBERS: dict[str, Way] = {
    "root": ("arch",),
    "config": ("config", "hidden_size"),
    "below_config": ("config", "linear_attn_config", "head_dim"),
    "expert_quant": ("expert_quant", "stages"),
    "layers": ("layers", "2"),
    "layer": ("layers", "2", "codebook_base"),
    "trunk_entry": ("trunk", 3, "name"),
    "unknown": ("unknown", "deeper"),
}


@clause(ADVISED)
@cases(MEMBERS)
def test_no_known_key_stands_twice(ask: Ask, case: Way) -> None:
    """In every object a key that stands twice is duplicate-key, also where one spelling is escaped."""
    check_opened(ask, ADVISED, PLACED)
    for spell in (quoted, escaped):
        text = with_twice(PLACED.manifest, case, spell)
        check_refused(ask, ADVISED, PLACED.folder.with_file(MANIFEST, text), "duplicate-key")


@clause(ADVISED)
@cases(PLACES)
def test_advice_holds_at_every_depth(ask: Ask, case: Way) -> None:
    """Numbers that overflow, half characters and ten thousand levels are refused in every object."""
    check_opened(ask, ADVISED, PLACED)
    deep = "[" * 10_000 + "]" * 10_000
    for member, kinds in (
        ('"x":1e999', ("out-of-range", "malformed-json")),
        ('"x":"\\ud800"', ("malformed-json",)),
        (f'"x":{deep}', ("nesting-too-deep", "malformed-json")),
        ('"x":{"y":1,"y":1}', ("duplicate-key",)),
    ):
        check_refused(ask, ADVISED, _spelt_below(case, member), kinds)


@clause(GRAMMAR)
def test_an_escaped_key_is_that_key(ask: Ask) -> None:
    """With every letter of a known key escaped the observation is the same."""
    for key in ("format_version", "config", "layers", "trunk", "stages", "codebook_base", "shape", "off"):
        text = SINGLE.text.replace(f'"{key}":'.encode(), f"{escaped(key)}:".encode())
        check_opened(ask, GRAMMAR, SINGLE, spelt=SINGLE.folder.with_file(MANIFEST, text))
    check_refused(ask, GRAMMAR, SINGLE.folder.with_file(MANIFEST, SINGLE.text[:-1]), "malformed-json")
