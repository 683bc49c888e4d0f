"""The assembler, judged by literal bytes."""

from pathlib import Path

import pytest

from vindex3_fixtures.annotated import NotationError, assemble, assemble_files, assemble_to, assemble_tree

GIB = 1 << 30


@pytest.mark.parametrize(
    ("line", "data"),
    [
        ("0  4C 59 52 57  ; header.magic = LYRW", b"LYRW"),
        ("   0  4c", b"\x4c"),
        ("hex 4c 59", b"LY"),
        ("0  0A, 0B,0C", b"\x0a\x0b\x0c"),
        ("u8 1 255", b"\x01\xff"),
        ("u16 3", b"\x03\x00"),
        ("u16 0xFFFE", b"\xfe\xff"),
        ("u32 1, 2", b"\x01\0\0\0\x02\0\0\0"),
        ("u64 18446744073709551615", b"\xff" * 8),
        ("i8 -1 i16 -2 i32 -3 i64 -4", b"\xff\xfe\xff\xfd\xff\xff\xff\xfc" + b"\xff" * 7),
        ("f16 1.5", b"\x00\x3e"),
        ("f32 -2 0.25", b"\x00\x00\x00\xc0\x00\x00\x80\x3e"),
        ("f64 1e1", b"\0\0\0\0\0\0\x24\x40"),
        ("f16 inf -inf -0", b"\x00\x7c\x00\xfc\x00\x80"),
        ('text "LYRW"', b"LYRW"),
        (r'text "a;b\n\"\\\x00\t"  ; a comment', b'a;b\n"\\\0\t'),
        ("zeros 3", b"\0\0\0"),
        ("hole 3", b"\0\0\0"),
        ("repeat 3 AB", b"\xab\xab\xab"),
        ("repeat 2 00 3C u16 5", b"\x00\x3c\x05\x00\x00\x3c\x05\x00"),
        ('repeat 2 text "ab" zeros 1', b"ab\0ab\0"),
        ("repeat 0 FF", b""),
        ("ramp 4 10", b"\x10\x11\x12\x13"),
        ("ramp 4 FE 03", b"\xfe\x01\x04\x07"),
        ("0  01 02 u16 3 hex 04 at 5 u8 5", b"\x01\x02\x03\x00\x04\x05"),
        ('| {"a": 1} ; kept', b'{"a": 1} ; kept\n'),
        ("|", b"\n"),
        ("   0 |   two spaces", b"  two spaces\n"),
        ("| über", "über\n".encode()),
        ("; only a comment", b""),
        ("", b""),
        ("0", b""),
    ],
)
def test_a_line_gives_its_bytes(line: str, data: bytes) -> None:
    """Each word of the notation gives exactly the bytes that the notation's page states."""
    assert assemble(line) == data


def test_lines_follow_each_other_without_gap() -> None:
    """Lines are joined in their order, empty lines, comments and carriage returns adding nothing."""
    text = "   0  01 00   ; one\r\n\r\n; and\n   2  zeros 6\n   8  FF  ; at eight\nat 9"
    assert assemble(text) == b"\x01\0\0\0\0\0\0\0\xff"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("0  01\n2  02", 2, "the offset column says 2, and 1 bytes stand before it"),
        ("zeros 3 at 4", 1, "`at` says 4, and 3 bytes stand before it"),
        ("00 | x\n5 | y", 2, "the offset column says 5, and 2 bytes stand before it"),
        ("4C 59", 1, "'4C' begins no line; bytes need their offset in front, or the word `hex`"),
        ("bytes 3", 1, "'bytes' begins no line"),
        ("0  4", 1, "'4' is no byte of two hexadecimal digits"),
        ("0  4C59", 1, "'4C59' is no byte of two hexadecimal digits"),
        ("0  0G", 1, "'0G' is no byte of two hexadecimal digits"),
        ("\n\nu16 65536", 3, "65536 does not fit u16"),
        ("u8 -1", 1, "-1 does not fit u8"),
        ("u8 1.5", 1, "'1.5' is no integer"),
        ("u16", 1, "`u16` needs a value"),
        ("text", 1, "`text` needs a value"),
        ("zeros", 1, "`zeros` needs a value"),
        ("zeros u8 1", 1, "`zeros` needs a value"),
        ("zeros -1", 1, "'-1' is no decimal number up to 4611686018427387904"),
        (
            "zeros 99999999999999999999",
            1,
            "'99999999999999999999' is no decimal number up to 4611686018427387904",
        ),
        ("f16 0.1", 1, "no f16 is exactly 0.1; write its bytes"),
        ("f16 65536", 1, "65536 does not fit f16"),
        ("f32 1e39", 1, "1e39 does not fit f32"),
        ("f64 1e999", 1, "1e999 does not fit f64"),
        ("f32 nan", 1, "'nan' is no decimal number; a NaN is written as bytes"),
        ('text "abc', 1, "a text without its closing quote: '\"abc'"),
        ("text abc", 1, "abc is no ASCII text in double quotes"),
        ('text "ü"', 1, '"ü" is no ASCII text in double quotes'),
        (r'text "\q"', 1, r"'\\q' is no escape; there are \n \r \t \0 \\ \" and \xHH"),
        ("repeat 2", 1, "`repeat` has nothing to repeat"),
        ("repeat 2 hole 8", 1, "`hole` cannot stand behind `repeat`"),
        ("repeat 2 repeat 2 00", 1, "`repeat` cannot stand behind `repeat`"),
        ("repeat 2 zeros 1048577", 1, "`repeat` repeats at most 1048576 bytes"),
        ("ramp 4", 1, "`ramp` needs a count, the first byte, and the step where it is not 01"),
        ("ramp 4 00 01 02", 1, "`ramp` needs a count, the first byte, and the step where it is not 01"),
        ("|x", 1, "one space stands between `|` and its text"),
        ("0  00\n1  omitted 4096", 2, "a dump left bytes out here; dump the file with --all"),
        ("file index.json\n| {}", 1, "a `file` line stands in a text that describes one file"),
        (
            "repeat 4611686018427387904 00 00",
            1,
            "the file is larger than 4611686018427387904 bytes",
        ),
    ],
)
def test_an_error_names_line_and_fault(text: str, line: int, what: str) -> None:
    """A wrong text is refused with the number of its line and what is wrong there."""
    with pytest.raises(NotationError) as caught:
        assemble(text)
    assert (caught.value.line, caught.value.what) == (line, what)
    assert str(caught.value) == f"line {line}: {what}"


