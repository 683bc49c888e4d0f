"""A dump is the file: assembled, it gives every byte back, whatever the bytes are."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vindex3.formats import SMALL, Line, dump, dump_text
from vindex3_fixtures.annotated import assemble, assemble_to
from vindex3_fixtures.goldens import goldens, root, sparse_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHIPPED = [
    path.relative_to(root()).as_posix()
    for golden in goldens().values()
    if not golden.made
    for path in sorted([golden.path, *golden.path.rglob("*")])
    if path.is_file()
]
WORKED = goldens()["lyrw/split_second_worked"].path.read_bytes()
MIB = 1 << 20

examples = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def holds(data: bytes) -> None:
    """The dump of `data`, as recognised and as LYRW, assembles to it, and its lines cover it once."""
    for form in (None, "lyrw"):
        assert assemble(dump_text(data, form=form)) == data
    place = 0
    for line in dump(data, form="lyrw"):
        assert (line.offset, line.length) == (place if line.length else line.offset, line.length)
        assert place == line.offset or not line.length
        place += line.length
    assert place == len(data)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_golden_survives(name: str) -> None:
    """The dump of every golden, damaged ones included, gives the golden back."""
    path = root() / name
    assert assemble(dump_text(path)) == path.read_bytes()
    holds(path.read_bytes())


def test_every_prefix_survives() -> None:
    """A file that ends at any byte of the worked example is named and given back."""
    for length in range(len(WORKED) + 1):
        holds(WORKED[:length])


@pytest.mark.parametrize("flip", [0x01, 0xFF])
def test_every_flipped_byte_survives(flip: int) -> None:
    """A worked example with any one byte of its tables and padding changed is named and given back."""
    for place in range(192):
        holds(WORKED[:place] + bytes([WORKED[place] ^ flip]) + WORKED[place + 1 :])


@examples
@given(st.binary(max_size=600) | st.binary(max_size=300).map(lambda data: b"LYRW\x02\0\0\0" + data))
def test_any_bytes_survive(data: bytes) -> None:
    """Bytes of no format, and bytes after the beginning of a LYRW header, are given back."""
    holds(data)


@examples
@given(
    st.lists(st.tuples(st.integers(0, len(WORKED) - 1), st.integers(0, 255)), max_size=12),
    st.integers(0, len(WORKED)),
    st.binary(max_size=80),
)
def test_a_damaged_file_survives(changes: list[tuple[int, int]], cut: int, tail: bytes) -> None:
    """Any few changes, a cut and a tail leave a file that is named and given back."""
    data = bytearray(WORKED)
    for place, byte in changes:
        data[place] = byte
    holds(bytes(data))
    holds(bytes(data[:cut]) + tail)


@examples
@given(
    st.lists(st.tuples(st.integers(0, 700), st.integers(0, 700)), max_size=12),
    st.binary(max_size=400),
)
def test_any_rows_survive(layer: Callable[..., bytes], rows: list[tuple[int, int]], payload: bytes) -> None:
    """Regions that overlap, nest, touch, are empty, leave the file or lie in the tables are given back."""
    holds(layer(rows, payload))


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(lambda number, start, end: (number % 3, end), id="all-claim-everything"),
        pytest.param(
            lambda number, start, end: (start + number, max(0, end - start - 2 * number)), id="nested"
        ),
        pytest.param(lambda number, start, end: (end, 0), id="all-empty-at-the-end"),
        pytest.param(lambda number, start, end: (start, number), id="all-begin-together"),
    ],
)
def test_a_dump_is_linear_in_the_file(
    row: Callable[[int, int, int], tuple[int, int]], layer: Callable[..., bytes]
) -> None:
    """However rows claim the file, its dump has at most three lines for every eight bytes of file."""
    number, rest = 2000, bytes(range(256)) * 125
    start = 80 + 16 * number
    data = layer([row(index, start, start + len(rest)) for index in range(number)], rest)
    lines = list(dump(data))
    assert len(lines) <= 3 * len(data) / 8
    assert sum(len(line.text(7)) for line in lines) < 20 * len(data)
    assert assemble(dump_text(data)) == data


def test_declared_counts_take_no_lines(layer: Callable[..., bytes]) -> None:
    """A file of 80 bytes that declares 2^32 - 1 entries of 65535 schemas is a few lines."""
    assert len(list(dump(layer([], entries=0xFFFFFFFF)))) < 40
    assert len(list(dump(layer([], entries=0xFFFFFFFF, schemas=0xFFFF, present=1)))) < 40
    assert len(list(dump(layer([], entries=0xFFFFFFFF, schemas=0)))) < 40


def test_a_large_file_is_shown_by_its_beginnings(
    layer: Callable[..., bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the size of a small file long regions are cut unless everything is asked for; tables never."""
    assert SMALL == MIB
    monkeypatch.setattr("pytest_vindex3.formats.SMALL", 4096)
    data = layer([(128, 8192)], bytes(32) + bytes(range(256)) * 32)
    path = tmp_path / "large.lyrw"
    path.write_bytes(data)
    short = list(dump(path, everything=False))
    assert [line.body for line in short[-2:]] == [
        "30 31 32 33 34 35 36 37 38 39 3A 3B 3C 3D 3E 3F",
        "omitted 8128",
    ]
    assert sum(line.length for line in short) == len(data)
    full = list(dump(path))
    assert short[:-1] == full[: len(short) - 1]
    assert assemble("".join(f"{line.text(4)}\n" for line in full)) == data


def test_a_sparse_file_is_dumped_without_being_read_whole(tmp_path: Path) -> None:
    """More than 8 GiB of file are a few lines, which write the same sparse file again."""
    if not sparse_files(tmp_path):
        pytest.skip("the file system has no sparse files")
    path = goldens()["lyrw/beyond_4gib"].hand_out(tmp_path)
    text = dump_text(path)
    assert len(text.splitlines()) < 70
    assert "       208  hole 4294967024          ; padding" in text.splitlines()
    again = tmp_path / "again"
    assert assemble_to(text, again) == path.stat().st_size
    assert again.stat().st_blocks * 512 < MIB
    assert dump_text(again, form="lyrw") == text


def test_a_table_that_is_a_hole_is_one_line(tmp_path: Path, layer: Callable[..., bytes]) -> None:
    """An entry table of 2^26 rows of zeros in a sparse file is a single line."""
    if not sparse_files(tmp_path):
        pytest.skip("the file system has no sparse files")
    path = tmp_path / "hole.lyrw"
    with path.open("wb") as file:
        file.write(layer([], entries=1 << 26))
        file.truncate(80 + (16 << 26))
    lines = list(dump(path))
    assert len(lines) < 40
    assert lines[-1] == Line(
        80, 16 << 26, b"\0", "entry 0 schema 0", "", "67108864 rows of zeros, up to entry 67108863 schema 0",
        ("region-in-tables",),
    )  # fmt: skip


def test_more_rows_than_are_mapped(layer: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of more rows than the dump looks up says so, and judges no byte between regions."""
    monkeypatch.setattr("pytest_vindex3.formats.lyrw.payload.MAPPED", 2)
    data = layer([(128, 4), (132, 4), (136, 4)], struct.pack("<3f", 1, 2, 3))
    lines = dump_text(data).splitlines()
    assert "; below, only the regions of the first 2 rows have names" in lines
    assert lines[-1] == " 136  00 00 40 40              ; of other regions, or padding = ..@@"
    assert "  ! " not in "".join(lines[-3:])
    holds(data)
