"""An implementation that is wrong on purpose: every file is an empty layer, every region is there."""


def lyrw_parse(path):
    """Describe any file at all as a layer without banks."""
    del path
    return {
        "header": {"logical_layer": 0, "flags": 0},
        "banks": [],
        "segments": [],
        "table_bytes": 24,
        "payload_start": 64,
        "unknown": [],
    }


def lyrw_region(path, bank_id, entry, schema_index=None, role=None):
    """Give four bytes for any region at all."""
    del path, bank_id, entry, schema_index, role
    return {"offset": 64, "length": 4, "data": b"\0\0\0\0"}
