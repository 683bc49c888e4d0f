"""A chooser among stored forms that shares nothing with the reference and refuses whatever it may refuse.

It opens a container whole before it resolves a profile of it, goes through requests from their end, names
fields by their whole path, knows more encodings than anybody asks for, spells out what could be left out,
lists a single defect as well, and says more than it is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from container_index import LEVELS, container_open
from container_reader import container_tensor
from strict_reader import No

__all__ = [
    "authority_fold",
    "container_open",
    "container_tensor",
    "precision_compile",
    "promotion_promote",
    "selection_resolve",
]


def refuse(defects: list[No]) -> None:
    """Refuse with the first of these and all of them, if there are any."""
    if defects:
        listed = [{"kind": one.kind, "names": one.names} for one in defects]
        raise No(defects[0].kind, **{**defects[0].names, "defects": listed, "count": len(defects)})


def by_bytes(names: Any) -> list[str]:
    return sorted(names, key=str.encode)


def selection_resolve(
    profile: str, path: str | None = None, variants: Any = None, profiles: Any = None
) -> dict[str, Any]:
    """See the format's text."""
    if path is not None:
        opened = container_open(path)
        variants, profiles = opened["variants"], opened["profiles"]
    named: dict[str, list[dict[str, str]]] = {}
    for one in profiles:
        whole = {"name": one} if isinstance(one, str) else one
        named.setdefault(whole["name"], []).append(whole.get("selects") or {})
    if profile not in named:
        told = [one if isinstance(one, str) else one["name"] for one in profiles]
        raise No("undeclared-profile", requested=profile, declared=told)
    if any(len(found) > 1 for found in named.values()):
        raise No("duplicate-id", id=next(name for name, found in named.items() if len(found) > 1))
    [selects] = named[profile]
    refuse([*unmet(selects, variants), *broken(variants)])
    taken = {name: selects.get(name, one["baseline"]) for name, one in reversed(variants.items())}
    selections = {name: {"variant": pick, **variants[name]["variants"][pick]} for name, pick in taken.items()}
    words = {one["fidelity"] for one in selections.values()} or {LEVELS[-1]}
    return {
        "authority": next(word for word in reversed(LEVELS) if word in words),
        "selections": {name: {**one, "bytes": None} for name, one in selections.items()},
        "profile": profile,
        "chosen_by": "me",
    }


def unmet(selects: dict[str, str], variants: Any) -> Iterator[No]:
    for name in by_bytes(selects):
        if name not in variants:
            yield No("unknown-region-set", region_set=name, catalogued=by_bytes(variants))
        elif selects[name] not in variants[name]["variants"]:
            there = by_bytes(variants[name]["variants"])
            yield No("absent-variant", region_set=name, requested=selects[name], present=there)


def broken(variants: Any) -> Iterator[No]:
    for name in by_bytes(variants):
        there, baseline = by_bytes(variants[name]["variants"]), variants[name]["baseline"]
        if baseline not in there:
            kind = "baseline-absent" if there else "no-variants"
            yield No(kind, region_set=name, baseline=baseline, present=there)


def authority_fold(
    selected: list[str], execution_complete: bool, structural: Any = None, claim: str | None = None
) -> dict[str, Any]:
    """See the format's text."""
    for word in [*([] if claim is None else [claim]), *reversed(selected)]:
        if word not in LEVELS:
            raise No("unknown-value", field="selected", value=word)
    rank = max((LEVELS.index(word) for word in selected), default=len(LEVELS) - 1)
    capped = max(rank, 3) if structural is not None else rank
    final = capped if execution_complete else 4
    if claim is not None and LEVELS.index(claim) < final:
        raise No("overclaim", claimed=claim, derived=LEVELS[final], selected=selected)
    return {
        "claim_permitted": None if claim is None else True,
        "capped_by_structure": execution_complete and capped > rank,
        "capped_by_completeness": not execution_complete and rank < 4,
        "weakest_selected": LEVELS[rank],
        "level": LEVELS[final],
        "ranks": [4 - LEVELS.index(word) for word in selected],
    }


KNOWN = {
    "NVFP4": (16, 9, 4),
    "Q8_0": (32, 34, 0),
    "Q6_K": (256, 210, 0),
    "Q4_K": (256, 144, 0),
    "MXFP4": (32, 17, 0),
    "Q5_K": (256, 176, 0),
}


