"""A judge of manifests and capabilities that shares nothing with the reference and takes every liberty.

It keeps unknown fields, names fields by their key alone, lists defects and reasons the other way round,
says more than it is asked for, gives one reason where one is enough and a file where one may be named.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import FORMATS, LAYOUTS, PACKINGS, ROLES, Layer, No, word

FUSED, APART = ["gate_up_fused", "down"], ["gate", "up", "down"]
PROGRAMMES = {
    "gated-mlp-v1": [FUSED, APART],
    "gated-mlp-fused-fc1-v1": [FUSED],
    "gpt-oss-expert-v1": [[*FUSED, "bias"], [*APART, "bias"]],
    "shared-routed-mlp-v1": [FUSED, APART],
    "latent-moe-v1": [FUSED, APART],
}
U32, U64 = (1 << 32) - 1, (1 << 64) - 1
LARGEST = {"layer": U32, "experts": U32}
WORDS = {
    "input_space": ["residual", "latent"],
    "activation": ["softmax", "sigmoid"],
    "kind": ["top_k", "grouped_top_k"],
    "reduction": ["gate_weighted_sum"],
    "combine": ["residual_add"],
}


class Document:
    """A manifest on its way to a plain document."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            data = Path(path).read_bytes()
        except OSError:
            raise No("missing-file", path=path) from None
        self.root = self.parse(data)
        if not isinstance(self.root, dict):
            raise No("bad-type", path=path, field="")

    def no(self, kind: str, **names: object) -> No:
        return No(kind, path=self.path, **names)

    def parse(self, data: bytes) -> Any:
        try:
            root = json.loads(
                data.decode(),
                object_pairs_hook=self.unique,
                parse_constant=self.constant,
                parse_float=self.finite,
            )
            json.dumps(root, ensure_ascii=False).encode()
        except RecursionError:
            raise self.no("nesting-too-deep") from None
        except ValueError:
            raise self.no("malformed-json") from None
        return root

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                raise self.no("duplicate-key", key=key)
        return dict(pairs)

    def constant(self, _: str) -> Any:
        raise ValueError

    def finite(self, text: str) -> float:
        if float(text) in (float("inf"), float("-inf")):
            raise ValueError
        return float(text)

    def need(self, home: dict[str, Any], key: str, kind: type) -> Any:
        if key not in home:
            raise self.no("missing-field", field=key)
        return self.typed(home[key], key, kind)

    def typed(self, value: Any, key: str, kind: type) -> Any:
        if type(value) is not kind:
            raise self.no("bad-type", field=key)
        if kind is int and not 0 <= value <= LARGEST.get(key, U64):
            raise self.no("out-of-range", field=key, value=value)
        if key in WORDS and value not in WORDS[key]:
            raise self.no("unknown-value", field=key, value=value)
        return value

    def load(self) -> dict[str, Any]:
        version = self.need(self.root, "schema_version", int)
        layers = self.need(self.root, "layers", list)
        made = [self.layer(self.typed(one, f"layers[{at}]", dict)) for at, one in enumerate(layers)]
        return {**self.root, "schema_version": version, "layers": made}

    def layer(self, one: dict[str, Any]) -> dict[str, Any]:
        for key, kind in (("layer", int), ("input_space", str), ("reduction", str), ("combine", str)):
            self.need(one, key, kind)
        banks = {"routed_bank": self.bank(self.need(one, "routed_bank", dict)), "shared_bank": None}
        if one.get("shared_bank") is not None:
            banks["shared_bank"] = self.bank(self.typed(one["shared_bank"], "shared_bank", dict))
        rest: dict[str, Any] = {}
        for key, kind in (("transforms", dict), ("routed_output_norm", str)):
            value = one.get(key)
            rest[key] = None if value is None else self.typed(value, key, kind)
        return {**one, **banks, **rest, "router": self.router(self.need(one, "router", dict))}

    def router(self, one: dict[str, Any]) -> dict[str, Any]:
        self.need(one, "scores", str)
        self.need(one, "activation", str)
        selection = self.need(one, "selection", dict)
        for key in ["k", "groups"][: 1 + (self.need(selection, "kind", str) == "grouped_top_k")]:
            self.need(selection, key, int)
        post = self.typed(one.get("post", {}), "post", dict)
        flags = {
            key: self.typed(post.get(key, False), key, bool)
            for key in ("renormalise", "norm_after_top_k", "quantile_balanced")
        }
        free = {key: post.get(key) for key in ("gate_bias", "route_scale")}
        sink = self.typed(one.get("shared_expert_sink", False), "shared_expert_sink", bool)
        return {**one, "post": {**post, **flags, **free}, "shared_expert_sink": sink}

    def bank(self, one: dict[str, Any]) -> dict[str, Any]:
        for key, kind in (("experts", int), ("programme", str), ("storage", str)):
            self.need(one, key, kind)
        dims = one.get("expert_dims")
        if dims is not None:
            for key in ("input", "intermediate", "output"):
                self.need(self.typed(dims, "expert_dims", dict), key, int)
        return {**one, "expert_dims": dims}


