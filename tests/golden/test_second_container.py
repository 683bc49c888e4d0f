"""Every pinned container read a second time: segments by a declarative description, documents by tables.

It shares no code with any implementation and none with the makers of fixtures.
"""

from __future__ import annotations

import hashlib
import json
from math import prod
from typing import TYPE_CHECKING, Any

import pytest
from construct import Bytes, ConstructError, GreedyBytes, Int64ul, Struct, this

from pytest_vindex3.contract.difference import first_difference
from vindex3_fixtures.goldens import Golden, Request, goldens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SEGMENT = Struct("length" / Int64ul, "header" / Bytes(this.length), "payload" / GreedyBytes)
LONGEST_HEADER = 1 << 28

WIDTHS = {8: "F64 I64 U64", 4: "F32 I32 U32", 2: "F16 BF16 I16 U16", 1: "I8 U8 BOOL"}
"""Bytes of a value, and the dtypes that have so many."""

TOP: Mapping[str, Any] = {
    "model": ...,
    "family": ...,
    "hidden_size": ...,
    "num_layers": ...,
    "system_graph": None,
    "moe_manifest": None,
    "authority": "canonical",
    "derived_from_model": None,
    "precision_map": None,
    "representations": {},
    "profiles": ...,
    "segments": ...,
    "variants": {},
}
"""Keys that an observation has under their own name, with what an absent or null one is; `...`: required."""

MAY_BE_NULL = ("compiled_from", "source_representation_digest", "codec", "encoder")
COMPONENT = ("id", "role", "source_artifact", "num_layers", "hidden_size")
OBJECT = ("id", "component", "kind", "representations")
EDGE = ("producer_component", "producer_layers", "consumer_component", "consumer_object", "block_size")

GOLDENS = [golden for golden in goldens().values() if "file index.json\n" in golden.source]
CAPABILITY = "tokenizer.json tokenizer_config.json special_tokens_map.json generation_config.json"


def asked(*verbs: str) -> Iterator[Any]:
    """Every question of these verbs with an answer, by golden and position."""
    for golden in GOLDENS:
        for position, request in enumerate(golden.requests):
            if request.verb in verbs and request.answer is not None:
                yield pytest.param(golden, request, id=f"{golden.name}-{position}")


def document(path: Path) -> dict[str, Any]:
    """A JSON document by the standard library."""
    read: dict[str, Any] = json.loads(path.read_bytes())
    return read


