"""`vindex3 clauses`: the law as a list, and what the suites cover of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vindex3.command.clauses import cover, select

VINDEX3 = Path(sys.executable).with_name("vindex3")


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `vindex3 clauses`."""
    command = [VINDEX3, "clauses", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd)


@pytest.mark.parametrize(
    ("sides", "missing"),
    [
        ({}, ("legal", "wrong")),
        ({"test_a": ["legal"]}, ("wrong",)),
        ({"test_a": ["wrong"]}, ("legal",)),
        ({"test_a": ["wrong", "legal"]}, ()),
        ({"test_a": ["wrong"], "test_b": ["legal"]}, ()),
    ],
)
def test_a_clause_that_refuses_needs_both_sides(
    sides: dict[str, list[str]], missing: tuple[str, ...]
) -> None:
    """A clause that refuses is covered by checks on a legal and on a wrong input, in one test or more."""
    evaluated = {test: {"LYRW-MAGIC-02": seen} for test, seen in sides.items()}
    [found] = cover(select("LYRW-MAGIC-02", None, None), evaluated, ["lyrw.parse"])
    assert (found.missing, found.covered) == (missing, not missing)
    assert found.tests == tuple(sorted(sides))


def test_a_clause_that_accepts_needs_a_legal_input_alone() -> None:
    """A clause that accepts is covered by a check on a legal input."""
    [found] = cover(select("LYRW-MAGIC-01", None, None), {"t": {"LYRW-MAGIC-01": ["legal"]}}, ["lyrw.parse"])
    assert found.covered


def test_a_check_of_another_clause_covers_nothing() -> None:
    """A test counts for the clauses of which it evaluated a check, and for no other."""
    [found] = cover(select("LYRW-MAGIC-01", None, None), {"t": {"LYRW-MAGIC-02": ["legal"]}}, ["lyrw.parse"])
    assert (found.tests, found.covered) == ((), False)


def test_clauses_of_later_verbs_are_not_due() -> None:
    """A clause is due when the contract has its verb."""
    clauses = select("LYRW-MAGIC-01", None, None) + select("MOE-*", None, None)
    assert {found.due for found in cover(clauses[:1], {}, ["lyrw.parse"])} == {True}
    assert {found.due for found in cover(clauses[1:], {}, ["lyrw.parse"])} == {False}


def test_a_pattern_finds_a_clause_and_its_numbered_ones() -> None:
    """A pattern is the id, the start of it up to a dash, or a glob, in capital or small letters."""
    ids = [clause.id for clause in select("lyrw-magic", None, None)]
    assert ids == ["LYRW-MAGIC-01", "LYRW-MAGIC-02"]
    assert [clause.id for clause in select("LYRW-MAG*-01", None, None)] == ids[:1]
    assert select("LYRW-MAGI", None, None) == []


def test_the_list_is_filtered_by_family_and_level() -> None:
    """`--family` and `--level` narrow the list; a plain line has id, level, verb and claim."""
    done = run("--family", "lyrw", "--level", "may", "*-TABLES-*")
    assert (done.returncode, done.stderr) == (0, "")
    [line] = done.stdout.splitlines()
    assert line.startswith("LYRW-TABLES-03\tmay\tlyrw.parse\tA file that ends inside the entry tables")


def test_the_list_is_json_on_request() -> None:
    """`--json` prints the clauses as one document."""
    done = run("LYRW-MAGIC-02", "--json")
    [row] = json.loads(done.stdout)["clauses"]
    assert (row["id"], row["verdict"], row["names"]) == ("LYRW-MAGIC-02", "refuse", ["found", "expected"])


def test_a_pattern_without_a_clause_ends_with_five() -> None:
    """Where no clause matches there is nothing to print, and the exit code says so."""
    done = run("NO-SUCH-CLAUSE")
    assert (done.returncode, done.stdout, done.stderr) == (5, "", "no clause matches\n")
