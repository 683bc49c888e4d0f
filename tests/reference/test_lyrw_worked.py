"""The two worked files of lyrw.md, section 11, typed by hand, with the answers written from the text."""

from __future__ import annotations

import struct


def _schema(index: int, role: str, format_: str, layout: str, rows: int, cols: int) -> dict[str, object]:
    return {
        "schema_index": index,
        "role": role,
        "format": format_,
        "packing": "row_major",
        "pair_id": None,
        "layout": layout,
        "rows": rows,
        "cols": cols,
    }


def test_the_dense_file_is_described_in_full(layer, dense):
    """The observation of the dense file is the one the text gives, key by key."""
    assert len(dense) == 328
    assert layer(dense).parse() == {
        "header": {"logical_layer": 3, "flags": 0},
        "banks": [
            {
                "bank_id": 0,
                "kind": "dense",
                "browse": "direct",
                "flags": 1,
                "num_entries": 1,
                "input_dim": 3,
                "intermediate_dim": 2,
                "output_dim": 1,
                "schemas": [
                    _schema(0, "gate", "f32", "unspecified", 2, 3),
                    _schema(1, "up", "f32", "unspecified", 2, 3),
                    _schema(2, "down", "f32", "unspecified", 1, 2),
                ],
            }
        ],
        "segments": [{"bank_id": 0, "segment_index": 0, "first_entry": 0, "entry_count": 1}],
        "table_bytes": 168,
        "payload_start": 192,
        "unknown": [],
    }


def test_the_split_file_is_described_in_full(layer, split):
    """The observation of one file of a split layer keeps the population of the whole bank."""
    assert len(split) == 392
    assert layer(split).parse() == {
        "header": {"logical_layer": 12, "flags": 1},
        "banks": [
            {
                "bank_id": 7,
                "kind": "routed",
                "browse": "strided",
                "flags": 2,
                "num_entries": 4,
                "input_dim": 2,
                "intermediate_dim": 2,
                "output_dim": 2,
                "schemas": [
                    _schema(0, "gate_up_fused", "f16", "interleaved", 4, 2),
                    _schema(1, "down", "f16", "unspecified", 2, 2),
                ],
            }
        ],
        "segments": [{"bank_id": 7, "segment_index": 1, "first_entry": 2, "entry_count": 2}],
        "table_bytes": 164,
        "payload_start": 192,
        "unknown": [],
    }


def test_the_dense_file_gives_its_numbers(layer, dense):
    """Each region of the dense file holds the numbers that the text writes beside its bytes."""
    file = layer(dense)
    numbers = [
        (192, 24, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        (256, 24, (0.5, -1.0, 0.25, 0.0, 1.5, -2.0)),
        (320, 8, (7.0, 8.0)),
    ]
    for schema_index, (offset, length, values) in enumerate(numbers):
        answer = file.region(0, 0, schema_index)
        assert (answer["offset"], answer["length"]) == (offset, length)
        assert struct.unpack(f"<{len(values)}f", answer["data"]) == values


def test_the_split_file_gives_its_numbers(layer, split):
    """Entries are counted over the whole bank: 2 and 3 are here, 0 and 1 lie in a sibling file."""
    file = layer(split)
    numbers = {
        (2, 0): (192, 16, (1, 2, 3, 4, 5, 6, 7, 8)),
        (2, 1): (256, 8, (0.5, -1, 0, 0.25)),
        (3, 0): (320, 16, (9, 10, 11, 12, 13, 14, 15, 16)),
        (3, 1): (384, 8, (-0.5, 1, 2, -2)),
    }
    for (entry, schema_index), (offset, length, values) in numbers.items():
        answer = file.region(7, entry, schema_index)
        assert (answer["offset"], answer["length"]) == (offset, length)
        assert struct.unpack(f"<{len(values)}e", answer["data"]) == values
    for entry in (0, 1, 4, -1, 2**32):
        assert file.region(7, entry, 0) == {"absent": True}


def test_answers_are_plain(layer, split):
    """No answer holds anything but the types of plain data; integers are no numpy scalars."""

    def check(value: object) -> None:
        assert type(value) in (dict, list, int, str, bytes, bool, type(None))
        for inner in value.values() if type(value) is dict else value if type(value) is list else ():
            check(inner)

    file = layer(split)
    check(file.parse())
    check(file.region(7, 2, 0))
    check(file.region(7, 0, 0))
