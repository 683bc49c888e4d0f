"""`vindex3 inspect`: layer files and manifests described, as text and as the observation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_vindex3 import formats
from vindex3_fixtures.goldens import goldens
from vindex3_fixtures.lyrw.manifest import ExpertBank
from vindex3_fixtures.real.layer_files import good, malformed

WORKED = goldens()["lyrw/dense_f32_worked"].path
PAGE = """\
dense_f32_worked.lyrw: LYRW v2, layer 3, 1 bank, 328 B

  file          328 bytes
  tables        168 bytes, then 24 bytes of padding
  payload       from 192, 136 bytes
  header flags  0, the whole layer

tables, 192 bytes with padding, magnified
  +----------+--------+----------+----------------+----------------+-----------+
  |  header  | banks  | segments |    schemas     |   entry rows   |  padding  |
  +----------+--------+----------+----------------+----------------+-----------+
  0          24       48         60               120              168       192

bank 0: dense, 1 entry
  dimensions  input 3, intermediate 2, output 1
  browse      direct (flags 1)
  an entry    192 bytes, of it 136 of gaps, 14 values, 109.71 bits each

  #  role  format  packing, layout  rows x cols  bytes  bits
  0  gate  f32     row_major              2 x 3     24    32
  1  up    f32     row_major              2 x 3     24    32
  2  down  f32     row_major              1 x 2      8    32

segments in this file
  bank  segment  entries  how many
     0        0        0    1 of 1
"""


@pytest.fixture
def real(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a real file by its name."""

    def copy(name: str) -> Path:
        path = tmp_path / f"{name}.lyrw"
        path.write_bytes(good()[name].data if name in good() else malformed()[name])
        return path

    return copy


def test_the_worked_example_reads_so(run: Callable[..., Any]) -> None:
    """A piped description is plain ASCII with header, tables, bank, schemas and segments."""
    assert run("inspect", WORKED) == (0, PAGE, "")


