"""The summary of a run, at most a dozen lines, and the pages of its failures, grouped by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pytest_vindex3.report.page import page
from pytest_vindex3.report.row import VERDICTS, Row
from pytest_vindex3.report.shown import cut
from pytest_vindex3.report.standing import Standing

MOST_PAGES = 10
MOST_LINES = 12
_SEVERITY = {"fault": 0, "fail": 0, "stale known failure": 1}


def pages(rows: Iterable[Row], specs: Mapping[str, str], *, reported: bool = True) -> list[str]:
    """Red rows and advice by cause: ten in full, the rest a line each; what is known is not told.

    Args:
        rows: of the run.
        specs: by label, the implementations as they were named.
        reported: whether a report is written, which has what is not told here.
    """
    told = [row for row in rows if row.verdict != "known failure"]
    groups = _by_cause(told)
    lines: list[str] = []
    for group in groups[:MOST_PAGES]:
        first = group[0]
        lines += [*page(first, specs[first.implementation], _others(group, reported)), ""]
    for group in groups[MOST_PAGES:]:
        first = group[0]
        cause = (first.failure or {}).get("cause", "")
        lines.append(
            f"{first.verdict.upper()} {cause}  {first.id}" + (f" (+{len(group) - 1})" if group[1:] else "")
        )
    return lines + _stale(told)


def _stale(rows: Iterable[Row]) -> list[str]:
    """Tests that are listed as known failures and did not fail: there is nothing to show of them."""
    stale = [row for row in rows if row.verdict == "stale known failure" and not row.failure]
    lines = [f"STALE {row.id}: {cut(row.reason)}" for row in stale[:MOST_PAGES]]
    return lines + [f"STALE ... {len(stale) - MOST_PAGES} more"] * (len(stale) > MOST_PAGES)


def _by_cause(rows: Iterable[Row]) -> list[list[Row]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row.failure:
            groups.setdefault((row.implementation, row.verdict, row.failure["group"]), []).append(row)
    return sorted(groups.values(), key=lambda group: (_SEVERITY.get(group[0].verdict, 2), -len(group)))


def _others(group: Sequence[Row], reported: bool) -> str:
    if not group[1:]:
        return ""
    clauses = {row.failure["clause"] for row in group if row.failure}
    where = "all of them in the report" if reported else "--vindex3-report=FILE.json lists them all"
    several = "s" if len(clauses) > 1 else ""
    return f"{len(group) - 1} more of this cause, {len(clauses)} clause{several}; {where}"


def closing(rows: Sequence[Row], verdict: Standing, unmatched: Sequence[str], report: str) -> list[str]:
    """The summary: a line per family, what else there is to know, and last the verdict."""
    lines = table(rows)
    if len(lines) > MOST_LINES - 5:
        rest = len(lines) - (MOST_LINES - 6)
        lines = [*lines[: MOST_LINES - 6], f"... and {rest} more"]
    reasons = Counter(row.reason for row in rows if row.verdict == "not run")
    lines += [f"not run: {cut(reason, 90)} ({number})" for reason, number in reasons.most_common(2)]
    if unmatched:
        lines.append(f"matches no test: {cut(', '.join(unmatched))}")
    if report:
        lines.append(f"report: {report}")
    return [*lines, f"verdict: {verdict}"]


def table(rows: Sequence[Row]) -> list[str]:
    """A line per implementation and family: how many tests have which verdict."""
    several = len({row.implementation for row in rows}) > 1
    counts: dict[str, Counter[str]] = {}
    for row in sorted(rows, key=lambda row: (row.implementation, row.family)):
        name = f"{row.implementation} {row.family}" if several else row.family
        counts.setdefault(name, Counter())[row.verdict] += 1
    width = max(map(len, counts), default=0) + 2
    return [f"{name:<{width}}{_counted(counter)}" for name, counter in counts.items()]


def _counted(counter: Mapping[str, int]) -> str:
    return ", ".join(f"{counter[verdict]} {verdict}" for verdict in VERDICTS if counter.get(verdict))
