"""Verdicts on the type of answers and refusals."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping
from typing import Any, Protocol, TypedDict

import numpy as np
import pytest

from pytest_vindex3.contract.outcome import Answer, Misfit, Refused
from pytest_vindex3.contract.slots import Blob, Document, FloatArray
from pytest_vindex3.contract.typed import judged_answer, judged_refusal
from pytest_vindex3.contract.verb import define, verbs


class Inner(TypedDict):
    """An object in an answer."""

    n: int


class Toy(TypedDict, total=False):
    """One slot of every sort."""

    n: int
    optional: int | None
    tag: str | int
    real: float
    flag: bool
    blob: Blob
    floats: FloatArray
    document: Document
    inner: Inner
    items: list[Inner]
    table: dict[str, Inner]


class Ask(Protocol):
    """Ask for a toy."""

    def __call__(self, *, path: str) -> Toy:
        """Answer."""
        ...


TOY = define("toy.ask", Ask)


@dataclasses.dataclass
class Record:
    """An answer as an object, which is no plain data."""

    n: int = 1


def judged(raw: object) -> Answer | Misfit:
    """The verdict on a raw answer of the toy verb."""
    return judged_answer(TOY, raw)


FITS = {
    "int": ({"n": 3}, {"n": 3}),
    "numpy int": ({"n": np.uint32(3)}, {"n": 3}),
    "int beyond u64": ({"n": 1 << 80}, {"n": 1 << 80}),
    "negative int": ({"n": -1}, {"n": -1}),
    "null": ({"optional": None}, {"optional": None}),
    "tuple of objects": ({"items": ({"n": 1},)}, {"items": [{"n": 1}]}),
    "int for a real": ({"real": 1}, {"real": 1.0}),
    "big int for a real": ({"real": 1 << 70}, {"real": float(1 << 70)}),
    "buffer": ({"blob": memoryview(b"ab")}, {"blob": b"ab"}),
    "document": ({"document": {"any": [1, 2.5, None]}}, {"document": {"any": [1, 2.5, None]}}),
    "further keys are dropped": (
        {"n": 1, "more": object(), "inner": {"n": 1, "m": 2}},
        {"n": 1, "inner": {"n": 1}},
    ),
}


@pytest.mark.parametrize(("raw", "expected"), FITS.values(), ids=FITS)
def test_fitting_answers(raw: object, expected: dict[str, object]) -> None:
    """A fitting answer is plain data of exactly the slots' types."""
    outcome = judged(raw)
    assert isinstance(outcome, Answer)
    assert repr(outcome.value) == repr(expected)


MISFITS = {
    "true for 1": ({"n": True}, Misfit("n", "integer", "boolean")),
    "numpy true for 1": ({"n": np.True_}, Misfit("n", "integer", "boolean")),
    "1.0 for 1": ({"n": 1.0}, Misfit("n", "integer", "number")),
    "text for 1": ({"n": "1"}, Misfit("n", "integer", "string")),
    "null for 1": ({"n": None}, Misfit("n", "integer", "null")),
    "1 for true": ({"flag": 1}, Misfit("flag", "boolean", "integer")),
    "true for a real": ({"real": True}, Misfit("real", "number", "boolean")),
    "path for a tag": (
        {"tag": pathlib.PurePosixPath("x")},
        Misfit("tag", "integer or string", "PurePosixPath"),
    ),
    "dataclass": (Record(), Misfit("", "object", "Record")),
    "nothing": (None, Misfit("", "object", "null")),
    "list": ([], Misfit("", "object", "list")),
    "in a list": ({"items": [{"n": 1}, {"n": "x"}]}, Misfit("items[1].n", "integer", "string")),
    "set for a list": ({"items": {1}}, Misfit("items", "list", "set")),
    "missing key": ({"inner": {}}, Misfit("inner.n", "integer", "missing")),
    "missing in a list": ({"items": [{"n": 1}, {}]}, Misfit("items[1].n", "integer", "missing")),
    "in a table": ({"table": {"k": {"n": 1.5}}}, Misfit("table[...].n", "integer", "number")),
    "keys of a table": (
        {"table": {7: {"n": 1}}},
        Misfit("table", "string keys", "an object with other keys"),
    ),
    "keys": ({1: 2}, Misfit("", "string keys", "an object with other keys")),
    "list for bytes": ({"blob": [1]}, Misfit("blob", "bytes", "list")),
    "list for floats": ({"floats": [1.0]}, Misfit("floats", "array of floats", "list")),
    "ints for floats": ({"floats": np.arange(2)}, Misfit("floats", "array of floats", "array of numbers")),
    "array for a list": ({"items": np.arange(2)}, Misfit("items", "list", "array of numbers")),
    "bytes in a document": ({"document": {"a": [b""]}}, Misfit("document.a[0]", "plain data", "bytes")),
    "set in a document": ({"document": [{1}]}, Misfit("document[0]", "plain data", "set")),
}


@pytest.mark.parametrize(("raw", "expected"), MISFITS.values(), ids=MISFITS)
def test_misfits_name_key_and_type(raw: object, expected: Misfit) -> None:
    """A wrong type is a misfit that names the key and both types in the field's words."""
    assert judged(raw) == expected


