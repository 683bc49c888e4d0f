"""manifest.json of a WASTE container, beside the files that it names."""

from __future__ import annotations

from typing import Final

from pytest_vindex3.fuzz.demand import Demand, Facts, about, always
from pytest_vindex3.fuzz.documents import DocumentEdits, closed_to_fractions, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from vindex3_fixtures import fuzz

NAME: Final = "waste-manifest"
_TEXT_KINDS: Final = ("malformed-json", "duplicate-key", "nesting-too-deep", "out-of-range")
_MODEL: Final = ("num_hidden_layers", "hidden_size", "vocab_size", "num_attention_heads")
_INTEGERS: Final = (
    *_MODEL,
    "stages",
    "vec_dim",
    "entries",
    "experts",
    "bytes",
    "codebook_base",
    "fmt",
    "off",
)
_REQUIRED: Final = (
    *_INTEGERS,
    "config",
    "layers",
    "trunk",
    "expert_quant",
    "file",
    "name",
    "shape",
    "scale_off",
)
_NOT_ADVISED: Final = (*_INTEGERS, "num_experts", "index_bits", "index_block", "shape")


def _bound(facts: Facts) -> bool:
    """Whether a number is beyond a range of the format; odd groups, for one, are advice."""
    value = facts.get("value")
    below = isinstance(value, int) and value < 0
    return below or about(*_NOT_ADVISED)(facts)


target = Target(
    name=NAME,
    family="waste",
    about="manifest.json of a WASTE container, beside the files that it names",
    file="manifest.json",
    asked=(
        Asked(
            "waste.open",
            Demand(
                refuses={
                    "malformed-json": always,
                    "unknown-version": always,
                    "missing-field": about(*_REQUIRED, "group"),
                    "bad-type": about(*_INTEGERS, "config", "layers", "trunk"),
                    "out-of-range": _bound,
                    "unsupported-packing": always,
                    "missing-layer": always,
                    "unexpected-layer": always,
                    "count-mismatch": always,
                    "unknown-format": lambda facts: facts.get("found") != 1,
                    "extent-out-of-file": always,
                    "missing-file": always,
                },
                never=(
                    "malformed-json",
                    "unknown-version",
                    "missing-layer",
                    "unexpected-layer",
                    "extent-out-of-file",
                ),
                first={"unknown-version": _TEXT_KINDS},
                same=("format_version", "tensor_prefix", "layers"),
                closed=closed_to_fractions,
            ),
        ),
    ),
    seeds=fuzz.manifests,
    mutate=DocumentEdits(fuzz.words(NAME)),
    smaller=smaller,
    around=fuzz.around_manifest,
)
