"""`vindex3 pack`: packs added and taken out again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import tiny

STACK = Segment(
    "target.decoder_stack@BF16",
    (
        Tensor("0.input_layernorm.weight", shape=(32,), data=b"\x80\x3f" * 32),
        Tensor("0.self_attn.k_proj.weight", shape=(2, 32), data=b"\x80\x3f" * 64),
        Tensor("0.self_attn.q_proj.weight", shape=(2, 24), data=b"\x80\x3f" * 48),
    ),
)
PACK = "segments/target.decoder_stack@Q8_0.bin"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A container whose stack has a weight that fits blocks of 32, and one that does not."""
    tiny().with_segment(STACK).folder.write_to(tmp_path / "model")
    return tmp_path / "model"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_pack_stands_beside_what_was_there(model: Path, run: Callable[..., Any]) -> None:
    """What fits is encoded, what does not is as it was; sizes and the fidelity found are told."""
    before = contents(model)
    done = run("pack", "add", model, "--encoding", "Q8_0")
    row = ["target.decoder_stack", "1", "of", "3", "288", "228", "numerically-approximate", PACK]
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("model: 1 pack of Q8_0 added\n")
    assert row in [line.split() for line in done.out.splitlines()]
    after = contents(model)
    assert {name for name in after if after[name] != before.get(name)} == {
        "index.json",
        "system_graph.json",
        PACK,
    }
    assert run("verify", model).code == 0


def test_removing_restores_every_byte(model: Path, run: Callable[..., Any]) -> None:
    """What add has made remove takes away, to the last byte of a container whose documents it has spelt."""
    run("pack", "add", model, "--encoding", "NVFP4")
    before = contents(model)
    run("pack", "add", model, "--encoding", "Q8_0")
    done = run("pack", "remove", model, "target.decoder_stack", "Q8_0")
    assert (done.code, done.out) == (0, f"removed target.decoder_stack@Q8_0\n\n  files  {PACK}\n")
    assert contents(model) == before


def test_another_folder_links_what_is_not_touched(
    model: Path, tmp_path: Path, run: Callable[..., Any]
) -> None:
    """--out leaves the container alone, and --json prints the answer of pack.add."""
    before = contents(model)
    done = run("pack", "add", model, "--encoding", "NVFP4", "--out", tmp_path / "other", "--json")
    answer = json.loads(done.out)
    assert (done.code, contents(model)) == (0, before)
    assert [one["representation"] for one in answer["added"]] == ["target.decoder_stack@NVFP4"]
    assert run("verify", tmp_path / "other").code == 0


def test_a_map_says_what_is_encoded(model: Path, tmp_path: Path, run: Callable[..., Any]) -> None:
    """--map decides tensor by tensor; what nothing is left of is exit code 5."""
    (tmp_path / "map.json").write_text(
        json.dumps({"name": "m", "encoding": "Q8_0", "roles": ["decoder-linear"]}), "utf-8"
    )
    assert run("pack", "add", model, "--map", tmp_path / "map.json").code == 0
    again = run("pack", "add", model, "--map", tmp_path / "map.json")
    assert "was there" in again.out
    (tmp_path / "map.json").write_text(
        json.dumps({"name": "m", "encoding": "Q6_K", "roles": ["decoder-linear"]}), "utf-8"
    )
    assert run("pack", "add", model, "--map", tmp_path / "map.json").code == 5


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("add",), 2, "say either --encoding or --map"),
        (("add", "--encoding", "Q8_0", "--object", "nobody"), 2, "nothing of nobody is to be encoded"),
        (("add", "--encoding", "Q5_5"), 3, "refused as unknown-encoding"),
        (("remove", "target.decoder_stack", "Q8_0"), 3, "refused as unknown-representation"),
        (("remove", "target.decoder_stack", "BF16"), 3, "refused as missing-representation"),
    ],
)
def test_what_cannot_be_done_is_told(
    arguments: tuple[str, ...], code: int, said: str, model: Path, run: Callable[..., Any]
) -> None:
    """Wrong usage exits 2, a refusal 3, and nothing has changed then."""
    before = contents(model)
    name, *more = arguments
    done = run("pack", name, model, *more)
    assert done.code == code
    assert said in done.out + done.err
    assert contents(model) == before
