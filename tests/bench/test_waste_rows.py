"""The rows of WASTE containers: what is timed against what, with files that are small or full of holes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_vindex3.bench import bank, direct, opening
from pytest_vindex3.bench.measure import Disagreement, Unmeasurable, compare, measured
from pytest_vindex3.bench.row import Place, Row, Unmeasured, rows
from pytest_vindex3.command.bench import command
from pytest_vindex3.plugin.check import NotRun
from vindex3_reference.waste.container import Container
from vindex3_suites.waste.reading import direct_disk

BANK = f"experts-L{bank.LAYER}.bin"


@pytest.fixture
def small_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experts of a shape whose records have 5 pages."""
    monkeypatch.setattr(bank, "INNER", opening.INNER)
    monkeypatch.setattr(bank, "WIDTH", opening.WIDTH)
    monkeypatch.setattr(bank, "STRIDE", 5 * 4096)
    monkeypatch.setattr(direct, "STRIDE", 5 * 4096)


@pytest.fixture
def direct_folder(tmp_path: Path) -> Path:
    """A folder whose files are read direct."""
    try:
        direct_disk(tmp_path)
    except NotRun as reason:
        pytest.skip(str(reason))
    return tmp_path


def test_listing_makes_no_file(tmp_path: Path) -> None:
    """Rows are listed with a side of their own each, and nothing is made before one is measured."""
    with Place(tmp_path) as place:
        found = list(rows(place))
        assert len({(row.what, row.against) for row in found}) == len(found)
        assert [row.goal for row in direct.bench_rows(place)] == [0.95, 0.95, 0.9]
        assert [row.goal for row in opening.bench_rows(place)] == [0.9, 0.9]
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("small_records")
def test_the_sides_of_reading_rows_give_the_same(direct_folder: Path) -> None:
    """Records read by the reader, verified or raw are the same; so is the number of records verified."""
    with Place(direct_folder) as place:
        for row in direct.bench_rows(place):
            row.before()
            compare(row)


@pytest.mark.usefixtures("small_records")
def test_a_record_that_differs_is_no_result(direct_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another record, or a damaged one, is told before anything is timed."""
    with Place(direct_folder) as place:
        plain, verified, whole = direct.bench_rows(place)
        compare(plain)
        real = bank.LargeBank.read
        monkeypatch.setattr(bank.LargeBank, "read", lambda self, number, view: real(self, number ^ 1, view))
        with pytest.raises(Disagreement):
            compare(plain)
        compare(verified)
        path = direct_folder / "large.waste" / BANK
        with path.open("r+b") as file:
            file.seek(100)
            file.write(bytes([file.read(1)[0] ^ 1]))
        with pytest.raises(Disagreement):
            compare(whole)


@pytest.mark.usefixtures("small_records")
def test_no_two_records_are_alike(direct_folder: Path) -> None:
    """Each is of its own expert, and has indices of its own."""
    with Place(direct_folder) as place:
        path = bank.LargeBank(place).path
        data = Path(path, BANK).read_bytes()
        records = [data[begin : begin + bank.STRIDE] for begin in range(0, len(data), bank.STRIDE)]
        assert len({record[48:] for record in records}) == bank.RECORDS
        with Container(path) as container:
            for number, record in enumerate(records):
                judge = container.judges[bank.LAYER]
                judge.judge_checksum(judge.header(memoryview(record), number), memoryview(record), number)


def test_the_shape_has_the_stride_of_the_largest_container(tmp_path: Path) -> None:
    """The length that is named is that of the records."""
    model = bank.pattern()
    assert model.record(bank.LAYER, 0).length == bank.STRIDE


def test_without_direct_reads_nothing_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that is not read direct gives a reason that names the folder, and no figure."""

    def refuse(folder: Path) -> None:
        raise NotRun("no direct reads")

    monkeypatch.setattr(bank, "direct_disk", refuse)
    with Place(tmp_path) as place:
        for row in direct.bench_rows(place):
            found = measured(row)
            assert isinstance(found, Unmeasurable)
            assert "no direct reads" in found.reason
            assert str(tmp_path) in found.reason
            document = found.document()
            assert document["ratio"] is None
            assert document["goal"] == row.goal


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_row_that_is_not_measured_is_shown_with_its_reason(
    form: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the table and in the document, and the command succeeds."""

    def refuse(folder: Path) -> None:
        raise NotRun("no direct reads")

    monkeypatch.setattr(bank, "direct_disk", refuse)
    done = CliRunner().invoke(command, [*form, "direct reads*, verified"])
    assert done.exit_code == 0, done.output
    assert "no direct reads" in done.output
    if form:
        (only,) = json.loads(done.stdout)["rows"]
        assert only["ratio"] is only["microseconds"] is None


def test_without_room_nothing_is_made(direct_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that would be filled is left alone."""
    monkeypatch.setattr(bank, "SPARE", 1 << 60)
    with Place(direct_folder) as place, pytest.raises(Unmeasured, match="no room"):
        _ = bank.LargeBank(place).path
    assert not list(direct_folder.iterdir())


def test_opening_reads_as_much_of_64_gib_as_of_64_mib(tmp_path: Path) -> None:
    """Answers differ in the sizes of banks alone, and as many bytes are read; the files take no room."""
    with Place(tmp_path) as place:
        for row in opening.bench_rows(place):
            compare(row)
    sizes = [path.stat() for path in tmp_path.rglob("*.bin")]
    assert sum(status.st_size for status in sizes) > 128 << 30
    assert sum(status.st_blocks for status in sizes) * 512 < 16 << 20


@pytest.mark.skipif(not opening.COUNTERS.exists(), reason="the system does not count what is read")
def test_a_byte_more_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An opening that reads payload besides is no result."""
    real = opening.waste_open

    def careless(*, path: str) -> dict[str, object]:
        with Path(path, "trunk.bin").open("rb", buffering=0) as file:
            file.read(1 + (os.fstat(file.fileno()).st_size > opening.SMALL))
        return real(path=path)

    monkeypatch.setattr(opening, "waste_open", careless)
    with Place(tmp_path) as place:
        in_banks, in_trunk = opening.bench_rows(place)
        compare(in_banks)
        with pytest.raises(Disagreement):
            compare(in_trunk)


def test_before_is_called_each_time_a_side_is_timed() -> None:
    """Once a round for each side, outside of what is compared."""
    calls: list[str] = []
    row = Row(
        "ours",
        "theirs",
        None,
        lambda: calls.append("ours"),
        lambda: calls.append("theirs"),
        lambda own, other: True,
        2,
        lambda: calls.append("before"),
    )
    measured(row, rounds=7)
    once = ["before", "ours", "ours", "before", "theirs", "theirs"]
    assert calls == ["ours", "theirs", *once * 7, "ours", "theirs"]
