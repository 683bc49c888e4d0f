"""Writers stopped before each call of the disk, or with one failing: what then stands in the folder."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest

from tests.reference.stopping import Counting, Stopped
from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.writings import ARTIFACT, towers
from vindex3_reference.container.rewrite import rewrite
from vindex3_reference.container.verbs import container_open, container_tensor, container_verify
from vindex3_reference.container.write import Writer
from vindex3_reference.disk import Disk
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.pack import Addition

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Do = Callable[[Disk], object]

Tree = dict[str, bytes]


@dataclass(frozen=True)
class Scene:
    """Folders before a writer comes, and what it is to do there.

    Attributes:
        lay: makes the folders below one.
        do: writes the container `out` in it.
        states: what its target is, one state after the other.
        others: folders below it that must stay as they are.
    """

    lay: Callable[[Path], object]
    do: Callable[[Path], Do]
    states: str
    others: tuple[str, ...] = ()


def _tree(folder: Path) -> Tree:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _without_remains(tree: Tree) -> Tree:
    return {name: data for name, data in tree.items() if not name.endswith(".part")}


def _answers(path: str) -> tuple[object, ...]:
    """What a container of towers says of itself, unreferenced files aside, and every tensor of it."""
    opened: Any = container_open(path=path)
    tensors = [
        container_tensor(path=path, object=entry["object"], tensor=name)
        for entry in opened["representations"].values()
        for name in ("a.weight", "b.weight")
    ]
    return {**opened, "unreferenced_files": []}, tensors


def _request(tag: str, *ids: str) -> dict[str, Any]:
    """Towers whose tensors differ by tag, in length as well."""
    request = towers(*ids).request
    request["sources"] = {
        ARTIFACT: [
            source(one["name"], "U8", (len(tag) + 5,), f"{one['name'][:5]}{tag}".encode())
            for one in request["sources"][ARTIFACT]
        ]
    }
    return {**request, "extra": {"tag": tag}}


def _writer(tag: str, *ids: str) -> Writer:
    request = _request(tag, *ids)
    return Writer(request["graph"], request["sources"], None, None, request["extra"])


def _given(at: Path, tag: str) -> str:
    """A folder with a tokenizer."""
    folder = at.parent / f"{at.name}-given-{tag}"
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(tag)
    return str(folder)


def _write(tag: str, *ids: str, name: str = "out") -> Callable[[Path], Do]:
    return lambda at: lambda disk: _writer(tag, *ids).write(disk, str(at / name), _given(at, tag))


def _lay(tag: str, *ids: str, name: str = "out") -> Callable[[Path], object]:
    return lambda at: _write(tag, *ids, name=name)(at)(Counting())


def _rewrite(path: str) -> Callable[[Path], Do]:
    return lambda at: lambda disk: rewrite(disk, str(at / path), str(at / "out"))


def _add(path: str) -> Callable[[Path], Do]:
    """Add a pack to a container, which stays as it is unless it is the target."""
    tensors: Any = [source(f"{name}.weight", "Q8_0", (32,), bytes(34)) for name in "ab"]

    def do(at: Path) -> Do:
        addition = Addition(
            str(at / path), "a.perception_tower", "Q8_0", tensors, codec={"family": "Q8_0"}, encoder=None
        )
        return lambda disk: addition.write(disk, str(at / "out"))

    return do


def _lay_broken(at: Path) -> None:
    """An old container that lacks a segment, which the new one brings."""
    _lay("old", "a", "b")(at)
    (at / "out" / "segments" / "b.perception_tower.bin").unlink()


def _lay_linked(at: Path) -> None:
    """An old container whose every file is a hard link to one of another container."""
    _lay("old", "a", "b", name="source")(at)
    shutil.copytree(at / "source", at / "out", copy_function=os.link)


def _lay_stray(at: Path) -> None:
    """A container in which an addition has stopped before the index."""
    _lay("old", "a", "b")(at)
    (at / "out" / "segments" / "a.perception_tower@Q8_0.bin").write_bytes(b"other bytes")


def _lay_symbolic(at: Path) -> None:
    """An old container whose every file is a symbolic link to one of another container."""
    _lay("old", "a", "b", name="source")(at)
    shutil.copytree(at / "source", at / "out", copy_function=os.symlink)


def _lay_spaced(at: Path) -> None:
    """An old container whose index is written in another way."""
    _lay("old", "a", "b")(at)
    index = at / "out" / "index.json"
    index.write_bytes(index.read_bytes().replace(b"\n", b"\r\n"))


def _lay_two(at: Path) -> None:
    """A container of other tensors in the target, and one to be written there."""
    _lay("old", "a", "b")(at)
    _lay("new", "a", "c", name="source")(at)


SCENES = {
    "fresh": Scene(lambda at: None, _write("new", "a", "b"), "none new"),
    "over an older one": Scene(_lay("old", "a", "c"), _write("new", "a", "b"), "old none new"),
    "over one of as many bytes": Scene(_lay("old", "a", "b"), _write("new", "a", "b"), "old none new"),
    "over one with other names": Scene(_lay("old", "c"), _write("new", "a"), "old none new"),
    "over a broken one": Scene(_lay_broken, _write("new", "a", "b"), "none new"),
    "over itself": Scene(_lay("new", "a", "b"), _write("new", "a", "b"), "new"),
    "over hard links": Scene(_lay_linked, _write("new", "a", "b"), "old none new", ("source",)),
    "over symbolic links": Scene(_lay_symbolic, _write("new", "a", "b"), "old none new", ("source",)),
    "rewritten afresh": Scene(_lay("old", "a", name="source"), _rewrite("source"), "none new", ("source",)),
    "rewritten in place": Scene(_lay_spaced, _rewrite("out"), "old new"),
    "rewritten over another": Scene(_lay_two, _rewrite("source"), "old none new", ("source",)),
    "rewritten over its own links": Scene(_lay_linked, _rewrite("source"), "new", ("source",)),
    "a pack in place": Scene(_lay("old", "a", "b"), _add("out"), "old longer new"),
    "a pack over links": Scene(_lay_linked, _add("out"), "old longer new", ("source",)),
    "a pack over a stopped one": Scene(_lay_stray, _add("out"), "old longer new"),
    "a pack elsewhere": Scene(_lay("old", "a", name="source"), _add("source"), "none new", ("source",)),
    "a pack elsewhere over its links": Scene(_lay_linked, _add("source"), "old none new", ("source",)),
    "a pack elsewhere over another": Scene(_lay_two, _add("source"), "old none new", ("source",)),
}
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)


class Trial:
    """A scene, with the trees of its target before and after, and of what lies beside it."""

    def __init__(self, scene: Scene, folder: Path) -> None:
        self._scene = scene
        self._folder = folder
        self._first = folder / "first"
        self._first.mkdir()
        scene.lay(self._first)
        self.old = _tree(self._first / "out")
        self.others = [_tree(self._first / name) for name in scene.others]
        disk = Counting()
        scene.do(self._copy("whole"))(disk)
        self.calls = disk.calls
        self.new = _tree(folder / "whole" / "out")

    def _copy(self, name: str) -> Path:
        """The scene once more, laid anew so that links are links."""
        at = self._folder / name
        at.mkdir()
        self._scene.lay(at)
        return at

    def run(self, name: str, disk: Counting) -> tuple[Path, Refusal | None]:
        """Let the writer come; gives the target, and what it was refused for."""
        at = self._copy(name)
        refused = None
        with ExitStack() as stack:
            files = [path for path in at.rglob("*") if path.is_file()]
            readers = [stack.enter_context(path.open("rb")) for path in files]
            before = [path.read_bytes() for path in files]
            try:
                self._scene.do(at)(disk)
            except Stopped:
                pass
            except Refusal as refusal:
                refused = refusal
            assert [reader.read() for reader in readers] == before
        assert [_tree(at / name) for name in self._scene.others] == self.others
        return at / "out", refused

    def state(self, out: Path) -> str:
        """Which container stands in the target: old, new or none; longer is the old one beside more files."""
        try:
            container_open(path=str(out))
        except Refusal as refusal:
            return "none" if refusal.kind == "missing-file" else f"refused as {refusal.kind}"
        assert container_verify(path=str(out))["verified"] is True
        found = _without_remains(_tree(out))
        if found in (self.old, self.new):
            return "new" if found == self.new else "old"
        laid = str(self._first / "out")
        return "longer" if self.old and _answers(str(out)) == _answers(laid) else "a mixture"


@pytest.mark.parametrize("name", SCENES)
def test_stopped_before_each_call(tmp_path, name):
    """The target is the old container, then none, then the new one; readers and links keep their bytes."""
    trial, states = Trial(SCENES[name], tmp_path), []
    for number in range(len(trial.calls)):
        out, _ = trial.run(f"stopped {number}", Counting(number))
        states.append(trial.state(out))
    assert " ".join(state for state, _ in groupby(states)) == SCENES[name].states


@pytest.mark.parametrize("name", SCENES)
def test_each_call_failing(tmp_path, name):
    """A call that fails is an io refusal that clears up behind it, or one that nothing depends on."""
    trial = Trial(SCENES[name], tmp_path)
    for number, call in enumerate(trial.calls):
        error = ERRORS[number % len(ERRORS)]
        out, refused = trial.run(f"failing {number}", Counting(number, error))
        state = trial.state(out)
        if refused is None:
            # The copy of a file that is there already, or the link of one that is copied then.
            assert (call, state) in {("unlink", "new"), ("link", "new")}
            continue
        assert (refused.kind, refused.names["reason"]) == ("io", os.strerror(error))
        assert refused.names["path"] in {str(out), "segments", *trial.new}
        assert state in SCENES[name].states.split()
        assert _tree(out) == _without_remains(_tree(out))
        if not trial.old and state == "none":
            assert not out.exists()
