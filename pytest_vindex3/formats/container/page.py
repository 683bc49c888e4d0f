"""What a person reads about a container: its components with their objects, banks, profiles, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats._page import Branch, Facts, Grid, Page, Part, Tree, counted, exact, near
from pytest_vindex3.formats.container.programme import programme, sizes, taps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_NAMES: Final = 12
"""Names that a line lists before it only counts."""


def container_page(name: str, observation: Mapping[str, Any], graph: Mapping[str, Any] | None) -> Page:
    """The page of a container, from the answers of container.open and, where it has a graph, graph.load."""
    parts: list[Part] = [_facts(observation)]
    if graph is not None:
        parts.append(Tree(tuple(_components(observation, graph)), "components and their objects"))
        if graph["edges"]:
            parts.append(Tree(tuple(map(_edge, graph["edges"])), "edges"))
    if "bank" in observation["shapes"]:
        parts.append(_banks(observation))
    if observation["variants"]:
        parts.append(_variants(observation["variants"]))
    parts.append(_profiles(observation))
    return Page(_title(name, observation), tuple(parts), tuple(_remarks(observation, graph)))


def _title(name: str, observation: Mapping[str, Any]) -> str:
    shapes = " and ".join(observation["shapes"])
    generation = f"{observation['generation']}, index version {observation['schema']}"
    return f"{name}: {generation}, {shapes} shape, {observation['model'] or 'a model without name'}"


def _facts(observation: Mapping[str, Any]) -> Facts:
    entries = observation["representations"].values()
    payload = sum(entry["payload_bytes"] for entry in entries)
    rows = [
        ("family", observation["family"] or "not said"),
        ("sizes", f"{observation['num_layers']:,} layers of {observation['hidden_size']:,}"),
        ("authority", _authority(observation)),
    ]
    if entries:
        tensors = counted(sum(entry["tensor_count"] for entry in entries), "tensor")
        stored = counted(len(entries), "representation")
        rows.append(("stored", f"{stored}, {tensors}, {exact(payload)} of payload"))
    if observation["precision_map"] is not None:
        rows.append(("precision map", str(observation["precision_map"].get("name", "without a name"))))
    if observation["extra"]:
        rows.append(("unknown keys", listed(sorted(observation["extra"]))))
    if observation["unreferenced_files"]:
        rows.append(("other files", listed(observation["unreferenced_files"])))
    return Facts(tuple(rows))


def _authority(observation: Mapping[str, Any]) -> str:
    derived = observation["derived_from_model"]
    return (
        f"{observation['authority']}, from {derived}"
        if derived is not None
        else str(observation["authority"])
    )


def _components(observation: Mapping[str, Any], graph: Mapping[str, Any]) -> Iterator[Branch]:
    documents = {one["id"]: one for one in graph["document"]["components"]}
    known = set()
    for component in graph["components"]:
        known.add(component["id"])
        objects = [one for one in graph["objects"] if one["component"] == component["id"]]
        said = f"{component['role']}, {sizes(component)}, from {component['source_artifact']}"
        layers = [
            Branch("layers", line) for line in programme(documents[component["id"]].get("attention") or [])
        ]
        yield Branch(component["id"], said, (*layers, *(_object(one, observation) for one in objects)))
    strays = [one for one in graph["objects"] if one["component"] not in known]
    if strays:
        yield Branch("objects of no component", "", tuple(_object(one, observation) for one in strays))
    named = {one["id"] for one in graph["objects"]}
    alone = [one for one in observation["representations"].values() if one["object"] not in named]
    if alone:
        yield Branch("entries of no object", "", tuple(_entry(one, one["object"]) for one in alone))


def _object(thing: Mapping[str, Any], observation: Mapping[str, Any]) -> Branch:
    """An object with what is stored of it, the encodings that the graph lists in its order."""
    entries = {
        one["encoding"]: one
        for one in observation["representations"].values()
        if one["object"] == thing["id"]
    }
    listed_ones = [(one["encoding"], one["fidelity"]) for one in thing["representations"]]
    named = {encoding for encoding, _ in listed_ones}
    branches = [
        _entry(entries[encoding], fidelity)
        if encoding in entries
        else Branch(encoding, f"{fidelity}, not stored")
        for encoding, fidelity in listed_ones
    ]
    branches += [
        _entry(one, "not in the graph") for encoding, one in entries.items() if encoding not in named
    ]
    said = "" if thing["id"] == f"{thing['component']}.{thing['kind']}" else thing["kind"]
    if len(branches) == 1:
        [alone] = branches
        return Branch(thing["id"], ", ".join(filter(None, (said, alone.name, alone.said))))
    return Branch(thing["id"], said, tuple(branches))


def _entry(entry: Mapping[str, Any], fidelity: str) -> Branch:
    said = [
        fidelity,
        counted(entry["tensor_count"], "tensor"),
        near(entry["payload_bytes"]),
        entry["segment"],
    ]
    if "compiled_from" in entry:
        said.append(f"compiled from {entry['compiled_from']}")
    return Branch(entry["encoding"], ", ".join(filter(None, said)))


def _edge(edge: Mapping[str, Any]) -> Branch:
    block = f", blocks of {edge['block_size']}" if "block_size" in edge else ""
    flow = f"{edge['producer_component']} layers {taps(edge['producer_layers'])} -> {edge['consumer_object']}"
    return Branch(flow, f"into {edge['consumer_component']}{block}")


def _banks(observation: Mapping[str, Any]) -> Facts:
    referred = {entry["segment"].rpartition(".")[0] for entry in observation["representations"].values()}
    keys = [key for key in observation["segments"] if key not in referred]
    rows = (
        ("manifest", str(observation["moe_manifest"])),
        ("layer files", f"{len(keys):,}: {listed([f'{key}.lyrw' for key in keys])}" if keys else "none"),
    )
    return Facts(rows, "banks of experts")


def _variants(variants: Mapping[str, Mapping[str, Any]]) -> Grid:
    rows = [
        ("" if number else region_set, name, "baseline" if name == held["baseline"] else "", *_variant(one))
        for region_set, held in list(variants.items())[:200]
        for number, (name, one) in enumerate(held["variants"].items())
    ]
    heads = ("region set", "variant", "", "fidelity", "storage")
    return Grid(heads, tuple(rows), title="variants")


def _variant(variant: Mapping[str, str]) -> tuple[str, str]:
    return variant["fidelity"], variant["storage"]


def _profiles(observation: Mapping[str, Any]) -> Facts:
    rows = [
        (
            profile["name"],
            ", ".join(f"{key} = {value}" for key, value in profile["selects"].items()) or "baselines",
        )
        for profile in observation["profiles"]
    ]
    return Facts(tuple(rows) or (("none", "nothing is declared"),), "profiles")


def _remarks(observation: Mapping[str, Any], graph: Mapping[str, Any] | None) -> Iterator[str]:
    defects = graph["defects"] if graph is not None else []
    if defects:
        kinds = ", ".join(sorted({one["kind"] for one in defects}))
        yield f"the graph has {counted(len(defects), 'defect')} ({kinds}); verify lists them"
    if graph is not None and graph["primary"] is None:
        yield "no component is primary_text"
    if observation["system_graph"] is not None and not observation["representations"]:
        yield "nothing of the graph is stored"


def listed(names: Sequence[str]) -> str:
    """Names in their order, the first of many and the number of the others."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
