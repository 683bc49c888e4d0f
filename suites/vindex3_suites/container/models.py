"""Containers that most tests begin with, and how container.open is asked and answers, as expectations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3.contract.difference import MISSING, Stored
from pytest_vindex3.contract.patterns import Exactly
from pytest_vindex3.plugin.expect import Answers, answers
from vindex3_fixtures.container.index import INDEX, MANIFEST
from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import bank, tiny
from vindex3_fixtures.graph import component, graph, representation
from vindex3_fixtures.json_text import json_text
from vindex3_fixtures.lyrw.manifest import Manifest

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

TINY = tiny()
"""The graph shape: a language model of two layers in four objects."""

BANK = bank()
"""The bank shape: one layer of experts, stored in two ways."""

BOTH = replace(
    TINY.with_index(("moe_manifest",), MANIFEST)
    .with_index(("profiles",), BANK.index["profiles"])
    .with_index(("variants",), BANK.index["variants"])
    .with_index(("segments",), {**TINY.index["segments"], **BANK.index["segments"]}),
    files={**TINY.files, **BANK.files},
)
"""Both shapes in one directory."""

_SEVEN = {
    "version": 4,
    "model": "m",
    "family": "",
    "hidden_size": 4,
    "num_layers": 0,
    "profiles": [{"name": "exact"}],
    "segments": {},
}
_BARE = graph([component(artifact="m", hidden_size=4)])

SMALLEST = Model(
    index={**_SEVEN, "system_graph": "system_graph.json"},
    graph=_BARE,
    files={"system_graph.json": json_text(_BARE)},
)
"""The seven required keys and a graph of one component that owns nothing."""

SMALLEST_BANK = Model(index={**_SEVEN, "moe_manifest": MANIFEST}, files={MANIFEST: Manifest().text()})
"""The seven required keys and a manifest that lists no layer."""

SHAPES = {"graph": TINY, "bank": BANK}

EMBEDDING, PACKED = "target.embedding@BF16", "target.embedding@Q8_0"
STACK_SET, HEAD_SET = "target.stack", "target.head"

OPTIONAL_OF_ENTRY = ("compiled_from", "source_representation_digest", "codec", "encoder")


def _full() -> Model:
    """The graph shape with every key that an index can have, each with another value than its default."""
    pack = Segment(PACKED, (Tensor("weight", "Q8_0", (6, 4), bytes(range(26))),))
    model = TINY.with_added(
        pack,
        "segments/target.embedding@Q8_0.bin",
        compiled_from=EMBEDDING,
        source_representation_digest=TINY.segments[EMBEDDING].payload_sha256,
        codec={"family": "q8_0", "revision": 1, "group_elems": 32, "layout": "row"},
        encoder={"algorithm": "absmax", "revision": 2, "source": "one pass"},
    )
    at = next(i for i, one in enumerate(TINY.graph["objects"]) if one["id"] == "target.embedding")
    stored = [representation("BF16"), representation("Q8_0", "approximate")]
    variants = {
        STACK_SET: {
            "baseline": "stored",
            "variants": {
                "stored": {"storage": "segments/target.decoder_stack", "fidelity": "source-exact"},
                "other": {"storage": "segments/target.final_norm", "fidelity": "analysis-only"},
            },
        },
        HEAD_SET: {
            "baseline": "stored",
            "variants": {"stored": {"storage": "segments/target.output_head", "fidelity": "source-exact"}},
        },
    }
    known = {
        "profiles": [{"name": "exact"}, {"name": "other", "selects": {STACK_SET: "other"}}],
        "variants": variants,
        "authority": "derived",
        "derived_from_model": "tiny-parent",
        "precision_map": PRECISION_MAP,
        "x-note": {"by": ["a", 1, None]},
    }
    return replace(
        model.with_graph(("objects", at, "representations"), stored), index={**model.index, **known}
    )


PRECISION_MAP: dict[str, Any] = {
    "name": "example-mixed",
    "encoding": "NVFP4",
    "roles": ["decoder-linear", "expert-weight"],
    "exceptions": [
        {"projection": "v_proj"},
        {"projection": "down_proj", "layers": [1, 1]},
        {"projection": "gate_proj", "layers": [0, 0], "encoding": "Q8_0"},
    ],
}
FULL = _full()


def open_(ask: Ask, model: Model, name: str = "model") -> Reply:
    """Ask for a container."""
    return ask("container.open", path=ask.file(name, model.folder))


def open_text(ask: Ask, model: Model, text: bytes) -> Reply:
    """Ask for a container whose index.json is this text."""
    return ask("container.open", path=ask.file("model", model.folder.with_file(INDEX, text)))


def is_open(model: Model) -> Answers:
    """A container of this version and model, whatever else is said of it."""
    return answers(generation="VINDEX3", schema=model.index["version"], model=model.index["model"])


def opens(model: Model, **changes: object) -> Answers:
    """The whole observation but for unreferenced files, on which a clause of its own advises."""
    observation = {**model.opened(), **changes}
    del observation["unreferenced_files"]
    return answers(exact(observation))


def exact(observation: dict[str, Any]) -> dict[str, Any]:
    """The observation with every object whose keys are ids or names free of others."""
    sets = {
        name: {**one, "variants": Exactly(one["variants"])} for name, one in observation["variants"].items()
    }
    profiles = [{**one, "selects": Exactly(one["selects"])} for one in observation["profiles"]]
    entries = {name: exact_entry(one) for name, one in observation["representations"].items()}
    return {
        **observation,
        "profiles": profiles,
        "representations": Exactly(entries),
        "segments": Exactly(observation["segments"]),
        "variants": Exactly(sets),
        "extra": Stored(observation["extra"]),
        "precision_map": Stored(observation["precision_map"]),
    }


def exact_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry as it is written, without the optional keys that it lacks."""
    written = {key: Stored(value) for key, value in entry.items()}
    return {**dict.fromkeys(OPTIONAL_OF_ENTRY, MISSING), **written}
