"""`vindex3 graph`: Mermaid text, the drawing, defects and exit codes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.graph import edge, example, graph, minimal, sliding, softmax
from vindex3_fixtures.json_text import json_text


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[Any], Path]:
    """A graph document as a file."""

    def put(document: Any) -> Path:
        path = tmp_path / "system_graph.json"
        path.write_bytes(json_text(document))
        return path

    return put


def test_components_hold_their_objects_and_edges_lead_to_them(
    stored: Callable[[Any], Path], run: Callable[..., Any]
) -> None:
    """Every component is a box with its sizes and programme, every object a box in it, an edge an arrow."""
    done = run("graph", stored(example()))
    lines = [line.strip() for line in done.out.splitlines()]
    assert (done.code, done.err, lines[0]) == (0, "", "flowchart LR")
    [target] = [line for line in lines if line.startswith("subgraph") and '"target, primary_text' in line]
    [projector] = [line for line in lines if '"feature_projector<br/>' in line]
    name = target.partition("[")[0].removeprefix("subgraph ")
    [arrow] = [line for line in lines if "-->" in line]
    assert arrow.startswith(f"{name} -->|")
    assert arrow.endswith(projector.partition("[")[0])
    assert lines.count("end") == 3


def test_runs_of_one_policy_are_one_line(stored: Callable[[Any], Path], run: Callable[..., Any]) -> None:
    """Layers that follow each other with one policy are counted; others keep their order."""
    out = run("graph", stored(minimal([softmax(), softmax(), sliding(4), softmax()]))).out
    assert "<br/>2 x softmax, full, rope<br/>1 x softmax, sliding 4, rope<br/>1 x softmax, full, rope" in out


def test_the_drawing_is_whole_xml(
    stored: Callable[[Any], Path], run: Callable[..., Any], tmp_path: Path
) -> None:
    """--svg makes one document with a box for every component and object and a path for every edge."""
    document = example()
    target = tmp_path / "graph.svg"
    done = run("graph", stored(document), "--svg", target)
    root = ET.parse(target).getroot()
    shapes = [one.tag.rpartition("}")[2] for one in root]
    assert (done.code, done.out) == (0, "")
    assert shapes.count("rect") == 1 + len(document["components"]) + len(document["objects"])
    assert shapes.count("path") == len(document["edges"]) == 1


@pytest.mark.parametrize("as_picture", [False, True])
def test_names_are_never_markup(
    as_picture: bool, stored: Callable[[Any], Path], run: Callable[..., Any], tmp_path: Path
) -> None:
    """Quotes, brackets and tags in ids are spelled out in text and in the drawing."""
    document = minimal()
    document["components"][0]["source_artifact"] = "plain"
    document["objects"][0]["representations"][0]["encoding"] = '"]<script>&#1;'
    target = tmp_path / "graph.svg"
    done = run("graph", stored(document), *(["--svg", target] if as_picture else []))
    text = target.read_text("utf-8") if as_picture else done.out
    assert done.code == 0
    assert "<script>" not in text
    assert ("&lt;script&gt;" if as_picture else "#60;script#62;") in text


def test_an_edge_without_an_end_is_drawn_and_told(
    stored: Callable[[Any], Path], run: Callable[..., Any], tmp_path: Path
) -> None:
    """A dangling edge is shown to a box of its own, told on stderr, and the status is 1."""
    document = minimal()
    document["edges"] = [
        edge(producer="target", consumer="nobody", consumer_object="nobody.feature_projector")
    ]
    path = stored(document)
    done = run("graph", path)
    assert done.code == 1
    assert "not in the graph" in done.out
    assert "dangling-reference" in done.err
    assert run("graph", path, "--svg", tmp_path / "graph.svg").code == 1
    assert "an end is not in the graph" in (tmp_path / "graph.svg").read_text("utf-8")


def test_a_refused_graph_exits_3(stored: Callable[[Any], Path], run: Callable[..., Any]) -> None:
    """What is no graph is refused, with kind and facts, also as JSON."""
    path = stored({**minimal(), "schema": 5})
    done = run("graph", path)
    assert done.code == 3
    assert "refused as unknown-version" in done.out
    said = json.loads(run("graph", path, "--json").out)["refused"]
    assert (said["kind"], said["names"]["found"]) == ("unknown-version", 5)


def test_json_is_the_answer_of_graph_load(stored: Callable[[Any], Path], run: Callable[..., Any]) -> None:
    """--json prints the observation, with the document as it is stored."""
    done = run("graph", stored(minimal()), "--json")
    answer = json.loads(done.out)
    assert done.code == 0
    assert answer["primary"] == "target"
    assert answer["document"] == minimal()


def test_an_empty_graph_is_an_empty_diagram(stored: Callable[[Any], Path], run: Callable[..., Any]) -> None:
    """Without a component nothing is drawn."""
    assert run("graph", stored(graph([], []))).out == "flowchart LR\n"
