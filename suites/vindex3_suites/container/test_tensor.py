"""A tensor as it comes out of its segment: framing, places, dtype, shape and bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, either, refuses
from vindex3_fixtures.container import Segment, Tensor, pattern, tiny
from vindex3_fixtures.container.segment import WIDTHS
from vindex3_suites.container.tensors import (
    PAIR,
    STACK,
    check_delivered,
    delivers,
    holding,
    stack,
    tensor,
    with_pack,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@clause("SEGMENT-FRAME-01")
@cases({name.partition("@")[0]: name for name in tiny().segments})
def test_every_tensor_of_a_container_is_found(ask: Ask, case: str) -> None:
    """Every row of a table leads to its bytes, from the first to the last of the payload."""
    segment = tiny().segments[case]
    path = ask.file("model", tiny().folder)
    for row in segment.rows:
        reply = ask("container.tensor", path=path, representation=case, tensor=row["name"])
        check("SEGMENT-FRAME-01", reply, delivers(segment, row["name"]))


_LOOKS = struct.pack("<Q", 2) + b"{}" + stack(*PAIR).bytes()


@clause("SEGMENT-FRAME-01")
@cases(
    one_byte=stack(Tensor("a", "U8", (1,))),
    odd_lengths=stack(*(Tensor(f"{n}", "U8", (n,)) for n in (1, 2, 3, 5, 7))),
    empty_ones_between=stack(
        Tensor("a", "U8", (0,)), Tensor("b", "U8", (3,)), Tensor("c", "U8", (0,)), Tensor("d", "U8", (1,))
    ),
    many_rows=stack(*(Tensor(f"{n:03}", "I16", (n % 5, 3)) for n in range(300))),
    beyond_64_kib=stack(Tensor("a", "U8", (1,)), Tensor("b", "U8", (100_000,)), Tensor("c", "U8", (1,))),
    segment_in_a_payload=stack(Tensor("a", "U8", (len(_LOOKS),), _LOOKS), Tensor("b", "U8", (4,))),
    spaces_and_braces=stack(Tensor("a", "U8", (4,), b"  }}"), Tensor("b", "U8", (4,), b"]} \n")),
    zeros=stack(Tensor("a", "U8", (64,), bytes(64)), Tensor("b", "U8", (2,), b"\0\1")),
)
def test_a_tensor_is_its_range_of_the_payload(ask: Ask, case: Segment) -> None:
    """Whatever lies before, behind and inside it, a tensor is its own bytes and no other."""
    check_delivered(ask, "SEGMENT-FRAME-01", case)


@clause("SEGMENT-FRAME-01")
@cases(gap_before=(8, 16), gap_between=(0, 16), exchanged=(8, 0), overlapping=(0, 4), one_range=(4, 4))
def test_offsets_say_where_a_tensor_lies(ask: Ask, case: tuple[int, int]) -> None:
    """Of rows that are not in the order of their bytes a tensor is what its own row says, or refused."""
    payload = pattern(24)
    rows = [{**row, "offset": at} for row, at in zip(stack(*PAIR).true_rows, case, strict=True)]
    segment = stack(*PAIR, stored_rows=rows, stored_payload=payload)
    for name, at in zip("ab", case, strict=True):
        check("SEGMENT-FRAME-01", tensor(ask, holding(stack(*PAIR)), name), delivers(stack(*PAIR), name))
        served = answers(representation=STACK, dtype="U8", shape=[8], data=payload[at : at + 8])
        reply = tensor(ask, holding(segment), name, folder="wrong")
        check("SEGMENT-FRAME-01", reply, either(served, refuses("table-layout")))


@clause("SEGMENT-FRAME-02")
@cases(
    no_padding={"alignment": 1},
    one_space_more={"stored_padding": b" " * 17},
    long_padding={"stored_padding": b" " * 5000},
    beyond_16_bits={"stored_padding": b" " * 70_000},
    unknown_key={"extra": {"x-note": "behind the table"}},
)
def test_offsets_count_from_the_payload(ask: Ask, case: dict[str, object]) -> None:
    """Equal tables over equal payloads give equal bytes, however long the header before them is."""
    short, long = stack(*PAIR), stack(*PAIR, **case)
    for name in ("a", "b"):
        check("SEGMENT-FRAME-02", tensor(ask, tiny().with_segment(short), name), delivers(short, name))
        check("SEGMENT-FRAME-02", tensor(ask, tiny().with_segment(long), name), delivers(short, name))


_TEXT = stack(*PAIR).header_text
_UNPADDED = -(8 + len(_TEXT)) % 16
"""Spaces that make the payload of `PAIR` start at a multiple of 16."""


@clause("SEGMENT-FRAME-03")
@cases({f"{spaces}_spaces": spaces for spaces in (*range(17), 31, 32, 255, 256, 4096)})
def test_padding_is_part_of_the_header(ask: Ask, case: int) -> None:
    """Any number of spaces behind the header's text is read, whether the payload is aligned or not."""
    check_delivered(ask, "SEGMENT-FRAME-03", stack(*PAIR, stored_padding=b" " * case))


