"""Packs beside a baseline: asked for by name alone, harming nobody, and taken out again without a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.container.segment import pattern
from vindex3_fixtures.representation.packs import Pack, encoded, first_of
from vindex3_suites.container.models import FULL, TINY, opens
from vindex3_suites.container.tensors import delivers
from vindex3_suites.container.verifying import HEADER, SPOILT, UNASKED, UNMATCHED, Flags, finds, intact
from vindex3_suites.representation.packing import BOTH, add, said_added, take_out
from vindex3_suites.representation.test_pack_added import LAST, MIXED, ONE, STACK, TOKENS

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

THREE = (ONE, MIXED, encoded(TINY, LAST, "A"))
PACKS: dict[str, tuple[Model, Pack]] = {
    "one_tensor": (TINY, ONE),
    "many_tensors": (TINY, MIXED),
    "sorts_before_the_first": (TINY, encoded(TINY, TOKENS, "0")),
    "beside_another_pack": (FULL, encoded(FULL, TOKENS, "Q6_K")),
}


def _check_unasked(ask: Ask, clause_id: str, path: str, model: Model) -> None:
    """Without an encoding every object answers from its first representation, as it did in this container."""
    for one in model.graph["objects"]:
        segment = model.segments[first_of(model, one["id"])]
        for row in segment.true_rows:
            reply = ask("container.tensor", path=path, object=one["id"], tensor=row["name"])
            check(clause_id, reply, delivers(segment, row["name"]))


def _check_others(ask: Ask, clause_id: str, path: str, model: Model, pack: Pack | None = None) -> None:
    """Every tensor of every representation of a container is answered, but for those of one pack."""
    for key, segment in model.segments.items():
        for row in segment.true_rows if pack is None or key != pack.id else ():
            reply = ask("container.tensor", path=path, representation=key, tensor=row["name"])
            check(clause_id, reply, delivers(segment, row["name"]))


@clause("PACK-ADD-05")
@cases(PACKS)
def test_a_pack_answers_only_by_name(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Requests without an encoding are answered as in the container without the pack."""
    model, pack = case
    _check_unasked(ask, "PACK-ADD-05", ask.file("before", model.folder), model)
    path = ask.file("after", pack.added_to(model).folder)
    _check_unasked(ask, "PACK-ADD-05", path, model)
    for row in pack.segment.true_rows:
        named = {"object": pack.object, "encoding": pack.encoding, "tensor": row["name"]}
        reply = ask("container.tensor", path=path, **named)
        check("PACK-ADD-05", reply, delivers(pack.segment, row["name"]))


@needs("pack.add")
@clause("PACK-ADD-05")
@cases(PACKS)
def test_an_added_pack_answers_only_by_name(ask: Ask, case: tuple[Model, Pack]) -> None:
    """So are they once the implementation itself has added it, in the result and in the source."""
    model, pack = case
    made = add(ask, model, pack, "elsewhere")
    check("PACK-ADD-05", made.reply, said_added(made, pack))
    for folder in (made.path, str(made.source.folder)):
        _check_unasked(ask, "PACK-ADD-05", folder, model)


Damage = Callable[[bytes], bytes]


def _flipped(place: int) -> Damage:
    return lambda data: data[:place] + bytes([data[place] ^ 1]) + data[place:][1:]


SPOILING: dict[str, tuple[Damage, Flags]] = {
    "payload": (_flipped(-1), SPOILT),
    "header": (lambda data: data.replace(b"Q8_0", b"Q8_1"), HEADER),
    "length": (lambda data: b"\xff" * 8 + data[8:], (False, UNMATCHED)),
    "cut": (lambda data: data[:-1], SPOILT),
    "longer": (lambda data: data + b"\0", SPOILT),
    "empty": (lambda data: b"", (False, UNMATCHED)),
    "zeros": (lambda data: bytes(len(data)), (False, UNASKED)),
    "no_segment": (lambda data: pattern(300), (False, UNASKED)),
}


@needs("container.verify")
@clause("PACK-ADD-06")
@cases(SPOILING)
def test_a_damaged_pack_harms_nobody(ask: Ask, case: tuple[Damage, Flags]) -> None:
    """Every other representation still answers, and the pack alone is faulted."""
    damage, flags = case
    legal = ONE.added_to(encoded(TINY, TOKENS, "A").added_to(TINY))
    wrong = legal.with_file(ONE.file, damage(ONE.segment.bytes()))
    path = ask.file("legal", legal.folder)
    _check_others(ask, "PACK-ADD-06", path, legal)
    check("PACK-ADD-06", ask("container.verify", path=path), intact(legal))
    path = ask.file("wrong", wrong.folder)
    _check_others(ask, "PACK-ADD-06", path, wrong, ONE)
    _check_unasked(ask, "PACK-ADD-06", path, TINY)
    check("PACK-ADD-06", ask("container.verify", path=path), finds(wrong, flags={ONE.id: flags}))


def _packed(packs: tuple[Pack, ...]) -> Model:
    model = TINY
    for pack in packs:
        model = pack.added_to(model)
    return model


REMOVED: dict[str, tuple[Model, Pack]] = {
    "the_only_one": (_packed((ONE,)), ONE),
    "of_three_the_first": (_packed(THREE), THREE[0]),
    "of_three_the_last": (_packed(THREE), THREE[2]),
    "of_two_of_one_object": (_packed((ONE, encoded(TINY, TOKENS, "A"))), ONE),
    "of_many_tensors": (_packed(THREE), MIXED),
    "with_every_key": (encoded(FULL, STACK).added_to(FULL), encoded(FULL, STACK)),
}


@needs("container.open", "container.tensor")
@clause("PACK-REMOVE-01")
@cases(REMOVED)
def test_a_pack_is_taken_out(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Without its file, entry, key and line the container opens, has no defect, and answers as before."""
    model, pack = case
    check("PACK-REMOVE-01", ask("container.verify", path=ask.file("with", model.folder)), intact(model))
    without = pack.taken_from(model)
    path = ask.file("without", without.folder)
    check("PACK-REMOVE-01", ask("container.verify", path=path), intact(without))
    check("PACK-REMOVE-01", ask("container.open", path=path), opens(without))
    _check_others(ask, "PACK-REMOVE-01", path, without)


@needs("container.open", "container.tensor", "pack.add")
@clause("PACK-REMOVE-01")
@cases({f"{name} {place}": (*case, place) for name, case in PACKS.items() for place in BOTH})
def test_an_added_pack_is_taken_out(ask: Ask, case: tuple[Model, Pack, str]) -> None:
    """What the implementation added is taken out by hand, and the container is what it was."""
    model, pack, place = case
    made = add(ask, model, pack, place)
    check("PACK-REMOVE-01", made.reply, said_added(made, pack))
    take_out(made.after, pack)
    check("PACK-REMOVE-01", ask("container.verify", path=made.path), intact(model))
    opened = {key: value for key, value in opens(model).keys.items() if key not in ("schema", "extra")}
    check("PACK-REMOVE-01", ask("container.open", path=made.path), answers(opened))
    _check_others(ask, "PACK-REMOVE-01", made.path, model)
