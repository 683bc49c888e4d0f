"""lyrw.write: the worked files byte for byte, what is refused, and what then stands on the disk."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vindex3_fixtures
from vindex3_reference.lyrw.verbs import lyrw_layout, lyrw_parse, lyrw_region, lyrw_verify, lyrw_write

if TYPE_CHECKING:
    from collections.abc import Callable

    Key = tuple[int, int, int]

REAL = Path(vindex3_fixtures.__path__[0]) / "real" / "lyrw"
DENSE = {(0, 0, 0): 192, (0, 0, 1): 256, (0, 0, 2): 320}
SPLIT = {(7, 2, 0): 192, (7, 2, 1): 256, (7, 3, 0): 320, (7, 3, 1): 384}


class Payload:
    """Region bytes by coordinates, in the form of the contract: a function that may know its keys."""

    def __init__(self, regions: dict[Key, Any]) -> None:
        self.regions = regions

    def __call__(self, *key: int) -> Any:
        return self.regions.get(key)  # type: ignore[call-overload]


class Known(Payload):
    """A payload that says which regions it has."""

    def keys(self) -> list[Key]:
        """The coordinates of all regions."""
        return list(self.regions)


def _regions(data: bytes, plan: Any) -> dict[Key, bytes]:
    """The regions of a worked file, cut out of its bytes at the places of its layout."""
    found = {}
    for region in lyrw_layout(plan=plan)["regions"]:  # type: ignore[attr-defined]
        key = (region["bank_id"], region["entry"], region["schema_index"])
        found[key] = data[region["offset"] : region["offset"] + region["length"]]
    return found


@pytest.fixture
def dense_regions(dense) -> dict[Key, bytes]:
    """The region bytes of the first worked file."""
    return {key: dense[offset:][: 8 if key[2] == 2 else 24] for key, offset in DENSE.items()}


@pytest.mark.parametrize(("name", "length", "table_bytes"), [("dense", 328, 168), ("split", 392, 164)])
def test_the_worked_files(request, plans, tmp_path, name, length, table_bytes):
    """Both worked files are produced from their plans byte for byte, twice the same."""
    expected = request.getfixturevalue(name)
    plan = getattr(plans, name)()
    path = tmp_path / "written.lyrw"
    for _ in range(2):
        answer = lyrw_write(plan=plan, payload=Known(_regions(expected, plan)), path=str(path))
        assert answer == {"file_length": length, "table_bytes": table_bytes, "payload_start": 192}
        assert path.read_bytes() == expected
    assert list(tmp_path.iterdir()) == [path]


def test_regions_are_asked_by_their_number_in_the_bank(plans, tmp_path, split):
    """The payload is asked for each region once, in file order, by its entry in the whole bank."""
    regions, asked = _regions(split, plans.split()), []

    def payload(*key: int) -> bytes:
        asked.append(key)
        return regions[key]  # type: ignore[index]

    lyrw_write(plan=plans.split(), payload=payload, path=str(tmp_path / "written.lyrw"))
    assert asked == list(SPLIT)


@pytest.mark.parametrize("make", [bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8),
                                  lambda data: np.frombuffer(data, np.uint8).repeat(2)[::2]],
                         ids=["bytearray", "memoryview", "array", "array with strides"])  # fmt: skip
def test_any_buffer_is_bytes(plans, tmp_path, dense, dense_regions, make):
    """A region may be any buffer of the right length."""
    path = tmp_path / "written.lyrw"
    regions = {key: make(data) for key, data in dense_regions.items()}
    lyrw_write(plan=plans.dense(), payload=Payload(regions), path=str(path))
    assert path.read_bytes() == dense


FORMER = b"former bytes" * 100


@pytest.fixture(params=["absent", "there"])
def target(request, tmp_path) -> Path:
    """A path where nothing is, or a longer file."""
    path: Path = tmp_path / "target.lyrw"
    if request.param == "there":
        path.write_bytes(FORMER)
    return path


@pytest.fixture
def untouched(target) -> Callable[[], bool]:
    """Whether the target is as it was, with nothing beside it."""
    before = {path: path.read_bytes() for path in target.parent.iterdir()}

    def ask() -> bool:
        return {path: path.read_bytes() for path in target.parent.iterdir()} == before

    return ask


def test_a_longer_file_is_replaced(plans, target, dense, dense_regions):
    """What was there before leaves no byte behind."""
    lyrw_write(plan=plans.dense(), payload=Payload(dense_regions), path=str(target))
    assert target.read_bytes() == dense


@pytest.mark.parametrize("key", list(DENSE))
@pytest.mark.parametrize("change", [None, b"", -1, +1], ids=["lacking", "empty", "shorter", "longer"])
def test_a_payload_that_does_not_match(plans, target, untouched, refusal, dense_regions, key, change):
    """A region that is lacking or of another length is named, and the target is as before."""
    data = dense_regions[key]
    dense_regions[key] = data[:-1] if change == -1 else data + b"\0" if change == 1 else change
    found = refusal(lyrw_write, plan=plans.dense(), payload=Payload(dense_regions), path=str(target))
    assert found == ("plan-mismatch", dict(zip(("bank_id", "entry", "schema_index"), key, strict=True)))
    assert untouched()


@pytest.mark.parametrize("key", [(1, 0, 0), (0, 1, 0), (0, 0, 3), (0, -1, 0), (0, 0, -1)])
def test_a_surplus_region(plans, target, untouched, refusal, dense, dense_regions, key):
    """A payload that says which regions it has may have none that the plan lacks."""
    surplus = {**dense_regions, key: b"surplus"}
    found = refusal(lyrw_write, plan=plans.dense(), payload=Known(surplus), path=str(target))
    assert found == ("plan-mismatch", dict(zip(("bank_id", "entry", "schema_index"), key, strict=True)))
    assert untouched()
    lyrw_write(plan=plans.dense(), payload=Known(dense_regions), path=str(target))
    assert target.read_bytes() == dense


@pytest.mark.parametrize("value", ["text", 5, 1.5, [1]], ids=repr)
def test_a_region_that_is_no_bytes(plans, target, untouched, refusal, dense_regions, value):
    """What is no buffer is of a bad type."""
    dense_regions[0, 0, 2] = value
    found = refusal(lyrw_write, plan=plans.dense(), payload=Payload(dense_regions), path=str(target))
    assert found == ("bad-type", {"field": "data"})
    assert untouched()


def test_a_payload_that_fails(plans, target, untouched, dense_regions):
    """An exception of the payload comes out as it is, and the target is as before."""

    def payload(bank_id: int, entry: int, schema_index: int) -> bytes:
        if schema_index == 2:
            raise OSError("the source is gone")
        return dense_regions[bank_id, entry, schema_index]

    with pytest.raises(OSError, match="the source is gone"):
        lyrw_write(plan=plans.dense(), payload=payload, path=str(target))
    assert untouched()


def test_a_disk_that_is_full(plans, target, untouched, refusal, dense_regions):
    """A write that the system stops half-way is an io refusal, and the target is as before."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        kind, names = refusal(
            lyrw_write, plan=plans.dense(), payload=Payload(dense_regions), path=str(target)
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (kind, names) == ("io", {"path": str(target), "reason": "File too large"})
    assert untouched()


