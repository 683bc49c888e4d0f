"""What a person reads about a WASTE container: quantisation, layers, trunk, statistics."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats._page import Facts, Grid, Page, Part, counted, exact, near

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_ROWS: Final = 200
"""Rows that a table for a person has."""
FORMATS: Final = {0: "F32", 1: "F16/BF16", 2: "Q8G", 3: "Q4G", 7: "Q3G"}


def waste_page(name: str, observation: Mapping[str, Any], usage: Mapping[str, Any] | str) -> Page:
    """The page of a container, from the answers of waste.open and usage.read, or how this refuses."""
    parts: list[Part] = [_facts(observation, usage)]
    if observation["layers"]:
        parts.append(_layers(observation["layers"]))
    if observation["trunk"]:
        parts += [_trunk_formats(observation["trunk"]), _trunk(observation["trunk"])]
    title = f"{name}: WASTE, version {observation['format_version']}, {observation['arch'] or 'no arch said'}"
    return Page(title, tuple(parts))


def _facts(observation: Mapping[str, Any], usage: Mapping[str, Any] | str) -> Facts:
    layers, books = observation["layers"].values(), observation["codebooks"]
    rows = [("experts", _experts(layers)), ("quantisation", _quant(observation["expert_quant"]))]
    if books["count"]:
        rows.append(("codebooks", f"{books['count']:,} of {exact(books['book_bytes'])}"))
    if observation["tensor_prefix"]:
        rows.append(("tensor prefix", observation["tensor_prefix"]))
    rows.append(("statistics", _usage(usage)))
    return Facts(tuple(rows))


def _experts(layers: Sequence[Mapping[str, Any]]) -> str:
    if not layers:
        return "none: the model is dense"
    records, size = sum(bank["experts"] for bank in layers), sum(bank["bytes"] for bank in layers)
    return f"{counted(records, 'record')} in {counted(len(layers), 'layer')}, {exact(size)}"


def _quant(quant: Mapping[str, Any] | None) -> str:
    if quant is None:
        return "none"
    bits = quant["stages"] * quant["index_bits"] / quant["vec_dim"]
    block = f"in blocks of {quant['index_block']} rows" if quant["index_block"] else "row by row"
    shape = f"{quant['stages']} stages of {quant['entries']} entries, vectors of {quant['vec_dim']}"
    return f"{shape}, {quant['index_bits']}-bit indices {block}: {bits:g} bits a weight"


def _usage(usage: Mapping[str, Any] | str) -> str:
    if isinstance(usage, str):
        return f"cannot be read: {usage}"
    if not usage["present"]:
        return "none"
    first = ", ".join(f"{layer}/{expert}" for layer, expert in usage["warm_order"][:4])
    warm = f", warmest {first}" if first else ""
    return f"{counted(len(usage['entries']), 'expert')} counted at clock {usage['clock']}{warm}"


def _layers(layers: Mapping[str, Mapping[str, Any]]) -> Grid:
    rows = [
        (
            number,
            bank["file"],
            f"{bank['experts']:,}",
            f"{bank['record_bytes']:,}",
            near(bank["bytes"]),
            str(bank["codebook_base"]),
        )
        for number, bank in sorted(layers.items(), key=lambda pair: int(pair[0]))[:MOST_ROWS]
    ]
    heads = ("layer", "bank", "experts", "bytes a record", "bytes", "first book")
    return Grid(heads, tuple(rows), frozenset(heads) - {"bank"}, "layers with experts")


def _trunk_formats(trunk: Sequence[Mapping[str, Any]]) -> Grid:
    tensors: Counter[str] = Counter()
    values: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for entry in trunk:
        form = _form(entry)
        tensors[form] += 1
        values[form] += prod(entry["shape"])
        size[form] += entry["bytes"]
    rows = [
        (form, f"{tensors[form]:,}", f"{size[form]:,}", f"{8 * size[form] / values[form]:.3f}")
        for form in sorted(tensors)
    ]
    heads = ("format", "tensors", "bytes", "bits a weight")
    return Grid(heads, tuple(rows), frozenset(heads) - {"format"}, "trunk by format")


def _trunk(trunk: Sequence[Mapping[str, Any]]) -> Grid:
    rows = [
        (
            entry["name"],
            _form(entry),
            " x ".join(map(str, entry["shape"])),
            f"{entry['off']:,}",
            f"{entry['bytes']:,}",
        )
        for entry in trunk[:MOST_ROWS]
    ]
    if len(trunk) > MOST_ROWS:
        rows.append((f"... {len(trunk) - MOST_ROWS:,} more", "", "", "", ""))
    return Grid(
        ("tensor", "format", "shape", "offset", "bytes"), tuple(rows), frozenset({"offset", "bytes"}), "trunk"
    )


def _form(entry: Mapping[str, Any]) -> str:
    group = f"/{entry['group']}" if entry["group"] is not None else ""
    return f"{FORMATS.get(entry['fmt'], str(entry['fmt']))}{group}"