def shapeable(encoding: str, shape: list[int]) -> bool:
    return len(shape) > 0 and shape[-1] % KNOWN[encoding][0] == 0 and (encoding != "NVFP4" or len(shape) == 2)


def size(encoding: str, shape: list[int]) -> int:
    values = 1
    for extent in shape:
        values *= extent
    block, each, whole = KNOWN[encoding]
    return values // block * each + whole


def role_of(tensor: dict[str, Any]) -> str:
    """The role of a tensor: rules from the last to the first, each overruling those behind it."""
    thing, name = tensor["object"], tensor["name"]
    has: Callable[..., bool] = lambda text, *words: any(text.find(word) >= 0 for word in words)  # noqa: E731
    role = "unknown"
    for met, given in (
        (has(f"{name}\n", "_proj.", "self_attn.", "attention.", "mlp.", "_proj\n"), "decoder-linear"),
        (has(thing, "expert"), "expert-weight"),
        (has(f"{name}\n", "bias\n"), "small-vector"),
        (has(f"{name}\n", "router", "gate.weight", ".gate\n"), "router"),
        (has(name, "norm") or has(thing, "final_norm"), "norm"),
        (has(thing, "output_head", "lm_head"), "output-head"),
        (has(thing, "embedding", "embed_tokens"), "embedding"),
        (tensor["component_role"] != "primary_text", "auxiliary-component"),
        (len(tensor["shape"]) != 2, "small-vector"),
    ):
        role = given if met else role
    return role


def typed(value: Any, sort: type, path: str) -> Any:
    if type(value) is not sort:
        raise No("bad-type", field=path)
    return value


def judge_map(policy: dict[str, Any]) -> None:
    for at, one in reversed(list(enumerate(typed(policy.get("exceptions", []), list, "map.exceptions")))):
        path = f"map.exceptions[{at}]"
        typed(one, dict, path)
        typed(one.get("encoding", ""), str, f"{path}.encoding")
        typed(one.get("projection", ""), str, f"{path}.projection")
        if len(typed(one.get("layers", [0, 0]), list, f"{path}.layers")) != 2:
            raise No("bad-type", field=f"{path}.layers")
        for end in (1, 0):
            if typed(one.get("layers", [0, 0])[end], int, f"{path}.layers[{end}]") < 0:
                raise No("out-of-range", field=f"{path}.layers[{end}]", value=one["layers"][end])
    for key, sort in (("roles", list), ("encoding", str), ("name", str)):
        if key not in policy:
            raise No("missing-field", field=f"map.{key}")
        typed(policy[key], sort, f"map.{key}")
    for at, role in enumerate(policy["roles"]):
        typed(role, str, f"map.roles[{at}]")


def meets(rule: dict[str, Any], name: str) -> bool:
    """Whether the selectors of an exception are met by a name."""
    head, *_ = parts = name.split(".")
    if "projection" in rule and (len(parts) < 2 or parts[len(parts) - 2] != rule["projection"]):
        return False
    if "layers" not in rule:
        return True
    low, high = rule["layers"]
    return head.isascii() and head.isdigit() and int(head) in range(low, high + 1)


def dead(rules: list[dict[str, Any]], names: list[str]) -> Iterator[No]:
    """Each dead rule: what it would take is looked at name by name."""
    for at, rule in enumerate(rules):
        mine = {name for name in names if meets(rule, name)}
        theirs = {name for name in mine if any(meets(one, name) for one in rules[:at])}
        if "projection" not in rule and "layers" not in rule and rule is not rules[-1]:
            yield No("dead-rule", index=at, reason="catch-all-not-last")
        elif not mine:
            yield No("dead-rule", index=at, reason="unmatched")
        elif mine == theirs:
            yield No("dead-rule", index=at, reason="shadowed")


