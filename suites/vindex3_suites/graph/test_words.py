"""Closed vocabularies: every listed word loads, every other spelling is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import FieldName, field
from vindex3_fixtures.graph import (
    POSITIONS,
    binding,
    component,
    direct_projection,
    encoder,
    example,
    graph,
    minimal,
    object_,
    policy,
    representation,
    sliding,
    surface,
)
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.policies import m_rope, partial_rope, softmax
from vindex3_fixtures.json_text import Way, at, changed
from vindex3_suites.graph.asking import load
from vindex3_suites.graph.expected import loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_vindex3.plugin.ask import Ask

LAYER: Way = ("components", 0, "attention", 0)
SURFACE: Way = ("components", 0, "execution")
HYBRID: Way = ("components", 1, "execution")
MOE = changed(minimal(), (*SURFACE, "ffn", "moe"), surface.moe())
PARTIAL = minimal([softmax(partial_rope()), softmax(m_rope())])
EXAMPLE = example()

WORDS: dict[str, tuple[Any, Way, tuple[str, ...]]] = {
    "role": (EXAMPLE, ("components", 2, "role"), v.ROLES),
    "fidelity": (EXAMPLE, ("objects", 0, "representations", 0, "fidelity"), v.FIDELITIES),
    "operator": (EXAMPLE, ("components", 1, "attention", 0, "operator"), v.OPERATORS),
    "span": (minimal(), ("components", 0, "attention", 1, "span"), v.SPANS),
    "position": (EXAMPLE, ("components", 0, "attention", 0, "position", "kind"), v.POSITIONS),
    "basis": (PARTIAL, (*LAYER, "position", "basis"), v.BASES),
    "basis_of_m_rope": (PARTIAL, ("components", 0, "attention", 1, "position", "basis"), v.BASES),
    "modality": (EXAMPLE, ("components", 2, "perception", "modality"), v.MODALITIES),
    "activation": (minimal(), (*SURFACE, "ffn", "activation"), v.WORDS["activation"]),
    "activation_of_mamba2": (EXAMPLE, (*HYBRID, "mamba2", "activation"), v.WORDS["activation"]),
    "ffn_type": (minimal(), (*SURFACE, "ffn", "ffn_type"), v.WORDS["ffn_type"]),
    "norm_kind": (minimal(), (*SURFACE, "norm", "pre", "kind"), v.WORDS["norm_kind"]),
    "final_norm_kind": (minimal(), (*SURFACE, "norm", "final_norm", "kind"), v.WORDS["norm_kind"]),
    "qk_norm_scope": (minimal(), (*SURFACE, "attention", "qk_norm_scope"), v.WORDS["qk_norm_scope"]),
    "placement": (minimal(), (*SURFACE, "norm", "placement"), v.WORDS["placement"]),
    "router_kind": (MOE, (*SURFACE, "ffn", "moe", "router_kind"), v.WORDS["router_kind"]),
    "routing_policy": (MOE, (*SURFACE, "ffn", "moe", "routing_policy"), v.WORDS["routing_policy"]),
}
"""By field: a sound graph, the place of the word, and its vocabulary."""
SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda word: "mystery",
    lambda word: "",
    str.capitalize,
    str.upper,
    lambda word: f"{word} ",
    lambda word: f" {word}",
    lambda word: f"{word}s",
    lambda word: word[:-1],
    lambda word: f"{word}\u200b",
    lambda word: word.replace("_", "-") if "_" in word else f"{word}-",
)


def _check_word(ask: Ask, legal: Any, wrong: Any, named: FieldName, word: str) -> None:
    check("GRAPH-ENUM-01", load(ask, legal), loads(legal))
    check("GRAPH-ENUM-01", load(ask, wrong), refuses("unknown-value", field=named, value=word))


@clause("GRAPH-ENUM-01")
@cases(WORDS)
def test_a_word_is_one_of_its_vocabulary(ask: Ask, case: tuple[Any, Way, tuple[str, ...]]) -> None:
    """Any other spelling is unknown-value, naming the field and the word as written."""
    document, way, words = case
    check("GRAPH-ENUM-01", load(ask, document), loads(document))
    for spelt in SPELLINGS:
        word = spelt(words[0])
        expected = refuses("unknown-value", field=field(str(way[-1])), value=word)
        check("GRAPH-ENUM-01", load(ask, changed(document, way, word)), expected)


@clause("GRAPH-ENUM-01")
@cases(
    {
        f"{kind}_as_{spelt(kind)}": (kind, spelt(kind))
        for kind in v.KINDS
        for spelt in (str.upper, "{}s".format)
    }
)
def test_a_kind_is_one_of_its_vocabulary(ask: Ask, case: tuple[str, str]) -> None:
    """A kind in another spelling is unknown-value, also where the object's id is made of it."""
    kind, word = case
    legal = _with_object(kind)
    _check_word(ask, legal, _with_object(word), field("kind"), word)


