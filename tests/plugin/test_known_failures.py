"""Known failures: entries that say what fails and how, and cannot rot."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.plugin.known import Known, Malformed, greedy, read, settle, unmet
from pytest_vindex3.report.row import Row, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Project

TODAY = dt.date(2027, 1, 31)
ID = "lyrw/test_header.py::test_magic[swapped]"


def row(verdict: Verdict, refused: str = "truncated") -> Row:
    """A row of the test `ID`."""
    failure = {"refused": refused, "difference": {"path": "refused"}, "fault": None}
    return Row(ID, "mypkg", "lyrw", verdict, failure=failure if verdict in ("fail", "advice") else None)


@pytest.mark.parametrize(
    ("entry", "verdict", "settled"),
    [
        (Known(ID, "why"), "fail", "known failure"),
        (Known(ID, "why"), "advice", "known failure"),
        (Known(ID, "why", refused="truncated"), "fail", "known failure"),
        (Known(ID, "why", difference="refused"), "fail", "known failure"),
        (Known(ID, "why", refused="bad-magic"), "fail", "fail"),
        (Known(ID, "why", fault="hang"), "fail", "fail"),
        (Known(ID, "why", expires=TODAY), "fail", "known failure"),
        (Known(ID, "why", expires=TODAY - dt.timedelta(1)), "fail", "stale known failure"),
        (Known(ID, "why"), "pass", "stale known failure"),
        (Known(ID, "why"), "not run", "stale known failure"),
        (Known(ID, "why"), "error", "error"),
        (Known("lyrw/*", "why"), "fail", "known failure"),
        (Known(ID, "why", implementation="other"), "fail", "fail"),
        (Known("lyrw/test_header.py::test_magic[other]", "why"), "fail", "fail"),
    ],
)
def test_an_entry_settles_a_verdict(entry: Known, verdict: Verdict, settled: Verdict) -> None:
    """Failing as listed is known; passing, not run or expired is stale; another failure stays red."""
    given = row(verdict)
    settle(given, [entry], TODAY)
    assert given.verdict == settled


def test_a_glob_may_mean_20_tests() -> None:
    """A glob that would swallow 21 tests is complained of, one of 20 is not."""
    ids = {f"lyrw/test_header.py::test_magic[{n}]" for n in range(21)}
    assert greedy([Known("lyrw/*", "why")], ids)
    assert not greedy([Known("lyrw/*", "why")], sorted(ids)[:20])


def test_an_entry_that_meets_no_test_is_told() -> None:
    """Entries for tests that are gone, and for tests that are not claimed, are unmet."""
    entries = [Known(ID, "why"), Known("gone", "why")]
    assert [text for text in unmet(entries, [row("pass")]) if "gone" in text] == unmet(entries, [row("pass")])
    assert len(unmet(entries, [row("not claimed")])) == 2


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    """Every key of an entry is read, the date as a date."""
    path = tmp_path / "known.toml"
    path.write_text(
        '[[known]]\nid = "a"\nreason = "b"\nissue = "c"\nrefused = "d"\ndifference = "e"\nfault = "f"\n'
        'implementation = "g"\nexpires = 2027-01-31\n',
        encoding="utf-8",
    )
    assert read(path) == (Known("a", "b", "c", "d", "e", "f", "g", TODAY),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[known]]\nid = ", "Invalid value"),
        ("[[known]]\nid = 'a'", "entry 1 has no reason"),
        ("[[known]]\nreason = 'a'", "entry 1 has no id"),
        ("[[known]]\nid = 'a'\nreason = 'b'\n[[known]]\nid = 'a'\nreson = 'b'", "did you mean reason?"),
        ("[[known]]\nid = 'a'\nreason = 'b'\nexpires = '2027-01-31'", "expires is a date"),
        ("[[known]]\nid = 'a'\nreason = 'b'\nexpires = 2027-01-31T00:00:00", "expires is a date"),
        ("[[known]]\nid = 7\nreason = 'b'", "id is a string"),
        ("known = ['a']", "entry 1 is no table"),
        ("known = 'a'", "[[known]] entries and nothing else"),
        ("[[knwon]]\nid = 'a'", "knwon"),
        ("\udcff", "utf-8"),
    ],
)
def test_a_malformed_file_is_told_where(tmp_path: Path, text: str, complaint: str) -> None:
    """A file that is no list of known failures is refused with the place and the reason."""
    path = tmp_path / "known.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Malformed) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_known_failures_leave_a_run_green_and_uncertified(project: Project) -> None:
    """A listed failure is xfailed and not told as a failure; a stale entry is red; both are in the report."""
    project.suite(
        "test_all",
        """
@clause("LYRW-MAGIC-01")
@cases(known=b"refuse truncated", stale=b"answer")
def test_it(ask, case):
    check("LYRW-MAGIC-01", ask("lyrw.parse", path=ask.file("input", case)), answers())
""",
    )
    entry = '[[known]]\nid = "test_all.py::test_it[{}]"\nreason = "see there"\n'
    (project.folder / "known.toml").write_text(entry.format("known"), encoding="utf-8")
    arguments = ["--vindex3-impl=obedient", "--vindex3-in-process", "test_all.py"]
    listed = project.run(*arguments, "--vindex3-known-failures=known.toml")
    assert listed.code == 0
    assert listed.verdict(r"test_it\[known\]") == "known failure"
    assert "1 xfailed" in listed.lines[-1]
    assert not any(line.startswith("FAIL") for line in listed.lines)
    (project.folder / "known.toml").write_text(entry.format("stale"), encoding="utf-8")
    stale = project.run(*arguments, "--vindex3-known-failures=known.toml")
    assert stale.code == 1
    assert stale.verdict(r"test_it\[stale\]") == "stale known failure"
    assert "listed as known, but passes" in stale.out


def test_a_greedy_glob_is_a_usage_error(project: Project) -> None:
    """An entry that would swallow 25 tests ends the run before a test, with exit code 4."""
    body = """
@clause("LYRW-MAGIC-01")
@cases({f"n{n}": b"answer" for n in range(25)})
def test_it(ask, case):
    raise SystemExit("not run")
"""
    (project.folder / "known.toml").write_text('[[known]]\nid = "*"\nreason = "all"', encoding="utf-8")
    run = project.suite("test_all", body).bare(
        "--vindex3-impl=obedient",
        "--vindex3-in-process",
        "test_all.py",
        "--vindex3-known-failures=known.toml",
    )
    assert run.code == 4
    assert "means 25 tests" in run.out


def test_a_file_that_is_none_is_a_usage_error(project: Project) -> None:
    """A malformed file of known failures ends the run before it begins, with exit code 4 and no traceback."""
    (project.folder / "known.toml").write_text("[[known]]\nid = 'a'", encoding="utf-8")
    run = project.bare("--vindex3-impl=obedient", "--vindex3-known-failures=known.toml")
    assert run.code == 4
    assert "entry 1 has no reason" in run.out
    assert "Traceback" not in run.out