@pytest.mark.parametrize("path", ["no/such/folder/x.lyrw", ".", "nul\0.lyrw", "\udc80\udfff.lyrw"], ids=repr)
def test_a_path_that_cannot_be_written(plans, tmp_path, refusal, dense_regions, path):
    """A folder that is not there, a folder in the file's place and a name that no file can have."""
    where = str(tmp_path / path)
    kind, names = refusal(lyrw_write, plan=plans.dense(), payload=Payload(dense_regions), path=where)
    assert (kind, names["path"]) == ("io", where)
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_not_replaced(plans, refusal, dense_regions):
    """What is neither a regular file nor a link stays what it is."""
    found = refusal(lyrw_write, plan=plans.dense(), payload=Payload(dense_regions), path="/dev/full")
    assert found == ("io", {"path": "/dev/full", "reason": "no regular file"})
    assert Path("/dev/full").is_char_device()


def test_only_the_name_is_replaced(plans, tmp_path, dense, dense_regions):
    """A symbolic link gives way to the file, and other names of a former file keep its bytes."""
    former, link, name = tmp_path / "former", tmp_path / "link", tmp_path / "name"
    former.write_bytes(FORMER)
    link.symlink_to(former)
    os.link(former, name)
    for path in (link, name):
        lyrw_write(plan=plans.dense(), payload=Payload(dense_regions), path=str(path))
        assert path.read_bytes() == dense
        assert not path.is_symlink()
    assert former.read_bytes() == FORMER


def test_permissions(plans, tmp_path, dense_regions):
    """A new file has those of any new file, a replaced one keeps its own."""
    path = tmp_path / "x.lyrw"
    usual = os.umask(0o027)
    try:
        lyrw_write(plan=plans.dense(), payload=Payload(dense_regions), path=str(path))
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o606)
        lyrw_write(plan=plans.dense(), payload=Payload(dense_regions), path=str(path))
        assert path.stat().st_mode & 0o777 == 0o606
    finally:
        os.umask(usual)


