"""manifest.json, the one description of a container, field by field (waste.md, section 2)."""

from __future__ import annotations

import json

from vindex3_reference import strict_json
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot
from vindex3_reference.waste import layers, trunk_index
from vindex3_reference.waste.config import config_of
from vindex3_reference.waste.expert import Expert, expert_of
from vindex3_reference.waste.quant import NEEDED, Quant, quant_of

NAME = "manifest.json"
VERSION = 0
ABSENT = "absent"
"""What is found where there is no version."""


class Manifest:
    """A manifest whose keys, types, ranges and names are in order; no file was looked at yet.

    Attributes:
        arch: what the model is called, or None.
        tensor_prefix: as written, or empty.
        config: the sizes of the model.
        quant: the packing of experts; None for a dense model without one.
        expert: the shapes of an expert; None for a dense model.
        banks: the bank of each layer with experts, by its number.
        trunk: the tensors of the trunk.

    Args:
        document: the bytes of the file.

    Raises:
        Refusal: what `strict_json.parse` refuses; `unknown-version`, before anything else is judged; what
            `config_of`, `quant_of`, `expert_of`, `banks_of`, `judge_strides` and `entries_of` refuse.
    """

    def __init__(self, document: bytes) -> None:
        root = Slot.root(strict_json.parse(document, NAME), NAME)
        _judge_version(root, document)
        arch, prefix = root.optional("arch"), root.optional("tensor_prefix")
        self.arch = None if arch is None else arch.text()
        self.tensor_prefix = "" if prefix is None else prefix.text()
        self.config = config_of(root.required("config"))
        self.quant = self._quant(root)
        self.banks = layers.banks_of(root.required("layers"), self.config)
        self.expert = self._expert()
        self.trunk = trunk_index.entries_of(root.required("trunk"))

    def judge_files(self, trunk: int, books: int) -> None:
        """Compare with the length of the trunk, in bytes, and with how many codebooks there are.

        Raises:
            Refusal: what `judge_extents` and `judge_bases` refuse.
        """
        trunk_index.judge_extents(self.trunk, trunk)
        if self.quant is not None:
            layers.judge_bases(self.banks.values(), self.quant, books)

    def _quant(self, root: Slot) -> Quant | None:
        if self.config.moe_layers:
            return quant_of(root.required("expert_quant"))
        given = root.optional("expert_quant")
        return quant_of(given) if given is not None and given.object().keys() >= set(NEEDED) else None

    def _expert(self) -> Expert | None:
        if self.quant is None or not self.banks:
            return None
        expert = expert_of(self.config, self.quant)
        layers.judge_strides(self.banks.values(), expert)
        return expert


def _judge_version(root: Slot, document: bytes) -> None:
    found = root.object().get("format_version", ABSENT)
    if type(found) is not int or found != VERSION:
        raise _unknown(found)
    if b"-0" in document and json.loads(document, parse_int=str)["format_version"] == "-0":
        raise _unknown(-0.0)


def _unknown(found: object) -> Refusal:
    message = f"{NAME} has version {found}; known is {VERSION}"
    return Refusal("unknown-version", message, path=NAME, found=found, supported=[VERSION])
