"""`vindex3 inspect` and `vindex3 verify` on WASTE containers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.waste.tiny import dense, tiny


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[Any], Path]:
    """A container as a folder named model."""

    def put(model: Any) -> Path:
        model.folder.write_to(tmp_path / "model")
        return tmp_path / "model"

    return put


def test_layers_trunk_and_quantisation_are_told(
    stored: Callable[[Any], Path], run: Callable[..., Any]
) -> None:
    """The page has the bits of a weight, a row for each bank, and the trunk by format and tensor."""
    done = run("inspect", stored(tiny()))
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert (done.code, done.err) == (0, "")
    assert lines[0].startswith("model: WASTE, version 0, ")
    assert any(line.startswith("experts 6 records in 2 layers, 24,576 bytes") for line in lines)
    assert any(
        "3 stages of 16 entries, vectors of 8, 8-bit indices row by row: 3 bits a weight" in line
        for line in lines
    )
    assert "1 experts-L1.bin 3 4,096 12.0 KiB 0" in lines
    assert "trunk by format" in lines


def test_a_dense_model_has_no_banks(stored: Callable[[Any], Path], run: Callable[..., Any]) -> None:
    """Without experts neither banks nor codebooks are shown."""
    out = run("inspect", stored(dense())).out
    assert "none: the model is dense" in out
    assert "layers with experts" not in out


@pytest.mark.parametrize(
    ("statistics", "told"),
    [(b"WUS", "cannot be read: truncated"), (bytes(16), "cannot be read: bad-magic"), (None, "none")],
)
def test_statistics_never_decide_over_the_page(
    statistics: bytes | None, told: str, stored: Callable[[Any], Path], run: Callable[..., Any]
) -> None:
    """What cannot be read of them is said in their row."""
    done = run(
        "inspect", stored(tiny() if statistics is None else tiny().with_file("usage.waste", statistics))
    )
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert (done.code, done.err) == (0, "")
    assert f"statistics {told}" in lines


def test_json_is_the_answer_of_waste_open(stored: Callable[[Any], Path], run: Callable[..., Any]) -> None:
    """--json prints the observation in one line."""
    done = run("inspect", "--json", stored(tiny()))
    answer = json.loads(done.out)
    assert (done.code, answer["format_version"], sorted(answer["layers"])) == (0, 0, ["1", "2"])


@pytest.mark.parametrize("jobs", [(), ("--jobs", "1"), ("--jobs", "3")])
def test_every_record_is_verified(
    jobs: tuple[str, ...], stored: Callable[[Any], Path], run: Callable[..., Any]
) -> None:
    """A sound container is clean, a flipped byte a line with layer, expert and both checksums."""
    path = stored(tiny())
    done = run("verify", path, *jobs)
    assert (done.code, done.out) == (0, f"{path}: clean\n")
    assert done.err.startswith("6 records, 24.0 KiB in ")
    assert done.err.endswith(" records/s\n")
    bank = path / "experts-L2.bin"
    data = bytearray(bank.read_bytes())
    data[4096 + 60] ^= 1
    bank.write_bytes(data)
    done = run("verify", path, *jobs)
    assert done.code == 1
    assert done.out.startswith(f"{path}: checksum-mismatch layer=2 expert=1 stored=")


def test_a_refused_container_exits_3(stored: Callable[[Any], Path], run: Callable[..., Any]) -> None:
    """What waste.open refuses is refused by both commands."""
    path = stored(tiny())
    (path / "trunk.bin").unlink()
    for name in ("inspect", "verify"):
        done = run(name, path)
        assert done.code == 3
        assert "refused as missing-file" in done.out
