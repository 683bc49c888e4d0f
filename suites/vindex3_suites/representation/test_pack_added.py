"""Packs that are added: segment, entry, key and line, and a container that is whole with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause
from pytest_vindex3.contract.difference import MISSING, Stored
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.container.segment import Segment, Tensor, pattern
from vindex3_fixtures.container.tiny import tiny
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.maps import exception, policy
from vindex3_fixtures.representation.packs import LABELS, Pack, encoded, first_of
from vindex3_suites.container.models import FULL, TINY
from vindex3_suites.container.on_disk import member, sha256, shows
from vindex3_suites.container.tensors import delivers
from vindex3_suites.representation.packing import PLACES, add, adds, said_added

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

TOKENS, STACK, LAST, HEAD = (
    f"target.{kind}" for kind in ("embedding", "decoder_stack", "final_norm", "output_head")
)


def norms(name: str) -> bool:
    """Tensors that are stored as they are, beside others that are encoded."""
    return "norm" in name


WHOLE = encoded(TINY, STACK)
MIXED = encoded(TINY, STACK, "NVFP4", verbatim=norms)
SHUFFLED = replace(MIXED, tensors=MIXED.tensors[::-1])
ONE = encoded(TINY, TOKENS)


def by_label(label: str) -> Pack:
    """The embedding under this label."""
    return encoded(TINY, TOKENS, label)


PACKS: dict[str, tuple[Model, Pack]] = {
    "one_tensor": (TINY, ONE),
    "many_tensors": (TINY, WHOLE),
    "asked_for_backwards": (TINY, SHUFFLED),
    "first_in_f32": (TINY, encoded(TINY, LAST, "F16x")),
    "a_third_encoding": (FULL, encoded(FULL, TOKENS, "Q6_K")),
    **{f"label_{at}": (TINY, by_label(label)) for at, label in enumerate(LABELS)},
}


@clause("PACK-ADD-01")
@cases({place: place for place in PLACES})
def test_a_pack_may_go_anywhere(ask: Ask, case: str) -> None:
    """In the container's own folder, said or not, in a new one and in an empty one the pack stands there."""
    made = add(ask, TINY, ONE, case)
    check("PACK-ADD-01", made.reply, said_added(made, ONE))
    for place, expected, there in (
        (ONE.file, ONE.segment.payload, made.after.segment(ONE.id).payload),
        ("representations", sorted([*TINY.segments, ONE.id]), sorted(made.after.entries)),
        ("whether all digests hold", True, made.after.complete),
    ):
        check("PACK-ADD-01", made.reply, shows(place, expected, there))


@clause("PACK-ADD-01")
@cases(PACKS)
def test_a_pack_is_one_more_segment(ask: Ask, case: tuple[Model, Pack]) -> None:
    """One file, one entry and one key are new; table, payload and both digests are those of the request."""
    model, pack = case
    for made in adds(ask, "PACK-ADD-01", model, pack):
        before, after, segment = made.before, made.after, made.after.segment(pack.id)
        table = {"schema": 1, "representation": pack.id, "tensors": list(pack.segment.true_rows)}
        entry = {
            "object": pack.object,
            "encoding": pack.encoding,
            "segment": pack.file,
            "tensor_count": len(pack.tensors),
            "payload_bytes": len(pack.segment.payload),
            "payload_sha256": pack.segment.payload_sha256,
            "segment_sha256": sha256(segment.data),
        }
        keys = sorted([*member(before.index, "segments"), pack.key])
        found = member(after.index, "segments")
        for place, expected, there in (
            (f"header of {pack.file}", table, segment.header),
            (f"payload of {pack.file}", pack.segment.payload, segment.payload),
            (f"entry of {pack.id}", entry, after.entry(pack.id)),
            ("representations", sorted([*before.entries, pack.id]), sorted(after.entries)),
            ("keys of segments", keys, sorted(found) if isinstance(found, dict) else found),
            (f"count of {pack.key}", 1, member(found, pack.key)),
            ("segments", sorted([*before.segments, pack.file]), sorted(after.segments)),
        ):
            check("PACK-ADD-01", made.reply, shows(f"{place}, {made.place}", expected, there))


def _turned() -> Model:
    """The embedding with a second encoding that sorts before the first, in the index and by name."""
    other = encoded(TINY, TOKENS, "A8")
    added = other.added_to(TINY)
    entries = dict(sorted(added.index["representations"].items()))
    return added.with_index(("representations",), entries)


MAKING: dict[str, Any] = {
    "codec": {"family": "nvfp4", "revision": 2, "group_elems": 16, "later": {"a": [1, None, 0.5]}},
    "encoder": {"algorithm": "nearest", "revision": 1, "source": "q"},
}


