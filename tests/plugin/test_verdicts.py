"""The verdicts of tests, as rows, as pytest's outcomes and as exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project, Run

ASKED = """
@clause("{clause}")
def test_{name}(ask):
    said = ask("lyrw.parse", path=ask.file("input.lyrw", {content!r}))
    check("{clause}", said, {expected})
"""


def one(name: str, clause: str, content: bytes, expected: str) -> str:
    """One test that puts one file."""
    return ASKED.format(name=name, clause=clause, content=content, expected=expected)


GREEN = one("passes", "LYRW-MAGIC-02", b"refuse bad-magic", 'refuses("bad-magic", found=1)')
RED = one("fails", "LYRW-HEADER-03", b"answer 5", "answers(header={'flags': 6})")
FAULT = one("faults", "LYRW-MAGIC-01", b"raise because", "answers()")
ADVICE = one("advises", "LYRW-VERSION-03", b"answer", 'refuses("wrong-generation")')
ADVICE_FAULT = one("advises_of_a_fault", "LYRW-VERSION-03", b"raise because", 'refuses("wrong-generation")')
UNCLAIMED = """
@clause("REGION-READ-01")
def test_is_not_claimed(ask):
    raise RuntimeError("it is not run")
"""
UNMEASURED = """
from pytest_vindex3.contract.outcome import Limits

@clause("LYRW-MAGIC-01")
def test_is_not_run(ask):
    said = ask("lyrw.parse", limits=Limits(measure=True), path=ask.file("input.lyrw", b"answer"))
    check("LYRW-MAGIC-01", said, answers())
"""
TWO_CLAUSES = """
@clause("LYRW-MAGIC-01", "LYRW-HEADER-03", "LYRW-HEADER-02")
def test_fails_in_the_second(ask):
    said = ask("lyrw.parse", path=ask.file("input.lyrw", b"answer"))
    check("LYRW-MAGIC-01", said, answers(table_bytes=24))
    check("LYRW-HEADER-03", said, answers(table_bytes=25))
    check("LYRW-HEADER-02", said, answers())
"""
FOREIGN = """
def test_of_somebody_else():
    assert 1 + 1 == 2
"""


@pytest.fixture(scope="module")
def judged(shared: Project) -> Run:
    """A run in which every verdict but those of an unsound suite occurs."""
    parts = [GREEN, RED, FAULT, ADVICE, ADVICE_FAULT, UNCLAIMED, UNMEASURED, TWO_CLAUSES, FOREIGN]
    shared.suite("test_all", *parts)
    return shared.run(
        "--vindex3-impl=obedient", "--vindex3-in-process", "test_all.py", "--junitxml=junit.xml"
    )


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("test_passes", "pass"),
        ("test_fails", "fail"),
        ("test_faults", "fault"),
        ("test_advises", "advice"),
        ("test_advises_of_a_fault", "advice"),
        ("test_is_not_claimed", "not claimed"),
        ("test_is_not_run", "not run"),
        ("test_fails_in_the_second", "fail"),
    ],
)
def test_each_end_has_its_verdict(judged: Run, name: str, verdict: str) -> None:
    """What an implementation does with one input gives the verdict that the design says."""
    assert judged.verdict(name) == verdict


def test_verdicts_are_told_in_the_words_of_pytest(judged: Run) -> None:
    """Failures, advice, skips and deselected tests are counted as such, and other tests as ever."""
    assert judged.code == 1
    assert "3 failed, 2 passed, 1 skipped, 1 deselected, 2 advice" in judged.lines[-1]


def test_a_test_of_several_clauses_turns_red_the_one_that_failed(judged: Run) -> None:
    """Before the failing clause a clause holds, after it a clause was not run."""
    row = judged.rows["test_all.py::test_fails_in_the_second"]
    assert row.clauses == {"LYRW-MAGIC-01": "pass", "LYRW-HEADER-03": "fail", "LYRW-HEADER-02": "not run"}


def test_a_clause_has_the_worst_verdict_of_its_tests(judged: Run) -> None:
    """A fault beats a pass, and a not claimed clause is neither passed nor failed."""
    clauses = judged.report.footer["clauses"]["obedient"]
    assert clauses["LYRW-MAGIC-01"] == "fault"
    assert clauses["LYRW-MAGIC-02"] == "pass"
    assert clauses["LYRW-VERSION-03"] == "advice"
    assert clauses["REGION-READ-01"] == "not claimed"


def test_rows_say_which_sides_were_evaluated(judged: Run) -> None:
    """Coverage counts checks that were evaluated, by the side of their input."""
    assert judged.rows["test_all.py::test_passes"].sides == {"LYRW-MAGIC-02": ["wrong"]}
    assert judged.rows["test_all.py::test_is_not_run"].sides == {}


def test_junit_holds_each_test_once_and_nothing_of_ours(judged: Run) -> None:
    """The JUnit file has a case a test, the page as its failure, and no properties."""
    text = (judged.report_path.parent / "junit.xml").read_text(encoding="utf-8")
    assert text.count("<testcase") == 8
    assert text.count("<failure") == 3
    assert "<propert" not in text
    assert "FAIL LYRW-HEADER-03 (must)" in text


def test_strict_counts_advice(project: Project) -> None:
    """Advice alone leaves the exit code 0, and gives 1 with --vindex3-strict."""
    project.suite("test_all", GREEN, ADVICE)
    arguments = ["--vindex3-impl=obedient", "--vindex3-in-process", "test_all.py"]
    mild, strict = project.run(*arguments), project.run(*arguments, "--vindex3-strict")
    assert (mild.code, strict.code) == (0, 1)
    assert "advice" in mild.lines[-1]
    assert "1 failed" in strict.lines[-1]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (
            """
