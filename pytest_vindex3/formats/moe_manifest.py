"""moe_manifest.json: a JSON document with a ruler, a line of text after the other; described and judged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats._document import document_spans
from pytest_vindex3.formats._page import Facts, Grid, Page, Part, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_vindex3.formats import Work
    from pytest_vindex3.formats._ruler import Span
    from pytest_vindex3.formats._source import Source

FILE_NAME: Final = "moe_manifest.json"
MOST_LAYERS: Final = 200
"""Layers that a table for a person has."""

_BEGIN: Final = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*\d+\s*,\s*"layers"\s*:\s*\[')


class _MoeManifest:
    name = "moe_manifest"
    whole = ""
    binds = True

    def detect(self, leading: bytes, name: str) -> bool:
        return name == FILE_NAME or _BEGIN.match(leading) is not None

    def spans(self, source: Source) -> Iterator[Span]:
        return document_spans(source)

    def observe(self, path: str) -> dict[str, object]:
        from vindex3_reference.lyrw.verbs import moe_load

        return moe_load(path=path)

    def describe(self, path: str, observation: Mapping[str, object]) -> Page:
        return _page(Path(path).name, observation)

    def verify(
        self, paths: Sequence[str], bound: Mapping[str, list[str]] | None, work: Work
    ) -> dict[str, object]:
        from vindex3_reference.lyrw.verbs import moe_check

        del work
        [path] = paths
        return moe_check(
            path=path, segments=None if bound is None else {key: list(files) for key, files in bound.items()}
        )


def _page(name: str, observation: Mapping[str, Any]) -> Page:
    layers = observation["layers"]
    title = f"{name}: moe manifest, version {observation['schema_version']}, {counted(len(layers), 'layer')}"
    if not layers:
        return Page(title, (Facts((("layers", "none: every layer is dense"),)),))
    parts: list[Part] = [_banks(layers), _routers(layers)]
    return Page(title, tuple(parts))


def _banks(layers: Sequence[Mapping[str, Any]]) -> Grid:
    rows = []
    for layer in layers[:MOST_LAYERS]:
        rows.append((str(layer["layer"]), layer["input_space"], "routed", *_bank(layer["routed_bank"])))
        if layer["shared_bank"] is not None:
            rows.append(("", "", "shared", *_bank(layer["shared_bank"])))
    if len(layers) > MOST_LAYERS:
        rows.append(("...", f"{len(layers) - MOST_LAYERS} more", *[""] * 5))
    heads = ("layer", "input", "bank", "experts", "programme", "storage", "in / between / out")
    return Grid(heads, tuple(rows), frozenset({"layer", "experts"}), "banks and what runs on them")


def _bank(bank: Mapping[str, Any]) -> tuple[str, ...]:
    dims = bank["expert_dims"]
    sizes = " / ".join(str(dims[key]) for key in ("input", "intermediate", "output")) if dims else "not said"
    return f"{bank['experts']:,}", bank["programme"], bank["storage"], sizes


def _routers(layers: Sequence[Mapping[str, Any]]) -> Grid:
    """Routers, layers with the same one in one row."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for layer in layers:
        alike.setdefault(_router(layer), []).append(layer["layer"])
    rows = [(_numbers(numbers), *said) for said, numbers in list(alike.items())[:MOST_LAYERS]]
    heads = ("layers", "scores", "activation", "experts a token", "then", "transforms")
    return Grid(heads, tuple(rows), title="routers")


def _router(layer: Mapping[str, Any]) -> tuple[str, ...]:
    router, transforms = layer["router"], layer["transforms"]
    selection = router["selection"]
    groups = selection.get("groups")
    chosen = str(selection["k"]) if groups is None else f"{selection['k']} in each of {groups} groups"
    then = [key for key, value in router["post"].items() if value is not False and value is not None]
    if router["shared_expert_sink"]:
        then.append("shared_expert_sink")
    return (
        router["scores"],
        router["activation"],
        chosen,
        ", ".join(then) or "nothing",
        "none" if transforms is None else f"{transforms['routed_input']} -> {transforms['routed_output']}",
    )


def _numbers(numbers: Sequence[int]) -> str:
    """Layer numbers, runs of them as a range, and no more than a cell has room for."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in runs[:4]]
    return ", ".join(words) + (", ..." if len(runs) > 4 else "")


FORMAT = _MoeManifest()
