"""system_graph.json, beside an index that names it."""

from __future__ import annotations

from typing import Final

from pytest_vindex3.fuzz.demand import Demand, about, always
from pytest_vindex3.fuzz.documents import DocumentEdits, closed, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from vindex3_fixtures import fuzz

NAME: Final = "system-graph"
_TEXT_KINDS: Final = ("malformed-json", "duplicate-key", "nesting-too-deep", "out-of-range")
_REQUIRED: Final = (
    "schema",
    "components",
    "objects",
    "edges",
    "role",
    "source_artifact",
    "source_bindings",
    "representations",
    "encoding",
    "fidelity",
    "operator",
    "producer_component",
    "producer_layers",
    "consumer_component",
    "consumer_object",
)
_INTEGERS: Final = ("num_layers", "hidden_size", "tensors", "producer_layers")

target = Target(
    name=NAME,
    family="graph",
    about="system_graph.json of a container, which graph.load reads and judges",
    file="system_graph.json",
    asked=(
        Asked(
            "graph.load",
            Demand(
                refuses={
                    "malformed-json": always,
                    "unknown-version": always,
                    "missing-field": about(*_REQUIRED),
                    "bad-type": about(*_INTEGERS),
                    "unknown-value": about("role", "fidelity"),
                },
                never=("malformed-json", "unknown-version"),
                first={"unknown-version": _TEXT_KINDS},
                reports=(
                    "dangling-reference",
                    "duplicate-id",
                    "edge-depth",
                    "id-mismatch",
                    "self-edge",
                    "unbound-object",
                ),
                same=("schema",),
                closed=closed,
            ),
        ),
    ),
    seeds=lambda: fuzz.documents("system_graph.json"),
    mutate=DocumentEdits(fuzz.words(NAME)),
    smaller=smaller,
    around=fuzz.around_graph,
)
