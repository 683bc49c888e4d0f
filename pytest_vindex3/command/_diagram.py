"""A system graph as a diagram: boxes of components, objects inside, arrows where states flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3.formats.container.programme import programme, sizes, taps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Box:
    """An object: its kind, and what its representations are called."""

    id: str
    title: str
    said: str


@dataclass(frozen=True, slots=True)
class Group:
    """A component with its objects."""

    id: str
    role: str
    title: str
    said: tuple[str, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Arrow:
    """States of layers of a component that flow into an object; ends that are not in the graph are kept."""

    start: str
    end: str
    label: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """All of it, in stored order."""

    groups: tuple[Group, ...]
    arrows: tuple[Arrow, ...]


def diagram(graph: Mapping[str, Any]) -> Diagram:
    """The diagram of an answer of graph.load."""
    layers = {one.get("id"): one.get("attention") or [] for one in graph["document"]["components"]}
    groups = tuple(
        Group(
            one["id"],
            one["role"],
            f"{one['id']}, {one['role']}",
            (sizes(one), *programme(layers.get(one["id"], []))),
            tuple(_box(thing) for thing in graph["objects"] if thing["component"] == one["id"]),
        )
        for one in graph["components"]
    )
    return Diagram(groups, tuple(map(_arrow, graph["edges"])))


def _box(thing: Mapping[str, Any]) -> Box:
    encodings = ", ".join(one["encoding"] for one in thing["representations"])
    return Box(thing["id"], thing["kind"], encodings or "no representation")


def _arrow(edge: Mapping[str, Any]) -> Arrow:
    block = f", blocks of {edge['block_size']}" if "block_size" in edge else ""
    return Arrow(
        edge["producer_component"], edge["consumer_object"], f"layers {taps(edge['producer_layers'])}{block}"
    )


def mermaid(drawn: Diagram) -> str:
    """The diagram as Mermaid text."""
    names = {one.id: f"c{number}" for number, one in enumerate(drawn.groups)}
    boxes = [box for group in drawn.groups for box in group.boxes]
    names |= {box.id: f"o{number}" for number, box in enumerate(boxes)}
    lines = ["flowchart LR"]
    for group in drawn.groups:
        lines.append(f"    subgraph {names[group.id]}[{_quoted((group.title, *group.said))}]")
        lines += [f"        {names[box.id]}[{_quoted((box.title, box.said))}]" for box in group.boxes]
        lines.append("    end")
    for number, arrow in enumerate(drawn.arrows):
        for end in (arrow.start, arrow.end):
            if end not in names:
                names[end] = f"m{number}_{len(names)}"
                lines.append(f"    {names[end]}[{_quoted((end, 'not in the graph'))}]")
        lines.append(f"    {names[arrow.start]} -->|{_quoted((arrow.label,))}| {names[arrow.end]}")
    return "\n".join([*lines, ""])


def _quoted(lines: Iterable[str]) -> str:
    """Text for a label: what Mermaid or HTML would read is spelled as an entity."""
    text = "<br/>".join(
        "".join(one if one.isalnum() or one in " ,.:_-+/()@" else f"#{ord(one)};" for one in line)
        for line in lines
    )
    return f'"{text}"'