def test_float_arrays_are_made_native() -> None:
    """A big-endian array holds the same numbers, row-major, in the machine's own order."""
    outcome = judged({"floats": np.array([[1, 2]], ">f4").T})
    assert isinstance(outcome, Answer)
    value: Any = outcome.value
    assert value["floats"].dtype == np.dtype("f4")
    assert value["floats"].flags.c_contiguous
    assert value["floats"].tolist() == [[1], [2]]


def test_floats_in_a_slot_for_bytes_are_their_bytes() -> None:
    """Any buffer is bytes where bytes are asked for."""
    assert judged({"blob": np.array([1.0], "<f4")}) == Answer({"blob": b"\0\0\x80\x3f"})


def test_cycles_are_misfits() -> None:
    """An answer that contains itself is a wrong answer, also below a key that nobody reads."""
    cycle: dict[str, object] = {}
    cycle["more"] = cycle
    assert judged(cycle) == Misfit(
        "", "plain data", "a value that nests deeper than 256 levels, or contains itself"
    )


class Refusing(Exception):  # noqa: N818 -- shaped like an implementer's refusal
    """An implementer's own refusal class."""

    def __init__(self, kind: object, names: object, message: object = "said") -> None:
        super().__init__("from str()")
        self.kind, self.names, self.message = kind, names, message


def test_a_refusal_is_any_exception_with_kind_and_names() -> None:
    """Kind, names and message of any exception class are read, and the names made plain."""
    outcome = judged_refusal(Refusing("bad-magic", {"at": np.uint8(4), "need": (1, 2)}))
    assert outcome == Refused("bad-magic", {"at": 4, "need": [1, 2]}, "said")
    assert judged_refusal(Refusing("no-such-kind", {}, None)) == Refused("no-such-kind", {}, "from str()")


WRONG_REFUSALS = {
    "kind is a number": (7, {}, Misfit("refused.kind", "string", "integer")),
    "kind is null": (None, {}, Misfit("refused.kind", "string", "null")),
    "names is null": ("bad-magic", None, Misfit("refused.names", "object", "null")),
    "names is a list": ("bad-magic", ["at"], Misfit("refused.names", "object", "list")),
    "a key is a number": ("bad-magic", {1: 2}, Misfit("refused.names", "plain data", "integer")),
    "a fact is a path": (
        "x",
        {"path": pathlib.PurePosixPath("x")},
        Misfit("refused.names.path", "plain data", "PurePosixPath"),
    ),
    "a fact is bytes": ("x", {"found": b"LYRW"}, Misfit("refused.names.found", "plain data", "bytes")),
}


@pytest.mark.parametrize(("kind", "names", "expected"), WRONG_REFUSALS.values(), ids=WRONG_REFUSALS)
def test_refusals_of_the_wrong_type(kind: object, names: object, expected: Misfit) -> None:
    """An exception that has both attributes means to refuse: the wrong types of either are misfits."""
    assert judged_refusal(Refusing(kind, names)) == expected


@pytest.mark.parametrize(
    "base", [MemoryError, RecursionError, AssertionError, KeyboardInterrupt, SystemExit, GeneratorExit]
)
def test_some_exceptions_never_refuse(base: type[BaseException]) -> None:
    """Whatever they carry, and in subclasses too, exhaustion and the wish to end are no refusals."""
    dressed = type("Dressed", (base,), {"kind": "bad-magic", "names": {}})
    assert judged_refusal(dressed()) is None


class Hiding(Exception):  # noqa: N818 -- shaped like an implementer's refusal
    """An exception whose attributes raise."""

    @property
    def kind(self) -> str:
        """Raise."""
        raise ZeroDivisionError

    names: Mapping[str, object] = {}


@pytest.mark.parametrize("exception", [ValueError("x"), Hiding()], ids=["plain", "hiding"])
def test_other_exceptions_are_no_refusals(exception: Exception) -> None:
    """Without both attributes, or where reading one raises, an exception is none."""
    assert judged_refusal(exception) is None


def test_kind_alone_is_no_refusal() -> None:
    """A kind without names is some other library's exception."""
    other = OSError("x")
    other.kind = "bad-magic"  # type: ignore[attr-defined]
    assert judged_refusal(other) is None


def test_the_verbs_of_the_contract_judge_a_first_answer() -> None:
    """The most likely first answer, an empty object, is told its first missing key and type."""
    assert judged_answer(verbs()["lyrw.parse"], {}) == Misfit("header", "object", "missing")
    assert judged_answer(verbs()["lyrw.region"], {}) == Answer({})


def test_an_unhashable_or_hostile_answer_never_raises() -> None:
    """Objects whose methods all raise are judged like any other wrong type."""

    class Hostile:
        def __getattribute__(self, name: str) -> Any:
            raise ZeroDivisionError

        def __index__(self) -> int:
            raise ZeroDivisionError

    assert judged({"n": Hostile()}) == Misfit("n", "integer", "Hostile")
