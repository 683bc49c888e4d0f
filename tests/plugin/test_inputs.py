"""Inputs of failures: kept beside the user, bounded, and shown where they are wrong."""

from __future__ import annotations

import os
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.contract.difference import Difference
from pytest_vindex3.contract.outcome import Answer, Refused, Reply
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.kept import Kept
from pytest_vindex3.plugin.place import around

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20
GOLDEN = files("vindex3_golden") / "lyrw/dense_f32_worked/dense_f32_worked.lyrw"


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """The folder of a test with one input."""
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "a.lyrw").write_bytes(b"LYRW")
    return folder


def test_inputs_are_kept_beside_the_user(tmp_path: Path, inputs: Path) -> None:
    """They lie in .vindex3/last under the name they are given, in a folder that git ignores."""
    (tmp_path / "user").mkdir()
    kept = Kept(tmp_path / "user").keep(inputs, "mypkg/test_x")
    assert kept == tmp_path / "user/.vindex3/last/mypkg/test_x"
    assert (kept / "a.lyrw").read_bytes() == b"LYRW"
    assert (tmp_path / "user/.vindex3/.gitignore").read_text(encoding="ascii") == "*\n"


def test_the_next_run_forgets_them(tmp_path: Path, inputs: Path) -> None:
    """What the run before kept is gone once another one begins."""
    Kept(tmp_path).keep(inputs, "old")
    Kept(tmp_path).clear()
    assert not (tmp_path / ".vindex3/last/old").exists()


def test_a_test_that_fails_again_leaves_only_its_last_inputs(tmp_path: Path, inputs: Path) -> None:
    """Inputs of the same test replace each other whole."""
    Kept(tmp_path).keep(inputs, "same")
    (inputs / "a.lyrw").rename(inputs / "b.lyrw")
    kept = Kept(tmp_path).keep(inputs, "same")
    assert kept is not None
    assert [path.name for path in kept.iterdir()] == ["b.lyrw"]


def test_what_is_kept_is_capped(tmp_path: Path, inputs: Path) -> None:
    """Once the room is used up nothing more is copied."""
    (inputs / "b.lyrw").write_bytes(os.urandom(2 * MIB))
    room = Kept(tmp_path, cap=3 * MIB)
    assert room.keep(inputs, "first") is not None
    second = room.keep(inputs, "second")
    assert second is not None
    assert [path.name for path in second.iterdir()] == ["a.lyrw"]


def test_a_sparse_input_stays_sparse(tmp_path: Path, inputs: Path) -> None:
    """A file of 8 GiB with two islands of data is kept in full length and little room."""
    sparse = inputs / "sparse.lyrw"
    with sparse.open("wb") as file:
        for place, data in ((0, b"begin"), (5 << 30, b"middle")):
            file.seek(place)
            file.write(data)
        file.truncate(8 << 30)
    if sparse.stat().st_blocks * 512 > 100 * MIB:
        pytest.skip("this file system makes no sparse files")
    kept = Kept(tmp_path).keep(inputs, "sparse")
    assert kept is not None
    copy = kept / "sparse.lyrw"
    assert copy.stat().st_size == 8 << 30
    assert copy.stat().st_blocks * 512 < 10 * MIB
    with copy.open("rb") as file:
        assert file.read(5) == b"begin"
        file.seek(5 << 30)
        assert file.read(7) == b"middle\0"


def test_a_large_input_is_not_kept(tmp_path: Path, inputs: Path) -> None:
    """A test whose only input is above the cap keeps nothing."""
    (inputs / "a.lyrw").write_bytes(bytes(range(256)) * 8192)
    assert Kept(tmp_path, cap=MIB).keep(inputs, "large") is None


def failure(path: Path, difference: str) -> Failure:
    """A failure of a request about this file, with its first difference at this path."""
    found = Refused("truncated") if not difference else Answer({})
    reply = Reply("lyrw.parse", {"path": str(path)}, found)
    return Failure(clauses()["LYRW-MAGIC-01"], reply, Difference(difference, 1, 2))


@pytest.mark.parametrize(
    ("difference", "field"),
    [
        ("header.flags", "header.flags"),
        ("header.logical_layer", "header.logical_layer"),
        ("banks[0].input_dim", "bank.input_dim"),
        ("banks[0].kind", "bank.bank_kind"),
        ("banks[0].schemas[0].rows", "schema 0.rows"),
        ("segments[0].entry_count", "segment.entry_count"),
    ],
)
def test_the_bytes_of_the_field_that_differs_are_shown(inputs: Path, difference: str, field: str) -> None:
    """A difference in an answer is shown at the bytes of its field."""
    (inputs / "a.lyrw").write_bytes(GOLDEN.read_bytes())
    lines = around(failure(inputs / "a.lyrw", difference), inputs)
    assert any(field in line for line in lines)


def test_the_bytes_that_part_a_wrong_input_from_its_legal_twin_are_shown(inputs: Path) -> None:
    """A refusal that went wrong is shown where the two inputs of the test part."""
    data = bytearray(GOLDEN.read_bytes())
    (inputs / "a.lyrw").write_bytes(data)
    data[16] ^= 1
    (inputs / "wrong.lyrw").write_bytes(data)
    lines = around(failure(inputs / "wrong.lyrw", ""), inputs)
    assert any(line.split()[0] == "16" for line in lines)


def test_a_request_without_a_file_has_no_bytes(inputs: Path) -> None:
    """Nothing is shown of a path that is missing, a folder or no path at all."""
    assert around(failure(inputs / "missing.lyrw", ""), inputs) == []
    assert around(failure(inputs, ""), inputs) == []