@clause("SEGMENT-FRAME-03")
@cases(aligned=_UNPADDED, unaligned=_UNPADDED + 3, none=0)
def test_spaces_of_the_payload_stay_in_the_payload(ask: Ask, case: int) -> None:
    """Spaces behind the declared length are bytes of the first tensor."""
    tensors = (Tensor("a", "U8", (8,), b"    \t\n {"), Tensor("b", "U8", (8,), b" " * 8))
    check_delivered(ask, "SEGMENT-FRAME-03", stack(*tensors, stored_padding=b" " * case))


@clause("SEGMENT-TENSOR-01")
@cases({dtype.lower(): dtype for dtype in WIDTHS})
def test_every_dtype_comes_out_as_it_is_stored(ask: Ask, case: str) -> None:
    """Label, shape and bytes of each dtype are those of the row."""
    tensors = (Tensor("a", case, (2, 3)), Tensor("b", case, (3, 2)), Tensor("c", case, (6,)))
    check_delivered(ask, "SEGMENT-TENSOR-01", stack(*tensors))


_PATTERNS = {
    "f32_nan_with_payload": ("F32", struct.pack("<4I", 0x7FA00001, 0xFFC12345, 0x80000000, 1)),
    "f64_nan_with_payload": ("F64", struct.pack("<2Q", 0x7FF0000000000001, 0x8000000000000000)),
    "f16_nan_and_subnormal": ("F16", struct.pack("<4H", 0x7C01, 0xFE00, 0x8000, 0x0001)),
    "bf16_nan_and_subnormal": ("BF16", struct.pack("<4H", 0x7F81, 0xFFC1, 0x8000, 0x0001)),
    "bool_beyond_one": ("BOOL", bytes([0, 1, 2, 255])),
    "u64_beyond_2_to_the_53": ("U64", struct.pack("<2Q", (1 << 53) + 1, (1 << 64) - 1)),
    "i8_below_zero": ("I8", bytes([0x80, 0xFF, 0x7F, 0])),
}


