"""Which tests write to memory, what they must not do there, and what is left of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_vindex3.contract.door import Description
from pytest_vindex3.contract.outcome import Answer, Limits, Reply
from pytest_vindex3.plugin import identity, memory, session
from pytest_vindex3.plugin.ask import LARGEST_IN_MEMORY, Ask
from pytest_vindex3.plugin.check import SuiteError
from pytest_vindex3.plugin.session import Implementation, Session
from pytest_vindex3.plugin.settings import Settings


class Sparse:
    """A file of this length, all of it a hole."""

    def __init__(self, length: int) -> None:
        self.length = length

    def write_to(self, path: Path) -> None:
        """Make it."""
        with path.open("xb") as file:
            file.truncate(self.length)


class Door:
    """A door of a kind that changes the file it is asked about the third time."""

    origin = "given"

    def __init__(self, kind: str = "child") -> None:
        self.kind = kind
        self.asked: list[object] = []

    def ask(self, verb: str, arguments: Any, limits: Limits) -> Reply:
        """An answer."""
        del limits
        self.asked.append(arguments["path"])
        if len(self.asked) == 3:
            Path(arguments["path"]).write_bytes(b"other")
        return Reply(verb, arguments, Answer(len(self.asked)))

    def close(self) -> None:
        """Nothing to end."""


def implementation(kind: str = "child") -> Implementation:
    """One behind such a door."""
    door: Any = Door(kind)
    return Implementation("given", "given", door, Description("given", "", "", ("lyrw.parse",), {}))


def asking(place: Path, *, on_disk: bool) -> Ask:
    """What a test has that writes here."""
    return Ask(implementation(), Settings(("given",)), place, "test", on_disk=on_disk)


def test_costs_are_measured_on_a_disk(tmp_path: Path) -> None:
    """What a request costs is not asked where files are in memory."""
    path = str(tmp_path / "x")
    assert asking(tmp_path, on_disk=True)("lyrw.parse", limits=Limits(measure=True), path=path).outcome
    with pytest.raises(SuiteError, match="measures"):
        asking(tmp_path, on_disk=False)("lyrw.parse", limits=Limits(measure=True), path=path)


def test_large_files_lie_on_a_disk(tmp_path: Path) -> None:
    """A file that is larger than the bound takes a disk, be it a hole; the largest one below does not."""
    ask = asking(tmp_path, on_disk=False)
    ask.file("largest", Sparse(LARGEST_IN_MEMORY))
    with pytest.raises(SuiteError, match="large"):
        ask.file("larger", Sparse(LARGEST_IN_MEMORY + 1))
    asking(tmp_path, on_disk=True).file("larger", Sparse(LARGEST_IN_MEMORY + 1))


def test_many_requests_are_looked_at_once(tmp_path: Path) -> None:
    """Requests are put in turn; what became of an input meanwhile is seen behind the last."""
    ask = asking(tmp_path / "own", on_disk=True)
    paths = [ask.file(name, b"as it was") for name in ("one", "two")]
    reply = ask.often("lyrw.parse", 5, [{"path": path} for path in paths])
    assert reply.outcome == Answer(5)
    assert ask.implementation.door.asked == [*paths, *paths, paths[0]]  # type: ignore[attr-defined]
    assert ask.inputs.deeds == {"one": "changed"}


@pytest.fixture
def roomy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for memory, and no word of the user about temporary files."""
    monkeypatch.setattr(session, "memory", lambda room: tmp_path)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_session_leaves_nothing_in_memory(roomy: Path) -> None:
    """Its folder there is its own, and goes with it."""
    one = Session(Settings(("given",)), (implementation(),))
    assert one.memory is not None
    assert one.memory.parent == roomy
    assert one.in_memory(one.implementations[0]) == one.memory
    one.close()
    assert not list(roomy.iterdir())
    assert not one.scratch.exists()


def test_a_program_meets_the_usual_folder(roomy: Path) -> None:
    """Files for a program lie where temporary files usually do: it may see nothing else."""
    one = Session(Settings(("given",)), (implementation("cmd"),))
    assert one.in_memory(one.implementations[0]) is None
    one.close()
    assert not list(roomy.iterdir())


def test_the_user_says_where_files_belong(roomy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With TMPDIR set, all files are there."""
    monkeypatch.setenv("TMPDIR", str(roomy))
    one = Session(Settings(("given",)), (implementation(),))
    assert one.memory is None
    one.close()


def test_memory_without_room_is_not_used() -> None:
    """No system has room for so much."""
    assert memory.memory(1 << 80) is None


@pytest.mark.parametrize(
    ("marks", "on_disk"),
    [
        ({"vindex3_clause": ("LYRW-MAGIC-01",)}, False),
        ({"vindex3_clause": ("LYRW-MAGIC-01",), "vindex3_on_disk": ()}, True),
        ({"vindex3_clause": ("LYRW-MAGIC-01",), "vindex3_needs": ("waste.record",)}, True),
        ({"vindex3_clause": ("LYRW-MAGIC-01",), "vindex3_needs": ("waste.open",)}, False),
    ],
    ids=["neither", "marked", "direct_reads", "other_reads"],
)
def test_marks_and_verbs_decide(request: pytest.FixtureRequest, marks: Any, on_disk: bool) -> None:
    """Tests that are marked, and those whose verbs may read past the page cache, write to the disk."""
    assert identity._identify(request.node, marks).on_disk is on_disk
