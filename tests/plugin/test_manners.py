"""What users of pytest expect to keep working, and the ways to ask for a part of the suites."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.plugin.collection import lacks, quick
from pytest_vindex3.plugin.identity import Identity
from pytest_vindex3.plugin.selection import fits, matches, unmatched

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

CASES = """
@clause("LYRW-MAGIC-01")
@cases(good=b"answer", bad=b"refuse truncated", worse=b"raise it")
def test_it(ask, case):
    check("LYRW-MAGIC-01", ask("lyrw.parse", path=ask.file("input", case)), answers())

@clause("LYRW-MAGIC-02")
def test_other(ask):
    said = ask("lyrw.parse", path=ask.file("input", b"refuse bad-magic"))
    check("LYRW-MAGIC-02", said, refuses("bad-magic"))
"""
HERE = ("--vindex3-impl=obedient", "--vindex3-in-process", "test_all.py")


@pytest.mark.parametrize(
    ("arguments", "code", "verdicts"),
    [
        (["-k", "good"], 0, {"pass": 1}),
        (["-k", "bad"], 1, {"fail": 1}),
        (["-x"], 1, {"pass": 1, "fail": 1}),
        (["--deselect", "test_all.py::test_it"], 0, {"pass": 1}),
        (["--vindex3-only=LYRW-MAGIC-02"], 0, {"pass": 1}),
        (["--vindex3-only=test_all.py::test_it[good]"], 0, {"pass": 1}),
        (["--vindex3-only=*good*", "--vindex3-only=*other"], 0, {"pass": 2}),
        (["--vindex3-profile=quick"], 0, {"pass": 2}),
        (["-m", "not vindex3_clause"], 5, {}),
        (["--vindex3-only=nothing"], 5, {}),
    ],
)
def test_a_part_can_be_asked_for(
    project: Project, arguments: list[str], code: int, verdicts: dict[str, int]
) -> None:
    """Each way to ask for a part runs that part and gives its exit code; nothing run is no success."""
    run = project.suite("test_all", CASES).run(*HERE, *arguments)
    assert run.code == code
    assert run.report.footer["counts"] == verdicts
    assert run.report.footer["exit"] == code


def test_last_failed_runs_what_failed(project: Project) -> None:
    """--lf runs the two red tests again and nothing else."""
    project.suite("test_all", CASES).run(*HERE)
    run = project.run(*HERE, "--lf")
    assert sorted(run.verdicts.values()) == ["fail", "fault"]


def test_collect_only_judges_nothing(project: Project) -> None:
    """--collect-only lists tests, writes no report and ends with 0."""
    run = project.suite("test_all", CASES).run(*HERE, "--collect-only", "-q")
    assert run.code == 0
    assert "test_all.py::test_it[bad]" in run.lines
    assert not run.report_path.exists()


def test_a_second_implementation_gets_rows_of_its_own(project: Project) -> None:
    """With several implementations each test runs for each; its id stays the same, its node id says which."""
    project.suite("test_all", CASES).write(second="from obedient import lyrw_parse\n")
    run = project.run(
        "--vindex3-impl=one=obedient", "--vindex3-impl=second", "--vindex3-in-process", "test_all.py", "-v"
    )
    assert {row.implementation for row in run.report.rows} == {"one", "second"}
    assert len({row.id for row in run.report.rows}) == 4
    assert "test_all.py::test_it[good-one] PASSED" in run.out
    assert "test_all.py::test_other[second] PASSED" in run.out
    assert run.report.footer["clauses"]["one"] == run.report.footer["clauses"]["second"]


def test_rows_cross_processes(project: Project) -> None:
    """With two workers the report holds the same rows, not claimed ones included, and JUnit no properties."""
    project.suite("test_all", CASES, "@clause('REGION-READ-01')\ndef test_unclaimed(ask):\n    pass\n")
    alone = project.run(*HERE)
    both = project.run(*HERE, "-p", "xdist", "-n", "2", "--junitxml=junit.xml")
    assert both.code == alone.code == 1
    assert both.verdicts == alone.verdicts
    assert both.verdict("test_unclaimed") == "not claimed"
    assert [row.failure for row in both.report.rows] == [row.failure for row in alone.report.rows]
    assert "<propert" not in (project.folder / "junit.xml").read_text(encoding="utf-8")


def test_a_worker_that_dies_is_not_overlooked(project: Project) -> None:
    """In process a crash takes a worker along: its test has no row, and the run is not conformant."""
    project.write(dying="import os\ndef lyrw_parse(path):\n    os._exit(7)\n")
    body = CASES.partition('@clause("LYRW-MAGIC-02')[0]
    run = project.suite("test_all", body).run(
        "--vindex3-impl=dying", "--vindex3-in-process", "test_all.py", "-p", "xdist", "-n", "1", "-k", "good"
    )
    assert run.code == 1
    assert run.report.footer["verdict"] != "conformant"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--vindex3-impl=absent"], "no implementation 'absent'"),
        (["--vindex3-impl=right", "--vindex3-profile=quik"], "did you mean quick?"),
        (["--vindex3-impl=right", "--vindex3-time-scale=0"], "a factor above 0, not '0'"),
        (["--vindex3-impl=right", "--vindex3-time-scale=nan"], "a factor above 0, not 'nan'"),
        (["--vindex3-impl=right", "--vindex3-seed=x"], "an integer, not 'x'"),
        (["--vindex3-impl=right", "--vindex3-report=no/such/folder.json"], "cannot be written"),
        (["--vindex3-impl=right", "--vindex3-known-failures=none.toml"], "none.toml: No such file"),
    ],
)
def test_wrong_usage_ends_before_anything_runs(
    project: Project, arguments: list[str], complaint: str
) -> None:
    """A value that is none ends with exit code 4 and a sentence, without a traceback."""
    run = project.bare(*arguments)
    assert run.code == 4
    assert complaint in run.out
    assert "Traceback" not in run.out


def test_pdb_loads_the_implementation_into_the_process(project: Project) -> None:
    """With --trace or --pdb there is no child between the debugger and the implementation."""
    run = project.suite("test_all", CASES).run(
        "--vindex3-impl=obedient", "test_all.py", "--pdb", "-k", "good"
    )
    assert run.report.header["implementations"][0]["door"] == "in process"


def test_a_changed_golden_is_told_as_such(project: Project) -> None:
    """Where a pinned file is not what the manifest says, nothing is certified: exit code 3."""
    copy = project.folder / "changed" / "vindex3_golden"
    shutil.copytree(str(files("vindex3_golden")), copy)
    pinned = json.loads((copy / "manifest.json").read_bytes())["goldens"]
    name = next(golden["path"] for golden in pinned if (copy / golden["path"]).is_file())
    (copy / name).write_bytes((copy / name).read_bytes() + b"\0")
    run = project.suite("test_all", CASES).run(*HERE, "-k", "good", PYTHONPATH=str(copy.parent))
    assert run.code == 3
    assert f"golden {name} was changed" in run.report.footer["reason"]


def test_a_suite_that_cannot_be_imported_is_told_as_such(project: Project) -> None:
    """A broken module of the suites is no verdict on the implementation: exit code 3."""
    copy = project.folder / "broken" / "vindex3_suites"
    shutil.copytree(
        str(files("vindex3_suites")), copy, ignore=shutil.ignore_patterns("__pycache__", "test_*")
    )
    (copy / "lyrw" / "test_broken.py").write_text(
        "from pytest_vindex3 import clause\n@clause('LYRW-NONE-99')\ndef test_x(ask): ...\n", encoding="utf-8"
    )
    run = project.run("--vindex3-impl=right", PYTHONPATH=str(copy.parent))
    assert run.code == 3
    assert "no such clause: LYRW-NONE-99" in run.out


OVER = """
from obedient import lyrw_parse

