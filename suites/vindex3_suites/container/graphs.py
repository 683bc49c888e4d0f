"""A container whose graph has every integer slot, and how its graph is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_vindex3.plugin.expect import Answers, answers
from vindex3_fixtures.container.index import GRAPH
from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.graph import binding, component, edge, execution, object_
from vindex3_fixtures.json_text import json_text
from vindex3_suites.container.models import TINY

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_text import Way

PROJECTOR: Final = "draft.feature_projector@BF16"


def _tapped() -> Model:
    """The language model with a sliding layer, and a drafter beside it that taps both of its layers."""
    segment = Segment(PROJECTOR, (Tensor("fc.weight", shape=(4, 8)), Tensor("norm.weight")))
    bindings = [
        binding(f"encoder.{name}", "tiny-draft", 1, length) for name, length in (("fc", 64), ("norm", 8))
    ]
    target = TINY.graph["components"][0]
    sliding = {**target["attention"][0], "span": "sliding", "window": 4}
    draft = component(
        "draft", "drafter", artifact="tiny-draft", hidden_size=4, num_layers=1, execution=execution()
    )
    graph = {
        **TINY.graph,
        "components": [
            {**draft, "num_layers": 1},
            {**target, "attention": [sliding, target["attention"][1]]},
        ],
        "objects": [object_("draft", "feature_projector", bindings), *TINY.graph["objects"]],
        "edges": [edge("target", (0, 1), "draft", block_size=4)],
    }
    return TINY.with_added(segment).with_graph((), graph)


TAPPED: Final = _tapped()

_TARGET: Final = ("components", 1)
_BINDING: Final = ("objects", 0, "source_bindings", 1)

INTEGERS: Final[dict[str, Way]] = {
    "schema": ("schema",),
    "num_layers": (*_TARGET, "num_layers"),
    "hidden_size": (*_TARGET, "hidden_size"),
    "tensors": (*_BINDING, "tensors"),
    "bytes": (*_BINDING, "bytes"),
    "window": (*_TARGET, "attention", 0, "window"),
    "first_tap": ("edges", 0, "producer_layers", 0),
    "last_tap": ("edges", 0, "producer_layers", 1),
    "block_size": ("edges", 0, "block_size"),
}
"""Integer slots of the graph of `TAPPED`."""

MEMBERS: Final[dict[str, Way]] = {
    "root": ("schema",),
    "component": (*_TARGET, "role"),
    "policy": (*_TARGET, "attention", 0, "operator"),
    "position": (*_TARGET, "attention", 0, "position", "theta"),
    "geometry": (*_TARGET, "attention", 0, "geometry", "head_dim"),
    "execution": (*_TARGET, "execution", "head"),
    "attention": (*_TARGET, "execution", "attention", "num_q_heads"),
    "norm": (*_TARGET, "execution", "norm", "placement"),
    "head": (*_TARGET, "execution", "head", "vocab_size"),
    "object": ("objects", 0, "kind"),
    "binding": (*_BINDING, "artifact"),
    "representation": ("objects", 0, "representations", 0, "encoding"),
    "edge": ("edges", 0, "block_size"),
}
"""A member of every sort of object in the graph of `TAPPED`."""

LOADS: Final[Answers] = answers(schema=6, primary="target", defects=[])
"""The graph of `TAPPED`, whatever else is said of it."""


def load(ask: Ask, text: bytes) -> Reply:
    """Ask for the graph of the container `TAPPED` with this text of its system graph."""
    return ask("graph.load", path=ask.file("model", TAPPED.folder.with_file(GRAPH, text)))


def load_legal(ask: Ask) -> Reply:
    """Ask for the graph of `TAPPED` as it is."""
    return load(ask, json_text(TAPPED.graph))
