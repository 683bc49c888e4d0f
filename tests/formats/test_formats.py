"""The registry of formats, pages about a few bytes, and the command."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pytest_vindex3.command.dump import command
from pytest_vindex3.formats import Format, annotate, detect, dump, formats
from vindex3_fixtures.annotated import assemble
from vindex3_fixtures.goldens import goldens

if TYPE_CHECKING:
    from pathlib import Path

WORKED = goldens()["lyrw/dense_f32_worked"].path


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `vindex3 dump`."""
    result = CliRunner().invoke(command, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_formats_are_found_by_their_modules() -> None:
    """Each public module of the package is a format with a name and the two functions."""
    assert "lyrw" in formats()
    assert all(isinstance(entry, Format) and entry.name == name for name, entry in formats().items())


def test_a_format_is_recognised_by_bytes_then_by_name(tmp_path: Path) -> None:
    """The magic decides; a damaged file of the usual name is still taken for one; others are unknown."""
    path = tmp_path / "layer_000.lyrw"
    path.write_bytes(b"WRYL")
    other = tmp_path / "layer_000.bin"
    other.write_bytes(b"LYRW\x01")
    assert detect(path) is detect(other) is detect(b"LYRW") is formats()["lyrw"]
    other.write_bytes(b"WRYL")
    assert detect(other) is None
    assert detect(b"") is None


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    """A path that is not there, a folder and a FIFO raise an OSError at once."""
    with pytest.raises(FileNotFoundError):
        detect(tmp_path / "nothing")
    with pytest.raises(OSError, match="is no regular file"):
        list(dump(tmp_path))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(OSError, match="is no regular file"):
            detect(tmp_path / "fifo")


def test_bytes_of_no_format_are_shown_as_text() -> None:
    """Unknown bytes have their ASCII beside them, long runs their number; no bytes are a remark."""
    assert [line.text(4) for line in dump(b"ab;\n" + bytes(40) + b"\xff" * 33)] == [
        "   0  61 62 3B 0A 00 00 00 00 00 00 00 00 00 00 00 00  ; ab;.............",
        "  16  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ; +16 = ................",
        "  32  00 00 00 00 00 00 00 00 00 00 00 00 FF FF FF FF  ; +32 = ................",
        "  48  repeat 29 FF             ; +48",
    ]
    assert [line.text(4) for line in dump(b"")] == ["; no bytes"]
    assert [line.text(4) for line in dump(b"", form="lyrw")] == [
        "; the file ends here  ! truncated: header, the record at 0 needs 24 bytes and has 0"
    ]


def test_a_page_gets_the_lines_around_its_bytes() -> None:
    """Lines that touch the bytes are given, whole, and never more than the limit."""
    assert annotate(WORKED.read_bytes(), 5, 6) == [
        "   4  02 00 00 00              ; header.format_version = 2"
    ]
    assert annotate(WORKED, 26, 28) == ["  26  00 00                    ; bank.bank_kind = 0 dense"]
    assert annotate(WORKED, 168, 200) == [
        " 168  zeros 24                 ; padding",
        " 192  00 00 80 3F 00 00 00 40 00 00 40 40 00 00 80 40"
        "  ; entry 0 schema 0 gate = 1, 2, 3, 4, as f32 row_major 2 x 3",
    ]
    page = annotate(WORKED, 0, 328, limit=5)
    assert len(page) == 5
    assert page[-1] == "; and so on up to 328"


def test_a_page_about_the_end_has_the_remark_there() -> None:
    """Asked for the place where a file is cut, the page says what is missing."""
    data = WORKED.read_bytes()[:95]
    remark = (
        "; the file ends here, 1 of 3 records are whole"
        "  ! truncated: region schema table, the record at 80 needs 20 bytes and has 15"
    )
    assert annotate(data, 92, 95) == [
        "  92  02 00 00                 ; schema 1.rows, cut: 3 of 4 bytes",
        remark,
    ]
    assert annotate(data, 95, 115) == [remark]


def test_the_command_prints_annotated_bytes() -> None:
    """Plain output is the notation: assembled, it gives the file back."""
    code, text, error = run(str(WORKED))
    assert (code, error) == (0, "")
    assert assemble(text) == WORKED.read_bytes()
    assert "\x1b" not in text


def test_the_command_shows_a_stretch() -> None:
    """Two offsets, decimal or hexadecimal, bound what is printed."""
    assert run(str(WORKED), "--from", "0x9", "--to", "13")[1] == (
        "   8  03 00 00 00              ; header.logical_layer = 3\n"
        "  12  01 00                    ; header.num_banks = 1\n"
    )
    assert run(str(WORKED), "--from", "400")[:2] == (0, "")


def test_the_command_prints_json() -> None:
    """The objects cover the file; a run is given by one of its bytes."""
    code, text, _ = run(str(WORKED), "--json")
    rows = json.loads(text)
    assert code == 0
    place = {"offset": 0, "length": 4, "hex": "4c595257"}
    assert rows[0] == {**place, "field": "header.magic", "value": "LYRW", "note": "", "marks": []}
    assert {"offset": 168, "length": 24, "hex": "00", "field": "padding"}.items() <= rows[-8].items()
    whole = b"".join(bytes.fromhex(row["hex"]) * (row["length"] * 2 // len(row["hex"])) for row in rows)
    assert whole == WORKED.read_bytes()
    assert json.loads(run(str(WORKED), "--json", "--from", "400")[1]) == []


def test_the_command_leaves_out_what_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large file the last line says how much is left out; --all leaves out nothing."""
    monkeypatch.setattr("pytest_vindex3.formats.SMALL", 4096)
    path = tmp_path / "large"
    path.write_bytes(bytes(range(256)) * 17)
    code, text, _ = run(str(path))
    assert code == 0
    assert text.splitlines()[-2:] == [
        "  64  omitted 4288             ; +64",
        "; 4288 bytes are left out; --all shows them",
    ]
    assert len(run(str(path), "--all")[1].splitlines()) == 272
    assert json.loads(run(str(path), "--json")[1])[-1]["hex"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "File 'nothing' does not exist."),
        ([str(WORKED.parent)], "is a directory."),
        ([str(WORKED), "--from", "-1"], "'-1' is no offset; write it as 192 or 0xC0"),
        ([str(WORKED), "--to", "x"], "'x' is no offset; write it as 192 or 0xC0"),
        ([str(WORKED), "--format", "nothing"], "'nothing' is none of "),
    ],
)
def test_wrong_usage_is_told_and_exits_2(arguments: list[str], said: str) -> None:
    """What cannot be shown is said on stderr, with exit code 2 and nothing on stdout."""
    code, text, error = run(*arguments)
    assert (code, text) == (2, "")
    assert said in error


def test_a_damaged_file_exits_0(tmp_path: Path) -> None:
    """Showing a damaged file is success: the marks say what is wrong."""
    path = tmp_path / "cut.lyrw"
    path.write_bytes(WORKED.read_bytes()[:30])
    code, text, _ = run(str(path))
    assert code == 0
    assert "  ! truncated: bank descriptor table, the record at 24 needs 24 bytes and has 6" in text
