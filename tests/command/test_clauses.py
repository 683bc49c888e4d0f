"""`vindex3 clauses`: the law as a list, and what the suites cover of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vindex3.command.clauses import cover, select, strangers
from pytest_vindex3.contract.verb import verbs

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
    [found] = cover(select(["LYRW-MAGIC-02"]), evaluated, ["lyrw.parse"])
    assert (found.missing, found.covered) == (missing, not missing)
    assert found.tests == tuple(sorted(sides))


def test_a_clause_that_accepts_needs_a_legal_input_alone() -> None:
    """A clause that accepts is covered by a check on a legal input."""
    [found] = cover(select(["LYRW-MAGIC-01"]), {"t": {"LYRW-MAGIC-01": ["legal"]}}, ["lyrw.parse"])
    assert found.covered


def test_a_check_of_another_clause_covers_nothing() -> None:
    """A test counts for the clauses of which it evaluated a check, and for no other."""
    [found] = cover(select(["LYRW-MAGIC-01"]), {"t": {"LYRW-MAGIC-02": ["legal"]}}, ["lyrw.parse"])
    assert (found.tests, found.covered) == ((), False)


def test_clauses_of_later_verbs_are_not_due() -> None:
    """A clause is due when the contract has its verb."""
    clauses = select(["LYRW-MAGIC-01"]) + select(["MOE-*"])
    assert {found.due for found in cover(clauses[:1], {}, ["lyrw.parse"])} == {True}
    assert {found.due for found in cover(clauses[1:], {}, ["lyrw.parse"])} == {False}


def test_a_pattern_finds_a_clause_and_its_numbered_ones() -> None:
    """A pattern is the id, the start of it up to a dash, or a glob, in capital or small letters."""
    ids = [clause.id for clause in select(["lyrw-magic"])]
    assert ids == ["LYRW-MAGIC-01", "LYRW-MAGIC-02"]
    assert [clause.id for clause in select(["LYRW-MAG*-01"])] == ids[:1]
    assert select(["LYRW-MAGI"]) == []


def test_several_patterns_are_one_list() -> None:
    """Clauses of any pattern are listed, each once and in the order of the law."""
    ids = [clause.id for clause in select(["LYRW-MAGIC-02", "lyrw-magic", "REGION-LARGE"])]
    assert ids == ["LYRW-MAGIC-01", "LYRW-MAGIC-02", "REGION-LARGE-01", "REGION-LARGE-02"]


def test_the_list_is_filtered_by_family_level_and_verb() -> None:
    """Family, level and verb narrow the list; a plain line has id, level, verb, claim and facts."""
    done = run("--family", "lyrw", "--level", "may", "--verb", "lyrw.p*", "*-TABLES-*")
    assert (done.returncode, done.stderr) == (0, "")
    [line] = done.stdout.splitlines()
    name, level, verb, claim, facts = line.split("\t")
    assert (name, level, verb, facts) == ("LYRW-TABLES-03", "may", "lyrw.parse", "what")
    assert claim.startswith("A file that ends inside the entry tables")


def test_a_plain_line_has_the_keys_of_the_facts() -> None:
    """What the claim calls bank and schema stands there by the key it has; without facts the line ends."""
    facts, none = (run(name).stdout.rstrip("\n").split("\t") for name in ("LYRW-FUSED-01", "LYRW-MAGIC-01"))
    assert facts[4:] == ["bank_id, schema_index, role, layout"]
    assert none[4:] == []


def test_clauses_of_verbs_to_come_are_marked() -> None:
    """A clause of a verb that the contract does not have yet is marked in the plain list."""
    lines = [line.split("\t") for line in run().stdout.splitlines()]
    later = {line[2].removesuffix(" (later)") for line in lines if line[2].endswith(" (later)")}
    assert later == {clause.verb for clause in select()} - set(verbs())


def test_what_is_nearest_is_told() -> None:
    """A pattern or a verb that the law does not have is told with what looks most like it."""
    clause, verb = strangers(["lyrw-magik-01", "LYRW-MAGIC"], "lyrw.prase")
    assert clause.startswith("no clause matches LYRW-MAGIK-01; nearest: LYRW-MAGIC-01, ")
    assert verb.startswith("no verb matches lyrw.prase; nearest: lyrw.parse, ")
    assert strangers(["LYRW-*"], "lyrw.*") == []


def test_the_list_is_json_on_request() -> None:
    """`--json` prints the clauses as one document."""
    done = run("LYRW-MAGIC-02", "--json")
    [row] = json.loads(done.stdout)["clauses"]
    assert (row["id"], row["verdict"], row["names"]) == ("LYRW-MAGIC-02", "refuse", ["found", "expected"])


def test_a_pattern_without_a_clause_ends_with_five() -> None:
    """Where a pattern matches nothing the exit code says so; what the others match is listed all the same."""
    done = run("XXXXXX")
    assert (done.returncode, done.stdout, done.stderr) == (5, "", "no clause matches XXXXXX\n")
    done = run("LYRW-MAGIC-01", "LYRW-MAGIK-02")
    assert (done.returncode, len(done.stdout.splitlines())) == (5, 1)
    assert done.stderr.startswith("no clause matches LYRW-MAGIK-02; nearest: LYRW-MAGIC-02")


def test_filters_that_leave_nothing_end_with_five() -> None:
    """A pattern whose clauses are all filtered away examines nothing."""
    done = run("LYRW-MAGIC-01", "--level", "may")
    assert (done.returncode, done.stdout, done.stderr) == (5, "", "no clause matches\n")
