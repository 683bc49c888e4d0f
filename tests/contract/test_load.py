"""`pytest_vindex3.load`, and the door that a spec opens."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import pytest_vindex3
from pytest_vindex3 import NotLoaded
from pytest_vindex3.contract.opening import open_door, search_roots

Write = Callable[..., Path]

SOURCE = """
    vindex3_name = "subject"
    __version__ = "1.5"

    class Rejected(ValueError):
        kind = "unknown-bank"
        names = {"bank_id": 9}
        message = "no bank 9"

    def lyrw_parse(path):
        return [path]

    def lyrw_region(path, bank_id, entry, schema_index=None, role=None):
        if bank_id == 9:
            raise Rejected
        if bank_id == 8:
            return {}[bank_id]
        return {"offset": entry, "data": bytearray(b"ab")}
"""
REGION = {"path": "p", "bank_id": 0, "entry": 3}


@pytest.fixture
def spec(write: Write) -> str:
    """An adapter with every outcome."""
    return str(write("subject.py", SOURCE))


def test_what_is_loaded(spec: str) -> None:
    """Name, version, file and verbs are told."""
    with pytest_vindex3.load(spec) as loaded:
        assert (loaded.name, loaded.version, loaded.origin) == ("subject", "1.5", spec)
        assert loaded.verbs == ("lyrw.parse", "lyrw.region")
        assert loaded.options == {}


def test_an_answer_is_plain_data(spec: str) -> None:
    """The answer comes back as plain data of the verb's type."""
    loaded = pytest_vindex3.load(spec)
    assert loaded.call("lyrw.region", **REGION) == {"offset": 3, "data": b"ab"}


def test_a_refusal_has_one_class(spec: str) -> None:
    """A refusal is raised as the kit's class, whatever class the implementation has."""
    with pytest.raises(pytest_vindex3.Refusal, match="no bank 9") as caught:
        pytest_vindex3.load(spec).call("lyrw.region", **{**REGION, "bank_id": 9})
    assert type(caught.value) is pytest_vindex3.Refusal
    assert (caught.value.kind, caught.value.names) == ("unknown-bank", {"bank_id": 9})


def test_a_fault_says_all(spec: str) -> None:
    """An exception that is no refusal is a fault with the implementation's own frame."""
    with pytest.raises(pytest_vindex3.Fault) as caught:
        pytest_vindex3.load(spec).call("lyrw.region", **{**REGION, "bank_id": 8})
    assert caught.value.what == "exception"
    assert str(caught.value).startswith("lyrw.region: exception: KeyError: 8\n")
    assert "return {}[bank_id]" in str(caught.value)


def test_a_wrong_type_is_a_fault(spec: str) -> None:
    """An answer of the wrong type is raised, and names key and types."""
    with pytest.raises(pytest_vindex3.Fault, match="the answer is list, not object") as caught:
        pytest_vindex3.load(spec).call("lyrw.parse", path="x")
    assert caught.value.what == "misfit"


WRONG_CALLS = {
    "no verb": ("lyrw.prase", {}, LookupError, r"no verb 'lyrw.prase'; nearest: lyrw.parse"),
    "function name": ("lyrw_parse", {}, LookupError, "nearest: lyrw.parse"),
    "not claimed": (
        "lyrw.partner",
        {},
        LookupError,
        "does not claim lyrw.partner; it claims lyrw.parse, lyrw.region",
    ),
    "missing": ("lyrw.region", {"path": "p"}, TypeError, "lyrw.region needs bank_id, entry; it takes path"),
    "unknown": ("lyrw.parse", {"path": "p", "pat": 1}, TypeError, "lyrw.parse takes no argument 'pat'"),
}


@pytest.mark.parametrize(("verb", "arguments", "error", "text"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_wrong_calls(
    spec: str, verb: str, arguments: dict[str, object], error: type[Exception], text: str
) -> None:
    """A request that cannot be put is the caller's mistake, and never reaches the implementation."""
    with pytest.raises(error, match=text):
        pytest_vindex3.load(spec).call(verb, **arguments)


def test_a_wrong_spec() -> None:
    """What cannot be found raises with everything that was tried."""
    with pytest.raises(NotLoaded, match="no implementation 'no_such_implementation'"):
        pytest_vindex3.load("no_such_implementation")


def test_the_working_directory_is_searched(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module in the working directory is found by its name."""
    monkeypatch.chdir(Path(spec).parent)
    assert pytest_vindex3.load("subject").origin == spec


def test_the_projects_root_is_searched(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest folder above with a project's files is searched after the working directory."""
    root = write("project/pyproject.toml", "").parent
    inside = write("project/deep/down/x.txt", "").parent
    assert search_roots(inside) == (inside, root)
    assert search_roots(root) == (root,)
    monkeypatch.chdir(inside)
    write("project/granite.py", SOURCE)
    assert pytest_vindex3.load("granite").origin == str(root / "granite.py")


def test_doors(spec: str) -> None:
    """A spec opens the child door, in process only when asked; a program is always reached by its pipe."""
    doors = [
        open_door(spec),
        open_door(spec, in_process=True),
        open_door("cmd:./x"),
        open_door("n=cmd:./x", in_process=True),
    ]
    assert [door.kind for door in doors] == ["child", "in process", "cmd", "cmd"]
    assert [door.origin for door in doors] == [spec, spec, "./x", "./x"]
    for door in doors:
        door.close()


def test_a_child_gives_the_same_outcomes(spec: str) -> None:
    """The same adapter gives the same answers and refusals in a child as in process."""
    requests = [("lyrw.region", {**REGION, "bank_id": bank}) for bank in (0, 8, 9)] + [
        ("lyrw.parse", {"path": "x"})
    ]
    doors = [open_door(spec), open_door(spec, in_process=True)]
    try:
        child, here = ([door.ask(verb, asked).outcome for verb, asked in requests] for door in doors)
        assert doors[0].describe() == doors[1].describe()
        assert child == here
    finally:
        for door in doors:
            door.close()


def test_a_name_for_a_program(spec: str) -> None:
    """A name in the spec is the name of a program too."""
    command = f"mine=cmd:{sys.executable} -m pytest_vindex3.contract.host {spec}"
    with pytest_vindex3.load(command) as loaded:
        assert (loaded.name, loaded.version) == ("mine", "1.5")
        assert loaded.call("lyrw.region", **REGION) == {"offset": 3, "data": b"ab"}
