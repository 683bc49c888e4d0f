"""The reader of WASTE containers, right and with bugs that no seed of fuzzing shows."""

from __future__ import annotations

from typing import Any

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import verbs


class Right:
    """The reference."""

    waste_open = staticmethod(verbs.waste_open)
    waste_record = staticmethod(verbs.waste_record)
    waste_verify = staticmethod(verbs.waste_verify)


class WrongManifest:
    """Takes a number below zero for the great one that its bits are, and finds nothing wrong with it."""

    @staticmethod
    def waste_open(*, path: str) -> Any:
        try:
            return verbs.waste_open(path=path)
        except Refusal as refusal:
            value = refusal.names.get("value")
            if refusal.kind != "out-of-range" or not isinstance(value, int) or value >= 0:
                raise
        said = {"format_version": 0, "arch": None, "tensor_prefix": "", "expert_quant": None}
        return {**said, "layers": {}, "trunk": [], "codebooks": {"count": 0, "book_bytes": None}}


class WrongRecord:
    """Goes to where an offset points before it knows that this is in the record."""

    @staticmethod
    def waste_record(*, path: str, layer: int, expert: int, verify: bool = False) -> Any:
        try:
            return verbs.waste_record(path=path, layer=layer, expert=expert, verify=verify)
        except Refusal as refusal:
            if refusal.kind == "record-offsets":
                raise IndexError(refusal.names["found"]) from None
            raise