@clause("LYRW-MAGIC-01", "LYRW-HEADER-02")
def test_forgets(ask):
    check("LYRW-MAGIC-01", ask("lyrw.parse", path=ask.file("i", b"answer")), answers())
""",
            "named and never checked: LYRW-HEADER-02",
        ),
        (
            """
@clause("LYRW-MAGIC-01")
def test_forgets(ask):
    raise LookupError("of the suite")
""",
            "LookupError: of the suite",
        ),
        (
            """
@clause("LYRW-MAGIC-01")
def test_forgets(ask):
    ask("lyrw.region", path="x", bank_id=0, entry=0)
""",
            "asks lyrw.region, which neither its clauses nor needs() name",
        ),
        (
            """
@clause("LYRW-MAGIC-01")
def test_forgets(ask):
    check("LYRW-MAGIC-02", ask("lyrw.parse", path=ask.file("i", b"answer")), answers())
""",
            "LYRW-MAGIC-02 is checked by a test that does not name it",
        ),
        (
            """
import pytest

@pytest.fixture
def helper():
    yield
    raise LookupError("of the suite")

@clause("LYRW-MAGIC-01")
def test_forgets(ask, helper):
    check("LYRW-MAGIC-01", ask("lyrw.parse", path=ask.file("i", b"answer")), answers())
""",
            "LookupError: of the suite",
        ),
    ],
    ids=["unchecked", "exception", "unnamed_verb", "unnamed_clause", "teardown"],
)
def test_an_unsound_test_is_an_error(project: Project, body: str, complaint: str) -> None:
    """What is wrong with the suite itself is no verdict on the implementation: exit code 3."""
    project.suite("test_unsound", body)
    run = project.run("--vindex3-impl=obedient", "--vindex3-in-process", "test_unsound.py")
    assert run.code == 3
    assert run.verdict("test_forgets") == "error"
    assert complaint in run.rows["test_unsound.py::test_forgets"].reason
    assert run.report.footer["verdict"] == "suite integrity"


WATCHED = """
from _pytest._code import ExceptionInfo

written = ExceptionInfo.getrepr

def getrepr(self, *args, **kwargs):
    with open("written", "a") as file:
        print(self.typename, file=file)
    return written(self, *args, **kwargs)

ExceptionInfo.getrepr = getrepr
"""
UNSOUND = """
@clause("LYRW-MAGIC-01")
def test_is_unsound(ask):
    raise LookupError("of the suite")
"""


def test_only_what_is_wrong_with_the_suite_has_a_traceback(project: Project) -> None:
    """Of a verdict pytest writes none, which takes most of the time of a run, and one of an unsound test."""
    project.write(conftest=WATCHED).suite("test_all", RED, FAULT, ADVICE, UNMEASURED, UNSOUND)
    run = project.run("--vindex3-impl=obedient", "--vindex3-in-process", "test_all.py")
    assert sorted(run.verdicts.values()) == ["advice", "error", "fail", "fault", "not run"]
    assert (project.folder / "written").read_text(encoding="ascii").split() == ["LookupError"]
    assert "LookupError: of the suite" in run.out
