"""`vindex3 verify DIR`: a container, whole and damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.tiny import bank, tiny

NORM = "target.final_norm@F32"


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[Model], Path]:
    """A container as a folder named model."""

    def put(model: Model) -> Path:
        model.folder.write_to(tmp_path / "model")
        return tmp_path / "model"

    return put


@pytest.mark.parametrize(("model", "entries"), [(tiny(), 4), (bank(), 0)], ids=["graph", "bank"])
def test_a_sound_container_is_clean(
    model: Model, entries: int, stored: Callable[[Model], Path], run: Callable[..., Any]
) -> None:
    """One line says that it is clean; how much was read, and how fast, is told aside."""
    path = stored(model)
    done = run("verify", path)
    assert (done.code, done.out) == (0, f"{path}: clean\n")
    assert done.err.startswith(f"{entries} representations, ")
    assert done.err.endswith(" representations/s\n")


def test_every_defect_is_a_line(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """Digests, a count and a group of the graph: each defect has its line, with the facts of the law."""
    model = tiny().without_graph(("components", 0, "execution", "head"))
    path = stored(model.with_index(("representations", NORM, "tensor_count"), 2))
    segment = path / "segments" / "target.embedding.bin"
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(data)
    done = run("verify", path)
    lines = done.out.splitlines()
    assert done.code == 1
    for fault in ("hash-mismatch subject", "count-mismatch subject"):
        assert any(line.startswith(f"{path}: {fault}=") for line in lines)
    assert sum(line.startswith(f"{path}: hash-mismatch ") for line in lines) == 2
    assert any("missing-surface component=target group=head" in line for line in lines)
    assert f"{path}: 4 defects" in lines


def test_json_is_the_whole_answer(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """--json prints entries with their flags beside the defects."""
    path = stored(tiny().with_entry(NORM, "payload_sha256", "0" * 64))
    done = run("verify", "--json", path)
    answer = json.loads(done.out)
    assert (done.code, answer["verified"], answer["examined"]) == (1, False, 4)
    [entry] = [one for one in answer["entries"] if one["representation"] == NORM]
    assert (entry["segment_ok"], entry["payload_ok"]) == (True, False)


def test_a_refused_container_exits_3(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """What container.open refuses is refused here."""
    model = replace(tiny(), index={**tiny().index, "version": 5})
    done = run("verify", stored(model))
    assert done.code == 3
    assert "refused as unknown-version" in done.out
