"""The suite calls no reader wrong that uses the liberties which the clauses leave."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vindex3.law.registry import clauses
from pytest_vindex3.report.document import read_report
from pytest_vindex3.report.row import Row

REFUSING = {
    "LYRW-BANK-04",
    "LYRW-FUSED-02",
    "LYRW-PADDING-01",
    "LYRW-TABLES-03",
    "LYRW-TRAIL-01",
    "PAIR-PARSE-03",
    "REGION-ALIGN-01",
    "REGION-ALIGN-02",
    "REGION-OVERLAP-01",
    "SEGMENTS-MULTI-02",
    "SEGMENTS-READ-05",
}


def judged(folder: Path, reader: str, *only: str, profile: str = "certify") -> list[Row]:
    """The rows of a run over a reader of this folder that ended without a failure, or those asked for."""
    report = folder / "report.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [
        f"--vindex3-impl={Path(__file__).with_name(reader)}",
        f"--vindex3-report={report}",
        f"--vindex3-profile={profile}",
        *[f"--vindex3-only={glob}" for glob in only],
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return list(read_report(report).rows)


def advised(rows: list[Row]) -> set[str]:
    """The clauses of advice in these rows."""
    return {name for row in rows if row.verdict == "advice" for name in row.clauses}


def test_a_reader_that_refuses_whatever_it_may_conforms(tmp_path: Path) -> None:
    """A strict reader of other make gets no fail and no fault, and advice only for reading its rows."""
    rows = judged(tmp_path, "strict_reader.py")
    assert advised(rows) <= {"LYRW-COST-02"}
    assert {row.verdict for row in rows} <= {"pass", "advice", "not run", "not claimed"}
    refused = {name for row in rows for name, choice in row.choices.items() if choice.startswith("refused")}
    assert refused >= REFUSING


def test_every_wrong_input_has_one_fault(tmp_path: Path) -> None:
    """A reader that judges in the opposite order gives the same verdicts, but for advice on that order."""
    rows = judged(tmp_path, "backward_reader.py")
    assert advised(rows) <= {"LYRW-COST-02", "LYRW-ORDER-01"}


def test_a_judge_that_takes_every_liberty_conforms(tmp_path: Path) -> None:
    """A judge of manifests and capabilities of other make gets no fail, no fault and no advice."""
    rows = judged(tmp_path, "free_judge.py")
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not run", "not claimed"}
    assert len([row for row in rows if row.verdict == "pass"]) > 500


def test_a_reader_of_containers_that_takes_every_liberty_conforms(tmp_path: Path) -> None:
    """A judge of segments of other make gets no fail, no fault and no advice, and refuses where it may."""
    rows = judged(tmp_path, "container_reader.py", "container")
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not run", "not claimed"}
    assert len([row for row in rows if row.verdict == "pass"]) > 600
    refused = {name for row in rows for name, choice in row.choices.items() if choice.startswith("refused")}
    assert refused >= {"VERIFY-FILE-01", "VERIFY-GRAPH-01", "VERIFY-HASH-04"}


@pytest.mark.parametrize("reader", ["container_index.py", "tolerant_index.py"])
def test_an_opener_of_containers_that_takes_every_liberty_conforms(tmp_path: Path, reader: str) -> None:
    """One that refuses whatever it may, and one that lets everything pass, get neither fail nor advice."""
    rows = judged(tmp_path, reader, "container")
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not run", "not claimed"}
    assert len([row for row in rows if row.verdict == "pass"]) > 700


def test_a_reader_of_graphs_that_refuses_every_defect_conforms(tmp_path: Path) -> None:
    """A reader of other make, in an order of its own, gets no fail, no fault and no advice."""
    rows = judged(tmp_path, "refusing_graph.py", "graph")
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not claimed"}
    refused = {name for row in rows for name, choice in row.choices.items() if choice.startswith("refused")}
    reported = {one.id for one in clauses().values() if one.verb == "graph.load" and one.verdict == "report"}
    assert refused >= reported


def test_a_reader_of_graphs_that_reports_everything_conforms(tmp_path: Path) -> None:
    """The same reader, when it lists all that it finds the other way round, gets no fail and no advice."""
    rows = judged(tmp_path, "reporting_graph.py", "graph")
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not claimed"}
    assert len([row for row in rows if row.verdict == "pass"]) > 900


def test_a_chooser_that_takes_every_liberty_conforms(tmp_path: Path) -> None:
    """A selector and compiler of other make gets no fail, fault or advice, and refuses where it may."""
    rows = judged(tmp_path, "free_chooser.py", "representation")
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not run", "not claimed"}
    assert len([row for row in rows if row.verdict == "pass"]) > 500
    refused = {name for row in rows for name, choice in row.choices.items() if choice.startswith("refused")}
    assert refused >= {"PRECISION-DEAD-01", "PROMOTE-QUALITY-06"}


LIBERTIES = {
    "WASTE-LAYER-08": "trailing-bytes",
    "WASTE-QUANT-07": "unsupported-index-block",
    "TRUNK-FMT-02": "unknown-format",
    "CODEBOOK-HEADER-01": "codebook-header",
    "WASTE-VERIFY-04": "missing-file",
}
"""How a reader of WASTE may refuse what another opens."""


def test_a_reader_of_waste_that_refuses_whatever_it_may_conforms(tmp_path: Path) -> None:
    """A reader, verifier, writer and kernel of other make gets no fail, no fault and no advice."""
    rows = judged(tmp_path, "free_waste.py", "waste", profile="quick")
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not run", "not claimed"}
    assert len([row for row in rows if row.verdict == "pass"]) > 200
    chosen = {choice for row in rows for choice in row.choices.items()}
    assert chosen >= {(name, f"refused as {kind}") for name, kind in LIBERTIES.items()}


def test_a_reader_of_waste_that_lets_pass_whatever_it_may_conforms(tmp_path: Path) -> None:
    """The same one, when it judges in another order and leaves to verification what it may, gets no fail."""
    rooms = (
        "codebooks",
        "index_block",
        "layers",
        "real_damaged",
        "record_offsets",
        "resume",
        "trunk_*",
        "verify",
    )
    rows = judged(tmp_path, "late_waste.py", *(f"waste/test_{room}.py" for room in rooms))
    assert advised(rows) == set()
    assert {row.verdict for row in rows} <= {"pass", "not run", "not claimed"}
    assert len([row for row in rows if row.verdict == "pass"]) > 300
    chosen = {choice for row in rows for choice in row.choices.items()}
    assert chosen >= {(name, "accepted") for name in LIBERTIES}
