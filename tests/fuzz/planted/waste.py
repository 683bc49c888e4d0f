"""The reader of WASTE containers, right and with bugs that no seed of fuzzing shows."""

from __future__ import annotations

from typing import Any

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import verbs

FORMATS = ("F32", "F16", "Q8G", "Q4G", "VQ3R", "VQ2R", "", "Q3G", "VQ4P")


class Right:
    """The reference."""

    waste_open = staticmethod(verbs.waste_open)
    waste_record = staticmethod(verbs.waste_record)
    waste_verify = staticmethod(verbs.waste_verify)
    usage_read = staticmethod(verbs.usage_read)


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
    """Has a name for each format, and looks for those that no format has behind the end."""

    @staticmethod
    def waste_record(*, path: str, layer: int, expert: int, verify: bool = False) -> Any:
        try:
            return verbs.waste_record(path=path, layer=layer, expert=expert, verify=verify)
        except Refusal as refusal:
            if refusal.kind == "record-format":
                FORMATS[refusal.names["found"]]
            raise


class WrongUsage:
    """Wants the mean of the hits, also of a log without entries."""

    @staticmethod
    def usage_read(*, path: str) -> Any:
        said = verbs.usage_read(path=path)
        if said["present"]:
            hits = [entry["hits"] for entry in said["entries"]]
            sum(hits) / len(hits)
        return said