def _again(data: bytes, path: Path) -> bytes:
    """A file parsed, read and written again."""
    path.write_bytes(data)
    parsed: Any = lyrw_parse(path=str(path))
    regions, lengths = {}, []
    for segment in parsed["segments"]:
        bank = next(bank for bank in parsed["banks"] if bank["bank_id"] == segment["bank_id"])
        for entry in range(segment["first_entry"], segment["first_entry"] + segment["entry_count"]):
            for index in range(len(bank["schemas"])):
                key = (bank["bank_id"], entry, index)
                names = dict(zip(("bank_id", "entry", "schema_index"), key, strict=True))
                regions[key] = lyrw_region(path=str(path), **names)["data"]
                lengths.append({**names, "length": len(regions[key])})  # type: ignore[arg-type]
    copy = path.with_suffix(".copy")
    lyrw_write(plan={**parsed, "lengths": lengths}, payload=Known(regions), path=str(copy))
    return copy.read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        "dense_f32",
        "routed8_f32",
        "fused_mxfp4_down_q6k",
        "two_banks_routed_shared",
        "split_seg0",
        "split_seg1",
        "unknown_tags",
        "malformed/bank_browse_3",
        "malformed/bank_kind_unknown",
        "malformed/format_unknown",
        "malformed/layout_unknown_on_down",
        "malformed/schema_unknown_packing_unpaired",
    ],
)
def test_files_of_the_formats_own_writer_come_out_again(tmp_path, name):
    """A parsed file is a plan; with its region bytes it gives the same file, unknown tags included."""
    data = (REAL / f"{name}.lyrw").read_bytes()
    assert _again(data, tmp_path / "file.lyrw") == data


def test_a_reserved_word_is_lost_and_nothing_else(tmp_path):
    """The header's reserved word is written as 0."""
    data = (REAL / "malformed/header_reserved_nonzero.lyrw").read_bytes()
    assert data[20:24] != bytes(4)
    assert _again(data, tmp_path / "file.lyrw") == data[:20] + bytes(4) + data[24:]


def test_permuted_order_is_put_right(tmp_path):
    """Written again, a file with its entries in another physical order is the ordinary one."""
    permuted, ordinary = (
        (REAL / f"{name}.lyrw").read_bytes() for name in ("permuted_entries", "routed8_f32")
    )
    assert permuted != ordinary
    assert _again(permuted, tmp_path / "file.lyrw") == ordinary


FORMATS = st.sampled_from(
    [("f32", 1), ("f16", 1), ("bf16", 1), ("q4_0", 32), ("q4_k", 256), ("q8_0", 32), (4711, 1)]
)


@st.composite
def _plans(draw: st.DrawFn) -> Any:
    banks, segments = [], []
    for bank_id in draw(st.lists(st.integers(0, 65535), min_size=1, max_size=3, unique=True)):
        schemas = []
        for format_, block in draw(st.lists(FORMATS, min_size=1, max_size=3)):
            rows, blocks = draw(st.integers(1, 3)), draw(st.integers(1, 2))
            schemas.append(
                {
                    "role": draw(st.sampled_from(["gate", "down", 999])),
                    "format": format_,
                    "packing": "row_major",
                    "pair_id": None,
                    "layout": "unspecified",
                    "rows": rows,
                    "cols": block * blocks,
                }
            )
            if isinstance(format_, int):
                schemas[-1]["length"] = draw(st.integers(0, 130))
        widths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
        banks.append(
            {
                "bank_id": bank_id,
                "kind": draw(st.sampled_from(["routed", 17])),
                "flags": draw(st.integers(0, 65535)),
                "num_entries": sum(widths),
                "input_dim": 1,
                "intermediate_dim": 2,
                "output_dim": 3,
                "schemas": schemas,
            }
        )
        for index, width in enumerate(widths):
            first = sum(widths[:index])
            segments.append(
                {"bank_id": bank_id, "segment_index": index, "first_entry": first, "entry_count": width}
            )
    header = {"logical_layer": draw(st.integers(0, 2**32 - 1)), "flags": draw(st.integers(0, 2**32 - 1))}
    return {"header": header, "banks": banks, "segments": draw(st.permutations(segments))}


@settings(deadline=None, derandomize=True, database=None, max_examples=60)
@given(_plans(), st.integers(1, 255))
def test_what_is_written_reads_back(tmp_path_factory, plan, seed):
    """A written file parses to its plan, has each region where the layout says, and has no defect."""
    path = tmp_path_factory.mktemp("written") / "layer.lyrw"
    layout: Any = lyrw_layout(plan=plan)
    regions = {}
    for region in layout["regions"]:
        key = (region["bank_id"], region["entry"], region["schema_index"])
        regions[key] = bytes((seed + 7 * place) % 256 for place in range(region["length"]))
    lyrw_write(plan=plan, payload=Known(regions), path=str(path))
    assert path.stat().st_size == layout["file_length"]
    parsed: Any = lyrw_parse(path=str(path))
    assert (parsed["header"], parsed["segments"]) == (plan["header"], plan["segments"])
    for bank, planned in zip(parsed["banks"], plan["banks"], strict=True):
        assert {key: bank[key] for key in planned if key != "schemas"} == {
            key: value for key, value in planned.items() if key != "schemas"
        }
        for schema, wanted in zip(bank["schemas"], planned["schemas"], strict=True):
            assert {**schema, "length": wanted.get("length")} == {
                "length": None,
                **wanted,
                "schema_index": schema["schema_index"],
            }
    for region in layout["regions"]:
        key = (region["bank_id"], region["entry"], region["schema_index"])
        names = dict(zip(("bank_id", "entry", "schema_index"), key, strict=True))
        read = {"offset": region["offset"], "length": region["length"], "data": regions[key]}
        assert lyrw_region(path=str(path), **names) == read
    assert lyrw_verify(path=str(path)) == {"defects": []}
