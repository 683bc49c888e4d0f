"""`vindex3 inspect DIR`: what a person reads about a container."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import bank, tiny


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[Model], Path]:
    """A container as a folder named model."""

    def put(model: Model) -> Path:
        model.folder.write_to(tmp_path / "model")
        return tmp_path / "model"

    return put


def test_a_graph_container_is_a_tree(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """Title, facts, the component with its layers and objects, and the profiles, in this order."""
    done = run("inspect", stored(tiny()))
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "model: VINDEX3, index version 4, graph shape, tiny-target\n"
        "\n"
        "  family     tiny\n"
        "  sizes      2 layers of 4\n"
        "  authority  canonical\n"
        "  stored     4 representations, 21 tensors, 720 bytes of payload\n"
        "\n"
        "components and their objects\n"
        "  target  primary_text, 2 layers of 4, from tiny-target\n"
        "    layers  2 x softmax, full, rope\n"
        "    target.decoder_stack  BF16, canonical, 18 tensors, 608 B, segments/target.decoder_stack.bin\n"
        "    target.embedding  BF16, canonical, 1 tensor, 48 B, segments/target.embedding.bin\n"
        "    target.final_norm  F32, canonical, 1 tensor, 16 B, segments/target.final_norm.bin\n"
        "    target.output_head  BF16, canonical, 1 tensor, 48 B, segments/target.output_head.bin\n"
        "\n"
        "profiles\n"
        "  exact  baselines\n"
    )


def test_what_graph_and_index_tell_apart_is_shown(
    stored: Callable[[Model], Path], run: Callable[..., Any]
) -> None:
    """Encodings that only one of them has, entries of no object, unknown keys and files are named."""
    model = (
        tiny()
        .with_added(
            Segment("target.final_norm@F16", (Tensor("weight", "F16", (4,)),)),
            "segments/target.final_norm@F16.bin",
        )
        .with_added(Segment("other.final_norm@F16", (Tensor("weight", "F16", (4,)),)))
        .with_index(("added_later",), 1)
        .with_file("notes.txt", b"")
    )
    listed = [{"encoding": "BF16", "fidelity": "canonical"}, {"encoding": "Q8_0", "fidelity": "approximate"}]
    out = run("inspect", stored(model.with_graph(("objects", 1, "representations"), listed))).out
    lines = [line.strip() for line in out.splitlines()]
    assert "F16  not in the graph, 1 tensor, 8 B, segments/target.final_norm@F16.bin" in lines
    assert "Q8_0  approximate, not stored" in lines
    assert lines[lines.index("entries of no object") + 1].startswith("F16  other.final_norm, ")
    assert "unknown keys  added_later" in lines
    assert "other files   notes.txt" in lines


def test_a_bank_container_shows_files_and_variants(
    stored: Callable[[Model], Path], run: Callable[..., Any]
) -> None:
    """The manifest, the layer files, variants with their baseline, and profiles with what they select."""
    out = run("inspect", stored(bank())).out
    assert "bank shape" in out.splitlines()[0]
    assert "moe_manifest.json" in out
    assert "baseline" in out
    assert "routed-mxfp4  layer.0.routed.gate_up = native-mxfp4" in out


def test_a_defect_of_the_graph_is_remarked(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """What is wrong with the graph is only counted here: verify lists it."""
    model = tiny().without_graph(("components", 0, "execution", "head"))
    assert (
        "! the graph has 1 defect (missing-surface); verify lists them" in run("inspect", stored(model)).out
    )


def test_json_is_the_answer_of_container_open(
    stored: Callable[[Model], Path], run: Callable[..., Any]
) -> None:
    """--json prints the observation in one line."""
    done = run("inspect", "--json", stored(tiny()))
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert json.loads(done.out) == tiny().opened()


def test_a_refused_container_exits_3(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """Kind and facts of a refusal are told, and the place in the document."""
    done = run("inspect", stored(tiny().with_index(("version",), 2)))
    assert done.code == 3
    assert "refused as wrong-generation" in done.out
    assert "found = " in done.out


def test_other_folders_are_usage(tmp_path: Path, run: Callable[..., Any]) -> None:
    """A folder without the names of a container is of no format; --format insists on one."""
    done = run("inspect", tmp_path)
    assert done.code == 2
    assert "is a folder of no format that is known here (container" in done.err
    assert "--format names one" in done.err
    insisted = run("inspect", "--format", "container", tmp_path)
    assert insisted.code == 3
    assert "refused as missing-file" in insisted.out


def test_the_folder_around_a_container_is_usage(
    stored: Callable[[Model], Path], run: Callable[..., Any]
) -> None:
    """Where a folder below is a container, as in a golden, that is said."""
    path = stored(tiny())
    done = run("inspect", path.parent)
    assert done.code == 2
    assert f"{path} is one that is" in done.err


def test_a_terminal_sees_guides(stored: Callable[[Model], Path], on_terminal: Callable[..., Any]) -> None:
    """On a terminal the tree has guides, and its colours are gone with NO_COLOR."""
    path = stored(tiny())
    seen = on_terminal(100, "inspect", path)
    assert "├── target.embedding" in seen.bare
    assert seen.text != seen.bare