def moe_load(path: str) -> dict[str, Any]:
    """See the format's text."""
    return Document(path).load()


def moe_check(path: str, segments: dict[str, list[str]] | None = None) -> dict[str, Any]:
    """See the format's text."""
    manifest = Document(path).load()
    found: list[tuple[str, dict[str, Any]]] = []
    if manifest["schema_version"] != 1:
        found = [("unknown-version", {"found": manifest["schema_version"], "supported": [1]})]
    else:
        for at, layer in enumerate(manifest["layers"]):
            if any(other["layer"] == layer["layer"] for other in manifest["layers"][:at]):
                found.append(("duplicate-layer", {"layer": layer["layer"], "at": at}))
            found += of_layer(layer)
            found += of_files(layer, segments) if segments is not None else []
    return {"defects": [{"kind": kind, "names": names} for kind, names in reversed(found)], "path": path}


def of_layer(layer: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The defects of a layer by itself."""
    router, here = layer["router"], {"layer": layer["layer"]}
    found: list[tuple[str, dict[str, Any]]] = []
    banks = [(which, layer[f"{which}_bank"]) for which in ("shared", "routed") if layer[f"{which}_bank"]]
    for which, bank in banks:
        programme = bank["programme"]
        if programme not in PROGRAMMES:
            found.append(("unknown-programme", {**here, "storage": bank["storage"], "programme": programme}))
        if programme == "latent-moe-v1" and layer["transforms"] is None:
            found.append(("latent-bank-without-transforms", {**here, "which": which, "programme": programme}))
        faults = {
            "bank-has-no-storage": not bank["storage"].strip(),
            "bank-has-no-experts": bank["experts"] == 0,
            "bank-has-zero-dimension": 0 in (bank["expert_dims"] or {}).values(),
        }
        found += [(kind, {**here, "which": which}) for kind, wrong in faults.items() if wrong]
    routed = layer["routed_bank"]
    latent = routed["programme"] == "latent-moe-v1"
    if routed["programme"] in PROGRAMMES and latent != (layer["input_space"] == "latent"):
        names = {"declared": layer["input_space"], "programme": routed["programme"]}
        found.append(("input-space-contradicts-programme", {**here, **names}))
    selected = router["selection"]["k"]
    if router["selection"]["kind"] == "grouped_top_k":
        selected *= router["selection"]["groups"]
    if selected > routed["experts"]:
        found.append(
            ("selection-exceeds-bank", {**here, "selected": selected, "available": routed["experts"]})
        )
    if not router["scores"].strip():
        found.append(("router-has-no-scores", here))
    if router["shared_expert_sink"] and len(banks) == 1:
        found.append(("sink-without-shared-bank", here))
    if len(banks) == 2 and banks[0][1]["storage"] == banks[1][1]["storage"]:
        found.append(("duplicate-bank-storage", {**here, "storage": routed["storage"]}))
    return found


def of_files(layer: dict[str, Any], segments: dict[str, list[str]]) -> list[tuple[str, dict[str, Any]]]:
    """The defects between a layer and its files; numbers that differ are left alone."""
    bank, here = layer["routed_bank"], {"layer": layer["layer"]}
    key, programme = bank["storage"], bank["programme"]
    if programme not in PROGRAMMES or not key.strip():
        return []
    files, found = [], []
    for path in segments.get(key, []):
        try:
            files.append(Layer(path))
        except No as no:
            found.append(("storage-unusable", {**here, "key": key, "why": no.kind}))
    if not segments.get(key):
        found.append(("storage-unusable", {**here, "key": key, "why": "not-declared"}))
    if not files:
        return found
    bank_id, schemas = files[0].banks[0][0], files[0].schemas[0]
    roles = [word(ROLES, schema[1]) for schema in schemas]
    lacks = min(([one for one in each if one not in roles] for each in PROGRAMMES[programme]), key=len)
    if lacks:
        return [*found, ("unsatisfied-programme", {**here, "programme": programme, "missing": sorted(lacks)})]
    for entry in range(files[0].banks[0][4]):
        for index, role in enumerate(roles):
            if not any(has(file, bank_id, entry, index) for file in files):
                names = {"bank_id": bank_id, "entry": entry, "role": role, "segment": key}
                found.append(("missing-region", {**here, **names, "schema_index": index}))
    return found


def has(file: Layer, bank_id: int, entry: int, index: int) -> bool:
    """Whether a file delivers a region."""
    found = file.find(bank_id, entry)
    if found is None or index >= len(found[1]):
        return False
    offset, length = file.row(found[0] + index)
    return offset + length <= file.size


def capability_check(
    files: list[str], bank_id: int, operation: str, options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """See the format's text."""
    judge = Judge([(path, Layer(path)) for path in files], bank_id, operation, options or {})
    free = operation in ("describe", "read", "copy")
    more = {} if free else getattr(judge, operation.replace("-", "_"))()
    reasons = [{"kind": kind, "names": {**names, "more": 1}} for kind, names in judge.reasons[::-1]]
    verdict = "refused" if reasons else "permitted"
    return {"operation": operation, "verdict": verdict, "reasons": reasons, "asked": files, **more}


class Judge:
    """One verdict in the making."""

    def __init__(
        self, files: list[tuple[str, Layer]], bank_id: int, operation: str, options: dict[str, Any]
    ) -> None:
        self.files, self.bank_id, self.operation, self.options = files, bank_id, operation, options
        self.reasons: list[tuple[str, dict[str, Any]]] = []
        supports = options.get("supports") or {}
        self.formats = supports.get("formats", FORMATS)
        self.packings = supports.get("packings", PACKINGS)
        self.layouts = [one for one in supports.get("layouts", LAYOUTS) if one != "unspecified"]

    def bank(self, file: Layer) -> tuple[tuple[int, ...], list[tuple[int, ...]]] | None:
        """The bank and its schemas in one of the files."""
        pairs = zip(file.banks, file.schemas, strict=True)
        return next((pair for pair in pairs if pair[0][0] == self.bank_id), None)

    def subject(self) -> tuple[int, tuple[int, ...]]:
        """The schema that is asked about, with its index."""
        schemas = next(found for _, file in self.files if (found := self.bank(file)))[1]
        index = self.options.get("schema_index")
        if index is None:
            index = [word(ROLES, one[1]) for one in schemas].index(self.options["role"])
        return index, schemas[index]

    def unsupported(self, index: int, schema: tuple[int, ...], field: str, value: Any) -> None:
        names = {"bank_id": self.bank_id, "schema_index": index, "role": word(ROLES, schema[1])}
        found = {**names, "operation": self.operation, "field": field, "value": value}
        self.reasons.append(("unsupported-operation", found))

    def decode(self) -> dict[str, Any]:
        index, schema = self.subject()
        for field, tag, known, supported in (
            ("format", schema[2], FORMATS, self.formats),
            ("packing", schema[3], PACKINGS, self.packings),
        ):
            if word(known, tag) not in supported:
                self.unsupported(index, schema, field, word(known, tag))
        if schema[3] == 2:
            schemas = next(found for _, file in self.files if (found := self.bank(file)))[1]
            partners = [one for one in schemas if one[1] == 5 and one[4] == schema[4]]
            names = {"bank_id": self.bank_id, "schema_index": index, "pair_id": schema[4]}
            if len(partners) != 1:
                self.reasons.append(("ambiguous-partner" if partners else "missing-partner", names))
        return {}

    def split_fused(self) -> dict[str, Any]:
        index, schema = self.subject()
        if word(LAYOUTS, schema[5]) not in self.layouts:
            self.unsupported(index, schema, "layout", word(LAYOUTS, schema[5]))
        return {}

    def walk(self) -> dict[str, Any]:
        index, schema = self.subject()
        bank = next(found for _, file in self.files if (found := self.bank(file)))[0]
        browse = bank[3] & 3
        if browse in (0, 3):
            self.unsupported(index, schema, "browse", "none" if browse == 0 else 3)
            return {}
        if browse == 2 and schema[3] != 0:
            self.unsupported(index, schema, "packing", word(PACKINGS, schema[3]))
            return {}
        return {"zero_copy": schema[2] < 2 and schema[3] == 0, "features": bank[4] * bank[6]}

    def execute(self) -> dict[str, Any]:
        programme = self.options["programme"]
        if programme not in PROGRAMMES:
            self.reasons.append(("unknown-programme", {"programme": programme}))
            return {}
        entries = next(found for _, file in self.files if (found := self.bank(file)))[0][4]
        first = self.options.get("first_entry") or 0
        count = self.options.get("entry_count")
        required = set(range(first, entries if count is None else first + count))
        sets = [self.role_set(roles, required) for roles in PROGRAMMES[programme]]
        if all(one["state"] != "executable" for one in sets):
            self.reasons += min(sets, key=lambda one: one["missing"])["why"]
        return {"role_sets": sets}

    def role_set(self, roles: list[str], required: set[int]) -> dict[str, Any]:
        """The state of one set, with the reasons that it gives."""
        found = [self.role(role, required) for role in roles]
        why = [reason for _, reason in found if reason]
        told = {"roles": roles, "covered": [], "missing": len(why), "why": why}
        if any(kind == "missing-operand" for kind, _ in why):
            return {**told, "state": "blocked"}
        covers = [entries for entries, _ in found]
        if any(one != covers[0] for one in covers):
            why.append(("unequal-coverage", {"roles": roles[::-1], "bank_id": self.bank_id}))
            return {**told, "state": "incompatible"}
        ranges = spans(covers[0])
        if covers[0] != required:
            names = self.operand(roles[0], "partial-coverage")
            why.append(("missing-operand", {**names, "covered": ranges[::-1]}))
            return {**told, "state": "partial", "covered": ranges[::-1]}
        return {**told, "state": "blocked" if why else "executable", "covered": ranges}

    def role(self, role: str, required: set[int]) -> tuple[set[int], tuple[str, dict[str, Any]] | None]:
        """The required entries that a role covers, and why it cannot be used."""
        if role in (self.options.get("omit") or []):
            return set(), ("missing-operand", self.operand(role, "omitted"))
        covered: set[int] = set()
        stored = False
        for _, file in self.files:
            bank = self.bank(file)
            for index, schema in enumerate(bank[1] if bank else []):
                if word(ROLES, schema[1]) != role:
                    continue
                stored = True
                own = {
                    entry for segment in file.segments if segment[0] == self.bank_id
                    for entry in range(segment[2], segment[2] + segment[3])
                } & required  # fmt: skip
                covered |= own
                if own and (reason := self.tags(role, index, schema)):
                    return own, reason
        if not stored or not covered:
            why = "outside-segments" if stored else "absent"
            return covered, ("missing-operand", self.operand(role, why))
        return covered, None

    def tags(self, role: str, index: int, schema: tuple[int, ...]) -> tuple[str, dict[str, Any]] | None:
        """Why the tags of a schema cannot be worked with."""
        for field, tag, known, supported in (
            ("format", schema[2], FORMATS, self.formats),
            ("packing", schema[3], PACKINGS, self.packings),
        ):
            if word(known, tag) not in supported:
                names = {**self.operand(role, f"unsupported-{field}"), "value": word(known, tag)}
                return "missing-operand", names
        if role == "gate_up_fused" and word(LAYOUTS, schema[5]) not in self.layouts:
            names = {"field": "layout", "value": word(LAYOUTS, schema[5]), "operation": "execute"}
            return "unsupported-operation", names
        return None

    def operand(self, role: str, why: str) -> dict[str, Any]:
        """The facts of a missing operand; the last file is the one named."""
        path, file = self.files[-1]
        names = {"object": self.bank_id, "operand": role, "layer": file.layer}
        return {**names, "segment": path, "reason": why}


def spans(entries: set[int]) -> list[list[int]]:
    """Entries as pairs [first, end)."""
    found: list[list[int]] = []
    for entry in sorted(entries):
        if found and found[-1][1] == entry:
            found[-1][1] += 1
        else:
            found.append([entry, entry + 1])
    return found
