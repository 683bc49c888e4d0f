"""Stored forms as a verifier sees them: bytes that are kept twice, and fidelity that is asserted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.container.segment import Tensor
from vindex3_fixtures.container.tiny import DOWN, GATE_UP, MXFP4, Q6K, bank
from vindex3_fixtures.graph import representation
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.packs import Pack, encoded, place_of
from vindex3_suites.container.models import BOTH, FULL, TINY
from vindex3_suites.container.verifying import check_found, defect, intact, verify
from vindex3_suites.representation.test_pack_added import HEAD, STACK, TOKENS

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

BANK = bank()


def _copied(model: Model, of: str, label: str) -> Model:
    """The container in which an object has the bytes of a representation once more, under this label."""
    segment = model.segments[of]
    return Pack(segment.object_id, label, segment.tensors).added_to(model)


def _variant(model: Model, region_set: str, name: str, storage: str) -> Model:
    stored = {"storage": storage, "fidelity": v.ANALYSIS}
    return model.with_index(("variants", region_set, "variants", name), stored)


SEVERAL = encoded(TINY, TOKENS, "A").added_to(encoded(TINY, TOKENS).added_to(TINY))
TWICE: dict[str, tuple[Model, Model, tuple[str, str]]] = {
    "first_and_a_pack": (TINY, _copied(TINY, f"{TOKENS}@BF16", "copy"), (f"{TOKENS}@BF16", f"{TOKENS}@copy")),
    "of_many_tensors": (TINY, _copied(TINY, f"{STACK}@BF16", "0"), (f"{STACK}@BF16", f"{STACK}@0")),
    "two_packs": (SEVERAL, _copied(SEVERAL, f"{TOKENS}@A", "Z"), (f"{TOKENS}@A", f"{TOKENS}@Z")),
    "variants_of_one_storage": (BANK, _variant(BANK, DOWN, "same", Q6K), ("exact-q6k", "same")),
    "one_of_three_variants": (BANK, _variant(BANK, GATE_UP, "same", MXFP4), ("native-mxfp4", "same")),
    "variants_beside_a_graph": (BOTH, _variant(BOTH, DOWN, "same", Q6K), ("exact-q6k", "same")),
}


@clause("SELECT-SINGLE-01")
@cases(TWICE)
def test_bytes_that_are_stored_twice_are_found(ask: Ask, case: tuple[Model, Model, tuple[str, str]]) -> None:
    """Two forms of one thing with the same bytes are named; those of two things are not."""
    legal, wrong, (one, other) = case
    repeated = one_of(
        defect("duplicate-bytes", subject=one, other=other),
        defect("duplicate-bytes", subject=other, other=one),
    )
    check_found(ask, "SELECT-SINGLE-01", legal, wrong, repeated)


@clause("SELECT-SINGLE-02")
@cases(
    variants=BANK,
    variants_beside_a_graph=BOTH,
    a_pack=encoded(TINY, TOKENS).added_to(TINY),
    several_packs=SEVERAL,
    packs_of_several_objects=encoded(SEVERAL, HEAD).added_to(SEVERAL),
    every_key=FULL,
    one_byte_apart=Pack(
        TOKENS,
        "copy",
        [Tensor("weight", shape=(6, 4), data=TINY.segments[f"{TOKENS}@BF16"].payload[:-1] + b"x")],
    ).added_to(TINY),
    equal_bytes_of_two_objects=Pack(HEAD, "Q8_0", encoded(TINY, TOKENS).tensors).added_to(SEVERAL),
)
def test_deliberate_alternatives_are_no_defect(ask: Ask, case: Model) -> None:
    """Forms that differ in storage or bytes stand beside each other, and two things may share them."""
    check("SELECT-SINGLE-02", verify(ask, case), intact(case))


def _said(model: Model, thing: str, *words: str) -> Model:
    """The container with these words of fidelity for the representations of an object."""
    way = ("objects", place_of(model, thing), "representations")
    encodings = [line["encoding"] for line in model.graph["objects"][way[1]]["representations"]]
    return model.with_graph(way, [representation(*pair) for pair in zip(encodings, words, strict=True)])


def _turned(model: Model, thing: str) -> Model:
    """The container in which the representations of an object are listed the other way round."""
    way = ("objects", place_of(model, thing), "representations")
    return model.with_graph(way, model.graph["objects"][way[1]]["representations"][::-1])


WITH_PACK = encoded(TINY, TOKENS).added_to(TINY)
PACK_ID = f"{TOKENS}@Q8_0"
BARE = WITH_PACK.without_index(("representations", PACK_ID, "compiled_from")).without_index(
    ("representations", PACK_ID, "source_representation_digest")
)
ASSERTED: dict[str, tuple[Model, Model, str]] = {
    "beside_the_first": (WITH_PACK, _said(WITH_PACK, TOKENS, "canonical", "canonical"), PACK_ID),
    "alone": (WITH_PACK, _said(WITH_PACK, TOKENS, "approximate", "canonical"), PACK_ID),
    "listed_first": (
        _turned(WITH_PACK, TOKENS),
        _turned(_said(WITH_PACK, TOKENS, "approximate", "canonical"), TOKENS),
        PACK_ID,
    ),
    "one_of_two_packs": (
        SEVERAL,
        _said(SEVERAL, TOKENS, "canonical", "approximate", "canonical"),
        f"{TOKENS}@A",
    ),
    "what_was_not_compiled_may": (
        _said(BARE, TOKENS, "canonical", "canonical"),
        _said(WITH_PACK, TOKENS, "canonical", "canonical"),
        PACK_ID,
    ),
}


@clause("SELECT-FIDELITY-01")
@cases(ASSERTED)
def test_a_compiled_form_is_not_canonical(ask: Ask, case: tuple[Model, Model, str]) -> None:
    """An entry that was compiled from another one is named where the graph calls it canonical."""
    legal, wrong, key = case
    check_found(ask, "SELECT-FIDELITY-01", legal, wrong, defect("asserted-fidelity", representation=key))
