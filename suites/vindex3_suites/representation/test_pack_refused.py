"""Packs that are refused, that are there already, or that claim to be more than they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, refuses
from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.contract.outcome import Refused
from pytest_vindex3.plugin.ask import needs
from pytest_vindex3.plugin.expect import Either
from vindex3_fixtures.container.segment import Tensor, pattern
from vindex3_fixtures.representation.packs import Pack, encoded, first_of, place_of
from vindex3_suites.container.models import EMBEDDING, FULL, TINY
from vindex3_suites.container.on_disk import member, shows, spares
from vindex3_suites.representation.packing import BOTH, Added, add, adds, said_added, said_skipped
from vindex3_suites.representation.test_pack_added import HEAD, MIXED, ONE, STACK, TOKENS

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.container import Model

WIDENED = b"".join(
    bytes(2) + TINY.segments[EMBEDDING].payload[at : at + 2]
    for at in range(0, len(TINY.segments[EMBEDDING].payload), 2)
)
LOSSLESS = Pack(TOKENS, "F32", [Tensor("weight", "F32", (6, 4), WIDENED)])
"""Every value of the first representation in a wider dtype."""


def _lines(made: Added, pack: Pack) -> object:
    """What the graph says of the representations of a pack's object."""
    objects = member(made.after.graph, "objects")
    own = [one for one in objects if member(one, "id") == pack.object] if isinstance(objects, list) else []
    return member(own[0], "representations") if own else MISSING


def _listed(model: Model, pack: Pack) -> list[Any]:
    """What it has to say once the pack is there."""
    return [*model.graph["objects"][place_of(model, pack.object)]["representations"], pack.line]


@clause("PACK-FIDELITY-01")
@cases(one_tensor=ONE, many_tensors=MIXED, nothing_is_lost=LOSSLESS)
def test_a_request_sets_no_fidelity(ask: Ask, case: Pack) -> None:
    """A pack that is called canonical becomes an approximate one, or is refused for what it asserts."""
    expected = _listed(TINY, case)
    for stated in ({}, {"fidelity": "approximate"}):
        for made in adds(ask, "PACK-FIDELITY-01", TINY, case, (f"stated {len(stated)}",), **stated):
            check("PACK-FIDELITY-01", made.reply, shows("lines", expected, _lines(made, case)))
    for place in BOTH:
        made = add(ask, TINY, case, place, fidelity="canonical")
        asserted = refuses("asserted-fidelity", representation=case.id)
        check("PACK-FIDELITY-01", made.reply, Either(said_added(made, case), asserted))
        if not isinstance(made.reply.outcome, Refused):
            check("PACK-FIDELITY-01", made.reply, spares("lines", expected, _lines(made, case)))


@needs("container.open", "container.verify")
@clause("PACK-AGAIN-01")
@cases(
    the_same_bytes=(TINY, ONE, ONE),
    other_bytes=(TINY, ONE, replace(ONE, tensors=[Tensor("weight", "Q8_0", (6, 4), pattern(31, 3))])),
    another_codec=(TINY, ONE, replace(ONE, making={"codec": {"family": "q8_0", "revision": 9}})),
    many_tensors=(TINY, MIXED, encoded(TINY, STACK, "NVFP4")),
    of_another_producer=(FULL, None, encoded(FULL, TOKENS)),
    the_first_representation=(
        TINY,
        None,
        Pack(TOKENS, "BF16", [Tensor("weight", "BF16", (6, 4), pattern(48, 100))]),
    ),
)
def test_what_is_there_is_skipped(ask: Ask, case: tuple[Model, Pack | None, Pack]) -> None:
    """A representation that is there is listed as skipped, and stays what it is, here and elsewhere."""
    model, first, pack = case
    if first:
        made = add(ask, model, first)
        check("PACK-AGAIN-01", made.reply, said_added(made, first))
    else:
        ask.file("source", model.folder)
    for place in BOTH:
        again = add(ask, None, pack, place)
        check("PACK-AGAIN-01", again.reply, said_skipped(again, pack))
        for name, data in again.before.segments.items():
            found = again.after.files.get(name, MISSING)
            check("PACK-AGAIN-01", again.reply, shows(f"{name}, {place}", data, found))
        expected, found = again.before.entry(pack.id), again.after.entry(pack.id)
        check("PACK-AGAIN-01", again.reply, shows(f"entry of {pack.id}, {place}", expected, found))
        check("PACK-AGAIN-01", ask("container.open", path=again.path), answers())
        examined = len(again.before.entries)
        verified = answers(verified=True, examined=examined)
        check("PACK-AGAIN-01", ask("container.verify", path=again.path), verified)


def _check_refused(ask: Ask, clause_id: str, model: Model, pack: Pack, refused: Expectation) -> None:
    """The pack is refused to every place, and no file has come by it."""
    for place in BOTH:
        made = add(ask, model, pack, f"refused {place}" if place == "elsewhere" else place)
        check(clause_id, made.reply, refused)
        check(
            clause_id,
            made.reply,
            spares("files of the source", sorted(made.before.files), sorted(made.source.files)),
        )
        if not made.in_place:
            check(clause_id, made.reply, spares("files of the target", [], sorted(made.after.files)))


