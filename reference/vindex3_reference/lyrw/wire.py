"""Records of LYRW v2 as numpy dtypes: the bytes of lyrw.md section 1, and nothing else."""

from __future__ import annotations

import numpy as np

MAGIC = b"LYRW"
FORMAT_VERSION = 2
OLDER_GENERATIONS = {1: "VINDEX2"}
"""The container generation that owns layer files of an older version."""
ALIGNMENT = 64
UNPAIRED = 0xFFFF

SPLIT_LAYER = 0x1
"""The one assigned bit of the header flags: the layer is split over several files."""
BROWSE = 0x3
"""The assigned bits of the bank flags."""

HEADER = np.dtype(
    [
        ("magic", "V4"),
        ("format_version", "<u4"),
        ("logical_layer", "<u4"),
        ("num_banks", "<u2"),
        ("num_segments", "<u2"),
        ("flags", "<u4"),
        ("reserved", "<u4"),
    ]
)

BANK = np.dtype(
    [
        ("bank_id", "<u2"),
        ("bank_kind", "<u2"),
        ("region_schema_count", "<u2"),
        ("flags", "<u2"),
        ("num_entries", "<u4"),
        ("input_dim", "<u4"),
        ("intermediate_dim", "<u4"),
        ("output_dim", "<u4"),
    ]
)

SEGMENT = np.dtype(
    [("bank_id", "<u2"), ("segment_index", "<u2"), ("first_entry", "<u4"), ("entry_count", "<u4")]
)

SCHEMA = np.dtype(
    [
        ("schema_index", "<u2"),
        ("role", "<u2"),
        ("format", "<u2"),
        ("packing", "<u2"),
        ("pair_id", "<u2"),
        ("layout", "<u2"),
        ("rows", "<u4"),
        ("cols", "<u4"),
    ]
)

ROW = np.dtype([("offset", "<u8"), ("length", "<u8")])


def aligned(offset: int) -> int:
    """The next multiple of `ALIGNMENT`, `offset` itself where it is one (LYRW-TABLES-06)."""
    return -(-offset // ALIGNMENT) * ALIGNMENT
