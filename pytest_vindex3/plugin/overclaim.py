"""Verbs that an implementation lists and that there are not: over-claiming, which no request would show."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pytest_vindex3.contract.outcome import Fault
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.blame import blame_of
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.report.row import Row
from pytest_vindex3.report.shown import cut

ID = "describe"
_CLAIM = "An implementation lists the verbs that it has; a listed verb that does not exist is over-claiming."
_MOST = 3


def overclaims(implementations: Iterable[Implementation]) -> list[Row]:
    """A row for each implementation that lists verbs which no family has."""
    listed = {one.label: strange(one.description.verbs) for one in implementations}
    return [_row(label, names) for label, names in listed.items() if names]


def strange(listed: Iterable[str]) -> list[str]:
    """Those of the listed verbs that neither the contract nor a clause of the law knows."""
    return sorted(set(listed) - verbs().keys() - {clause.verb for clause in clauses().values()})


def _row(label: str, names: list[str]) -> Row:
    detail = [f"no such verb: {cut(', '.join(names))}"]
    for name in names[:_MOST]:
        near = difflib.get_close_matches(name, list(verbs()), n=1)
        detail += [f"{cut(name, 60)}: perhaps {near[0]} is meant"] if near else []
    fault = Fault("over-claim", detail[0])
    cause = f"{fault.what}: {fault.detail}"
    row = Row(ID, label, ID, "fault", "must")
    row.failure = {
        "clause": ID,
        "level": "must",
        "claim": _CLAIM,
        "verb": "",
        "arguments": {},
        "difference": None,
        "fault": {"what": fault.what, "detail": detail},
        "refused": "",
        "said": "",
        "blame": blame_of(fault),
        "cause": cause,
        "group": cause,
        "bytes": [],
    }
    return row
