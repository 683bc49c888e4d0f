"""The worked bytes of waste.md, section 17, by hand: a header, a decode, the codes of trunk formats."""

from __future__ import annotations

import json

import numpy as np
import pytest

from vindex3_fixtures.waste import worked
from vindex3_reference.kernels import Geometry
from vindex3_reference.kernels.grouped import Groups
from vindex3_reference.slot import Slot
from vindex3_reference.waste.config import config_of
from vindex3_reference.waste.encode import encoded_codes, encoded_record, packed
from vindex3_reference.waste.expert import expert_of
from vindex3_reference.waste.quant import Quant
from vindex3_reference.waste.record import Header
from vindex3_reference.waste.verbs import waste_matrix, waste_open, waste_tensor, waste_verify, waste_write

# waste.md, section 17.1: layer 37, expert 412, 6-bit packed, I 88, W 200, payload all zero.
HEADER = """
57 45 58 50  25 00  9C 01  08  00  B0 01  00 00  00 00  07 00 00 00
30 00 00 00  B0 25 00 00  30 4B 00 00  30 6C 00 00  56 9A 3E 6B  00 00 00 00 00 00 00 00
"""
PACKED = Quant(stages=4, vec_dim=8, entries=64, index_bits=6, index_block=64, bits_per_weight=None)

# waste.md, section 17.2: three books of two entries of two halves; scales; indices of two rows.
BOOKS = ["00 68 00 3C 00 80 00 BE", "00 08 66 2E 00 80 01 00", "00 08 01 00 00 80 FF 83"]
SCALES = "55 35 55 B5"
INDICES = "00 00 00 01 01 01"
WEIGHTS = [[0x442AA000, 0x3EBBAEEF], [0x80000000, 0x3EFFF2AA]]


def config(inner, width, **more):
    return {
        "num_hidden_layers": 1,
        "hidden_size": width,
        "vocab_size": 4,
        "num_attention_heads": 1,
        "num_experts": 1,
        "num_experts_per_token": 1,
        "moe_intermediate_size": inner,
        **more,
    }


def expert(inner, width, quant):
    return expert_of(config_of(Slot(config(inner, width), "config", None)), quant)


def test_the_header_is_read_as_typed():
    """Every field of the 48 bytes has the value of the page."""
    header = Header.read(memoryview(bytes.fromhex(HEADER)))
    assert header.answer() == {
        "magic": "57455850",
        "layer": 37,
        "expert_id": 412,
        "fmt": 8,
        "flags": 0,
        "codebook_id": 432,
        "lowrank_id": 0,
        "reserved0": 0,
        "record_4k_blocks": 7,
        "gate_off": 48,
        "up_off": 9648,
        "down_off": 19248,
        "correction_off": 27696,
        "crc32": 0x6B3E9A56,
        "reserved1": [0, 0],
    }


def test_every_field_of_a_header_has_its_own_bytes():
    """A byte that is set shows in one field, and in the bytes of that header again."""
    names = []
    for place in range(48):
        data = bytes(place) + b"\x01" + bytes(47 - place)
        header = Header.read(memoryview(data))
        assert header.encoded() == data
        (name,) = [name for name, value in header._asdict().items() if value not in (0, bytes(4))]
        names.append(name)
    fields = list(dict.fromkeys(names))
    assert [names.count(name) for name in fields] == [4, 2, 2, 1, 1, 2, 2, 2, *[4] * 8]
    assert fields == list(Header._fields)


def test_the_header_is_written_as_typed():
    """A record of nothing but zeros has these very bytes, and nothing behind its scales."""
    shapes = expert(88, 200, PACKED)
    zeros = [
        (np.zeros(matrix.rows * matrix.positions * 4, np.uint8), np.zeros(2 * matrix.rows, np.uint8))
        for matrix in shapes.matrices
    ]
    record = encoded_record(shapes, PACKED, 37, 412, 432, zeros)
    assert record[:48] == bytes.fromhex(HEADER) == worked.HEADER
    assert record[48:] == bytes(7 * 4096 - 48)
    assert shapes.payload_end == 28448


@pytest.mark.parametrize(
    ("inner", "width", "payload_end", "blocks"), [(3072, 3584, 12405808, 3029), (1024, 2304, 2662960, 651)]
)
@pytest.mark.parametrize("quant", [PACKED, Quant(3, 8, 256, 8, 64, None)])
def test_sizes_of_large_records(quant, inner, width, payload_end, blocks):
    """The sizes of the page hold for three whole bytes and for four packed stages."""
    shapes = expert(inner, width, quant)
    assert (shapes.payload_end, -(-shapes.payload_end // 4096)) == (payload_end, blocks)


@pytest.mark.parametrize("block", [0, 64])
def test_the_decode_of_the_page(tmp_path, block):
    """A written container of one expert, with the books of the page for gate, decodes to its weights."""
    books = [bytes.fromhex(text) for text in BOOKS] * 3
    part = {"indices": bytes.fromhex(INDICES), "scales": bytes.fromhex(SCALES)}
    model = {
        "config": config(2, 2),
        "expert_quant": {"stages": 3, "vec_dim": 2, "entries": 2, "index_block": block},
        "layers": {"0": {"codebooks": books, "experts": [{"gate": part, "up": part, "down": part}]}},
    }
    path = str(tmp_path / "model")
    waste_write(model=model, path=path)
    for matrix in ("gate", "up", "down"):
        weights = waste_matrix(path=path, layer=0, expert=0, matrix=matrix)
        assert weights.view(np.uint32).tolist() == WEIGHTS
    assert waste_verify(path=path) == {"records_checked": 1, "defects": []}
    document = json.loads((tmp_path / "model" / "manifest.json").read_text())
    assert document["expert_quant"]["bits_per_weight"] == 12.0
    assert waste_open(path=path)["layers"]["0"]["record_bytes"] == 4096


@pytest.mark.parametrize(("data", "indices"), worked.PACKINGS.items())
def test_packed_indices_of_the_page(data, indices):
    """Four indices become the three bytes of the page."""
    assert packed(Geometry(1, 8, 4, 8, 64, 6, 0), np.array(indices, np.uint8)) == data


@pytest.mark.parametrize(
    ("fmt", "codes", "data"),
    [
        (2, [-128, 127], "80 7F"),
        (3, [-8, 7], "F0"),
        (3, [0, -8], "08"),
        (7, [-4, -3, -2, -1, 0, 1, 2, 3], "88 C6 FA 00"),
    ],
)
def test_codes_of_the_page(tmp_path, fmt, codes, data):
    """Codes become the bytes of the page, and these decode to them; what fills a group is of value 0."""
    columns = len(codes)
    octets = np.array(codes, np.int8).view(np.uint8)
    assert encoded_codes(Groups(fmt, 1, columns, columns), octets) == bytes.fromhex(data)
    for group in (columns, columns + 2, 2 * columns):
        tensor = {"name": "t", "fmt": fmt, "shape": [columns], "group": group}
        scales = bytes.fromhex("00 3C")
        model = {
            "config": {**config(0, 2), "num_experts": 0},
            "trunk": [{**tensor, "codes": octets.tobytes(), "scales": scales}],
        }
        path = str(tmp_path / f"{group}")
        waste_write(model=model, path=path)
        assert waste_tensor(path=path, name="t").tolist() == codes
        filled = encoded_codes(Groups(fmt, 1, group, group), np.pad(octets, (0, group - columns)))
        assert (tmp_path / f"{group}" / "trunk.bin").read_bytes() == filled + scales
