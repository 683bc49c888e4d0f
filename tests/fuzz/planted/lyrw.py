"""The reader of layer files, right and with a bug that no seed of fuzzing shows."""

from __future__ import annotations

from typing import Any

from vindex3_reference.lyrw import verbs
from vindex3_reference.refusal import Refusal


class Right:
    """The reference."""

    lyrw_parse = staticmethod(verbs.lyrw_parse)
    lyrw_verify = staticmethod(verbs.lyrw_verify)


class Wrong:
    """Compares the low byte of a schema's index alone."""

    @staticmethod
    def lyrw_parse(*, path: str) -> Any:
        try:
            return verbs.lyrw_parse(path=path)
        except Refusal as refusal:
            names = refusal.names
            if refusal.kind != "schema-index-mismatch" or names["found"] & 0xFF != names["expected"]:
                raise
        header = {"logical_layer": 0, "flags": 0}
        tables = {"banks": [], "segments": [], "table_bytes": 24, "payload_start": 64}
        return {"header": header, **tables, "unknown": []}
