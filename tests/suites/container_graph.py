"""What is wrong with a system graph by itself, written anew from the format's text: sets, not objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

Found = tuple[str, dict[str, Any]]

ROLES = {"primary_text", "perception", "drafter"}
ATTENDS = {"softmax", "mla", "conv_qkv_attention"}
NO_FFN = {"mamba2", "conv_qkv_attention"}


def refused(graph: dict[str, Any], path: str) -> Found | None:
    """Why a graph cannot be read at all; no more than the kinds that a container's judge meets."""
    if "schema" not in graph:
        return "missing-field", {"path": path, "field": "schema"}
    if graph["schema"] != 6:
        return "unknown-version", {"path": path, "found": graph["schema"], "supported": "6"}
    for key in ("edges", "objects", "components"):
        if key not in graph:
            return "missing-field", {"path": path, "field": key}
    for one in graph["components"]:
        if one["role"] not in ROLES:
            return "unknown-value", {"path": path, "field": "role", "value": one["role"]}
    return None


def defects(graph: dict[str, Any]) -> Iterator[Found]:
    """Everything, from the surfaces up to the ids."""
    components = {one["id"]: one for one in reversed(graph["components"])}
    objects = {one["id"] for one in graph["objects"]}
    for one in graph["components"]:
        yield from surface(one, {each["kind"] for each in graph["objects"] if each["component"] == one["id"]})
    for edge in graph["edges"]:
        yield from of_edge(edge, components, objects)
    texts = sorted({one["id"] for one in graph["components"] if one["role"] == "primary_text"})
    if len(texts) > 1:
        yield "ambiguous", {"candidates": texts}
    for one in graph["objects"]:
        yield from of_object(one, components)
    for key in ("objects", "components"):
        counted = Counter(one["id"] for one in graph[key])
        yield from (("duplicate-id", {"id": name}) for name, count in counted.items() if count > 1)


def of_object(one: dict[str, Any], components: dict[str, Any]) -> Iterator[Found]:
    """What an object says of itself that is not so."""
    joined = f"{one['component']}.{one['kind']}"
    if one["id"] != joined:
        yield "id-mismatch", {"expected": joined, "found": one["id"]}
    if not one["source_bindings"]:
        yield "unbound-object", {"object": one["id"]}
    if one["component"] not in components:
        yield "dangling-reference", {"referrer": one["id"], "missing": one["component"]}


def of_edge(edge: dict[str, Any], components: dict[str, Any], objects: set[str]) -> Iterator[Found]:
    """What an edge leads to that is not there, or should not be."""
    producer, consumer = edge["producer_component"], edge["consumer_component"]
    for name, known in ((producer, components), (consumer, components), (edge["consumer_object"], objects)):
        if name not in known:
            yield "dangling-reference", {"referrer": consumer, "missing": name}
    if producer == consumer:
        yield "self-edge", {"component": producer}
    layers = components[producer]["num_layers"] if producer in components else None
    for tap in edge["producer_layers"]:
        if layers is not None and tap >= layers:
            yield "edge-depth", {"component": producer, "layer": tap, "num_layers": layers}


def surface(one: dict[str, Any], kinds: set[str]) -> Iterator[Found]:
    """Groups of the execution that are missing, or too many."""
    missing: list[str] = []
    execution = one.get("execution")
    if execution is None:
        missing = ["execution"] if "decoder_stack" in kinds else []
    else:
        runs = {policy["operator"] for policy in one.get("attention") or []}
        wanted = {
            "attention": bool(runs & ATTENDS),
            "ffn": bool(runs - NO_FFN),
            "head": bool(kinds & {"embedding", "output_head"}),
            "mamba2": "mamba2" in runs,
            "conv_qkv": "conv_qkv_attention" in runs,
        }
        missing = [group for group, needed in wanted.items() if needed and group not in execution]
        if "decoder_stack" in kinds and "placement" not in execution["norm"]:
            missing.append("norm.placement")
        for group in ("attention", "ffn"):
            if runs and not wanted[group] and group in execution:
                yield "surplus-surface", {"component": one["id"], "group": group}
    for group in missing:
        yield "missing-surface", {"component": one["id"], "group": group}
