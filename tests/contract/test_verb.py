"""The definitions of verbs."""

from __future__ import annotations

from typing import Any, Protocol, TypedDict, get_args, get_type_hints, is_typeddict

import pytest

from pytest_vindex3.contract.slots import Blob, Document, FloatArray
from pytest_vindex3.contract.verb import Offer, define, verbs


class Piece(TypedDict):
    """A payload of one region."""

    bank_id: int
    entry: int
    data: Blob


class Written(TypedDict):
    """What a writer answers."""

    file_length: int


class ToyWrite(Protocol):
    """Write something.

    More about it.
    """

    def __call__(self, *, path: str, payload: list[Piece], level: int = 3, guard: bool = False) -> Written:
        """Answer."""
        ...


PAYLOAD = Offer(("bank_id", "entry"), "data")
TOY = define("toy.write", ToyWrite, options=("guard",), offers={"payload": PAYLOAD})


def test_a_definition_says_all_of_a_verb() -> None:
    """Arguments, which are required, options, answer and summary are read from one class."""
    assert TOY.summary == "Write something."
    assert TOY.about == "More about it."
    assert list(TOY.arguments) == ["path", "payload", "level", "guard"]
    assert TOY.required == {"path", "payload"}
    assert TOY.options == {"guard"}
    assert TOY.answer is Written
    assert TOY.function == "toy_write"
    assert TOY.signature == "def toy_write(path, payload, level=3, guard=False):"


def test_an_offer_is_a_function_in_python() -> None:
    """A list of objects becomes a function of their keys; what is not there is answered with None."""
    pieces = [{"bank_id": 1, "entry": 2, "data": b"x"}, {"bank_id": 1, "entry": 3, "data": b"y"}]
    offered = TOY.offered({"path": "p", "payload": pieces})
    assert offered["path"] == "p"
    assert offered["payload"](1, 2) == b"x"
    assert offered["payload"](1, entry=3) == b"y"
    assert offered["payload"](entry=3, bank_id=1) == b"y"
    assert offered["payload"](2, 2) is None


def test_an_offer_says_what_it_has() -> None:
    """The keys of an offered function are the coordinates of its list, so that surplus ones can be told."""
    pieces = [{"bank_id": 2, "entry": 5, "data": b"x"}, {"bank_id": 1, "entry": 3, "data": b"y"}]
    assert PAYLOAD.function(pieces).keys() == [(2, 5), (1, 3)]
    assert PAYLOAD.function([]).keys() == []


def test_an_absent_offer_stays_absent() -> None:
    """No function is made where the request has no list."""
    assert TOY.offered({"path": "p"}) == {"path": "p"}
    assert TOY.offered({"payload": None}) == {"payload": None}


def test_every_verb_is_found_by_its_family_module() -> None:
    """The registry holds the verbs of every family module, sorted by name."""
    assert {"lyrw.parse", "lyrw.region", "lyrw.partner"} <= set(verbs())
    assert list(verbs()) == sorted(verbs())


PARTS = {int, str, float, bool, type(None), Blob, FloatArray, Document}


def unjudgeable(annotation: Any) -> list[Any]:
    """Types below an annotation that the judge and the pipe do not know."""
    if annotation in PARTS:
        return []
    if is_typeddict(annotation):
        return [wrong for slot in get_type_hints(annotation).values() for wrong in unjudgeable(slot)]
    parts = get_args(annotation)
    return [wrong for part in parts for wrong in unjudgeable(part)] if parts else [annotation]


@pytest.mark.parametrize("name", verbs())
def test_verbs_are_made_of_known_slots(name: str) -> None:
    """Every slot of every verb is of a type that is judged alike on all doors: no Any, no object."""
    verb = verbs()[name]
    for annotation in [verb.answer, *verb.arguments.values()]:
        assert unjudgeable(annotation) == []
    assert verb.summary.endswith(".")
    assert verb.options <= set(verb.arguments) - verb.required
