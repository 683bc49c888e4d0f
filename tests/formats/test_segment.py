"""What `vindex3 dump` says of segments, whole and damaged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vindex3.formats import detect, dump_text, formats
from vindex3_fixtures.annotated import assemble
from vindex3_fixtures.container.segment import Segment, Tensor

if TYPE_CHECKING:
    from pathlib import Path

PAIR = Segment("a.b@F32", (Tensor("x", "F32", (2,)), Tensor("y", "U8", (3,))), extra={"by": "hand"})
WHOLE = """\
   0  B8 00 00 00 00 00 00 00  ; header length = 184 bytes
   8  7B 22 73 63 68 65 6D 61 22 3A 31 2C 22 72 65 70  ; header, \
{"schema":1,"representation":"a.b@F32","tensors":[
  24  72 65 73 65 6E 74 61 74 69 6F 6E 22 3A 22 61 2E  ; +16
  40  62 40 46 33 32 22 2C 22 74 65 6E 73 6F 72 73 22  ; +32
  56  3A 5B                    ; +48
  58  7B 22 6E 61 6D 65 22 3A 22 78 22 2C 22 64 74 79  ; tensors[0], \
{"name":"x","dtype":"F32","shape":[2],"offset":0,"len":8},
  74  70 65 22 3A 22 46 33 32 22 2C 22 73 68 61 70 65  ; +16
  90  22 3A 5B 32 5D 2C 22 6F 66 66 73 65 74 22 3A 30  ; +32
 106  2C 22 6C 65 6E 22 3A 38 7D 2C  ; +48
 116  7B 22 6E 61 6D 65 22 3A 22 79 22 2C 22 64 74 79  ; tensors[1], \
{"name":"y","dtype":"U8","shape":[3],"offset":8,"len":3}
 132  70 65 22 3A 22 55 38 22 2C 22 73 68 61 70 65 22  ; +16
 148  3A 5B 33 5D 2C 22 6F 66 66 73 65 74 22 3A 38 2C  ; +32
 164  22 6C 65 6E 22 3A 33 7D  ; +48
 172  5D 2C 22 62 79 22 3A 22 68 61 6E 64 22 7D  ; header, ],"by":"hand"}
 186  20 20 20 20 20 20        ; header padding
 192  00 01 02 03 04 05 06 07  ; x, F32 [2], 8 bytes
 200  08 09 0A                 ; y, U8 [3], 3 bytes
"""


def test_a_segment_is_named_to_its_last_byte() -> None:
    """Length, header row by row, padding and tensors follow each other, and nothing is marked."""
    assert dump_text(PAIR.bytes()) == WHOLE


@pytest.mark.parametrize(
    ("segment", "line"),
    [
        (
            replace(PAIR, stored_length=268_435_457),
            "   0  01 00 00 10 00 00 00 00  ; header length = 268,435,457 bytes"
            "  ! header-too-large: the limit is 268,435,456",
        ),
        (
            replace(PAIR, stored_length=200),
            "   0  C8 00 00 00 00 00 00 00  ; header length = 200 bytes"
            "  ! truncated: the file ends 5 bytes before the header does",
        ),
        (
            replace(PAIR, stored_rows=[PAIR.true_rows[1]]),
            " 128  00 01 02 03 04 05 06 07  ; gap  ! table-layout: no tensor has these bytes",
        ),
        (
            replace(PAIR, stored_rows=[PAIR.true_rows[0]]),
            " 152  08 09 0A                 ; payload that no row has = ...  ! table-layout",
        ),
        (
            replace(PAIR, stored_rows=[{**PAIR.true_rows[0], "len": 9}, PAIR.true_rows[1]]),
            " 201  09 0A                    ; y, +1  ! table-layout: overlap",
        ),
    ],
    ids=["too_large", "truncated", "gap", "trailing", "overlap"],
)
def test_what_is_wrong_stands_where_it_is(segment: Segment, line: str) -> None:
    """Each fault has its mark, by the law's kind, on the line of the bytes that it is about."""
    text = dump_text(segment.bytes(), form="segment")
    assert line in text.splitlines()
    assert text.count("  ! ") == 1


def test_a_header_that_is_no_json_is_shown_as_text() -> None:
    """A header of another grammar keeps its bytes and says so; the payload has no names then."""
    text = dump_text(replace(PAIR, stored_text=b'{"schema":1,}').bytes())
    assert '; header, {"schema":1,}  ! malformed-json' in text
    assert "; payload that no row has" in text


def test_a_segment_is_recognised_by_its_frame(tmp_path: Path) -> None:
    """A framed header says what a file is under any name; one that claims too much needs the usual name."""
    framed, damaged = tmp_path / "anything", tmp_path / "object@BF16.bin"
    framed.write_bytes(PAIR.bytes())
    damaged.write_bytes(replace(PAIR, stored_length=1 << 40).bytes())
    assert detect(framed) is detect(damaged) is formats()["segment"]
    assert detect(damaged.read_bytes()) is None
    damaged.write_bytes(b"\xff" * 4)
    assert detect(damaged) is None
    assert "! truncated: a header length has 8 bytes" in dump_text(damaged, form="segment")


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.data())
def test_every_damaged_segment_is_given_back(data: st.DataObject) -> None:
    """Whatever bytes change and wherever the file is cut, the dump assembles to it."""
    damaged = bytearray(PAIR.bytes())
    for at in data.draw(st.lists(st.integers(0, len(damaged) - 1), max_size=4)):
        damaged[at] = data.draw(st.integers(0, 255))
    cut = bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    assert assemble(dump_text(cut, form="segment")) == cut
