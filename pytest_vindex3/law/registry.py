"""Clauses and refusal kinds, read once from the TOML files beside this module."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Level = Literal["must", "should", "may"]
FAMILIES = ("lyrw", "container", "graph", "representation", "waste")


@dataclass(frozen=True, slots=True)
class Clause:
    """One testable statement of the law.

    Attributes:
        id: such as "LYRW-MAGIC-01".
        family: one of the five documents' families.
        level: must, should or may.
        role: reader, writer or verifier.
        verb: the verb it is about.
        verdict: accept, refuse, exact, preserve or report.
        text: the claim.
        names: facts that the refusal, report or observation carries.
    """

    id: str
    family: str
    level: Level
    role: str
    verb: str
    verdict: str
    text: str
    names: tuple[str, ...]

    @property
    def needs_wrong_input(self) -> bool:
        """Whether covering it takes an input that must be refused or reported."""
        return self.verdict in ("refuse", "report")


@dataclass(frozen=True, slots=True)
class Kind:
    """One word of the closed vocabulary of refusals and defects, with every fact it can carry."""

    kind: str
    meaning: str
    names: tuple[str, ...]


@cache
def clauses() -> Mapping[str, Clause]:
    """Every clause of every family, by id, in the order of the documents."""
    found: dict[str, Clause] = {}
    for family in FAMILIES:
        text = files(__package__).joinpath(f"clauses/{family}.toml").read_text(encoding="utf-8")
        for row in tomllib.loads(text)["clause"]:
            names = tuple(row["names"])
            found[row["id"]] = Clause(
                row["id"], family, row["level"], row["role"], row["verb"], row["verdict"], row["text"], names
            )
    return found


@cache
def kinds() -> Mapping[str, Kind]:
    """Every refusal and defect kind, by word."""
    found: dict[str, Kind] = {}
    for file in sorted(files(__package__).joinpath("refusals").iterdir(), key=lambda item: item.name):
        if file.name.endswith(".toml"):
            for row in tomllib.loads(file.read_text(encoding="utf-8"))["refusal"]:
                found[row["kind"]] = Kind(row["kind"], row["meaning"], tuple(row["names"]))
    return found


def nearest_kinds(word: str) -> list[str]:
    """The kinds of the law that look most like `word`, best first, at most three."""
    return difflib.get_close_matches(word, list(kinds()), n=3, cutoff=0.5)