@clause("SEGMENT-TENSOR-01")
@cases(_PATTERNS)
def test_no_byte_is_converted(ask: Ask, case: tuple[str, bytes]) -> None:
    """Bytes that some number type would change on the way come out as they are."""
    dtype, data = case
    check_delivered(ask, "SEGMENT-TENSOR-01", stack(Tensor("a", dtype, (len(data) // WIDTHS[dtype],), data)))


@clause("SEGMENT-TENSOR-01")
@cases(
    one=(7,),
    two=(2, 3),
    three=(4, 3, 2),
    descending=(5, 4, 3, 2, 1),
    ones=(1, 1, 6, 1),
    leading_one=(1, 6),
    trailing_one=(6, 1),
    nine=(2, 1, 2, 1, 3, 1, 2, 1, 2),
)
def test_dimensions_keep_their_order(ask: Ask, case: tuple[int, ...]) -> None:
    """A shape of any rank is given in stored order: nothing is reversed, dropped or joined."""
    check_delivered(ask, "SEGMENT-TENSOR-01", stack(Tensor("a", "BF16", case)))


@clause("SEGMENT-TENSOR-01")
@cases(
    dots="3.self_attn.q_proj.weight",
    spaces=" a  b ",
    slashes="a/../b\\c",
    beyond_ascii="größe.重み.\U0001f600",
    decomposed="e\u0301",
    quotes='a"b\\"c',
    control="a\tb\nc",
    long="x" * 5000,
    digits="0010",
    number_and_word="1e3",
)
def test_a_name_is_any_text(ask: Ask, case: str) -> None:
    """A tensor is found by its name as it is, beside one of another name."""
    tensors = sorted(
        (Tensor(case, "U8", (3,)), Tensor("weight", "U8", (5,))), key=lambda one: one.name.encode()
    )
    check_delivered(ask, "SEGMENT-TENSOR-01", stack(*tensors))


LABELS = (
    "MXFP4", "NVFP4", "Q4_K", "Q8_0", "F8_E4M3", "F8_E5M2", "F4", "I4", "U4", "F128", "C64", "U16x4",
    "f32", "bf16", "Bool", "F32 ", " F32", "F32\u0000", "float32", "BF16+F32", "", "fp\u200b32", "重み",
)  # fmt: skip
"""Labels outside the table of widths; some differ from one inside it by a letter or a space."""


@clause("SEGMENT-TABLE-06")
@cases({f"label_{position}": label for position, label in enumerate(LABELS)})
def test_an_unknown_dtype_is_given_as_it_is(ask: Ask, case: str) -> None:
    """A label that no table has comes out verbatim, with the stored bytes, whatever its shape says."""
    tensors = (
        Tensor("a", case, (3, 5), pattern(7)),
        Tensor("b", case, (2,), pattern(33)),
        Tensor("c", case, (), b""),
        Tensor("d", case, (0, 4), pattern(5)),
    )
    check_delivered(ask, "SEGMENT-TABLE-06", stack(*tensors))


@clause("SEGMENT-TABLE-06")
@cases(
    beyond_32_bits=((1 << 32) + 1, 3),
    beyond_binary64=((1 << 53) + 1,),
    largest=((1 << 64) - 1, (1 << 64) - 1),
)
def test_a_shape_has_64_bits(ask: Ask, case: tuple[int, ...]) -> None:
    """Dimensions of a tensor without a length rule are exact over the whole range."""
    check_delivered(ask, "SEGMENT-TABLE-06", stack(Tensor("a", "MXFP4", case, pattern(9)), *PAIR[1:]))


@clause("SEGMENT-TABLE-06")
def test_an_encoding_decides_nothing(ask: Ask) -> None:
    """A representation of an unknown encoding gives each tensor under its own label."""
    tensors = (Tensor("blocks", "U8", (2, 9)), Tensor("scales", "Q4_K", (5,), pattern(11)))
    segment = Segment("target.embedding@Q4_K", tensors)
    model = with_pack(tiny(), segment)
    for name in ("blocks", "scales"):
        reply = tensor(ask, model, name, segment.representation)
        check("SEGMENT-TABLE-06", reply, delivers(segment, name))


@clause("SEGMENT-FRAME-01", "SEGMENT-TENSOR-01")
def test_a_tensor_is_asked_by_object_as_well(ask: Ask) -> None:
    """Object and encoding, or the object alone, lead to the same bytes as the representation."""
    segment = tiny().segments[STACK]
    path = ask.file("model", tiny().folder)
    object_id, _, encoding = STACK.rpartition("@")
    name = "1.mlp.up_proj.weight"
    for asked in (encoding, None):
        reply = ask("container.tensor", path=path, object=object_id, encoding=asked, tensor=name)
        for clause_id in ("SEGMENT-FRAME-01", "SEGMENT-TENSOR-01"):
            check(clause_id, reply, delivers(segment, name))
