"""`vindex3 mutants`: whom it kills, whom it catches describing itself wrongly, and what it prints."""

from __future__ import annotations

import json
import subprocess
import sys
from fnmatch import fnmatchcase
from typing import Any

import pytest

from pytest_vindex3.law.registry import clauses
from pytest_vindex3.report.row import Row
from pytest_vindex3.trust.perturbation import perturbations
from pytest_vindex3.trust.result import MutantResult, Results, judge_mutant
from vindex3_fixtures.mutants.mutant import mutants


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, as a user runs it."""
    command = [sys.executable, "-m", "pytest_vindex3.command", "mutants", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("name", list(mutants()))
def test_a_mutant_says_what_it_breaks(name: str) -> None:
    """A mutant has a sentence, breaks clauses of the law, and each of its globs means one."""
    one = mutants()[name]
    assert one.about.endswith(".")
    assert one.breaks
    assert set(one.breaks) <= set(clauses())
    assert all(any(fnmatchcase(clause, glob) for clause in clauses()) for glob in one.also)


def test_mutants_are_killed_by_their_clauses() -> None:
    """A wrong answer, a fault and a defect against a should are killed; the document says by what."""
    done = run("--json", "layout-anywhere", "memory-by-declared-count", "last-segment-answers")
    document: dict[str, Any] = json.loads(done.stdout)
    found = {one["id"]: one for one in document["mutants"]}
    assert done.returncode == 0, done.stderr
    assert all(one["killed"] and not one["strays"] and one["by"] for one in found.values())
    assert found["layout-anywhere"]["clause"] == "LYRW-FUSED-01"
    assert found["memory-by-declared-count"]["clause"] == "LYRW-COST-03"
    assert {name for name, one in found.items() if one["advice"]} == {"last-segment-answers"}


def test_in_brief_a_mutant_is_done_with_once_it_is_killed() -> None:
    """What a mutant turns red besides is not looked for, and a survivor is one all the same."""
    done = run("--json", "--brief", "magic-unchecked", "layout-anywhere")
    found = json.loads(done.stdout)["mutants"]
    assert done.returncode == 0, done.stderr
    assert {one["id"]: one["clause"] for one in found} == {
        "layout-anywhere": "LYRW-FUSED-01",
        "magic-unchecked": "LYRW-MAGIC-02",
    }
    assert not any(one["strays"] for one in found)


def test_perturbations_are_tried_by_verb() -> None:
    """Those of the verbs that a glob means are tried, without a mutant or a null beside them."""
    done = run("--json", "--perturbations", "authority.*")
    document = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert (document["mutants"], document["null"]) == ([], {})
    tried = document["perturbations"]
    assert tried["total"] == tried["killed"] == len(perturbations(["authority.fold"]))


def test_a_pattern_that_means_nobody_examines_nothing() -> None:
    """A pattern without a match exits 5, and so does a glob that no verb matches."""
    assert run("no-such-mutant").returncode == 5
    assert run("--perturbations", "no.such_verb").returncode == 5


def test_the_list_names_every_mutant() -> None:
    """--list runs nothing and names them all."""
    listed = json.loads(run("--list", "--json").stdout)["mutants"]
    assert [one["id"] for one in listed] == list(mutants())


def test_an_id_may_be_typed_like_its_function() -> None:
    """Underscores stand for dashes, and a name that is nobody's is told with the nearest."""
    listed = json.loads(run("--list", "--json", "layout_anywhere").stdout)["mutants"]
    assert [one["id"] for one in listed] == ["layout-anywhere"]
    assert "nearest: layout-anywhere" in run("layout_anywere").stderr


def row(name: str, clause: str, verdict: Any, fault: str = "", canary: bool = False) -> Row:
    """A row of one clause."""
    failure = {"fault": {"what": fault}} if fault else {"fault": None}
    return Row(name, "", "lyrw", verdict, clauses={clause: verdict}, failure=failure, canary=canary)


def test_a_mutant_survives_where_its_clauses_stay_green() -> None:
    """Red clauses that a mutant does not state do not kill it; they say it is described wrongly."""
    rows = [row("a", "LYRW-MAGIC-02", "pass"), row("b", "LYRW-HEADER-01", "fail")]
    result = judge_mutant("magic-unchecked", rows, 0.0)
    assert not result.killed
    assert result.strays == ["LYRW-HEADER-01"]


def test_a_red_canary_judges_alone() -> None:
    """Where only a canary is red, for a clause that the mutant does not state, nothing else was asked."""
    stray, stated = "LYRW-HEADER-01", "LYRW-MAGIC-02"
    found = judge_mutant("magic-unchecked", [row("a", stray, "fail", canary=True)], 0.0)
    assert (found.killed, found.canary_only, found.strays) == (False, True, [stray])
    assert not judge_mutant("magic-unchecked", [row("a", stray, "fail")], 0.0).canary_only
    assert not judge_mutant("magic-unchecked", [row("a", stated, "fail", canary=True)], 0.0).canary_only
    assert not judge_mutant("magic-unchecked", [row("a", stated, "fault", canary=True)], 0.0).canary_only
    assert not judge_mutant("magic-unchecked", [row("a", stated, "pass", canary=True)], 0.0).canary_only


def test_a_mutant_dies_in_the_way_it_states() -> None:
    """A fault does not kill a mutant that breaks its clause by a wrong answer."""
    assert not judge_mutant("magic-unchecked", [row("a", "LYRW-MAGIC-02", "fault", "crash")], 0.0).killed
    assert judge_mutant("magic-unchecked", [row("a", "LYRW-MAGIC-02", "fail")], 0.0).killed


def test_results_are_good_when_nobody_gets_away() -> None:
    """A survivor, a stray clause, a living perturbation or a lucky null spoils the result."""
    killed = MutantResult("m", killed=True, by="t", clause="c", advice=False, strays=[], seconds=0.0)
    stray = MutantResult("m", killed=True, by="t", clause="c", advice=False, strays=["x"], seconds=0.0)
    assert Results([killed], {"p": "t"}, {"n": 0.09}).good
    assert not Results([stray]).good
    assert not Results([killed], {"p": ""}).good
    assert not Results([killed], {"p": "t"}, {"n": 0.1}).good