vindex3_verbs = ["lyrw.parse", "lyrw.prase", "waste.open"]
"""


def test_a_listed_verb_that_does_not_exist_is_a_fault(project: Project) -> None:
    """Over-claiming turns a green run red, with a page that can be replayed; other parts do not tell."""
    project.write(over=OVER).suite("test_all", CASES)
    here = ("--vindex3-impl=over", "--vindex3-in-process", "test_all.py", "-k", "other")
    run = project.write(
        over=OVER + "def lyrw_parse(path):\n    from obedient import lyrw_parse as own\n"
        "    return own(path)\n"
    ).run(*here)
    assert run.code == 1
    assert run.verdicts == {"test_all.py::test_other": "pass", "describe": "fault"}
    assert "  over-claim no such verb: lyrw.prase" in run.lines
    assert any(line.endswith("lyrw.prase: perhaps lyrw.parse is meant") for line in run.lines)
    again = project.run("--vindex3-impl=over", "--vindex3-only=describe")
    assert again.code == 1
    assert again.verdicts["describe"] == "fault"
    assert not any(line.startswith("matches no test") for line in again.lines)
    assert project.run(*here, "--vindex3-only=LYRW-MAGIC-02").code == 0


def test_a_path_without_tests_is_explained(project: Project) -> None:
    """Where a path keeps the suites from running and holds no test, the way to run them is named."""
    (project.folder / "empty").mkdir()
    run = project.bare("--vindex3-impl=obedient", "--vindex3-in-process", "empty")
    assert run.code == 5
    assert any("the suites run without paths, or with --pyargs vindex3_suites" in line for line in run.lines)
    own = project.write(test_own="def test_own(): pass\n").bare("--vindex3-impl=obedient", "test_own.py")
    assert own.code == 0
    assert "--pyargs" not in own.out


DEAD = """
import vindex3_reference.adapter as oracle

