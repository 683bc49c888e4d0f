"""6-bit packing: four indices in three bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.waste import worked
from vindex3_suites.waste.kernels import DECODE, ONE_HALF, PACKED, halves

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste.quant import Bytes, Floats

PAIRS: Final = 1 << 16
STAGES: Final = 4


def _books() -> bytes:
    """Books in which element s of stage s is the number of the entry, and every other element is 0."""
    books = np.zeros((STAGES, 64, 8), np.float16)
    for stage in range(STAGES):
        books[stage, :, stage] = np.arange(64)
    return halves(books.view(np.uint16))


BOOKS: Final = _books()


def _unpack(ask: Ask, triples: Bytes) -> Reply:
    """Ask for a matrix of one position whose columns are the four indices of its row, and zeros."""
    width = {key: getattr(PACKED, key) for key in ("stages", "vec_dim", "entries", "index_bits")}
    return ask(
        DECODE,
        indices=triples.tobytes(),
        codebooks=BOOKS,
        scales=halves(np.full(len(triples), ONE_HALF, np.uint16)),
        rows=len(triples),
        n_in=8,
        index_block=0,
        **width,
    )


def _weights(indices: Floats) -> Floats:
    """The weights that show these indices, [rows][4]."""
    return np.pad(indices, ((0, 0), (0, 8 - STAGES)))


def _indices(triples: Bytes) -> Floats:
    """The four indices of every three bytes, as the format's table says."""
    b0, b1, b2 = (triples[:, place].astype(np.uint32) for place in range(3))
    each = [b0 & 63, (b0 >> 6) + ((b1 & 15) << 2), (b1 >> 4) + ((b2 & 3) << 4), b2 >> 2]
    return np.stack(each, axis=-1).astype(np.float32)


def _check_triples(ask: Ask, clause_id: str, triples: Bytes) -> None:
    check(clause_id, _unpack(ask, triples), answers(out=_weights(_indices(triples))))


@clause("VQ-PACK-01")
@cases({data.hex(): (data, indices) for data, indices in worked.PACKINGS.items()})
def test_worked_bytes_are_unpacked(ask: Ask, case: tuple[bytes, tuple[int, ...]]) -> None:
    """Three bytes of the format's text hold the four indices that are typed there."""
    data, indices = case
    triples = np.frombuffer(data, np.uint8).reshape(1, 3)
    expected = answers(out=_weights(np.array([indices], np.float32)))
    check("VQ-PACK-01", _unpack(ask, triples), expected)


@clause("VQ-PACK-01")
def test_every_bit_belongs_to_one_index(ask: Ask) -> None:
    """Each of the 24 bits alone gives the one index that it is a bit of, and each absent one the rest."""
    bits = [1 << bit for bit in range(24)]
    values = np.array([0, *bits, *(0xFFFFFF ^ bit for bit in bits), 0xFFFFFF])
    triples = np.stack([values & 255, values >> 8 & 255, values >> 16], axis=-1).astype(np.uint8)
    fields = np.stack([values >> 6 * stage & 63 for stage in range(STAGES)], axis=-1).astype(np.float32)
    check("VQ-PACK-01", _unpack(ask, triples), answers(out=_weights(fields)))


def _pairs(first: int, second: int, third: int) -> Bytes:
    """Every pair of values of two bytes, beside this value of the other one."""
    triples = np.empty((PAIRS, 3), np.uint8)
    triples[:, first] = np.arange(PAIRS) & 255
    triples[:, second] = np.arange(PAIRS) >> 8
    triples[:, 3 - first - second] = third
    return triples


@clause("VQ-PACK-02")
@cases(
    extremes=np.array([[0x3F, 0xF0, 0x03], [0xC0, 0x0F, 0xFC], [255, 255, 255], [0, 0, 0]], np.uint8),
    first_and_second=_pairs(0, 1, 0x00),
    first_and_second_beside_ones=_pairs(0, 1, 0xFF),
    second_and_third=_pairs(1, 2, 0x00),
    second_and_third_beside_ones=_pairs(1, 2, 0xFF),
    first_and_third=_pairs(0, 2, 0xA5),
)
def test_fields_do_not_leak(ask: Ask, case: Bytes) -> None:
    """Every value of two bytes beside an extreme third one unpacks by the formula."""
    _check_triples(ask, "VQ-PACK-02", case)


@clause("VQ-PACK-02")
def test_every_triple_is_unpacked(ask: Ask) -> None:
    """In the long profile all 2^24 triples unpack by the formula, elsewhere those of three last bytes."""
    thorough = ask.settings.profile == "soak"
    for last in range(256) if thorough else (0x5A, 0x81, 0x7E):
        _check_triples(ask, "VQ-PACK-02", _pairs(0, 1, last))