def test_a_large_result_is_refused_before_it_is_built() -> None:
    """What is larger than the stated bound is refused, and sparse texts have to go to a file."""
    with pytest.raises(
        NotationError, match="the text gives 4294967297 bytes; at most 67108864 are assembled"
    ):
        assemble(f"hole {4 * GIB}\n{4 * GIB}  FF")
    assert assemble("zeros 5", limit=5) == bytes(5)
    with pytest.raises(NotationError, match="gives 5 bytes; at most 4"):
        assemble("zeros 5", limit=4)


def test_a_hole_is_not_stored(tmp_path: Path) -> None:
    """A file of more than 4 GiB with a hole takes the room of its bytes alone."""
    path = tmp_path / "sparse"
    length = assemble_to(f"0  01 02\n2  hole {5 * GIB}\nu16 0xABCD\nhole 7", path)
    assert length == path.stat().st_size == 2 + 5 * GIB + 2 + 7
    assert path.stat().st_blocks * 512 < 1 << 20
    with path.open("rb") as file:
        assert file.read(4) == b"\x01\x02\0\0"
        file.seek(5 * GIB)
        assert file.read() == b"\0\0\xcd\xab" + bytes(7)


def test_a_wrong_text_writes_nothing(tmp_path: Path) -> None:
    """A text whose last line is wrong leaves no file behind."""
    with pytest.raises(NotationError, match="line 2"):
        assemble_to("zeros 5\n4  00", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


TREE = """\
; a folder of two files
file index.json          ; a document
   0 | {"schema_version": 4,
| "layers": []}
file layers/000.bin
   0  4C 59
at 2
"""


def test_sections_give_several_files(tmp_path: Path) -> None:
    """Each `file` line begins a file of its own, whose offsets begin at 0."""
    files = {"index.json": b'{"schema_version": 4,\n"layers": []}\n', "layers/000.bin": b"LY"}
    assert assemble_files(TREE) == files
    paths = assemble_tree(TREE, tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == list(files)
    assert {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in paths} == files


@pytest.mark.parametrize("name", ["", "/etc/x", "../x", "a/../b", "a//b", "a\\b", ".", "./a", "c:x", "a\tb"])
def test_a_section_stays_in_its_folder(name: str) -> None:
    """A section's name is a plain relative path."""
    with pytest.raises(NotationError, match="is no relative file name"):
        assemble_files(f"file {name}\n0  00")


def test_sections_are_told_apart() -> None:
    """Bytes before the first section, and a section given twice, are refused."""
    with pytest.raises(NotationError, match="line 1: bytes stand before the first `file` line"):
        assemble_files("0  00\nfile a")
    with pytest.raises(NotationError, match="line 3: file 'a' is described twice"):
        assemble_files("file a\n0  00\nfile a")
    with pytest.raises(NotationError, match="gives 2 bytes; at most 1"):
        assemble_files("file a\nzeros 3\nfile b\nzeros 2", limit=4)