ELSEWHERE = {
    "another_kind": "target.perception_tower",
    "another_component": "draft.embedding",
    "a_component": "target",
    "capitals": "Target.Embedding",
    "cut": "target.embeddin",
    "a_space": "target.embedding ",
    "a_representation": EMBEDDING,
}


@clause("PACK-REFUSE-01")
@cases(ELSEWHERE)
def test_an_object_that_is_nowhere_has_no_pack(ask: Ask, case: str) -> None:
    """An object that the graph lacks is named, and nothing is written."""
    for made in adds(ask, "PACK-REFUSE-01", TINY, ONE, ("elsewhere",)):
        check("PACK-REFUSE-01", made.reply, shows("whether it is whole", True, made.after.complete))
    wrong = replace(ONE, object=case)
    _check_refused(ask, "PACK-REFUSE-01", TINY, wrong, refuses("dangling-reference", missing=case))


@clause("PACK-REFUSE-02")
@cases(
    the_only_one=(ONE, "weight"),
    the_first=(MIXED, "0.input_layernorm.weight"),
    one_in_the_middle=(MIXED, "0.self_attn.q_proj.weight"),
    the_last=(MIXED, "1.self_attn.v_proj.weight"),
    one_of_a_pack_that_encodes_all=(encoded(TINY, STACK), "1.mlp.up_proj.weight"),
)
def test_a_pack_lacks_no_tensor(ask: Ask, case: tuple[Pack, str]) -> None:
    """A tensor of the first representation that the pack has not is named with its object."""
    pack, name = case
    made = add(ask, TINY, pack, "elsewhere")
    check("PACK-REFUSE-02", made.reply, said_added(made, pack))
    lacking = refuses("missing-operand", object=pack.object, operand=name)
    for place in ("in place", "refused"):
        check("PACK-REFUSE-02", add(ask, TINY, pack.without(name), place).reply, lacking)


@clause("PACK-REFUSE-02")
def test_another_name_is_another_tensor(ask: Ask) -> None:
    """A tensor whose name differs in case alone does not stand for the one that is lacking."""
    made = add(ask, TINY, ONE, "elsewhere")
    check("PACK-REFUSE-02", made.reply, said_added(made, ONE))
    renamed = replace(ONE, tensors=[replace(one, name="Weight") for one in ONE.tensors])
    lacking = refuses("missing-operand", object=TOKENS, operand="weight")
    check("PACK-REFUSE-02", add(ask, TINY, renamed).reply, lacking)


def _copied(model: Model, thing: str, label: str, **dtypes: str) -> Pack:
    """The tensors of an object's first representation under another label, some under another dtype."""
    first = model.segments[first_of(model, thing)]
    return Pack(
        thing,
        label,
        [
            Tensor(
                row["name"], dtypes.get("dtype", row["dtype"]), tuple(row["shape"]), first.data(row["name"])
            )
            for row in first.true_rows
        ],
    )


REPEATED: dict[str, tuple[Model, Pack]] = {
    "under_another_label": (TINY, _copied(TINY, TOKENS, "copy")),
    "under_another_dtype": (TINY, _copied(TINY, TOKENS, "Q8_0", dtype="Q8_0")),
    "of_many_tensors": (TINY, _copied(TINY, STACK, "NVFP4")),
    "asked_for_backwards": (
        TINY,
        replace(_copied(TINY, STACK, "A"), tensors=_copied(TINY, STACK, "A").tensors[::-1]),
    ),
    "beside_a_pack": (FULL, _copied(FULL, TOKENS, "Q6_K")),
}


@clause("PACK-REFUSE-03")
@cases(REPEATED)
def test_the_same_bytes_are_not_stored_twice(ask: Ask, case: tuple[Model, Pack]) -> None:
    """A pack with the payload of the first representation is refused for both, and nothing is written."""
    model, pack = case
    kept = pack.tensors[-1].name
    legal = encoded(model, pack.object, pack.encoding, verbatim=lambda name: name != kept)
    for made in adds(ask, "PACK-REFUSE-03", model, legal, ("elsewhere",)):
        check("PACK-REFUSE-03", made.reply, shows("whether it is whole", True, made.after.complete))
    first = first_of(model, pack.object)
    repeated = Either(
        refuses("duplicate-bytes", subject=pack.id, other=first),
        refuses("duplicate-bytes", subject=first, other=pack.id),
        frozenset({"wrong"}),
    )
    _check_refused(ask, "PACK-REFUSE-03", model, pack, repeated)


@clause("PACK-REFUSE-03")
def test_two_objects_may_have_the_same_bytes(ask: Ask) -> None:
    """The payload of another object's first representation, or of its pack, is no repetition."""
    head = encoded(TINY, HEAD)
    same = Pack(TOKENS, "Q8_0", head.tensors)
    norm = Pack(TOKENS, "A", [Tensor("weight", "A", (6, 4), TINY.segments["target.final_norm@F32"].payload)])
    ask.file("source", TINY.folder)
    for pack in (head, same, norm):
        made = add(ask, None, pack)
        check("PACK-REFUSE-03", made.reply, said_added(made, pack))
