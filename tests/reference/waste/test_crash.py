"""Writers stopped before each call of the disk, or with one failing: what then stands in the folder."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.reference.stopping import Counting, Stopped
from vindex3_fixtures.waste.description import description
from vindex3_fixtures.waste.make import made
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.verbs import waste_matrix, waste_open, waste_tensor, waste_verify
from vindex3_reference.waste.write import Writer

OLD, NEW, LONGER = {"seed": "old"}, {"seed": "new"}, {"seed": "old", "layers": 4}
"""Two containers of the same sizes, and the old one with a layer more."""


def lay(model):
    """Put a container in place."""
    return lambda at: made(**model).folder.write_to(at / "out")


def write(model, **changes):
    """Write a container, or resume one."""

    def do(at, disk):
        return Writer(description(made(**model), **changes), str(at / "out")).write(disk, 2)

    return do


def laid_torn(at):
    lay(OLD)(at)
    os.truncate(at / "out" / "experts-L2.bin", 5000)


def laid_linked(at):
    made(**OLD).folder.write_to(at / "source")
    shutil.copytree(at / "source", at / "out", copy_function=os.link)


@dataclass(frozen=True)
class Scene:
    """A folder before a writer comes, what it does, and what stands there then, one state after the other."""

    lay: Any
    do: Any
    states: str


SCENES = {
    "fresh": Scene(lambda at: None, write(NEW), "none new"),
    "over another": Scene(lay(OLD), write(NEW), "old none new"),
    "over itself": Scene(lay(NEW), write(NEW), "new"),
    "over hard links": Scene(laid_linked, write(NEW), "old none new"),
    "a late layer": Scene(lay(OLD), write(LONGER, layers=(3,), resume=True), "old none new"),
    "a late layer over hard links": Scene(
        laid_linked, write(LONGER, layers=(3,), resume=True), "old none new"
    ),
    "a torn bank": Scene(laid_torn, write(OLD, layers=(2,), resume=True), "torn none new"),
    "a new name": Scene(lay(OLD), write(OLD, resume=True, arch="other"), "old new"),
    "nothing to do": Scene(lay(NEW), write(NEW, resume=True), "new"),
}


def tree(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def answers(out):
    """What a container says: its manifest, and every matrix and tensor of it."""
    opened = waste_open(path=str(out))
    matrices = [
        waste_matrix(path=str(out), layer=int(layer), expert=expert, matrix=matrix).tobytes()
        for layer, bank in opened["layers"].items()
        for expert in range(bank["experts"])
        for matrix in ("gate", "down")
    ]
    tensors = [waste_tensor(path=str(out), name=entry["name"]).tobytes() for entry in opened["trunk"]]
    return {**opened, "matrices": matrices, "tensors": tensors}


class Trial:
    """A scene, with what stands there before and after."""

    def __init__(self, scene, folder):
        self._scene, self._folder = scene, folder
        first = self._at("first")
        self.old_files = tree(first / "out")
        try:
            self.old = answers(first / "out")
        except Refusal:
            self.old = None
        whole, disk = self._at("whole"), Counting()
        scene.do(whole, disk)
        self.calls = disk.calls
        self.new = answers(whole / "out")
        assert waste_verify(path=str(whole / "out"))["defects"] == []

    def _at(self, name):
        at = self._folder / name
        at.mkdir()
        self._scene.lay(at)
        return at

    def run(self, name, disk):
        """Let the writer come; gives the folder, and what it was refused for."""
        at, refused = self._at(name), None
        source = tree(at / "source")
        with ExitStack() as stack:
            files = sorted((at / "out").iterdir()) if (at / "out").exists() else []
            readers = [stack.enter_context(path.open("rb")) for path in files]
            before = [path.read_bytes() for path in files]
            try:
                self._scene.do(at, disk)
            except Stopped:
                pass
            except Refusal as refusal:
                refused = refusal
            assert [reader.read() for reader in readers] == before
        assert tree(at / "source") == source
        return at / "out", refused

    def state(self, out):
        """Which container stands there: old, new, none, or a torn one as it was laid."""
        if not (out / "manifest.json").exists():
            return "none"
        try:
            found = answers(out)
        except Refusal as refusal:
            files = {name: data for name, data in tree(out).items() if not name.endswith(".part")}
            return "torn" if files == self.old_files else f"refused as {refusal.kind}"
        assert waste_verify(path=str(out))["defects"] == []
        return "new" if found == self.new else "old" if found == self.old else "a mixture"


@pytest.mark.parametrize("name", SCENES)
def test_stopped_before_each_call(tmp_path, name):
    """The folder holds the old container, then none, then the new one; readers and links keep their bytes."""
    trial, states = Trial(SCENES[name], tmp_path), []
    for number in range(len(trial.calls)):
        out, _ = trial.run(f"stopped {number}", Counting(number))
        states.append(trial.state(out))
    found = " ".join(state for state, _ in groupby([*states, "new"]))
    assert found == SCENES[name].states


@pytest.mark.parametrize("name", SCENES)
def test_each_call_failing(tmp_path, name):
    """A call that fails is an io refusal, clears up behind itself, and leaves no mixture."""
    trial = Trial(SCENES[name], tmp_path)
    errors = (errno.ENOSPC, errno.EIO, errno.EACCES)
    for number, call in enumerate(trial.calls):
        out, refused = trial.run(f"failing {number}", Counting(number, errors[number % 3]))
        if refused is None:
            assert (call, trial.state(out)) == ("unlink", "new")  # the copy of what is there already
            continue
        assert (refused.kind, refused.names["reason"]) == ("io", os.strerror(errors[number % 3]))
        assert trial.state(out) in SCENES[name].states.split()
        assert [file for file in tree(out) if file.endswith(".part")] == []
        if number < first_publishing(trial.calls):
            assert tree(out) == trial.old_files


def first_publishing(calls):
    """The number of the first call by which anything becomes visible or goes away."""
    steps = ("unlink", "replace")
    return next((number for number, call in enumerate(calls) if call in steps), len(calls))


def test_a_stopped_write_can_be_done_again(tmp_path):
    """After a stop at any call the same write ends in the same container."""
    trial = Trial(SCENES["over another"], tmp_path)
    for number in range(0, len(trial.calls), 3):
        out, _ = trial.run(f"stopped {number}", Counting(number))
        Writer(description(made(**NEW)), str(out)).write(Counting())
        assert answers(out) == trial.new


def test_the_manifest_comes_last(tmp_path):
    """Every file is synced before the first takes its name, and the folder before the manifest does."""
    disk = Counting()
    write(NEW)(tmp_path, disk)
    calls = " ".join(disk.calls)
    first = disk.calls.index("replace")
    assert disk.calls[:first].count("fsync") >= 5
    assert calls.endswith("replace fsync replace fsync")
    assert {Path(name).suffix for name in tree(tmp_path / "out")} == {".bin", ".json"}
