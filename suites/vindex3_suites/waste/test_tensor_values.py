"""Tensors of the trunk: what their bytes decode to in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import Tensor, plain, quantised
from vindex3_fixtures.waste.trunk import CODE_RANGE, F32, Q3G, Q4G, Q8G
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.tensors import check_rows, check_tensors, holding, tensor

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FORMATS = {"q8g": Q8G, "q4g": Q4G, "q3g": Q3G}
ONE = 0x3C00
WIDTHS = (1, 127, 128, 129, 255)
GROUPS = (32, 64, 128)


def _typed(fmt: int, codes: list[int], *scales: int, group: int, rows: int = 1) -> Tensor:
    """A tensor of these codes, row by row."""
    return Tensor(
        name="typed",
        fmt=fmt,
        shape=(rows, len(codes) // rows) if rows > 1 else (len(codes),),
        group=group,
        codes=np.array(codes, np.int8).reshape(rows, -1),
        scales=np.array(scales, np.uint16).reshape(rows, -1),
    )


BYTES = {
    "q8g_lowest": (Q8G, b"\x80", [-128]),
    "q8g_signs": (Q8G, b"\x7f\x81\xff\x00\x01", [127, -127, -1, 0, 1]),
    "q4g_f0": (Q4G, b"\xf0", [-8, 7]),
    "q4g_08": (Q4G, b"\x08", [0, -8]),
    "q4g_order": (Q4G, b"\x10\x32\x54\x76\x98\xba\xdc\xfe", list(range(-8, 8))),
    "q3g_ascending": (Q3G, bytes.fromhex("88C6FA"), list(range(-4, 4))),
    "q3g_ones": (Q3G, b"\xff\xff\xff", [3] * 8),
    "q3g_zeros": (Q3G, b"\x00\x00\x00", [-4] * 8),
    "q3g_first_alone": (Q3G, b"\x07\x00\x00", [3] + [-4] * 7),
    "q3g_across_bytes": (Q3G, b"\xc0\x01\x00", [-4, -4, 3, -4, -4, -4, -4, -4]),
}


def _check_bytes(ask: Ask, clause_id: str, fmt: int, data: bytes, codes: list[int]) -> None:
    """These payload bytes, under scales of both signs, are these codes times the scale."""
    for scale, factor in ((ONE, 1.0), (0xC000, -2.0), (0x3800, 0.5)):
        model = holding(_typed(fmt, [0] * len(codes), scale, group=len(codes) + len(codes) % 2))
        wide = model.patched("trunk.bin", 0, data)
        expected = np.array(codes, np.float32) * np.float32(factor)
        check(clause_id, tensor(ask, wide, "typed"), gives(expected))


@clause("TRUNK-Q8-01")
@cases({name: row for name, row in BYTES.items() if row[0] == Q8G})
def test_typed_bytes_of_q8g(ask: Ask, case: tuple[int, bytes, list[int]]) -> None:
    """Bytes are signed: 80 is -128."""
    _check_bytes(ask, "TRUNK-Q8-01", *case)


@clause("TRUNK-Q4-01")
@cases({name: row for name, row in BYTES.items() if row[0] == Q4G})
def test_typed_bytes_of_q4g(ask: Ask, case: tuple[int, bytes, list[int]]) -> None:
    """The low half of a byte is the even column, and 0 is -8."""
    _check_bytes(ask, "TRUNK-Q4-01", *case)


@clause("TRUNK-Q3-01")
@cases({name: row for name, row in BYTES.items() if row[0] == Q3G})
def test_typed_bytes_of_q3g(ask: Ask, case: tuple[int, bytes, list[int]]) -> None:
    """Codes are runs of three bits, the lowest first, and 0 is -4."""
    _check_bytes(ask, "TRUNK-Q3-01", *case)


def _every_code(fmt: int, scale: int) -> Tensor:
    low, high = CODE_RANGE[fmt]
    codes = list(range(low, high + 1)) + list(range(high, low - 1, -1))
    return _typed(fmt, codes, scale, group=len(codes))


SCALES = (ONE, 0x3555, 0xB555, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0x0000, 0x8000)


@clause("TRUNK-Q8-01")
@cases({f"{scale:04x}": scale for scale in SCALES})
def test_every_code_of_q8g(ask: Ask, case: int) -> None:
    """Every byte is its code times the scale, with one rounding and the product's sign of zero."""
    check_tensors(ask, "TRUNK-Q8-01", holding(_every_code(Q8G, case)))