@pytest.mark.parametrize("name", sorted(good()))
def test_json_is_the_observation(name: str, real: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """`--json` prints what the file's own programs recorded of it, as lyrw.parse answers."""
    done = run("inspect", "--json", real(name))
    assert done.code == 0
    observed = json.loads(done.out)
    expected = dict(good()[name].observation)
    for side in (observed, expected):
        side["unknown"] = sorted(side["unknown"], key=lambda item: (item["where"], item["field"]))
    assert observed == expected


def test_unknown_values_and_pairs_are_told(real: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """Unknown tags stand in a table of their own, and in the schemas by number; pairs by both sides."""
    text = run("inspect", real("unknown_tags")).out
    assert "  banks[0].schemas[3]  layout     903\n" in text
    assert "bank 4: kind 55 (unknown), 2 entries\n" in text
    assert "  1  9 (unknown)    901 (unknown)   902 (unknown)" in text
    assert (
        "  pair 1      schema 0 gate_up_fused + schema 1 scales\n"
        in run("inspect", real("fused_mxfp4_down_q6k")).out
    )


def test_a_file_of_several_says_so(real: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """Header flag bit 0 and the part of the population that is here are told."""
    text = run("inspect", real("split_seg1")).out
    assert "  header flags  1, one file of several that make up the layer\n" in text
    assert "     0        1   4 to 7    4 of 8\n" in text


def test_what_deserves_attention_is_remarked(
    tmp_path: Path, real: Callable[[str], Path], run: Callable[..., Any]
) -> None:
    """Missing payload, cut tables and a fused layout that is not said have remarks; sound files have none."""
    cut = tmp_path / "cut.lyrw"
    cut.write_bytes(WORKED.read_bytes()[:150])
    text = run("inspect", cut).out
    assert "  payload       none in this file\n" in text
    assert "! the file ends at 150, inside its entry tables\n" in text
    assert "! by their rules the regions take 56 bytes, which is more payload than there is" in text
    text = run("inspect", real("role_duplicated")).out
    assert "! bank 7: how gate and up lie in gate_up_fused is not said\n" in text
    assert "!" not in PAGE


def test_a_refused_file_is_shown_at_the_place(real: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """Kind, facts, sentence, and the bytes with their names; exit code 3. As JSON: kind, message, names."""
    path = real("layout_on_down")
    assert run("inspect", path) == (
        3,
        f"{path}: refused as layout-on-non-fused\n"
        "  bank_id = 7\n"
        "  schema_index = 1\n"
        '  role = "down"\n'
        '  layout = "contiguous_halves"\n'
        "  schema 1 of bank 7: layout contiguous_halves on role down\n"
        "    82  03 00                    ; schema 1.role = 3 down\n"
        "    84  01 00                    ; schema 1.format = 1 f16\n"
        "    86  00 00                    ; schema 1.packing = 0 row_major\n"
        "    88  FF FF                    ; schema 1.pair_id = 0xFFFF unpaired\n"
        "    90  01 00                    ; schema 1.layout = 1 contiguous_halves"
        "  ! layout-on-non-fused: down\n",
        "",
    )
    done = run("inspect", "--json", path)
    assert done.code == 3
    refused = json.loads(done.out)["refused"]
    assert list(refused) == ["kind", "message", "names"]
    assert refused["kind"] == "layout-on-non-fused"


def test_a_cut_file_is_shown_at_its_end(real: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """Of a truncated file the last bytes are shown, and what is missing."""
    text = run("inspect", real("trunc_header_23")).out
    assert "    16  00 00 00 00              ; header.flags = 0\n" in text
    assert "  ; the file ends here  ! truncated: header, the record at 0 needs 24 bytes and has 23\n" in text


def test_several_files_are_described_in_order(real: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """Every file has its page or its line of JSON; one refused file makes the exit code 3."""
    files = (real("version_3"), WORKED, real("dense_f32"))
    done = run("inspect", *files)
    assert done.code == 3
    assert done.out.index("wrong-generation") < done.out.index("layer 3,") < done.out.index("dense_f32.lyrw")
    lines = run("inspect", "--json", *files).out.splitlines()
    assert [next(iter(json.loads(line))) for line in lines] == ["refused", "header", "header"]


def test_a_manifest_is_described(run: Callable[..., Any]) -> None:
    """Banks with programme and storage, routers with their selection; as JSON the answer of moe.load."""
    golden = goldens()["moe/shared_routed"]
    text = run("inspect", golden.path).out
    assert "moe_manifest.json: moe manifest, version 1, 1 layer\n" in text
    assert "  4294967295  residual  routed       64  shared-routed-mlp-v1  last/routed  not said\n" in text
    assert "shared        1  gated-mlp-v1          last/shared  1 / 4294967295 / 3\n" in text
    assert "router  softmax     2                renormalise, shared_expert_sink  none\n" in text
    expected = json.loads(golden.path.with_name("expected.json").read_text("utf-8"))["requests"][0]
    assert expected["verb"] == "moe.load"
    assert json.loads(run("inspect", "--json", golden.path).out) == expected["answer"]


def test_a_manifest_without_layers_is_described(tmp_path: Path, run: Callable[..., Any]) -> None:
    """No listed layer means that all are dense, which is said; the shape of the document is enough."""
    path = tmp_path / "other.json"
    path.write_text('{"schema_version": 1, "layers": []}', "utf-8")
    done = run("inspect", path)
    assert done.code == 0
    assert "none: every layer is dense" in done.out


def test_a_broken_manifest_is_shown_at_the_place(tmp_path: Path, run: Callable[..., Any]) -> None:
    """Where the grammar breaks, the bytes there are shown by their line; a missing field has its path."""
    path = tmp_path / "moe_manifest.json"
    path.write_text('{"schema_version": 1,\n "layers": [}\n', "utf-8")
    done = run("inspect", path)
    assert done.code == 3
    assert f"{path}: refused as malformed-json\n" in done.out
    assert "  offset = 34\n  line = 2\n" in done.out
    assert '; line 2 =  "layers": [}.\n' in done.out
    path.write_text('{"schema_version": 1, "layers": [{"layer": 4}]}', "utf-8")
    assert '  field = "layers[0].input_space"\n' in run("inspect", path).out


def test_text_from_a_file_moves_no_cursor(tmp_path: Path, run: Callable[..., Any]) -> None:
    """Control characters and markup of a hostile document are spelled out, and long texts are cut."""
    bank = ExpertBank(storage="[red]\x1b[2J\x07" + "x" * 1000).observation()
    golden = json.loads(goldens()["moe/gated_mlp"].path.read_text("utf-8"))
    golden["layers"][0]["routed_bank"] = bank
    path = tmp_path / "moe_manifest.json"
    path.write_text(json.dumps(golden), "utf-8")
    text = run("inspect", path).out
    assert r"[red]\x1b[2J\x07xxx" in text
    assert "\x1b" not in text
    assert "x" * 500 not in text


def test_a_terminal_gets_boxes_and_colour(on_terminal: Callable[..., Any]) -> None:
    """On a terminal nothing is wider than it is; colour is left out where NO_COLOR is set."""
    fancy = on_terminal(80, "inspect", WORKED)
    assert "\x1b[30;46m" in fancy.text
    assert "\u250c\u2500" in fancy.text
    assert max(map(len, fancy.bare.splitlines())) <= 80
    plain = on_terminal(80, "inspect", WORKED, NO_COLOR="1")
    assert "\x1b[30;46m" not in plain.text
    assert plain.bare == fancy.bare


def test_a_narrow_terminal_folds_cells(real: Callable[[str], Path], on_terminal: Callable[..., Any]) -> None:
    """Cells of a table that is too wide are folded behind spaces and underscores."""
    lines = on_terminal(80, "inspect", real("fused_mxfp4_down_q6k")).bare.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split() for line in lines if "blocks_with_" in line or "scales_inline" in line] == [
        ["2", "down", "q6_k", "blocks_with_", "32", "x", "256", "6,720", "6.5625"],
        ["scales_inline", "(6.6", "KiB)"],
    ]


def test_what_cannot_be_described_is_usage(
    tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No known format, no such file and a format without the capability end with 2; no file with 5."""
    other = tmp_path / "notes.txt"
    other.write_text("notes", "utf-8")
    done = run("inspect", other)
    assert (done.code, done.out) == (2, "")
    assert "is of no format that is known here (json, lyrw, moe_manifest" in done.err
    assert run("inspect", tmp_path / "nothing").code == 2
    assert run("inspect", tmp_path / "nothing.lyrw").code == 3
    assert run("inspect", "--format", "none", WORKED).code == 2
    assert run("inspect") == (5, "", "no file was given\n")

    class Plain:
        name = "plain"

        def detect(self, leading: bytes, name: str) -> bool:
            return leading == b"notes"

        def spans(self, source: object) -> Any:
            raise AssertionError("inspecting asks for no spans")

    monkeypatch.setattr(formats, "formats", lambda: {"plain": Plain()})
    done = run("inspect", other)
    assert (done.code, done.out) == (2, "")
    assert "files of the format plain are not described by themselves; dump shows them" in done.err
    assert (
        "files of the format plain are not judged by themselves; dump shows them" in run("verify", other).err
    )
