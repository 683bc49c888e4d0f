"""An opener of containers that shares nothing with the reference and refuses whatever it may refuse.

It judges the index from its last key to its first and names fields by their whole path. What nobody needs
to look at it looks at: digests, graph, manifest and every segment, before it says that a container is open.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).parent))

import container_reader
from container_file import Text
from strict_reader import No

__all__ = ["container_open"]

INDEX = "index.json"
LEVELS = (
    "source-exact",
    "source-equivalent",
    "numerically-approximate",
    "structurally-approximate",
    "analysis-only",
)
SERVING = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "generation_config.json",
    "chat_template.jinja",
)
STRING, OBJECT, ARRAY, U32, U64 = str, dict, list, 1 << 32, 1 << 64
Sort = Any
KEYS: dict[str, tuple[Sort, bool]] = {
    "segments": (OBJECT, True),
    "variants": (OBJECT, False),
    "profiles": (ARRAY, True),
    "representations": (OBJECT, False),
    "derived_from_model": (STRING, False),
    "precision_map": (OBJECT, False),
    "authority": (STRING, False),
    "moe_manifest": (STRING, False),
    "system_graph": (STRING, False),
    "num_layers": (U64, True),
    "hidden_size": (U64, True),
    "family": (STRING, True),
    "model": (STRING, True),
}
NULLABLE = {"derived_from_model", "precision_map", "moe_manifest", "system_graph"}
ENTRY: dict[str, tuple[Sort, bool]] = {
    "source_representation_digest": (STRING, False),
    "compiled_from": (STRING, False),
    "segment_sha256": (STRING, True),
    "payload_sha256": (STRING, True),
    "payload_bytes": (U64, True),
    "tensor_count": (U64, True),
    "segment": (STRING, True),
    "encoding": (STRING, True),
    "object": (STRING, True),
}
NULLABLE_BELOW = {"source_representation_digest", "compiled_from", "codec", "encoder"}
PLAIN = re.compile(r"(?![A-Za-z]:)(?!\.{1,2}(?:/|$))[^/\\\0]+(?:/(?!\.{1,2}(?:/|$))[^/\\\0]+)*", re.DOTALL)


class Index:
    """An index that is judged on its way."""

    nulls_are_absent: ClassVar[bool] = False
    looks_further: ClassVar[bool] = True

    def __init__(self, path: str) -> None:
        self.folder = Path(path)
        if not (self.folder / INDEX).is_file():
            raise No("missing-file", path=INDEX)
        self.root = Text((self.folder / INDEX).read_bytes(), INDEX).root
        self.judge_version()
        self.known = self.take(self.root, KEYS, NULLABLE, "")
        self.entries = self.open_object(self.known.get("representations") or {}, "representations")
        self.judge_entries()
        self.sets = self.open_object(self.known.get("variants") or {}, "variants")
        self.judge_sets()
        self.judge_segments()
        self.profiles = [self.profile(one) for one in self.known["profiles"]]
        if self.known.get("authority") not in (None, "canonical", "derived"):
            raise self.no("unknown-value", "authority", value=self.known["authority"])
        self.roots = [key for key in ("system_graph", "moe_manifest") if self.known.get(key) is not None]
        for key in self.roots:
            self.judge_name(self.known[key])

    def named(self, path: str) -> str:
        """The fact that names a field."""
        return path

    def no(self, kind: str, field: str, **names: object) -> No:
        return No(kind, path=INDEX, field=self.named(field), **names)

    def judge_version(self) -> None:
        if "version" not in self.root or (self.nulls_are_absent and self.root["version"] is None):
            raise No("unknown-version", found=0, supported="three and four")
        version = self.typed(self.root["version"], U32, "version")
        if version in (1, 2):
            raise No("wrong-generation", found="VINDEX2", required="VINDEX3")
        if version not in (3, 4):
            raise No("unknown-version", found=version, supported=["3", "4"])

    def typed(self, value: Any, sort: Sort, path: str) -> Any:
        if isinstance(sort, int):
            if type(value) is not int:
                raise self.no("bad-type", path)
            if not 0 <= value < sort:
                raise self.no("out-of-range", path, value=value)
        elif type(value) is not sort:
            raise self.no("bad-type", path)
        return value

    def take(self, home: Any, keys: Any, nullable: set[str], above: str) -> dict[str, Any]:
        """The known keys of an object, each judged; those that are absent are left out."""
        found = {}
        for key, (sort, required) in keys.items():
            if key not in home:
                if required:
                    raise self.no("missing-field", above + key)
            elif home[key] is not None or not (key in nullable or (self.nulls_are_absent and not required)):
                found[key] = self.typed(home[key], sort, above + key)
        return found

    def open_object(self, home: dict[str, Any], path: str) -> dict[str, Any]:
        return {key: self.typed(home[key], OBJECT, f"{path}.{key}") for key in reversed(home)}

    def judge_name(self, name: str) -> None:
        if not PLAIN.fullmatch(name):
            raise No("path-escape", path=name)

    def judge_entries(self) -> None:
        for key, one in self.entries.items():
            self.take(one, ENTRY, NULLABLE_BELOW, f"representations.{key}.")
            self.judge_name(one["segment"])
            for digest in ("payload_sha256", "segment_sha256"):
                if self.looks_further and not re.fullmatch("[0-9a-f]{64}", one[digest]):
                    raise self.no("unknown-value", digest, value=one[digest])

    def judge_sets(self) -> None:
        for region, one in self.sets.items():
            path = f"variants.{region}"
            self.take(one, {"variants": (OBJECT, True), "baseline": (STRING, True)}, set(), f"{path}.")
            variants = self.open_object(one["variants"], f"{path}.variants")
            for name, variant in variants.items():
                keys = {"fidelity": (STRING, True), "storage": (STRING, True)}
                self.take(variant, keys, set(), f"{path}.variants.{name}.")
                self.judge_name(variant["storage"])
                if variant["fidelity"] not in LEVELS:
                    raise self.no("unknown-value", "fidelity", value=variant["fidelity"])

    def judge_segments(self) -> None:
        for key, count in self.known["segments"].items():
            self.typed(count, U32, f"segments.{key}")
            self.judge_name(key)

    def profile(self, one: Any) -> dict[str, Any]:
        if isinstance(one, str):
            return {"name": one, "selects": {}}
        self.typed(one, OBJECT, "profiles")
        keys = {"selects": (OBJECT, False), "name": (STRING, True)}
        taken = self.take(one, keys, set(), "profiles.")
        for region, name in taken.get("selects", {}).items():
            self.typed(name, STRING, f"selects.{region}")
        return {"selects": {}, **taken}

    def resolve(self) -> None:
        for profile in self.profiles:
            for region in sorted(profile["selects"]):
                if region not in self.sets:
                    raise No("unknown-region-set", region_set=region, catalogued=sorted(self.sets))
                present = sorted(self.sets[region]["variants"])
                if profile["selects"][region] not in present:
                    asked = profile["selects"][region]
                    raise No("absent-variant", region_set=region, requested=asked, present=present)
            for region in sorted(self.sets):
                present, baseline = sorted(self.sets[region]["variants"]), self.sets[region]["baseline"]
                if not present:
                    raise No("no-variants", region_set=region)
                if baseline not in present:
                    raise No("baseline-absent", region_set=region, baseline=baseline, present=present)

    def files(self) -> list[str]:
        """The files that hold what the index names, in the order in which they are missed."""
        segments = [one["segment"] for one in self.entries.values()]
        own = {str(Path(name).with_suffix("")) for name in segments}
        banks = [f"{key}.lyrw" for key in self.known["segments"] if key not in own]
        return segments + (banks if "moe_manifest" in self.roots else [])

    def judge_files(self) -> None:
        if not self.roots:
            raise No("missing-root", path=INDEX)
        names = [self.known[key] for key in self.roots]
        for name in names:
            if not (self.folder / name).is_file():
                raise No("missing-file", path=name)
        self.resolve()
        for name in self.files():
            if not (self.folder / name).is_file():
                raise No("missing-file", path=name)

    def judge_further(self) -> None:
        told = container_reader.container_verify(str(self.folder))
        for one in told["defects"]:
            raise No(one["kind"], **one["names"])

    def unreferenced(self) -> list[str]:
        named = {INDEX, *SERVING, *self.files(), *(self.known[key] for key in self.roots)}
        found = [
            (Path(at) / name).relative_to(self.folder).as_posix()
            for at, _, files in os.walk(self.folder)
            for name in files
        ]
        return sorted(set(found) - named)

    def entry(self, one: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in one.items() if not (value is None and key in NULLABLE_BELOW)}

    def answer(self) -> dict[str, Any]:
        known = self.known
        shapes = {"system_graph": "graph", "moe_manifest": "bank"}
        return {
            "generation": "VINDEX3",
            "schema": self.root["version"],
            "shapes": [shapes[key] for key in self.roots],
            **{key: known[key] for key in ("model", "family", "hidden_size", "num_layers", "segments")},
            **{key: known.get(key) for key in NULLABLE},
            "authority": known.get("authority", "canonical"),
            "profiles": self.profiles,
            "representations": {key: self.entry(one) for key, one in sorted(self.entries.items())},
            "variants": self.sets,
            "extra": {key: value for key, value in self.root.items() if key not in {"version", *KEYS}},
            "unreferenced_files": self.unreferenced(),
            "opened_by": "me",
        }


def container_open(path: str, index: type[Index] = Index) -> dict[str, Any]:
    """See the format's text."""
    found = index(path)
    found.judge_files()
    if found.looks_further:
        found.judge_further()
    return found.answer()