def _with_object(kind: str) -> Any:
    """A graph of one tower without layers, that owns an object of this kind."""
    tower = component("tower", v.PERCEPTION, (), [kind], perception=encoder(), num_layers=1)
    return graph([tower], [object_("tower", kind, [binding("tower")])])


FOREIGN = {
    "role_of_another_format": ("role", "text"),
    "fidelity_of_variants": ("fidelity", "source-exact"),
    "second_fidelity_of_variants": ("fidelity", "source-equivalent"),
    "third_fidelity_of_variants": ("fidelity", "numerically-approximate"),
    "fourth_fidelity_of_variants": ("fidelity", "structurally-approximate"),
    "fifth_fidelity_of_variants": ("fidelity", "analysis-only"),
    "fidelity_exact": ("fidelity", "exact"),
    "kind_as_operator": ("operator", "rope"),
    "span_as_operator": ("operator", "full"),
    "attention_as_operator": ("operator", "attention"),
    "half_a_name_as_operator": ("operator", "conv_qkv"),
    "operator_as_span": ("span", "softmax"),
    "declared_word_as_span": ("span", "sliding_attention"),
    "nope_as_position": ("position", "nope"),
    "alibi_as_position": ("position", "alibi"),
    "basis_as_modality": ("modality", "head_width"),
    "text_as_modality": ("modality", "text"),
    "norm_as_activation": ("activation", "rms_norm"),
    "gelu_of_another_library": ("activation", "gelu_pytorch_tanh"),
    "activation_as_ffn_type": ("ffn_type", "silu"),
    "placement_as_norm": ("norm_kind", "pre_only"),
    "router_as_policy": ("routing_policy", "sigmoid"),
    "policy_as_router": ("router_kind", "softmax_then_select"),
}


@clause("GRAPH-ENUM-01")
@cases(FOREIGN)
def test_a_word_of_another_vocabulary_is_unknown(ask: Ask, case: tuple[str, str]) -> None:
    """A word that is known elsewhere is unknown here."""
    document, way, _ = WORDS[case[0]]
    _check_word(ask, document, changed(document, way, case[1]), field(str(way[-1])), case[1])


@clause("GRAPH-ENUM-01")
@cases(
    capital="Encoder",
    plural="encoders",
    projection="projection",
    hyphen="direct-projection",
    empty="",
    nested="perceiver",
)
def test_a_transform_is_one_of_its_vocabulary(ask: Ask, case: str) -> None:
    """Of a transform the word is its one key, and the field is transform."""
    way: Way = ("components", 2, "perception", "transform")
    inner = at(EXAMPLE, (*way, "encoder"))
    named = FieldName(("transform",), case)
    _check_word(ask, EXAMPLE, changed(EXAMPLE, way, {case: inner}), named, case)


@clause("GRAPH-ENUM-01")
@cases(
    {
        f"{name}_of_{name_of}": (kind, way)
        for name_of, kind, way, name in (
            ("the_first", "role", ("components", 0, "role"), "role"),
            ("the_last", "kind", ("objects", 8, "kind"), "kind"),
            ("a_later_layer", "operator", ("components", 1, "attention", 6, "operator"), "operator"),
        )
    }
)
def test_every_place_of_a_word_is_judged(ask: Ask, case: tuple[str, Way]) -> None:
    """Not the first component, object or layer alone has closed words."""
    name, way = case
    _check_word(ask, EXAMPLE, changed(EXAMPLE, way, "mystery"), field(name), "mystery")