def lyrw_parse(path):
    raise RuntimeError("dead")
"""


def test_a_dead_canary_stops_its_family(project: Project) -> None:
    """Where the canary fails the rest is not run, one page says why, and nothing is conformant."""
    run = project.write(dead=DEAD).run("--vindex3-impl=dead", "--vindex3-only=LYRW-TABLES-05")
    assert run.code == 1
    assert run.verdicts["lyrw/canary"] == "fault"
    assert {row.verdict for row in run.report.rows} == {"fault", "not run"}
    assert sum(line.startswith("FAULT") for line in run.lines) == 1
    assert any(line.startswith("not run: canary failed: exception: RuntimeError: dead") for line in run.lines)


def test_the_page_of_a_dead_canary_can_be_replayed(project: Project) -> None:
    """The id on the page of a canary runs its test, which is red as well."""
    run = project.write(dead=DEAD).run("--vindex3-impl=dead", "--vindex3-only=lyrw/canary")
    assert run.code == 1
    assert {row.verdict for row in run.report.rows if row.canary} == {"fault"}
    assert all(row.canary for row in run.report.rows if row.verdict != "not claimed")


GENERATED = """
from hypothesis import strategies as st

@clause("LYRW-HEADER-03")
@generated(st.integers(0, 1 << 31), examples=30)
def test_drawn(ask, drawn):
    with open("drawn", "a") as file:
        print(drawn, file=file)
    said = ask("lyrw.parse", path=ask.file("input", b"answer %d" % min(drawn, 1000)))
    check("LYRW-HEADER-03", said, answers(header={"flags": drawn}))
"""


def test_drawn_inputs_are_the_same_in_every_run(project: Project) -> None:
    """The same seed draws the same, another seed something else, and the smallest failing input is told."""
    project.suite("test_drawn", GENERATED)
    drawn = []
    for seed in ("0", "0", "1"):
        run = project.run(
            "--vindex3-impl=obedient", "--vindex3-in-process", "test_drawn.py", f"--vindex3-seed={seed}"
        )
        path = project.folder / "drawn"
        drawn.append(path.read_text(encoding="ascii").split())
        path.unlink()
        (row,) = run.report.rows
        assert row.failure is not None
        assert row.failure["difference"] == {"path": "header.flags", "expected": "1001", "found": "1000"}
    assert drawn[0] == drawn[1] != drawn[2]
    assert not (project.folder / ".hypothesis").exists()


HANGING = """
from hypothesis import strategies as st
from pytest_vindex3.contract.outcome import Limits

@clause("LYRW-MAGIC-01")
@generated(st.integers(), examples=30)
def test_drawn(ask, drawn):
    said = ask("lyrw.parse", limits=Limits(seconds=0.3), path=ask.file("input", b"%d" % drawn))
    check("LYRW-MAGIC-01", said, answers())
