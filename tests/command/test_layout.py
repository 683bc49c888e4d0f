"""`vindex3 layout`: the worked layouts to the byte, the page, the drawing, refusals and usage."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.goldens import goldens

EXPERTS = ("--experts", 32, "--input", 2048, "--intermediate", 6144, "--output", 2048)
K3 = ("--experts", 896, "--input", 3584, "--intermediate", 3072, "--format", "q6_k")
SVG = "{http://www.w3.org/2000/svg}"
DENSE_PLAN = {
    "header": {"logical_layer": 3, "flags": 0},
    "banks": [
        {
            "bank_id": 0,
            "kind": "dense",
            "flags": 1,
            "num_entries": 1,
            "input_dim": 3,
            "intermediate_dim": 2,
            "output_dim": 1,
            "schemas": [
                {
                    "role": role,
                    "format": "f32",
                    "packing": "row_major",
                    "pair_id": None,
                    "layout": "unspecified",
                    "rows": rows,
                    "cols": cols,
                }
                for role, rows, cols in (("gate", 2, 3), ("up", 2, 3), ("down", 1, 2))
            ],
        }
    ],
    "segments": [{"bank_id": 0, "segment_index": 0, "first_entry": 0, "entry_count": 1}],
}


def lengths(layout: Any) -> list[int]:
    """The length of each region of the first entry."""
    first = layout["regions"][0]["entry"]
    return [region["length"] for region in layout["regions"] if region["entry"] == first]


def offset(layout: Any, entry: int, schema: int) -> int:
    """Where the region of this entry and schema begins."""
    [found] = [
        region["offset"]
        for region in layout["regions"]
        if (region["entry"], region["schema_index"]) == (entry, schema)
    ]
    return int(found)


@pytest.mark.parametrize(
    ("recipe", "table_bytes", "payload_start", "region_lengths", "file_length"),
    [
        ((), 1124, 1152, [13369344, 6684672], 641729664),
        (("--roles", "gate,up,down"), 1656, 1664, [6684672] * 3, 641730176),
        (("--packing", "pair"), 2188, 2240, [12582912, 6291456, 786432, 393216], 641730752),
        (("--format", "q4_k"), 1124, 1152, [14155776, 7077888], 679478400),
        (("--format", "q6_k"), 1124, 1152, [20643840, 10321920], 990905472),
        (("--format", "q8_0"), 1124, 1152, [26738688, 13369344], 1283458176),
        (("--format", "f16"), 1124, 1152, [50331648, 25165824], 2415920256),
        (("--format", "f32"), 1124, 1152, [100663296, 50331648], 4831839360),
    ],
)
def test_32_experts_come_out_exactly(
    recipe: Sequence[str],
    table_bytes: int,
    payload_start: int,
    region_lengths: list[int],
    file_length: int,
    run: Callable[..., Any],
) -> None:
    """Each row of the worked layout of 32 experts: tables, first region, lengths, file."""
    layout = json.loads(run("layout", *EXPERTS, *recipe, "--json").out)
    assert layout["tables"]["table_bytes"] == table_bytes
    assert layout["tables"]["payload_start"] == layout["regions"][0]["offset"] == payload_start
    assert lengths(layout) == region_lengths
    assert layout["file_length"] == file_length
    assert len(layout["regions"]) == 32 * len(region_lengths)


def test_places_of_32_experts(run: Callable[..., Any]) -> None:
    """The offsets that the worked layout gives for its first row, in JSON and on the page."""
    layout = json.loads(run("layout", *EXPERTS, "--json").out)
    assert offset(layout, 0, 0) == 1152
    assert offset(layout, 0, 1) == 13370496
    assert offset(layout, 1, 0) == 20055168
    assert offset(layout, 31, 1) == 635044992
    text = run("layout", *EXPERTS).out
    assert "  file     641,729,664 bytes (612.0 MiB), 2.99 % of the cap of 20.00 GiB\n" in text
    assert "  tables   1,124 bytes (1.1 KiB), then 28 bytes of padding\n" in text
    assert "  payload  641,728,512 bytes (612.0 MiB) in 64 regions, no gaps\n" in text
    assert "      0            1,152   13,370,496   20,055,168\n" in text
    assert "     31      621,675,648  635,044,992  641,729,664\n" in text
    assert "37,748,736 values, 4.25 bits each\n" in text


@pytest.mark.parametrize(
    ("recipe", "table_bytes", "payload_start", "file_length", "tables"),
    [
        (("--entry-count", 448), 14436, 14464, 12138592384, [(0, 100, 14336)]),
        (("--first-entry", 448), 14436, 14464, 12138592384, [(1, 100, 14336)]),
        ((), 28772, 28800, 24277184640, [(0, 100, 28672)]),
        (("--segments", 2), 28784, 28800, 24277184640, [(0, 112, 14336), (1, 14448, 14336)]),
    ],
)
def test_k3_comes_out_exactly(
    recipe: Sequence[object],
    table_bytes: int,
    payload_start: int,
    file_length: int,
    tables: list[tuple[int, int, int]],
    run: Callable[..., Any],
) -> None:
    """Each row of the worked layout of 896 experts, with its segment records and their rows."""
    layout = json.loads(run("layout", *K3, *recipe, "--json").out)
    assert layout["tables"]["table_bytes"] == table_bytes
    assert layout["tables"]["payload_start"] == payload_start
    assert layout["file_length"] == file_length
    assert lengths(layout) == [18063360, 9031680]
    assert [
        (table["segment_index"], table["offset"], table["length"])
        for table in layout["tables"]["entry_tables"]
    ] == tables
    flags = json.loads(run("layout", *K3, *recipe, "--plan").out)["header"]["flags"]
    assert flags == (1 if len(layout["regions"]) == 896 else 0)


@pytest.mark.parametrize("first", [0, 448])
def test_places_of_a_k3_file(first: int, run: Callable[..., Any]) -> None:
    """The offsets that the worked layout gives for each of the two files; entries count over the bank."""
    halves = ("--first-entry", first, "--entry-count", 448)
    layout = json.loads(run("layout", *K3, *halves, "--json").out)
    assert offset(layout, first, 0) == 14464
    assert offset(layout, first, 1) == 18077824
    assert offset(layout, first + 1, 0) == 27109504
    assert offset(layout, first + 447, 0) == 12111497344
    assert offset(layout, first + 447, 1) == 12129560704
    text = run("layout", *K3, *halves).out
    assert f"  above 4 GiB   from 4,299,094,144 on: entry {first + 158}, down\n" in text
    assert "12,138,592,384 bytes (11.30 GiB)" in text
    assert "cap of 20.00 GiB (" not in text


def test_a_file_above_the_cap_is_told_how_to_split(run: Callable[..., Any]) -> None:
    """A layer above 20 GiB gets a remark with the number of files and the options for each."""
    text = run("layout", *K3).out
    assert "! the file passes the cap of 20.00 GiB (21,474,836,480 bytes)\n" in text
    assert (
        "! 2 files of up to 448 entries stay below it, the first with --first-entry 0 --entry-count 448, "
        "the next with --first-entry 448\n" in text
    )
    assert "a tick for every 32 entries" in text


def test_the_bars_are_to_scale(run: Callable[..., Any]) -> None:
    """The payload has a tick for each entry, and an entry its regions at their share of the columns."""
    lines = run("layout", *EXPERTS).out.splitlines()
    payload = lines.index("payload, 641,728,512 bytes (612.0 MiB), to scale, a tick for each of 32 entries")
    assert lines[payload + 1].count("+") == 33
    assert lines[payload + 2].strip() == f"|{'segment 0: entries 0 to 31':^76}|"
    assert lines[payload + 4].split() == ["1,152", "641,729,664"]
    entry = lines.index("entry 0, 20,054,016 bytes (19.1 MiB), to scale")
    edges = [column for column, letter in enumerate(lines[entry + 2]) if letter == "|"]
    assert edges == [2, 2 + 51, 2 + 77]  # 13,369,344 of 20,054,016 bytes are 2/3, and 2/3 of 77 are 51
    assert lines[entry + 4].split() == ["1,152", "13,370,496", "20,055,168"]


def test_a_piped_page_is_ascii_and_a_terminal_has_its_width(
    run: Callable[..., Any], on_terminal: Callable[..., Any]
) -> None:
    """A pipe gets ASCII without codes; a terminal gets boxes, colour and no line wider than it is."""
    assert run("layout", *EXPERTS).out.isascii()
    assert "\x1b" not in run("layout", *EXPERTS).out
    for columns in (80, 140):
        fancy = on_terminal(columns, "layout", *EXPERTS, "--packing", "pair")
        drawn = [line for line in fancy.bare.splitlines() if not line.startswith(("!", "tables,"))]
        assert max(map(len, drawn)) <= columns
        assert "\u2502" in fancy.bare
    assert "[30;46m" in fancy.text
    assert "[30;46m" not in on_terminal(80, "layout", *EXPERTS, NO_COLOR="1").text


def test_a_plan_file_is_laid_out(tmp_path: Path, run: Callable[..., Any]) -> None:
    """The worked plan of one dense bank gives the tables, the regions and the length that its bytes have."""
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(DENSE_PLAN), "utf-8")
    expected = {
        "tables": {
            "bank_table": 24,
            "segment_table": 48,
            "schema_table": 60,
            "entry_table": 120,
            "entry_tables": [{"bank_id": 0, "segment_index": 0, "offset": 120, "length": 48}],
            "table_bytes": 168,
            "payload_start": 192,
        },
        "regions": [
            {"bank_id": 0, "entry": 0, "schema_index": 0, "offset": 192, "length": 24},
            {"bank_id": 0, "entry": 0, "schema_index": 1, "offset": 256, "length": 24},
            {"bank_id": 0, "entry": 0, "schema_index": 2, "offset": 320, "length": 8},
        ],
        "file_length": 328,
    }
    assert json.loads(run("layout", path, "--json").out) == expected
    assert json.loads(run("layout", "-", "--json", stdin=json.dumps(DENSE_PLAN)).out) == expected
    text = run("layout", path).out
    assert "LYRW v2, layer 3: 1 dense entry, 328 B\n" in text
    assert "  payload  136 bytes in 3 regions, of it 80 bytes of gaps\n" in text


def test_what_inspect_prints_is_a_plan(run: Callable[..., Any]) -> None:
    """The observation of a file laid out gives the length of that file, several banks included."""
    path = goldens()["lyrw/shared_and_routed"].path
    observation = run("inspect", "--json", path).out
    layout = json.loads(run("layout", "-", "--json", stdin=observation).out)
    assert layout["file_length"] == path.stat().st_size
    text = run("layout", "-", stdin=observation).out
    assert text.count(" of bank ") == 2 * len(json.loads(observation)["banks"])


def test_the_plan_of_a_recipe_is_printed(run: Callable[..., Any]) -> None:
    """--plan prints the plan: the whole of it for a pair, and laid out it is what the recipe gives."""
    recipe = ("--experts", 16, "--input", 64, "--intermediate", 32, "--output", 96, "--packing", "pair")
    more = ("--formats", "mxfp4,f16", "--layer", 5, "--bank-id", 7, "--browse", "direct", "--segments", 2)
    printed = run("layout", *recipe, *more, "--group-extent", 8, "--plan").out
    fused = {"role": "gate_up_fused", "format": "mxfp4", "packing": "blocks_values", "pair_id": 0}
    assert json.loads(printed) == {
        "header": {"logical_layer": 5, "flags": 0},
        "banks": [
            {
                "bank_id": 7,
                "kind": "routed",
                "browse": "direct",
                "num_entries": 16,
                "input_dim": 64,
                "intermediate_dim": 32,
                "output_dim": 96,
                "schemas": [
                    {**fused, "layout": "contiguous_halves", "rows": 64, "cols": 64},
                    {
                        "role": "down",
                        "format": "f16",
                        "packing": "row_major",
                        "pair_id": None,
                        "layout": "unspecified",
                        "rows": 96,
                        "cols": 32,
                    },
                    {
                        **fused,
                        "role": "scales",
                        "packing": "blocks_scales",
                        "layout": "unspecified",
                        "rows": 64,
                        "cols": 64,
                    },
                ],
            }
        ],
        "segments": [
            {"bank_id": 7, "segment_index": 0, "first_entry": 0, "entry_count": 8},
            {"bank_id": 7, "segment_index": 1, "first_entry": 8, "entry_count": 8},
        ],
        "group_extent": 8,
    }
    assert run("layout", "-", stdin=printed).out == run("layout", *recipe, *more, "--group-extent", 8).out


def test_a_drawing_has_the_numbers(tmp_path: Path, run: Callable[..., Any]) -> None:
    """The drawing is well-formed; pieces have their bytes in a title and their share of the width."""
    target = tmp_path / "bank.svg"
    done = run("layout", *EXPERTS, "--svg", target)
    assert (done.code, done.err) == (0, f"drawn into {target}\n")
    root = ET.fromstring(target.read_text("utf-8"))
    told = {
        rect.findtext(f"{SVG}title"): float(rect.get("width", "0"))
        for rect in root.iter(f"{SVG}rect")
        if rect.find(f"{SVG}title") is not None
    }
    fused = told["gate_up_fused 12.8 MiB: 13369344 bytes, from 1152 to 13370496"]
    down = told["down 6.4 MiB: 6684672 bytes, from 13370496 to 20055168"]
    assert fused == pytest.approx(2 * down, abs=0.02)
    assert "entry rows: 1024 bytes, from 100 to 1124" in told
    assert "segment 0: entries 0 to 31: 641728512 bytes, from 1152 to 641729664" in told
    ticks = [line.findtext(f"{SVG}title") for line in root.iter(f"{SVG}line")]
    assert len(ticks) == 32
    assert ticks[31] == "tick 31 at 621675648"


def test_a_drawing_ticks_each_of_896_entries(tmp_path: Path, run: Callable[..., Any]) -> None:
    """However many entries there are on the page, the drawing marks each."""
    target = tmp_path / "k3.svg"
    run("layout", *K3, "--svg", target)
    places = [float(line.get("x1", "0")) for line in ET.parse(target).iter(f"{SVG}line")]
    assert len(places) == 896
    assert places == sorted(places)
    assert places[448] == pytest.approx((places[0] + places[-1]) / 2, abs=1)


@pytest.mark.parametrize(
    ("recipe", "kind", "fact"),
    [
        (("--format", "fp4_larql"), "unknown-length", '  format = "fp4_larql"\n'),
        (("--format", "fp5"), "unknown-value", '  field = "banks[0].schemas[0].format"\n'),
        (("--intermediate", 100), "partial-block", "  block = 32\n"),
        (("--experts", 0), "empty-bank", '  what = "entries"\n'),
        (("--experts", -1), "out-of-range", "  value = -1\n"),
        (("--first-entry", 30, "--entry-count", 3), "segment-out-of-bounds", "  end_entry = 33\n"),
        (("--layout", "unspecified"), "undeclared-fused-layout", "  schema_index = 0\n"),
        (("--entry-count", 12, "--group-extent", 8), "segment-off-extent", "  group_extent = 8\n"),
    ],
)
def test_a_refused_plan_is_told(
    recipe: Sequence[object], kind: str, fact: str, tmp_path: Path, run: Callable[..., Any]
) -> None:
    """Kind and facts are printed, the exit code is 3, and nothing is drawn."""
    target = tmp_path / "bank.svg"
    done = run("layout", *EXPERTS, *recipe, "--svg", target)
    assert done.code == 3
    assert done.out.startswith(f"the plan: refused as {kind}\n")
    assert fact in done.out
    assert not target.exists()
    done = run("layout", *EXPERTS, *recipe, "--json")
    assert (done.code, json.loads(done.out)["refused"]["kind"]) == (3, kind)


def test_a_plan_that_is_no_json_is_refused(tmp_path: Path, run: Callable[..., Any]) -> None:
    """A document that is none, or holds something else, is refused like any other plan."""
    path = tmp_path / "plan.json"
    path.write_text("{", "utf-8")
    assert "refused as malformed-json\n" in run("layout", path).out
    path.write_text("[1]", "utf-8")
    done = run("layout", path)
    assert (done.code, "refused as bad-type\n" in done.out) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "a recipe needs --experts, --input, --intermediate; or name a PLAN.json"),
        (("--experts", 4, "--input", 32), "a recipe needs --intermediate"),
        (("plan.json", "--experts", 4), "--experts would contradict plan.json"),
        (("nothing.json",), "nothing.json cannot be read: No such file or directory"),
        ((*EXPERTS, "--roles", "gate,bias"), "and not 'bias'; a plan file can have any role"),
        ((*EXPERTS, "--formats", "f16,f32,f16"), "3 formats are given for 2 roles"),
        ((*EXPERTS, "--segments", 33), "32 entries cannot be shared out among 33 segments"),
        ((*EXPERTS, "--segments", 0), "a file has one segment at least"),
        ((*EXPERTS, "--svg", "/nowhere/bank.svg"), "/nowhere/bank.svg cannot be written"),
    ],
)
def test_wrong_usage_ends_with_two(arguments: Sequence[object], said: str, run: Callable[..., Any]) -> None:
    """What is no recipe and no plan is said on stderr, with nothing on stdout."""
    done = run("layout", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split())


def test_an_enormous_plan_is_told_by_its_totals(run: Callable[..., Any]) -> None:
    """A plan of 8.6 billion regions is answered without looking at each: tables and length are exact."""
    done = run("layout", "--experts", 4294967295, "--input", 32, "--intermediate", 32)
    assert done.code == 0
    # 100 bytes of tables, 4294967295 x 2 rows of 16; entries of 1088 + 576 bytes, the last one of 1088 + 544.
    assert "  tables   137,438,953,540 bytes (128.00 GiB), then 60 bytes of padding\n" in done.out
    assert "  file     7,284,264,532,448 bytes (6.62 TiB), 339 times the cap of 20.00 GiB\n" in done.out
    assert "too many regions to mark each" in done.out
