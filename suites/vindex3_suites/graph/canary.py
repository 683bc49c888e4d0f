"""The canary of the family: the smallest whole graph and one pair of artifacts, before anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import check
from vindex3_fixtures.graph import edge, minimal
from vindex3_fixtures.graph.evidence import drafter, text_model
from vindex3_suites.graph.asking import load, resolve
from vindex3_suites.graph.expected import loads, resolves

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

COMPONENTS = [
    {"id": "draft", "role": "drafter", "source_artifact": "tiny-draft"},
    {"id": "target", "role": "primary_text", "source_artifact": "tiny-target"},
]


def canary(ask: Ask) -> None:
    """Ask the first verb of the family that is claimed, and compare its answer whole."""
    if ask.claims("graph.load"):
        load_smallest(ask)
    elif ask.claims("graph.resolve"):
        resolve_smallest(ask)


def load_smallest(ask: Ask) -> None:
    """Load a graph of one component, and judge it."""
    document = minimal()
    check("GRAPH-FIELD-02", load(ask, document), loads(document))


def resolve_smallest(ask: Ask) -> None:
    """Resolve a text model and its drafter, and judge the edge."""
    reply = resolve(ask, text_model(), drafter(taps=(1, 3), block_size=4))
    expected = resolves(COMPONENTS, [edge("target", (1, 3), "draft", block_size=4)], [])
    check("EDGE-ONE-01", reply, expected)