@clause("TRUNK-Q4-01")
@cases({f"{scale:04x}": scale for scale in SCALES})
def test_every_code_of_q4g(ask: Ask, case: int) -> None:
    """Every half byte is its code times the scale."""
    check_tensors(ask, "TRUNK-Q4-01", holding(_every_code(Q4G, case)))


@clause("TRUNK-Q3-01")
@cases({f"{scale:04x}": scale for scale in SCALES})
def test_every_code_of_q3g(ask: Ask, case: int) -> None:
    """Every run of three bits is its code times the scale."""
    check_tensors(ask, "TRUNK-Q3-01", holding(_every_code(Q3G, case)))


@clause("TRUNK-Q4-01")
def test_an_odd_width_of_q4g(ask: Ask) -> None:
    """The last column of an odd width is the low half of its byte, and each row has bytes of its own."""
    for group in (2, 4, 32):
        check_tensors(
            ask, "TRUNK-Q4-01", holding(quantised("odd", Q4G, (3, 7), group, Numbers("odd", group)))
        )


@clause("TRUNK-Q3-02")
@cases({f"width_{width}": width for width in (8, 1, 2, 3, 5, 7, 9, 11, 16, 33)})
def test_rows_of_q3g_begin_anew(ask: Ask, case: int) -> None:
    """Each row starts at a byte of its own, behind the guard byte of the row before."""
    for group in (case, 1, 3, 8):
        for guard in (0x00, 0xFF):
            stored = quantised("q3g", Q3G, (4, case), group, Numbers("q3g", case), guard=guard, padding=3)
            check_tensors(ask, "TRUNK-Q3-02", holding(stored, plain("behind", np.ones(2, np.float32))))


F32_PATTERNS = (
    0x00000000,
    0x80000000,
    0x00000001,
    0x807FFFFF,
    0x3F800000,
    0x7F7FFFFF,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0xFFC00001,
    0x7F800001,
    0x12345678,
)


@clause("TRUNK-F32-01")
@cases(vector=(12,), matrix=(3, 4), four_dimensions=(2, 1, 3, 2), column=(12, 1))
def test_f32_is_as_stored(ask: Ask, case: tuple[int, ...]) -> None:
    """Elements are delivered bit for bit: subnormals, zeros of both signs, infinities; NaN as NaN."""
    model = holding(plain("f32", np.array(F32_PATTERNS, np.uint32), case))
    check_tensors(ask, "TRUNK-F32-01", model)
    check_rows(ask, "TRUNK-F32-01", model, "f32")


@clause("TRUNK-F32-01")
def test_f32_has_no_groups(ask: Ask) -> None:
    """Rows of any width follow one another without padding, also where the entry mentions a group."""
    tensors = [
        plain(f"wide_{width}", np.arange(3 * width, dtype=np.float32).reshape(3, width))
        for width in (1, 127, 129)
    ]
    model = holding(*tensors)
    check_tensors(ask, "TRUNK-F32-01", model)
    check_tensors(ask, "TRUNK-F32-01", model.with_entry("wide_127", "group", 128))