@clause("PACK-ADD-02")
@cases(
    one_tensor=(TINY, ONE),
    first_in_f32=(TINY, encoded(TINY, LAST, "F16x")),
    how_it_was_made=(TINY, encoded(TINY, STACK, "NVFP4", verbatim=norms, **MAKING)),
    codec_alone=(TINY, encoded(TINY, HEAD, codec=MAKING["codec"])),
    encoder_alone=(TINY, encoded(TINY, HEAD, encoder={})),
    behind_another_pack=(_turned(), encoded(TINY, TOKENS, "A9")),
    before_another_pack=(FULL, encoded(FULL, TOKENS, "00")),
)
def test_a_pack_names_what_it_was_made_of(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Its entry has the first representation with that payload's digest, and the codec as it was given."""
    model, pack = case
    first = first_of(model, pack.object)
    for made in adds(ask, "PACK-ADD-02", model, pack):
        expected = {
            "compiled_from": first,
            "source_representation_digest": model.segments[first].payload_sha256,
            **{key: Stored(value) for key, value in pack.making.items()},
        }
        found = made.after.entry(pack.id)
        check("PACK-ADD-02", made.reply, shows(f"entry of {pack.id}, {made.place}", expected, found))


NAMES = (
    "0.input_layernorm.weight",
    "0.mlp.down_proj.weight",
    "0.mlp.x_proj.weight",
    "1.mlp.down_proj.weight",
)
SHAPES = dict(zip(NAMES, ((16,), (2, 16), (2, 24), (2, 16)), strict=True))


def _mapped() -> Model:
    """A stack that a map compiles in part: a norm, two that fit, one that does not."""
    stack = Segment(f"{STACK}@BF16", tuple(Tensor(name, shape=shape) for name, shape in SHAPES.items()))
    usual = policy(exception("down_proj", (1, 1)), roles=[v.LINEAR])
    return tiny().with_segment(stack).with_index(("precision_map",), usual)


MAPPED = _mapped()
AS_MAPPED = encoded(MAPPED, STACK, v.NVFP4, verbatim=lambda name: name != NAMES[1])
"""A pack that is what the map makes of the stack."""

WHOLE_AFTERWARDS: dict[str, tuple[Model, Pack]] = {
    **PACKS,
    "mixed": (TINY, MIXED),
    "by_its_map": (MAPPED, AS_MAPPED),
    "beside_its_map": (MAPPED, encoded(MAPPED, STACK, "Q8_0")),
    "longer_than_a_buffer": (
        TINY,
        Pack(TOKENS, "Q8_0", [Tensor("weight", "Q8_0", (6, 4), pattern(1_100_001))]),
    ),
}


def _answers(ask: Ask, clause_id: str, path: str, segments: dict[str, Segment]) -> None:
    """Every tensor of these representations is answered as it is stored."""
    for key, segment in segments.items():
        for row in segment.true_rows:
            reply = ask("container.tensor", path=path, representation=key, tensor=row["name"])
            check(clause_id, reply, delivers(segment, row["name"]))


@needs("container.open", "container.verify", "container.tensor")
@clause("PACK-ADD-03")
@cases(WHOLE_AFTERWARDS)
def test_the_result_is_whole(ask: Ask, case: tuple[Model, Pack]) -> None:
    """It opens with the pack, nothing is wrong with it, and every older representation answers."""
    model, pack = case
    for made in adds(ask, "PACK-ADD-03", model, pack):
        listed = {pack.id: {"object": pack.object, "encoding": pack.encoding, "segment": pack.file}}
        opened = ask("container.open", path=made.path)
        check("PACK-ADD-03", opened, answers(model=model.index["model"], representations=listed))
        verified = ask("container.verify", path=made.path)
        check("PACK-ADD-03", verified, answers(verified=True, examined=len(model.segments) + 1, defects=[]))
        _answers(ask, "PACK-ADD-03", made.path, dict(model.segments))


@needs("container.open", "container.verify", "container.tensor")
@clause("PACK-ADD-03")
def test_packs_are_added_one_after_the_other(ask: Ask) -> None:
    """Packs of one object and of several stand beside each other, each added to what the last one left."""
    packs = [encoded(TINY, thing, label) for label in ("Q8_0", "A") for thing in (TOKENS, STACK, LAST)]
    ask.file("source", TINY.folder)
    stored = dict(TINY.segments)
    for pack in packs:
        made = add(ask, None, pack)
        check("PACK-ADD-03", made.reply, said_added(made, pack))
        stored[pack.id] = pack.segment
    path = str(ask.folder / "source")
    check("PACK-ADD-03", ask("container.verify", path=path), answers(verified=True, examined=len(stored)))
    _answers(ask, "PACK-ADD-03", path, stored)


@needs("container.tensor")
@clause("PACK-ADD-04")
@cases(
    norms_verbatim=(TINY, MIXED),
    asked_for_backwards=(TINY, SHUFFLED),
    all_but_one_verbatim=(TINY, encoded(TINY, STACK, verbatim=lambda name: name != "1.mlp.up_proj.weight")),
    as_a_map_has_it=(MAPPED, AS_MAPPED),
)
def test_some_tensors_may_be_as_they_were(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Each tensor of the pack comes out with the dtype, shape and bytes that were given for it."""
    model, pack = case
    for made in adds(ask, "PACK-ADD-04", model, pack):
        _answers(ask, "PACK-ADD-04", made.path, {pack.id: pack.segment})


@clause("PACK-ADD-04")
def test_the_dtype_of_a_tensor_is_its_own(ask: Ask) -> None:
    """What is verbatim keeps its dtype in the table, whatever the label of the pack."""
    for made in adds(ask, "PACK-ADD-04", TINY, MIXED):
        rows = made.after.segment(MIXED.id).rows
        rows = {member(row, "name"): member(row, "dtype") for row in rows} if isinstance(rows, list) else {}
        for tensor in MIXED.tensors:
            place = f"dtype of {tensor.name}, {made.place}"
            check("PACK-ADD-04", made.reply, shows(place, tensor.dtype, rows.get(tensor.name, MISSING)))