def picked(struct: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """The members of these names that are there."""
    return {key: struct[key] for key in keys if key in struct}


def table(path: Path) -> tuple[dict[str, Any], Any]:
    """The header of a segment, and the segment as it is described."""
    segment = SEGMENT.parse(path.read_bytes())
    return json.loads(segment.header), segment


def entry_of(index: dict[str, Any], request: Request) -> tuple[str, dict[str, Any]]:
    """The directory entry that a question is about: by its key, or the object's first that is asked for."""
    named = request.arguments.get("representation")
    if named:
        return str(named), index["representations"][named]
    wanted = picked(dict(request.arguments), ("object", "encoding"))
    fitting = ((key, one) for key, one in index["representations"].items() if wanted.items() <= one.items())
    return next(fitting)


@pytest.mark.parametrize(("golden", "request_"), list(asked("container.open")))
def test_an_index_is_observed_as_it_is_written(golden: Golden, request_: Request) -> None:
    """The answer of container.open is the index with the defaults of the table and nothing else."""
    index = document(golden.path / "index.json")
    told = {key: default if index.get(key) is None else index[key] for key, default in TOP.items()}
    told["extra"] = {key: value for key, value in index.items() if key not in {*TOP, "version"}}
    told["profiles"] = [{"name": one} if isinstance(one, str) else one for one in told["profiles"]]
    told["profiles"] = [{"selects": {}, **one} for one in told["profiles"]]
    told["representations"] = {
        key: {name: value for name, value in one.items() if name not in MAY_BE_NULL or value is not None}
        for key, one in told["representations"].items()
    }
    roots = {"graph": told["system_graph"], "bank": told["moe_manifest"]}
    told["shapes"] = [shape for shape, root in roots.items() if root]
    files = {path.relative_to(golden.path).as_posix() for path in golden.path.rglob("*") if path.is_file()}
    files -= {"index.json", "chat_template.jinja", *CAPABILITY.split(), *filter(None, roots.values())}
    files -= {one["segment"] for one in told["representations"].values()}
    files -= {f"{key}.lyrw" for key in told["segments"] if told["moe_manifest"]}
    told |= {"generation": "VINDEX3", "schema": index["version"], "unreferenced_files": sorted(files)}
    assert first_difference(request_.answer, told) is None
    assert set(request_.answer or ()) == set(told)


@pytest.mark.parametrize(("golden", "request_"), list(asked("container.tensor")))
def test_a_tensor_is_a_range_of_the_payload(golden: Golden, request_: Request) -> None:
    """The bytes of container.tensor are those that the row points at, as many as dtype and shape say."""
    key, entry = entry_of(document(golden.path / "index.json"), request_)
    header, segment = table(golden.path / entry["segment"])
    assert (header["schema"], header["representation"]) == (1, key)
    [row] = [row for row in header["tensors"] if row["name"] == request_.arguments["tensor"]]
    data = segment.payload[row["offset"] :][: row["len"]]
    told = {"representation": key, "dtype": row["dtype"], "shape": row["shape"], "data": data}
    assert first_difference(request_.answer, told) is None
    width = next((width for width, dtypes in WIDTHS.items() if row["dtype"] in dtypes.split()), None)
    assert width is None or len(data) == prod(row["shape"]) * width


def judged(golden: Golden, key: str, entry: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the table of section 7 finds in the file of an entry."""
    path = golden.path / entry["segment"]
    data = path.read_bytes()
    header, segment = table(path)
    rows = header["tensors"]
    ranges = {"segment": data, "payload": segment.payload}
    flags = {
        f"{name}_ok": hashlib.sha256(part).hexdigest() == entry[f"{name}_sha256"]
        for name, part in ranges.items()
    }
    end = 8 + segment.length + entry["payload_bytes"]
    names = [row["name"].encode() for row in rows]
    bounds = [0, *(row["offset"] + row["len"] for row in rows)]
    first = next(
        (row["name"] for row, name, before in zip(rows[1:], names[1:], names, strict=False) if name < before),
        None,
    )
    joined = f"{entry['object']}@{entry['encoding']}"
    facts: list[tuple[bool, str, dict[str, Any]]] = [
        (not flags[f"{name}_ok"], "hash-mismatch", {"subject": key, "digest": name}) for name in ranges
    ]
    facts += [
        (len(data) != end, "length-mismatch", {"subject": key, "expected": end, "found": len(data)}),
        (
            header["representation"] != key,
            "id-mismatch",
            {"expected": key, "found": header["representation"]},
        ),
        (
            len(rows) != entry["tensor_count"],
            "count-mismatch",
            {"subject": key, "expected": entry["tensor_count"], "found": len(rows)},
        ),
        (key != joined, "id-mismatch", {"expected": joined, "found": key}),
        (first is not None, "table-order", {"tensor": first}),
        (
            [*(row["offset"] for row in rows), entry["payload_bytes"]] != bounds,
            "table-layout",
            {"path": entry["segment"]},
        ),
    ]
    defects = [{"kind": kind, "names": names} for there, kind, names in facts if there]
    return {"representation": key, **flags}, defects


VERIFIED = [one for one in asked("container.verify") if not one.values[0].name.startswith("representation/")]
"""Those whose defects the table of checks finds; of stored forms there is more to say."""


@pytest.mark.parametrize(("golden", "request_"), VERIFIED)
def test_a_container_has_the_defects_that_its_bytes_have(golden: Golden, request_: Request) -> None:
    """Flags and defects of container.verify follow from the bytes, row by row of the table of checks."""
    representations = document(golden.path / "index.json").get("representations", {})
    found = [judged(golden, key, representations[key]) for key in sorted(representations)]
    defects = [defect for _, some in found for defect in some]
    told = {
        "verified": not defects,
        "examined": len(found),
        "entries": [entry for entry, _ in found],
        "defects": defects,
    }
    assert first_difference(request_.answer, told) is None


@pytest.mark.parametrize(("golden", "request_"), list(asked("graph.load")))
def test_a_graph_is_observed_as_it_is_stored(golden: Golden, request_: Request) -> None:
    """The parts of graph.load's answer are those of the document, which is given back as it is."""
    name = document(golden.path / "index.json")["system_graph"]
    stored = document(golden.path / name)
    shown = {
        "schema": stored["schema"],
        "components": [picked(one, COMPONENT) for one in stored["components"]],
        "objects": [
            {
                **picked(one, OBJECT),
                "representations": [
                    picked(each, ("encoding", "fidelity")) for each in one["representations"]
                ],
                "canonical": next((each["encoding"] for each in one["representations"]), None),
            }
            for one in stored["objects"]
        ],
        "edges": [picked(one, EDGE) for one in stored["edges"]],
        "document": stored,
    }
    primaries = [one["id"] for one in stored["components"] if one["role"] == "primary_text"]
    shown["primary"] = primaries[0] if len(primaries) == 1 else None
    answer = dict(request_.answer or {})
    del answer["defects"]
    assert answer == shown


def duplicated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that refuses to be read when it has a key twice."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise KeyError(*(key for key, _ in pairs))
    return dict(pairs)


def _not_there(index: dict[str, Any], golden: Golden) -> bool:
    return any(not (golden.path / one["segment"]).is_file() for one in index["representations"].values())


def faults(golden: Golden) -> Iterator[str]:
    """The kinds of refusal that a container shows to a reader of section 3, on its first look."""
    try:
        index = json.loads((golden.path / "index.json").read_bytes(), object_pairs_hook=duplicated)
    except ValueError:
        yield "malformed-json"
        return
    except KeyError:
        yield "duplicate-key"
        return
    version = index.get("version")
    required = {key for key, default in TOP.items() if default is ...}
    names = [one["segment"] for one in index["representations"].values()]
    seen = {
        "wrong-generation": version in (1, 2),
        "unknown-version": version not in (1, 2, 3, 4),
        "missing-field": not required <= index.keys(),
        "bad-type": any(type(index.get(key, 0)) is not int for key in ("hidden_size", "num_layers")),
        "path-escape": any(".." in name.split("/") for name in names),
        "missing-root": not {"system_graph", "moe_manifest"} & index.keys(),
        "missing-file": _not_there(index, golden),
    }
    yield from (kind for kind, there in seen.items() if there)


@pytest.mark.parametrize("name", [one.name for one in GOLDENS if one.requests[0].verb == "container.open"])
def test_an_index_is_wrong_as_described(name: str) -> None:
    """A container that has to be refused shows the one fault that it is refused for, a legal one none."""
    golden = goldens()[name]
    kinds = list(faults(golden)) if "representations" in golden.source else []
    assert kinds == [golden.requests[0].kind] * (golden.requests[0].kind is not None)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("container/header_too_large", "header-too-large"), ("container/header_truncated", "truncated")],
)
def test_a_header_that_is_not_there_breaks_the_description(name: str, kind: str) -> None:
    """A stated length that the file does not have is no segment; above the limit it is the other kind."""
    golden = goldens()[name]
    [entry] = document(golden.path / "index.json")["representations"].values()
    data = (golden.path / entry["segment"]).read_bytes()
    with pytest.raises(ConstructError):
        SEGMENT.parse(data)
    assert (Int64ul.parse(data) > LONGEST_HEADER) == (kind == "header-too-large")
    assert golden.requests[0].kind == kind
    twin = goldens()[golden.twin or ""]
    SEGMENT.parse((twin.path / entry["segment"]).read_bytes())