"""


def test_a_hang_is_not_searched_for_a_smaller_one(project: Project) -> None:
    """The first drawn input that hangs is the verdict; hanging a hundred times more tells nothing."""
    hanging = "import time\ndef lyrw_parse(path):\n    open('asked', 'a').write('x')\n    time.sleep(60)\n"
    run = (
        project.suite("test_drawn", HANGING)
        .write(hanging=hanging)
        .run("--vindex3-impl=hanging", "test_drawn.py")
    )
    assert run.verdict("test_drawn") == "fault"
    assert (project.folder / "asked").read_text(encoding="ascii") == "x"


@pytest.mark.parametrize(
    ("glob", "name", "fitting"),
    [
        ("a/b.py::t[x]", "a/b.py::t[x]", True),
        ("a/*[x]", "a/b.py::t[x]", True),
        ("a/*[xy]", "a/b.py::t[x]", False),
        ("*", "", True),
        ("?", "ab", False),
        ("a.b", "acb", False),
        ("A*", "ab", False),
    ],
)
def test_globs_take_brackets_as_they_are(glob: str, name: str, fitting: bool) -> None:
    """`*` and `?` are special, nothing else is: an id printed on a page means itself."""
    assert fits(glob, name) is fitting


def identity(name: str = "lyrw/test_a.py::test_b[c]", **more: object) -> Identity:
    """An identity of a test of LYRW-MAGIC-01."""
    from pytest_vindex3.law.registry import clauses

    values: dict[str, object] = {
        "id": name,
        "function": name.partition("[")[0],
        "family": "lyrw",
        "clauses": {"LYRW-MAGIC-01": clauses()["LYRW-MAGIC-01"]},
        "verbs": frozenset({"lyrw.parse"}),
        "options": frozenset(),
        "generated": False,
        "implementation": "",
        "canary": False,
    }
    return Identity(**{**values, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("glob", "meant"),
    [
        ("lyrw/test_a.py::test_b[c]", True),
        ("lyrw/test_a.py::test_b", True),
        ("lyrw/test_a.py", True),
        ("LYRW-MAGIC-01", True),
        ("LYRW-*", True),
        ("lyrw", True),
        ("lyr", False),
        ("waste", False),
        ("LYRW-MAGIC-02", False),
        ("lyrw/canary", False),
    ],
)
def test_only_means_ids_clauses_and_families(glob: str, meant: bool) -> None:
    """A test is meant by its id, function, file, clause or family."""
    assert matches(glob, identity()) is meant


def test_a_glob_that_means_nothing_is_told_with_the_nearest_name() -> None:
    """Of several globs those without a test are told, with what they look like."""
    other = identity(clauses={"LYRW-MAGIC-02": None})
    told = unmatched(["LYRW-*", "LYRW-MAGIG-02", "zzz"], [identity(), other])
    assert told == ["LYRW-MAGIG-02 (nearest: LYRW-MAGIC-02, LYRW-MAGIC-01)", "zzz"]


def test_quick_takes_the_first_case_of_each_clause() -> None:
    """Of each clause the first case of its first test; drawn inputs where it has no others."""
    first, second = identity("lyrw/t.py::a[1]"), identity("lyrw/t.py::a[2]")
    drawn = identity("lyrw/t.py::g", generated=True)
    alone = identity("lyrw/t.py::h", generated=True, clauses={"LYRW-HEADER-02": None})
    own = identity("lyrw/t.py::a[3]", clauses={"LYRW-HEADER-03": None})
    other = identity("lyrw/t.py::b[1]")
    pairs = [(None, one) for one in (first, second, other, drawn, alone, own)]
    assert [known for _, known in quick(pairs)] == [first, alone, own]  # type: ignore[arg-type]


def test_a_test_is_claimed_by_verbs_and_options() -> None:
    """What lacks is named: a verb that is not there, an option that is not declared."""
    from types import SimpleNamespace

    said = SimpleNamespace(verbs=("lyrw.parse",), options={"lyrw.parse": ("hold",)})
    one = SimpleNamespace(description=said)
    needed = frozenset({("lyrw.parse", "hold"), ("lyrw.parse", "before")})
    test = identity(verbs=frozenset({"lyrw.parse", "lyrw.region"}), options=needed)
    assert lacks(test, one) == ["lyrw.region", "lyrw.parse:before"]  # type: ignore[arg-type]
