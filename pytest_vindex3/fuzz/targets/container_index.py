"""index.json, beside every file that the index of some golden names."""

from __future__ import annotations

from typing import Final

from pytest_vindex3.fuzz.demand import Demand, Facts, about, always
from pytest_vindex3.fuzz.documents import DocumentEdits, closed, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from vindex3_fixtures import fuzz

NAME: Final = "container-index"
_REQUIRED: Final = ("model", "family", "hidden_size", "num_layers", "profiles", "segments")
_TEXT_KINDS: Final = ("malformed-json", "duplicate-key", "nesting-too-deep", "out-of-range")


def _below_zero(facts: Facts) -> bool:
    value = facts.get("value")
    return isinstance(value, int) and value < 0


target = Target(
    name=NAME,
    family="container",
    about="index.json of a container, in a folder with all files that an index of the goldens names",
    file="index.json",
    asked=(
        Asked(
            "container.open",
            Demand(
                refuses={
                    "malformed-json": always,
                    "wrong-generation": always,
                    "unknown-version": always,
                    "missing-field": about(*_REQUIRED),
                    "bad-type": about(*_REQUIRED),
                    "out-of-range": _below_zero,
                    "missing-root": always,
                    "missing-file": always,
                    "unknown-value": about("authority"),
                },
                never=("malformed-json", "wrong-generation", "unknown-version", "missing-root"),
                first={"wrong-generation": _TEXT_KINDS, "unknown-version": _TEXT_KINDS},
                same=("generation", "schema", "shapes", "model", "family", "hidden_size", "num_layers"),
                closed=closed,
            ),
        ),
    ),
    seeds=lambda: fuzz.documents("index.json"),
    mutate=DocumentEdits(fuzz.words(NAME)),
    smaller=smaller,
    around=fuzz.around_index,
)
