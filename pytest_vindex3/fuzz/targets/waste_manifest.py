"""manifest.json of a WASTE container, beside the files that it names."""

from __future__ import annotations

import json
from typing import Final

from pytest_vindex3.fuzz.demand import Demand, Facts, about, always
from pytest_vindex3.fuzz.documents import DocumentEdits, closed_to_fractions, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from vindex3_fixtures import fuzz

NAME: Final = "waste-manifest"
_TEXT_KINDS: Final = ("malformed-json", "duplicate-key", "nesting-too-deep", "out-of-range")
_MODEL: Final = ("num_hidden_layers", "hidden_size", "vocab_size", "num_attention_heads")
_EXPERTS: Final = ("num_experts", "moe_intermediate_size", "first_k_dense_replace")
_PACKING: Final = ("stages", "vec_dim", "entries", "index_bits", "index_block")
_BANK: Final = ("experts", "bytes", "codebook_base")
_TENSOR: Final = ("fmt", "off", "scale_off", "group")
_INTEGERS: Final = (*_MODEL, *_EXPERTS, *_PACKING, *_BANK, *_TENSOR)
_REQUIRED: Final = (
    *_MODEL,
    "num_experts_per_token",
    "moe_intermediate_size",
    "stages",
    "vec_dim",
    "entries",
    *_BANK,
    *_TENSOR,
    "config",
    "layers",
    "trunk",
    "expert_quant",
    "file",
    "name",
    "shape",
)


def _beyond(facts: Facts) -> bool:
    """Whether a number is beyond a range by a must: odd groups and the length of a tensor are advice."""
    field, value = str(facts.get("field")), facts.get("value")
    below = isinstance(value, int) and value < 0
    if field.startswith("trunk"):
        return ".shape" in field or (below and about(*_TENSOR)(facts))
    return below or about(*_MODEL, "num_experts", "moe_intermediate_size", *_PACKING, *_BANK)(facts)


def _experts(data: bytes) -> bool:
    """Whether the model has a layer with experts, as far as this can be told.

    Of a model without one it is open whether the packing that is there all the same is judged.
    """
    try:
        config = json.loads(data)["config"]
        config = config.get("text_config") or config
        first = config.get("first_k_dense_replace") or 0
        return bool(config.get("num_experts") and first < config["num_hidden_layers"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return True


def _closed(data: bytes) -> bool:
    return closed_to_fractions(data) and (b'"expert_quant"' not in data or _experts(data))


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
                    "missing-field": about(*_REQUIRED),
                    "bad-type": about(*_INTEGERS, "config", "layers", "trunk"),
                    "out-of-range": _beyond,
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
                closed=_closed,
            ),
        ),
    ),
    seeds=lambda: fuzz.documents("manifest.json"),
    mutate=DocumentEdits(fuzz.words(NAME)),
    smaller=smaller,
    around=fuzz.around_manifest,
)
