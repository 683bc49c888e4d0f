"""Maps, evidence and packs beside the goldens, found once more by lines of tables and by numbers.

It shares no code with any implementation and none with the makers of fixtures.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import pytest

from vindex3_fixtures.goldens import Golden, Request, goldens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Struct = dict[str, Any]
Agrees = Callable[[Request, Any], None]

FORMS = [golden for name, golden in goldens().items() if name.startswith("representation/")]


def asked(verb: str) -> list[Any]:
    """Every question of this verb, by golden and position."""
    return [
        pytest.param(golden, request, id=f"{golden.name}-{position}")
        for golden in FORMS
        for position, request in enumerate(golden.requests)
        if request.verb == verb
    ]


def role(tensor: Struct) -> str:
    """The first line of the table that is true of a tensor."""
    name, thing = tensor["name"], tensor["object"]
    lines = [
        (len(tensor["shape"]) != 2, "small-vector"),
        (tensor["component_role"] != "primary_text", "auxiliary-component"),
        ("embedding" in thing or "embed_tokens" in thing, "embedding"),
        ("output_head" in thing or "lm_head" in thing, "output-head"),
        ("final_norm" in thing or "norm" in name, "norm"),
        ("router" in name or "gate.weight" in name or name.endswith(".gate"), "router"),
        (name.endswith("bias"), "small-vector"),
        ("expert" in thing, "expert-weight"),
        (any(part in name for part in ("_proj.", "self_attn.", "attention.", "mlp.")), "decoder-linear"),
        (name.endswith("_proj"), "decoder-linear"),
    ]
    return next((word for there, word in lines if there), "unknown")


def matches(rule: Struct, name: str) -> bool:
    """Whether both selectors of an exception are met."""
    parts = name.split(".")
    depth = int(parts[0]) if parts[0].isdigit() else -1
    low, high = rule.get("layers", (depth, depth))
    return (len(parts) > 1 and rule.get("projection", parts[-2]) == parts[-2]) and low <= depth <= high


def size(encoding: str, shape: list[int]) -> int | None:
    """Bytes of a tensor in an encoding; None where it does not fit."""
    block, block_bytes, more = {
        "NVFP4": (16, 9, 4),
        "Q8_0": (32, 34, 0),
        "Q6_K": (256, 210, 0),
        "Q4_K": (256, 144, 0),
    }[encoding]
    return None if shape[-1] % block else prod(shape) // block * block_bytes + more


KNOWN = ["NVFP4", "Q4_K", "Q6_K", "Q8_0"]


def fault(policy: Struct) -> tuple[str, Struct] | None:
    """What is wrong with a map as a document."""
    rules = policy.get("exceptions", [])
    if "roles" not in policy:
        return "missing-field", {"field": "roles"}
    if any(len(rule.get("layers", (0, 0))) != 2 for rule in rules):
        return "bad-type", {"field": "layers"}
    encodings = [policy["encoding"], *(rule["encoding"] for rule in rules if "encoding" in rule)]
    strange = [one for one in encodings if one not in KNOWN]
    return ("unknown-encoding", {"encoding": strange[0], "known": KNOWN}) if strange else None


def dead(rules: list[Struct], names: list[str]) -> Iterator[Struct]:
    """Exceptions that decide none of these tensors, each with its reason."""
    taken = [[at for at, rule in enumerate(rules) if matches(rule, name)] for name in names]
    for at, rule in enumerate(rules):
        if not {"projection", "layers"} & rule.keys() and at < len(rules) - 1:
            yield {"index": at, "reason": "catch-all-not-last"}
        elif not any(at in found for found in taken):
            yield {"index": at, "reason": "unmatched"}
        elif at not in [found[0] for found in taken if found]:
            yield {"index": at, "reason": "shadowed"}


def compiled(policy: Struct, tensors: list[Struct]) -> Struct | tuple[str, Struct]:
    """A map against tensors: the faults of the map first, then every decision."""
    if wrong := fault(policy):
        return wrong
    eligible = [one["name"] for one in tensors if role(one) in policy["roles"]]
    if not eligible:
        return "nothing-eligible", {}
    if lifeless := list(dead(policy.get("exceptions", []), eligible)):
        return "dead-rule", {
            **lifeless[0],
            "defects": [{"kind": "dead-rule", "names": one} for one in lifeless],
        }
    decisions = [decided(policy, one) for one in tensors]
    done = {one["object"] for one in decisions if one["encoding"]}
    return {
        "decisions": decisions,
        "untouched": sorted({one["object"] for one in tensors} - done),
        "compiled": sum(bool(one["encoding"]) for one in decisions),
        "carried": sum(not one["encoding"] for one in decisions),
    }


def decided(policy: Struct, tensor: Struct) -> Struct:
    """What the first line of the table of decisions gives a tensor."""
    rules = policy.get("exceptions", [])
    told = {"object": tensor["object"], "name": tensor["name"], "role": role(tensor)}
    if told["role"] not in policy["roles"]:
        return {**told, "eligible": False, "encoding": None, "reason": "role", "exception": None}
    first = next((at for at, rule in enumerate(rules) if matches(rule, tensor["name"])), None)
    encoding = policy["encoding"] if first is None else rules[first].get("encoding")
    told |= {"eligible": True, "exception": first, "reason": "default" if first is None else "exception"}
    length = size(encoding, tensor["shape"]) if encoding else None
    if encoding and length is None:
        return {**told, "encoding": None, "reason": "shape"}
    return {**told, "encoding": encoding, **({"bytes": length} if encoding else {})}


@pytest.mark.parametrize(("golden", "request_"), asked("precision.compile"))
def test_a_map_decides_by_its_first_line(
    golden: Golden, request_: Request, agrees: Callable[..., None]
) -> None:
    """Roles, decisions and bytes of every tensor, or the fault of the map."""
    given = request_.placed(golden.path)
    agrees(request_, compiled(given["map"], given["tensors"]))


def refusal(candidate: Struct) -> Struct | None:
    """The first step that a candidate fails, those about other candidates aside."""
    bank, gate = candidate["bank"], candidate["gate"]
    if bank is None:
        return {"kind": "quality-unproven", "names": {}}
    worse = {
        "positions_min": bank["positions"] < gate["positions_min"],
        "kl_p99_max": bank["logits"]["kl_p99"] > gate["kl_p99_max"],
        "top1_flip_max": bank["logits"]["top1_flips"] > gate["top1_flip_max"],
        "top10_change_max": bank["logits"]["top10_changes"] > gate["top10_change_max"],
        "route_flip_max": bank["routing"]["route_flips"] > gate["route_flip_max"],
        "covered_mass_min": bank["routing"].get("covered_mass", -1) < gate.get("covered_mass_min", -1),
    }
    failed = [name for name, there in worse.items() if there]
    if failed:
        return {"kind": "quality-gate-failed", "names": {"gate": gate["id"], "failed": failed}}
    if not candidate["native_kernel"] or candidate["target_gpu_ms"] is None:
        return {"kind": "not-natively-measured", "names": {}}
    rungs = ("available", "measured", "represented", "runnable")
    missing = [name for name in rungs if not candidate["ladder"][name]]
    return {"kind": "ladder-incomplete", "names": {"missing": missing}} if missing else None


@pytest.mark.parametrize(("golden", "request_"), asked("promotion.promote"))
def test_a_candidate_passes_every_step(golden: Golden, request_: Request) -> None:
    """Verdicts by comparing numbers, conflicts by comparing scopes, and the map from what is left."""
    given = request_.placed(golden.path)
    candidates = given["candidates"]
    found = [refusal(one) for one in candidates]
    scopes = [(one["role"], one.get("projection"), one.get("layers")) for one in candidates]
    standing = [at for at, one in enumerate(found) if one is None]
    for at in standing:
        for other in standing:
            if scopes[at] == scopes[other] and candidates[at]["target"] != candidates[other]["target"]:
                found[at] = {"kind": "conflicting-candidates", "names": {"other": other}}
    promoted = [one for one, refused in zip(candidates, found, strict=True) if refused is None]
    default = given["default_encoding"]
    exceptions = [
        {**{key: one[key] for key in ("projection", "layers") if key in one}, "encoding": one["target"]}
        for one in promoted
        if {"projection", "layers"} & one.keys() or one["target"] != default
    ]
    policy = {
        "name": given["name"],
        "encoding": default,
        "roles": list(dict.fromkeys(one["role"] for one in promoted)),
    }
    verdicts = [{"selected": one is None, "refusal": one} for one in found]
    assert request_.answer == {
        "map": {**policy, **({"exceptions": exceptions} if exceptions else {})},
        "verdicts": verdicts,
    }


def of_variants(index: Struct) -> Iterator[Struct]:
    """Variants of one set that share a storage."""
    for name, stored in index.get("variants", {}).items():
        seen: dict[str, str] = {}
        for variant, one in stored["variants"].items():
            other = seen.setdefault(one["storage"], variant)
            if other != variant:
                names = {"subject": other, "other": variant, "region_set": name}
                yield {"kind": "duplicate-bytes", "names": names}


def of_packs(folder: Path, index: Struct) -> Iterator[Struct]:
    """Payloads that are there twice, asserted fidelity, and packs beside their map."""
    if index.get("system_graph") is None:
        return
    graph = json.loads((folder / index["system_graph"]).read_bytes())
    for thing in graph["objects"]:
        keys = [f"{thing['id']}@{one['encoding']}" for one in thing["representations"]]
        entries = [index["representations"][key] for key in keys]
        if len({one["payload_sha256"] for one in entries}) < len(entries):
            yield {"kind": "duplicate-bytes", "names": {"subject": keys[0], "other": keys[1]}}
        for key, entry, line in zip(keys, entries, thing["representations"], strict=True):
            if "compiled_from" in entry and line["fidelity"] == "canonical":
                yield {"kind": "asserted-fidelity", "names": {"representation": key}}
            if "compiled_from" in entry and entry["encoding"] == index.get("precision_map", {}).get(
                "encoding"
            ):
                yield from beside(
                    index["precision_map"], key, header(folder, entry), header(folder, entries[0])
                )


def beside(policy: Struct, key: str, pack: Struct, first: Struct) -> Iterator[Struct]:
    """Tensors of a pack that are not as the map has them."""
    given = {"object": key.partition("@")[0], "component_role": "primary_text"}
    dtypes = {row["name"]: row["dtype"] for row in pack["tensors"]}
    for row in first["tensors"]:
        wanted, found = decided(policy, {**given, **row})["encoding"], dtypes[row["name"]]
        if found != wanted if wanted else found == policy["encoding"]:
            names = {"tensor": row["name"], "expected": wanted or row["dtype"], "found": found}
            yield {"kind": "map-mismatch", "names": {"representation": key, **names}}


def header(folder: Path, entry: Struct) -> Struct:
    """The header of an entry's segment."""
    data = (folder / entry["segment"]).read_bytes()
    read: Struct = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return read


@pytest.mark.parametrize(("golden", "request_"), asked("container.verify"))
def test_a_container_has_the_defects_of_its_forms(
    golden: Golden, request_: Request, agrees: Callable[..., None]
) -> None:
    """Flags by hashing, and what is wrong with stored forms by looking at each of them."""
    index = json.loads((golden.path / "index.json").read_bytes())
    entries, defects = [], [*of_variants(index), *of_packs(golden.path, index)]
    for key, entry in sorted(index.get("representations", {}).items()):
        data = (golden.path / entry["segment"]).read_bytes()
        ranges = {"segment": data, "payload": data[8 + int.from_bytes(data[:8], "little") :]}
        digests = {name: hashlib.sha256(part).hexdigest() for name, part in ranges.items()}
        wrong = [name for name in ranges if digests[name] != entry[f"{name}_sha256"]]
        entries.append({"representation": key, **{f"{name}_ok": name not in wrong for name in ranges}})
        defects += [{"kind": "hash-mismatch", "names": {"subject": key, "digest": name}} for name in wrong]
    told = {"verified": not defects, "examined": len(entries), "entries": entries, "defects": defects}
    agrees(request_, told)