def precision_compile(map: Any, tensors: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: A002
    """See the format's text."""
    judge_map(map)
    rules = map.get("exceptions", [])
    roles = [role_of(tensor) for tensor in tensors]
    eligible = [tensor["name"] for tensor, role in zip(tensors, roles, strict=True) if role in map["roles"]]
    if not eligible:
        raise No("nothing-eligible", roles=map["roles"])
    refuse(list(dead(rules, eligible)))
    for one in [*reversed(rules), map]:
        if one.get("encoding", "NVFP4") not in KNOWN:
            raise No("unknown-encoding", encoding=one["encoding"], known=by_bytes(KNOWN))
    decisions = [decision(map, rules, *one) for one in zip(tensors, roles, strict=True)]
    done = [one for one in decisions if one["encoding"] is not None]
    if not done:
        raise No("nothing-eligible", roles=map["roles"])
    untouched = {tensor["object"] for tensor in tensors} - {one["object"] for one in done}
    return {
        "carried": len(decisions) - len(done),
        "compiled": len(done),
        "untouched": by_bytes(untouched),
        "decisions": decisions,
        "map": map["name"],
    }


def decision(map: Any, rules: Any, tensor: dict[str, Any], role: str) -> dict[str, Any]:  # noqa: A002
    told = {"bytes": "as they are", "exception": None, "reason": "role", "encoding": None}
    if role in map["roles"]:
        met = [at for at, rule in enumerate(rules) if meets(rule, tensor["name"])][:1]
        encoding = (rules[met[0]] if met else map).get("encoding")
        told.update(reason="exception" if met else "default", exception=met[0] if met else None)
        if encoding is not None and not shapeable(encoding, tensor["shape"]):
            told["reason"] = "shape"
        elif encoding is not None:
            told.update(encoding=encoding, bytes=size(encoding, tensor["shape"]))
    known = {"eligible": role in map["roles"], "role": role, "name": tensor["name"]}
    return {**told, **known, "object": tensor["object"], "from": tensor["dtype"]}


CRITERIA = {
    "positions_min": (1, lambda bank: bank["positions"]),
    "kl_p99_max": (-1, lambda bank: bank["logits"]["kl_p99"]),
    "top1_flip_max": (-1, lambda bank: bank["logits"]["top1_flips"]),
    "top10_change_max": (-1, lambda bank: bank["logits"]["top10_changes"]),
    "route_flip_max": (-1, lambda bank: bank["routing"]["route_flips"]),
    "covered_mass_min": (1, lambda bank: bank["routing"].get("covered_mass", float("nan"))),
}


def standing(one: dict[str, Any]) -> No | None:
    """What a candidate lacks by itself."""
    bank, gate = one["bank"], one["gate"]
    if bank is None:
        return No("quality-unproven", target=one["target"])
    worse = [
        key
        for key, (sign, value) in CRITERIA.items()
        if key in gate and not sign * value(bank) >= sign * gate[key]
    ]
    if worse:
        return No("quality-gate-failed", gate=gate["id"], failed=worse)
    if one.get("target_gpu_ms") is None or not one["native_kernel"]:
        return No("not-natively-measured", target=one["target"])
    rungs = [rung for rung in ("available", "measured", "represented", "runnable") if not one["ladder"][rung]]
    return No("ladder-incomplete", missing=rungs) if rungs else None


def promotion_promote(name: str, default_encoding: str, candidates: list[Any]) -> dict[str, Any]:
    """See the format's text."""
    for at, one in reversed(list(enumerate(candidates))):
        if one["gate"] is None:
            raise No("bad-type", field=f"candidates[{at}].gate")
        if "id" not in one["gate"]:
            raise No("missing-field", field=f"candidates[{at}].gate.id")
    scopes = [[one["role"], one.get("projection"), one.get("layers")] for one in candidates]
    alone = [standing(one) for one in candidates]
    fates = list(alone)
    for at in reversed(range(len(candidates))):
        rivals = [
            other
            for other in range(len(candidates))
            if alone[other] is None and scopes[other] == scopes[at]
            if candidates[other]["target"] != candidates[at]["target"]
        ]
        if alone[at] is None and rivals:
            fates[at] = No("conflicting-candidates", other=rivals[0], others=rivals)
    taken = [at for at, no in enumerate(fates) if no is None]
    roles: list[str] = []
    exceptions = []
    for at in taken:
        role, projection, layers = scopes[at]
        roles += [] if role in roles else [role]
        target = candidates[at]["target"]
        if (projection, layers, target) != (None, None, default_encoding):
            exceptions.append({"encoding": target, "layers": layers, "projection": projection, "why": "me"})
    policy = {"roles": roles, "encoding": default_encoding, "name": name, "made_by": "me"}
    verdicts = [
        {"refusal": no and {"names": no.names, "kind": no.kind, "step": 1}, "selected": no is None}
        for no in fates
    ]
    return {"verdicts": verdicts, "map": {**policy, "exceptions": exceptions} if exceptions else policy}