def _sound() -> Iterator[tuple[str, Any]]:
    """By name: graphs that are sound with every listed spelling."""
    yield from _components()
    yield from _policies()
    for name, words in v.WORDS.items():
        for word in words:
            yield f"{name}_{word}", _with_word(name, word)


def _components() -> Iterator[tuple[str, Any]]:
    for role in v.ROLES:
        yield f"role_{role}", graph([component("one", role, [softmax()], num_layers=1)])
    for kind in v.KINDS:
        yield f"kind_{kind}", _with_object(kind)
    for fidelity in v.FIDELITIES:
        stored = [representation("BF16", fidelity)]
        yield f"fidelity_{fidelity}", changed(minimal(), ("objects", 0, "representations"), stored)
    for modality in v.MODALITIES:
        tower = component("tower", v.PERCEPTION, perception=encoder(modality=modality))
        yield f"modality_{modality}", graph([tower])
    for name, perception in (("encoder", encoder()), ("direct_projection", direct_projection())):
        yield f"transform_{name}", graph([component("tower", v.PERCEPTION, perception=perception)])
        bare = {**perception, "transform": {name: {}}}
        yield f"transform_{name}_unread", graph([component("tower", v.PERCEPTION, perception=bare)])


def _policies() -> Iterator[tuple[str, Any]]:
    for operator in v.OPERATORS:
        if operator == v.CONV_QKV:  # without an execution, as nobody has fixed its group's keys
            tower = component("tower", v.PERCEPTION, attention=[policy(operator)], num_layers=1)
            yield f"operator_{operator}", graph([tower])
        else:
            yield f"operator_{operator}", minimal([policy(operator)])
    for span in v.SPANS:
        layer = sliding() if span == "sliding" else softmax(span=span)
        yield f"span_{span}", minimal([layer])
    for position, make in POSITIONS.items():
        yield f"position_{position}", minimal([softmax(make())])
    for basis in v.BASES:
        yield f"basis_{basis}", minimal([softmax(partial_rope(basis=basis)), softmax(m_rope(basis=basis))])


def _with_word(name: str, word: str) -> Any:
    """A sound graph with this word of an execution."""
    places: dict[str, Way] = {
        "norm_kind": ("norm", "pre", "kind"),
        "placement": ("norm", "placement"),
        "qk_norm_scope": ("attention", "qk_norm_scope"),
        "sinks": ("attention", "sinks"),
    }
    if name == "gate_policy":
        limits = {"limit": 7.0, "alpha": 1.702} if word == "clamped_glu" else {}
        return changed(minimal(), (*SURFACE, "ffn", "gate_policy"), {"kind": word, **limits})
    if name in places:
        return changed(minimal(), (*SURFACE, *places[name]), word)
    if name in ("activation", "ffn_type"):
        return changed(minimal(), (*SURFACE, "ffn", name), word)
    return changed(MOE, (*SURFACE, "ffn", "moe", name), word)


@clause("GRAPH-ENUM-02")
@cases(dict(_sound()))
def test_every_listed_word_loads(ask: Ask, case: Any) -> None:
    """In a graph that is sound with it, each spelling of the tables loads."""
    check("GRAPH-ENUM-02", load(ask, case), loads(case))


@clause("GRAPH-ENUM-03")
@cases(
    unknown="Q3_Z_TURBO",
    composed="BF16+F32",
    empty="",
    lower_case="bf16",
    spaces=" F8_E4M3 ",
    fidelity_word="canonical",
    number="16",
    letters_of_anywhere="量化\u00e9",
    combining="e\u0301",
    long="Q" * 300,
)
def test_an_encoding_is_a_free_string(ask: Ask, case: str) -> None:
    """A label that nobody knows is observed verbatim, first of its object or not."""
    for stored in ([representation(case)], [representation("BF16"), representation(case, "approximate")]):
        document = changed(minimal(), ("objects", 1, "representations"), stored)
        check("GRAPH-ENUM-03", load(ask, document), loads(document))
