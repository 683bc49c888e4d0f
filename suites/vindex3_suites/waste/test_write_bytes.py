"""What a writer makes of records, books and tensors: headers, regions, checksums, padding."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_vindex3 import answers, cases, check, clause
from pytest_vindex3.contract.difference import MISSING
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import (
    CODEBOOKS,
    Quant,
    Tensor,
    Waste,
    description,
    made,
    plain,
    quantised,
)
from vindex3_fixtures.waste.draw import reals
from vindex3_fixtures.waste.record import FIELDS, zero_matrix
from vindex3_fixtures.waste.trunk import Q3G, Q4G, Q8G
from vindex3_fixtures.waste.worked import (
    HEADER,
    HEADER_BASE,
    HEADER_EXPERT,
    HEADER_INNER,
    HEADER_LAYER,
    HEADER_QUANT,
    HEADER_WIDTH,
)
from vindex3_suites.container.on_disk import shows
from vindex3_suites.waste.models import BLOCKED, DENSE, PACKED, PAIRS, SHAPES, SINGLE, TINY
from vindex3_suites.waste.stored import StoredWaste
from vindex3_suites.waste.test_write import MODELS
from vindex3_suites.waste.writing import look, write

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask


@clause("RECORD-OFFSET-07")
@cases({**MODELS, "layers_of_odd_widths": made(quant=Quant(3, 1, 7), inner=5, width=11)})
def test_records_lie_without_gaps(ask: Ask, case: Waste) -> None:
    """Every bank is its records in order, each region behind the other, zero bytes up to the next page."""
    reply = write(ask, case)
    check("RECORD-OFFSET-07", reply, answers())
    found = look(ask)
    for layer in case.banks:
        for expected in found.experts(case, layer)[:1]:
            check("RECORD-OFFSET-07", reply, expected)


@clause("CRC-RANGE-06")
@cases(tiny=TINY, packed=PACKED, blocked=BLOCKED, pairs=PAIRS, single=SINGLE)
def test_the_checksum_covers_the_payload(ask: Ask, case: Waste) -> None:
    """Every record carries the crc32 of its bytes from 48 to the end of its scales."""
    reply = write(ask, case)
    check("CRC-RANGE-06", reply, answers())
    found = look(ask)
    for layer, records in case.banks.items():
        bank = found.bank(layer)
        for slot, stored in enumerate(records):
            start = slot * stored.length
            whole = bank[start : start + stored.length] if isinstance(bank, bytes) else b""
            place = f"crc32 of layer {layer}, expert {slot}"
            expected = zlib.crc32(whole[48 : 48 + len(stored.payload)])
            check("CRC-RANGE-06", reply, shows(place, expected, int.from_bytes(whole[36:40], "little")))


def _worked(experts: int, first: int) -> Waste:
    """The container of the worked header: layers from `first` to the last, all indices and scales 0."""
    model = made(
        quant=HEADER_QUANT,
        inner=HEADER_INNER,
        width=HEADER_WIDTH,
        experts=1,
        layers=HEADER_LAYER + 1,
        dense=first,
        tensors=(),
    )
    gate = zero_matrix(HEADER_INNER, HEADER_WIDTH, HEADER_QUANT)
    down = zero_matrix(HEADER_WIDTH, HEADER_INNER, HEADER_QUANT)
    for layer in model.banks:
        [stored] = model.banks[layer]
        zero = replace(stored, gate=gate, up=gate, down=down)
        model = replace(model, banks={**model.banks, layer: (zero,)})
    return model.with_config("num_experts", experts)


def _header(base: object, **fields: int) -> bytes:
    """The worked header with another first book, and other fields."""
    stored = bytearray(HEADER)
    number = base & 0xFFFF if isinstance(base, int) else 0
    for name, value in {"codebook_id": number, **fields}.items():
        place, form = FIELDS[name]
        size = {"<H": 2, "<I": 4}[form]
        stored[place : place + size] = value.to_bytes(size, "little")
    return bytes(stored)


@clause("RECORD-HEADER-02", "CRC-RANGE-06")
def test_the_worked_header_is_written(ask: Ask) -> None:
    """Layer 37, expert 412 of the worked example gets its 48 bytes, the checksum of zeros among them."""
    experts = HEADER_EXPERT + 1
    described = description(_worked(experts, HEADER_LAYER))
    layer = described["layers"][str(HEADER_LAYER)]
    layer["experts"] = layer["experts"] * experts
    reply = write(ask, described)
    found = look(ask)
    bank, stride = found.bank(HEADER_LAYER), 7 * 4096
    head = bank[HEADER_EXPERT * stride :][:48] if isinstance(bank, bytes) else MISSING
    for id_ in ("RECORD-HEADER-02", "CRC-RANGE-06"):
        check(id_, reply, answers())
        check(id_, reply, shows("the header", _header(found.base(HEADER_LAYER)), head))


@clause("RECORD-HEADER-02")
def test_the_worked_books_are_numbered(ask: Ask) -> None:
    """With 36 layers before it, layer 37 has a first book of its own, and its record and books say which."""
    model = _worked(1, 1)
    reply = write(ask, model)
    check("RECORD-HEADER-02", reply, answers())
    found = look(ask)
    bases = sorted(base for layer in model.banks if isinstance(base := found.base(layer), int))
    check("RECORD-HEADER-02", reply, shows("bases", list(range(0, HEADER_BASE + 1, 12)), bases))
    bank = found.bank(HEADER_LAYER)
    head = bank[:48] if isinstance(bank, bytes) else MISSING
    expected = _header(found.base(HEADER_LAYER), expert_id=0)
    check("RECORD-HEADER-02", reply, shows("the header", expected, head))
    _check_books(reply, found, model)


def _check_books(reply: Reply, found: StoredWaste, model: Waste) -> None:
    """Judge the headers of all books: magic, number, fmt 4, vec_dim, entries, 0."""
    quant, stored = model.quant or Quant(), found.files.get(CODEBOOKS, b"")
    shape = bytes([4, quant.vec_dim]) + quant.entries.to_bytes(8, "little")
    heads = [stored[at : at + 16] for at in range(0, len(stored), quant.book_bytes)]
    expected = [b"WCBK" + number.to_bytes(2, "little") + shape for number in range(len(heads))]
    check("RECORD-HEADER-02", reply, shows("headers of codebooks", expected, heads))


@clause("RECORD-HEADER-02")
@cases({name: model for name, model in MODELS.items() if model.banks})
def test_headers_of_records_and_books(ask: Ask, case: Waste) -> None:
    """The format is 8 or 4 by the packing alone, flags and reserved fields 0; books carry their numbers."""
    reply = write(ask, case)
    check("RECORD-HEADER-02", reply, answers())
    found = look(ask)
    for layer, records in case.banks.items():
        bank = found.bank(layer)
        for slot, stored in enumerate(records):
            start = slot * stored.length
            head = bank[start : start + 48] if isinstance(bank, bytes) else MISSING
            expected = found.expected(stored).data[:48]
            check("RECORD-HEADER-02", reply, shows(f"header of layer {layer}, expert {slot}", expected, head))
    _check_books(reply, found, case)


SIZES = {
    f"{name}_{bits}_bits": (inner, width, end, blocks, bits)
    for name, inner, width, end, blocks in (
        ("small", 1024, 2304, 2_662_960, 651),
        ("large", 3072, 3584, 12_405_808, 3029),
    )
    for bits in (8, 6)
}


@clause("RECORD-SIZE-04")
@cases(SIZES)
def test_records_of_real_models(ask: Ask, case: tuple[int, int, int, int, int]) -> None:
    """The records of known models take the pages that the text says, in both packings."""
    inner, width, end, blocks, bits = case
    stages = 4 if bits == 6 else 3
    quant = Quant(stages, 8, 64, bits, 64)
    config = made(quant=quant, inner=8, width=8, experts=1, layers=1, dense=0, tensors=())
    for key, value in (("moe_intermediate_size", inner), ("hidden_size", width)):
        config = config.with_config(key, value)
    described = description(config)
    indices = bytes(inner * width // 8 * stages)
    matrices = {
        kind: {"indices": indices, "scales": bytes(2 * rows)}
        for kind, rows in (("gate", inner), ("up", inner), ("down", width))
    }
    described["layers"]["0"]["experts"] = [matrices]
    reply = write(ask, described)
    check("RECORD-SIZE-04", reply, answers())
    bank = look(ask).bank(0)
    stored = bank if isinstance(bank, bytes) else b""
    head = stored[:48]
    check("RECORD-SIZE-04", reply, shows("bytes of the bank", 4096 * blocks, len(stored)))
    found = {"record_4k_blocks": head[16:20], "correction_off": head[32:36], "crc32": head[36:40]}
    expected = {
        "record_4k_blocks": blocks,
        "correction_off": end - 2 * (2 * inner + width),
        "crc32": zlib.crc32(bytes(end - 48)),
    }
    for name, value in expected.items():
        check("RECORD-SIZE-04", reply, shows(name, value, int.from_bytes(found[name], "little")))


def _trunk(fmt: int, width: int, group: int, rows: int = 3) -> Waste:
    return DENSE.with_trunk(
        plain("first", reals(Numbers("trunk", 0), 3)),
        quantised("w", fmt, (rows, width), group, Numbers("trunk", fmt, width, group)),
        quantised("last", Q8G, (2, 5), 4, Numbers("trunk", 9)),
    )


def _many() -> Waste:
    """A tensor of more than a million codes, no row like the one before."""
    places = np.arange(1100 * 1000).reshape(1100, 1000)
    codes = ((places * 7 + places // 1000) % 16 - 8).astype(np.int8)
    scales = (0x3C00 + places[:, :10] % 1000).astype(np.uint16)
    return DENSE.with_trunk(
        Tensor(name="many", fmt=Q4G, shape=(1100, 1000), group=100, codes=codes, scales=scales)
    )


@clause("TRUNK-WRITE-01")
@cases(
    {
        **SHAPES,
        "a_million_codes": _many(),
        **{
            f"{name}_{width}_by_{group}": _trunk(fmt, width, group)
            for name, fmt, groups in (
                ("Q8G", Q8G, (1, 5, 16)),
                ("Q4G", Q4G, (2, 6, 16)),
                ("Q3G", Q3G, (1, 5, 16)),
            )
            for group in groups
            for width in (1, 15, 17)
        },
        "no_tensor": DENSE.with_trunk(),
        "the_other_way_round": TINY.with_trunk(*TINY.tensors[::-1]),
        "four_dimensions": DENSE.with_trunk(
            quantised("w", Q3G, (2, 3, 2, 9), 4, Numbers("trunk", 4)),
            plain("bits", np.arange(0x7FFFFFF0, 0x80000010, dtype=np.uint32), (2, 2, 8)),
        ),
    }
)
def test_tensors_lie_without_gaps(ask: Ask, case: Waste) -> None:
    """The trunk is payloads and scales in the order given, padded by value 0; the manifest says where."""
    reply = write(ask, case)
    check("TRUNK-WRITE-01", reply, answers())
    found = look(ask)
    for expected in found.trunk(case):
        check("TRUNK-WRITE-01", reply, expected)
