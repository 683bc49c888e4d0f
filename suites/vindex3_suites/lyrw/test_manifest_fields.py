"""The fields of moe_manifest.json: those that must be there, their words and their types."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import FieldName, element, field
from vindex3_fixtures.json_faults import SORTS
from vindex3_fixtures.json_text import Raw, Way, changed, json_text, removed
from vindex3_suites.lyrw.manifests import EVERYTHING, NAME, load, load_legal, loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses

DOCUMENT = EVERYTHING.document()
"""Two layers; the first has every field, the second is latent."""
FIRST: Way = ("layers", 0)
ROUTER: Way = (*FIRST, "router")
SELECTION: Way = (*ROUTER, "selection")


def _refused(ask: Ask, kind: str, named: FieldName, **names: object) -> Refuses:
    path = str(ask.folder / NAME)
    return refuses(kind, path=path, field=named, **names)


def _check(ask: Ask, clause_id: str, document: Any, expected: Refuses) -> None:
    """The whole document is loaded, the spoilt one refused."""
    check(clause_id, load_legal(ask, EVERYTHING), loads(EVERYTHING))
    check(clause_id, load(ask, json_text(document)), expected)


REQUIRED: dict[str, Way] = {
    "schema_version": ("schema_version",),
    "layers": ("layers",),
    "layer": (*FIRST, "layer"),
    "input_space": (*FIRST, "input_space"),
    "scores": (*ROUTER, "scores"),
    "activation": (*ROUTER, "activation"),
    "selection": SELECTION,
    "kind": (*SELECTION, "kind"),
    "k_of_grouped_top_k": (*SELECTION, "k"),
    "k_of_top_k": ("layers", 1, "router", "selection", "k"),
    "groups": (*SELECTION, "groups"),
    "routed_bank": (*FIRST, "routed_bank"),
    "experts": (*FIRST, "routed_bank", "experts"),
    "programme": (*FIRST, "routed_bank", "programme"),
    "storage": (*FIRST, "routed_bank", "storage"),
    "experts_of_shared_bank": (*FIRST, "shared_bank", "experts"),
    "programme_of_shared_bank": (*FIRST, "shared_bank", "programme"),
    "storage_of_shared_bank": (*FIRST, "shared_bank", "storage"),
    "input": (*FIRST, "routed_bank", "expert_dims", "input"),
    "intermediate": (*FIRST, "routed_bank", "expert_dims", "intermediate"),
    "output": (*FIRST, "routed_bank", "expert_dims", "output"),
    "reduction": (*FIRST, "reduction"),
    "combine": (*FIRST, "combine"),
    "field_of_the_second_layer": ("layers", 1, "combine"),
}


@clause("MOE-LOAD-03")
@cases(REQUIRED)
def test_a_required_field_is_missed(ask: Ask, case: Way) -> None:
    """Without a required field the document is refused, and no default takes its place."""
    expected = _refused(ask, "missing-field", field(str(case[-1])))
    _check(ask, "MOE-LOAD-03", removed(DOCUMENT, case), expected)


@clause("MOE-LOAD-03")
def test_a_required_router_is_missed(ask: Ask) -> None:
    """Without a router it is missed itself, or one of the fields that are required of it."""
    named = field("router", "scores", "activation", "selection")
    _check(ask, "MOE-LOAD-03", removed(DOCUMENT, ROUTER), _refused(ask, "missing-field", named))


@clause("MOE-LOAD-03")
@cases(
    array=b"[]",
    manifest_in_an_array=b"[" + EVERYTHING.text() + b"]",
    string=b'"layers"',
    number=b"1",
    true=b"true",
    null=b"null",
)
def test_the_root_is_an_object(ask: Ask, case: bytes) -> None:
    """Any other root is bad-type, of field "" of this file."""
    check("MOE-LOAD-03", load_legal(ask, EVERYTHING), loads(EVERYTHING))
    check("MOE-LOAD-03", load(ask, case), _refused(ask, "bad-type", field("")))


@clause("MOE-LOAD-03")
@cases(
    words=b"layers: none",
    nothing=b"",
    cut=EVERYTHING.text()[:-1],
    binary=bytes(range(256)),
    layer_file=b"LYRW\x02\x00\x00\x00",
)
def test_what_is_no_json_is_malformed(ask: Ask, case: bytes) -> None:
    """A file that holds no JSON is malformed-json, naming it."""
    check("MOE-LOAD-03", load_legal(ask, EVERYTHING), loads(EVERYTHING))
    path = str(ask.folder / NAME)
    check("MOE-LOAD-03", load(ask, case), refuses("malformed-json", path=path))


WORDS: dict[str, tuple[Way, str]] = {
    "input_space": ((*FIRST, "input_space"), "residual"),
    "activation": ((*ROUTER, "activation"), "sigmoid"),
    "kind": ((*SELECTION, "kind"), "grouped_top_k"),
    "reduction": ((*FIRST, "reduction"), "gate_weighted_sum"),
    "combine": ((*FIRST, "combine"), "residual_add"),
}
SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda word: "mystery",
    lambda word: "",
    str.capitalize,
    lambda word: word.replace("_", "-") + "-",
    lambda word: f"{word} ",
    lambda word: f" {word}",
    lambda word: f"{word}s",
    lambda word: word[:-1],
    lambda word: "softmax" if word == "residual" else "residual",
)


@clause("MOE-LOAD-04")
@cases(WORDS)
def test_a_word_is_one_of_its_vocabulary(ask: Ask, case: tuple[Way, str]) -> None:
    """Any other spelling is unknown-value, naming the field and the word as written."""
    way, word = case
    check("MOE-LOAD-04", load_legal(ask, EVERYTHING), loads(EVERYTHING))
    for spelt in SPELLINGS:
        wrong = load(ask, json_text(changed(DOCUMENT, way, spelt(word))))
        expected = _refused(ask, "unknown-value", field(str(way[-1])), value=spelt(word))
        check("MOE-LOAD-04", wrong, expected)


SLOTS: dict[str, tuple[str, Way]] = {
    "schema_version": ("integer", ("schema_version",)),
    "layers": ("array", ("layers",)),
    "layer": ("integer", (*FIRST, "layer")),
    "input_space": ("string", (*FIRST, "input_space")),
    "router": ("object", ROUTER),
    "scores": ("string", (*ROUTER, "scores")),
    "activation": ("string", (*ROUTER, "activation")),
    "selection": ("object", SELECTION),
    "kind": ("string", (*SELECTION, "kind")),
    "k": ("integer", (*SELECTION, "k")),
    "groups": ("integer", (*SELECTION, "groups")),
    "renormalise": ("boolean", (*ROUTER, "post", "renormalise")),
    "norm_after_top_k": ("boolean", (*ROUTER, "post", "norm_after_top_k")),
    "quantile_balanced": ("boolean", (*ROUTER, "post", "quantile_balanced")),
    "shared_expert_sink": ("boolean", (*ROUTER, "shared_expert_sink")),
    "routed_bank": ("object", (*FIRST, "routed_bank")),
    "experts": ("integer", (*FIRST, "routed_bank", "experts")),
    "programme": ("string", (*FIRST, "routed_bank", "programme")),
    "storage": ("string", (*FIRST, "routed_bank", "storage")),
    "input": ("integer", (*FIRST, "routed_bank", "expert_dims", "input")),
    "intermediate": ("integer", (*FIRST, "routed_bank", "expert_dims", "intermediate")),
    "output": ("integer", (*FIRST, "routed_bank", "expert_dims", "output")),
    "reduction": ("string", (*FIRST, "reduction")),
    "combine": ("string", (*FIRST, "combine")),
}
NULLABLE: dict[str, tuple[str, Way]] = {
    "transforms": ("object", ("layers", 1, "transforms")),
    "expert_dims": ("object", (*FIRST, "routed_bank", "expert_dims")),
    "shared_bank": ("object", (*FIRST, "shared_bank")),
    "routed_output_norm": ("string", (*FIRST, "routed_output_norm")),
}


@clause("MOE-LOAD-05")
@cases({**SLOTS, **NULLABLE})
def test_a_field_has_its_type(ask: Ask, case: tuple[str, Way]) -> None:
    """A value of another JSON type is bad-type, naming the field; null too, where it is not allowed."""
    sort, way = case
    check("MOE-LOAD-05", load_legal(ask, EVERYTHING), loads(EVERYTHING))
    expected = _refused(ask, "bad-type", field(str(way[-1])))
    for literal in SORTS[sort].values():
        if literal != "null" or case not in NULLABLE.values():
            check("MOE-LOAD-05", load(ask, json_text(changed(DOCUMENT, way, Raw(literal)))), expected)


@clause("MOE-LOAD-05")
@cases(SORTS["object"])
def test_a_layer_is_an_object(ask: Ask, case: str) -> None:
    """An element of layers that is no object is bad-type, named by the array, with or without its place."""
    expected = _refused(ask, "bad-type", element("layers", 1))
    _check(ask, "MOE-LOAD-05", changed(DOCUMENT, ("layers", 1), Raw(case)), expected)


INTEGERS = {name: way for name, (sort, way) in SLOTS.items() if sort == "integer"}
NARROW = ("layer", "experts")


@clause("MOE-LOAD-05")
@cases(
    {
        **{f"{name}_is_minus_one": (way, -1) for name, way in INTEGERS.items()},
        **{f"{name}_is_2_to_the_32": (INTEGERS[name], 1 << 32) for name in NARROW},
        **{f"{name}_is_2_to_the_64": (way, 1 << 64) for name, way in INTEGERS.items()},
        "layer_is_2_to_the_32_and_more": (INTEGERS["layer"], (1 << 32) + 4),
        "experts_are_a_number_of_200_digits": (INTEGERS["experts"], 10**199),
        "k_is_a_large_negative_number": (INTEGERS["k"], -(1 << 64)),
    }
)
def test_an_integer_fits_its_slot(ask: Ask, case: tuple[Way, int]) -> None:
    """A negative or too large integer is out-of-range, naming the field; it is never wrapped."""
    way, value = case
    expected = _refused(ask, "out-of-range", field(str(way[-1])))
    _check(ask, "MOE-LOAD-05", changed(DOCUMENT, way, value), expected)


@clause("MOE-LOAD-05")
def test_types_hold_for_the_shared_bank_and_later_layers(ask: Ask) -> None:
    """Every bank and every layer is judged, not only the first."""
    brief = replace(EVERYTHING, brief=True).document()
    for way in ((*FIRST, "shared_bank", "experts"), ("layers", 1, "routed_bank", "experts")):
        expected = _refused(ask, "bad-type", field("experts"))
        _check(ask, "MOE-LOAD-05", changed(brief, way, Raw("1.0")), expected)
