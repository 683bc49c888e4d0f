"""The rows of kernels: what is timed against what, and that listing them costs nothing."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from pytest_vindex3.bench import checksums, vq
from pytest_vindex3.bench.row import Place
from vindex3_reference.kernels import available, native


def test_rows_are_listed_without_their_data(tmp_path: Path) -> None:
    """Every row names a side of its own; hundreds of megabytes are made only once one is measured."""
    tracemalloc.start()
    rows = [*checksums.bench_rows(Place(tmp_path)), *vq.bench_rows(Place(tmp_path))]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len({(row.what, row.against) for row in rows}) == len(rows)
    assert bool(rows) == native.built
    assert most < 1 << 20


@pytest.mark.skipif(not native.built, reason="the kernels were not built")
@pytest.mark.parametrize("kernel", ["decode", "multiply"])
def test_every_vector_variant_is_timed_against_the_portable_one(tmp_path: Path, kernel: str) -> None:
    """Each variant but the portable one has rows, and the portable one is named with its options."""
    word = "decode" if kernel == "decode" else "int8 table,"
    rows = [row for row in vq.bench_rows(Place(tmp_path)) if word in row.what]
    for isa in available(kernel)[:-1]:
        assert any(f", {isa}," in row.what and "-fno-tree-vectorize" in row.against for row in rows), isa


def test_without_c_there_is_nothing_to_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that has numpy alone has no rows."""
    monkeypatch.setattr(native, "built", False)
    assert [*checksums.bench_rows(Place(tmp_path)), *vq.bench_rows(Place(tmp_path))] == []


@pytest.mark.skipif(not native.built, reason="the kernels were not built")
def test_the_sides_of_a_row_give_the_same(tmp_path: Path) -> None:
    """Sums of many ranges agree with those of another library or of zlib, and a wrong one would be told."""
    row = next(row for row in checksums.bench_rows(Place(tmp_path)) if str(checksums.RECORD) in row.what)
    ours, theirs = row.ours(), row.theirs()
    assert row.agree(ours, theirs)
    assert not row.agree(ours, 0)