@clause("TRUNK-GROUP-02")
@cases(FORMATS)
def test_widths_that_no_group_divides(ask: Ask, case: int) -> None:
    """Widths around a group's, and groups larger than a row, decode without their padding codes."""
    low, high = CODE_RANGE[case]
    tensors = [
        quantised(f"{width}_by_{group}", case, (2, width), group, Numbers(case, width, group), padding=code)
        for width in WIDTHS
        for group in GROUPS
        for code in (low if width % 2 else high,)
    ]
    check_tensors(ask, "TRUNK-GROUP-02", holding(*tensors))


@clause("TRUNK-GROUP-02")
@cases(FORMATS)
def test_groups_of_any_size(ask: Ask, case: int) -> None:
    """Groups that are no power of two, of two columns, or of many rows' width decode."""
    sizes = (2, 6, 10, 96, 100, 1000) if case == Q4G else (1, 3, 5, 7, 96, 100, 999)
    tensors = [quantised(f"by_{size}", case, (3, 50), size, Numbers(case, size)) for size in sizes]
    check_tensors(ask, "TRUNK-GROUP-02", holding(*tensors))


def _every_half(fmt: int) -> Tensor:
    """Every finite scale once, for a group of two columns each: 62 rows of 1024 groups."""
    patterns = np.arange(1 << 16, dtype=np.uint16)
    finite = patterns[patterns & 0x7C00 != 0x7C00].reshape(62, 1024)
    codes = np.tile(np.array([1, -3], np.int8), (62, 1024))
    return Tensor(name="scales", fmt=fmt, shape=(62, 2048), group=2, codes=codes, scales=finite)


@clause("TRUNK-GROUP-03")
@cases(FORMATS)
def test_every_scale_is_widened(ask: Ask, case: int) -> None:
    """Each finite half is the scale of its group, subnormals and -0 included."""
    check_tensors(ask, "TRUNK-GROUP-03", holding(_every_half(case)))


@clause("TRUNK-GROUP-03")
@cases(FORMATS)
def test_a_scale_serves_its_group(ask: Ask, case: int) -> None:
    """Scale (r, k) is that of columns k x group on, of row r alone, wherever the scales lie."""
    width, group, rows = 20, 6, 3
    scales = (ONE + 16 * np.arange(rows * 4)).astype(np.uint16).reshape(rows, 4)
    stored = quantised("scaled", case, (rows, width), group, Numbers("scaled", case), scales=scales)
    behind = holding(stored)
    length = stored.length
    front = holding(stored, places={"scaled": (len(stored.scale_bytes) + 3, 1)}, tail=b"\xff" * length)
    first = holding(stored, places={"scaled": (len(stored.scale_bytes), 0)})
    for model in (behind, front, first):
        check_tensors(ask, "TRUNK-GROUP-03", model)
        check_rows(ask, "TRUNK-GROUP-03", model, "scaled")


SHAPES = ((6,), (1, 6), (6, 1), (2, 3, 4), (2, 1, 3, 5), (1, 1, 1, 1), (3, 2, 1), (5, 7))


@clause("TRUNK-SHAPE-02")
@cases({**FORMATS, "f32": F32})
def test_tensors_of_every_rank(ask: Ask, case: int) -> None:
    """The answer has the declared shape, groups run along the last dimension, rows lie one by one."""
    tensors = []
    for shape in SHAPES:
        name = "x".join(map(str, shape))
        if case == F32:
            tensors.append(plain(name, np.arange(np.prod(shape), dtype=np.float32).reshape(shape)))
        else:
            tensors.append(quantised(name, case, shape, 4, Numbers(case, name)))
    check_tensors(ask, "TRUNK-SHAPE-02", holding(*tensors))


@clause("TRUNK-SHAPE-02")
def test_no_shape_comes_from_the_config(ask: Ask) -> None:
    """An embedding or a head of any shape is delivered in it, whatever vocabulary and width are declared."""
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        model = holding(quantised(name, Q8G, (3, 9), 4, Numbers(name)))
        check_tensors(ask, "TRUNK-SHAPE-02", model)
