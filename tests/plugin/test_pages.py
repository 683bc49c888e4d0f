"""Pages and the summary: short enough to be read, and the same cause told once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vindex3.contract.difference import Difference
from pytest_vindex3.contract.outcome import Answer, Fault, FaultKind, Misfit, Outcome, Refused, Reply
from pytest_vindex3.contract.patterns import field
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.check import Failed, Failure, Record, begin, check, end
from pytest_vindex3.plugin.expect import Expectation, answers, either, refuses
from pytest_vindex3.plugin.inputs import Inputs
from pytest_vindex3.plugin.kept import Kept
from pytest_vindex3.plugin.telling import Telling
from pytest_vindex3.report.page import MOST_LINES, page
from pytest_vindex3.report.row import Row
from pytest_vindex3.report.shown import shown
from pytest_vindex3.report.standing import Standing
from pytest_vindex3.report.summary import MOST_LINES as MOST_SUMMARY
from pytest_vindex3.report.summary import closing, pages

LONGEST_CLAIM = max(clauses().values(), key=lambda clause: len(clause.text))
VERDICT = Standing("not conformant", "300 tests", 1)


def red(
    name: str, clause: str, outcome: Outcome, difference: Difference | None, folder: Path, *, stderr: str = ""
) -> Row:
    """A red row of a test that put one file of 256 bytes."""
    folder.mkdir(exist_ok=True)
    path = folder / "input.lyrw"
    path.write_bytes(bytes(range(256)))
    reply = Reply("lyrw.parse", {"path": str(path), "number": 5}, outcome, stderr=stderr)
    fault = outcome if isinstance(outcome, Fault) else None
    row = Row(f"lyrw/test_x.py::{name}", "mypkg", "lyrw", "fault" if fault else "fail")
    failure = Failure(clauses()[clause], reply, difference, fault)
    Telling(Kept(folder.parent / "user"), folder.parent / "user").tell(row, failure, Inputs(folder))
    return row


def judged(clause: str, outcome: Outcome, expectation: Expectation, folder: Path) -> list[str]:
    """What the page of an outcome that is not as expected says of the difference."""
    folder.mkdir()
    begin(Record(clauses()))
    try:
        with pytest.raises(Failed) as failed:
            check(clause, Reply("lyrw.parse", {"path": "x"}, outcome), expectation)
    finally:
        end()
    row = Row("lyrw/test_x.py::test_y", "mypkg", "lyrw", "fail")
    Telling(Kept(folder), folder).tell(row, failed.value.failure, Inputs(folder))
    lines = page(row, "mypkg")
    labels = [line.split()[0] for line in lines]
    return lines[labels.index("differs") : labels.index("may")]


FUSED = refuses("layout-on-non-fused", bank_id=6, schema_index=1, role="gate", layout="concat")


@pytest.mark.parametrize(
    ("outcome", "expectation", "differs", "expected", "found"),
    [
        (
            Answer({}),
            FUSED,
            "the outcome",
            'refused as layout-on-non-fused (bank_id=6, schema_index=1, role="gate", layout="concat")',
            "an answer",
        ),
        (
            Refused("layout-on-non-fused", {"bank_id": 6, "role": "up", "more": None}, "why not"),
            FUSED,
            "names.schema_index, names.role, names.layout",
            'refused as layout-on-non-fused (schema_index=1, role="gate", layout="concat", bank_id=6)',
            'refused as layout-on-non-fused (schema_index=nothing, role="up", layout=nothing, bank_id=6, '
            "more=null) said why not",
        ),
        (
            Refused("truncated", {"at": 5}),
            either(answers(a=1), refuses("overlap", "misaligned", field=field("a", "b"))),
            "the outcome",
            "refused as overlap or misaligned (field='a' or 'b')",
            "refused as truncated (at=5)",
        ),
        (
            Refused("truncated", {"at": 5}),
            either(refuses("truncated", at=4), refuses("overlap")),
            "names.at",
            "refused as truncated (at=4)",
            "refused as truncated (at=5)",
        ),
        (
            Refused("truncatd", {"at": 5}),
            answers(a=1),
            "the outcome",
            "an answer",
            "refused as 'truncatd', which is no kind of the law; nearest: truncated, unplaced, duplicate-id",
        ),
        (
            Misfit("", "object", "null"),
            answers(a=1),
            "the outcome",
            "an answer",
            "the answer is null, not object",
        ),
        (Answer({"a": "an answer"}), answers(a=1), "a", "1", '"an answer"'),
    ],
    ids=["accepted", "facts", "other_kind", "kind_of_the_first", "no_kind", "misfit", "value"],
)
def test_both_sides_of_an_outcome_are_told_whole(
    tmp_path: Path, outcome: Outcome, expectation: Expectation, differs: str, expected: str, found: str
) -> None:
    """A refusal is shown with every fact, those that differ first; words have no quotes, values have."""
    shown = judged("LYRW-FUSED-01", outcome, expectation, tmp_path / "in")
    assert " ".join(" ".join(shown).split()) == f"differs {differs} expected {expected} found {found}"
    assert all(len(line) <= 110 for line in shown)


def test_numbers_make_no_new_cause_and_are_shown(tmp_path: Path) -> None:
    """Faults that differ in numbers alone are one cause, which is told with its own numbers."""
    rows = [
        red(f"test_{n}", "LYRW-MAGIC-01", Fault("exception", f"KeyError: call{n}"), None, tmp_path / "in")
        for n in (32, 33)
    ]
    told = [row.failure for row in rows if row.failure]
    assert [one["cause"] for one in told] == ["exception: KeyError: call32", "exception: KeyError: call33"]
    assert len({one["group"] for one in told}) == 1


def test_a_run_without_a_report_says_how_to_get_one(tmp_path: Path) -> None:
    """Where one page stands for several failures, it says where the others are or how to get them."""
    rows = [
        red(f"test_{n}", "LYRW-MAGIC-01", Answer({}), Difference("a", 1, 2), tmp_path / "in")
        for n in range(2)
    ]
    reported, alone = (pages(rows, {"mypkg": "mypkg"}, reported=flag) for flag in (True, False))
    assert any(line.endswith("all of them in the report") for line in reported)
    assert any(line.endswith("--vindex3-report=FILE.json lists them all") for line in alone)


@pytest.mark.parametrize(
    ("outcome", "difference"),
    [
        (Answer({"a": 1}), Difference("a.b[3].c", {"key": list(range(1000))}, "x" * 100_000)),
        (
            Refused("truncated", {"field": "y" * 9999}, "m\n" * 500),
            Difference("", "refused as bad-magic", "z"),
        ),
        (Misfit("a", "int", "str"), Difference("", "an answer", "a is str, not int")),
        (Fault("exception", "Trace\n" * 500 + "last line \u2603"), None),
        (Fault("hang", ""), None),
    ],
    ids=["answer", "refused", "misfit", "exception", "hang"],
)
def test_a_page_is_short_and_plain(tmp_path: Path, outcome: Outcome, difference: Difference | None) -> None:
    """However much a failure has to say, its page takes at most 15 lines of ASCII, none endless."""
    row = red("test_it", LONGEST_CLAIM.id, outcome, difference, tmp_path / "in", stderr="noise\n" * 1000)
    lines = page(row, "mypkg", more="299 more")
    assert len(lines) <= MOST_LINES == 15
    assert "\n".join(lines).isascii()
    assert all(len(line) <= 260 and "\n" not in line for line in lines)


def test_a_page_answers_in_order(tmp_path: Path) -> None:
    """Clause and claim, place, expected, found, bytes, whose fault it may be, and the lines to replay it."""
    row = red("test_it[a b]", "LYRW-MAGIC-02", Answer({}), Difference("header.flags", 5, 6), tmp_path / "in")
    text = page(row, "my pkg")
    labels = [line.split()[0] for line in text if line[:3] != "   "]
    assert text[0] == "FAIL LYRW-MAGIC-02 (must)  lyrw/test_x.py::test_it[a b]"
    assert labels == ["FAIL", "claim", "differs", "expected", "found", "bytes", "may", "replay", "or"]
    assert "header.flags" in text[labels.index("differs") + 1]


def test_replay_lines_are_quoted_for_a_shell(tmp_path: Path) -> None:
    """The two last lines can be pasted, whatever is in the name of the implementation or the test."""
    row = red("test_it[a b]", "LYRW-MAGIC-02", Answer({}), Difference("x", 5, 6), tmp_path / "in")
    replay, call = page(row, "cmd:./my adapter")[-2:]
    assert replay.split(None, 1)[1] == (
        "pytest '--vindex3-impl=cmd:./my adapter' --vindex3-only='lyrw/test_x.py::test_it[a b]'"
    )
    assert call.split(None, 1)[1] == (
        "vindex3 call 'cmd:./my adapter' lyrw.parse path=.vindex3/last/"
        + str(tmp_path.name)
        + "/in/input.lyrw number=5"
    )


def test_facts_name_no_folder_of_the_machine(tmp_path: Path) -> None:
    """What stands in the stable part of a row is the same on every machine."""
    said = f"cannot read {tmp_path}/in/input.lyrw"
    outcome = Refused("missing-file", {"path": f"{tmp_path}/in/input.lyrw"}, said)
    row = red("test_it", "LYRW-MAGIC-01", outcome, Difference("", "an answer", said), tmp_path / "in")
    assert str(tmp_path) not in str(row.failure)
    assert row.failure is not None
    assert row.failure["arguments"] == {"path": {"input": "input.lyrw"}, "number": 5}


def test_300_failures_of_one_cause_fit_on_two_screens(tmp_path: Path) -> None:
    """One page and the summary tell of 300 failures whose first difference is at the same place."""
    rows = [
        red(
            f"test_{n}",
            "LYRW-HEADER-03",
            Answer({}),
            Difference(f"banks[{n}].rows", n, n + 1),
            tmp_path / "in",
        )
        for n in range(300)
    ]
    lines = pages(rows, {"mypkg": "mypkg"}) + closing(rows, VERDICT, [], "report.json")
    assert len(lines) <= 100
    assert sum("differs" in line for line in lines) == 1
    assert any("299 more" in line for line in lines)


def test_an_exception_is_one_cause_in_every_clause(tmp_path: Path) -> None:
    """The same exception under many clauses is told once."""
    rows = [
        red(f"test_{name}", name, Fault("exception", "ZeroDivisionError: 1/0"), None, tmp_path / "in")
        for name in list(clauses())[:40]
    ]
    lines = pages(rows, {"mypkg": "mypkg"})
    assert sum(line.startswith("FAULT") for line in lines) == 1
    assert any("39 more of this cause, 40 clauses" in line for line in lines)


def test_ten_causes_are_told_in_full_and_the_rest_a_line_each(tmp_path: Path) -> None:
    """Of 25 causes ten have a page, and 15 a line with clause, place and test."""
    rows = [
        red(f"test_{n}", "LYRW-HEADER-03", Answer({}), Difference(f"key_{n:02}", 1, 2), tmp_path / "in")
        for n in range(25)
    ]
    lines = pages(rows, {"mypkg": "mypkg"})
    assert sum("differs" in line for line in lines) == 10
    assert sum(line.startswith("FAIL LYRW-HEADER-03 at key_") for line in lines) == 15


def test_the_summary_takes_a_dozen_lines() -> None:
    """Twenty implementations of five families, reasons and a report take at most twelve lines."""
    rows = [
        Row(f"{family}/t::{n}", f"impl{n}", family, "not run", reason=f"reason {n}")
        for n in range(20)
        for family in ("lyrw", "container", "graph", "representation", "waste")
    ]
    lines = closing(rows, VERDICT, ["nothing*", "more*"], "report.json")
    assert len(lines) <= MOST_SUMMARY == 12
    assert lines[-1] == "verdict: not conformant: 300 tests"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (1, "1"),
        (1.0, "1.0"),
        (None, "null"),
        ("a\u00e9", '"a\\xe9"'),
        (b"\x01\x02", "bytes 01 02"),
        ([1, "x", {"k": 2.5}], '[1, "x", {k: 2.5}]'),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... 100 in all]"),
    ],
)
def test_values_are_shown_with_their_type(value: object, text: str) -> None:
    """1, 1.0 and true look different, bytes are hexadecimal, long lists end."""
    assert shown(value) == text


def test_a_value_of_any_size_is_shown_on_one_short_line() -> None:
    """A huge integer, a deep list and a long text are cut."""
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    for value in (1 << 10_000_000, deep, "x" * 10_000_000, {str(n): n for n in range(100_000)}):
        assert len(shown(value)) <= 160


@pytest.mark.parametrize(("what", "scale"), [("hang", True), ("memory", False), ("exception", False)])
def test_only_a_hang_may_be_a_slow_machine(tmp_path: Path, what: FaultKind, scale: bool) -> None:
    """The factor on time limits is named where time ran out, and nowhere else."""
    row = red("test_it", "LYRW-MAGIC-01", Fault(what, "of some sort"), None, tmp_path / "in")
    assert ("--vindex3-time-scale" in "".join(page(row, "mypkg"))) is scale
