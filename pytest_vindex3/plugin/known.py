"""Known failures: a file that lists them, strict both ways, read and never written.

[[known]]
id = "lyrw/test_header.py::test_magic[swapped]"   # or a glob with * and ?, which may mean 20 tests
refused = "truncated"                             # or difference = "banks[0].rows", or fault = "hang"
reason = "the version is looked at first"
issue = "https://example.org/issues/7"
expires = 2027-01-31
"""

from __future__ import annotations

import datetime as dt
import difflib
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vindex3.plugin.selection import fits
from pytest_vindex3.report.row import Row

MOST_OF_A_GLOB = 20
_TEXTS = ("id", "reason", "issue", "refused", "difference", "fault", "implementation")
_KEYS = (*_TEXTS, "expires")
_FAILED = ("fail", "fault", "advice")


class Malformed(ValueError):  # noqa: N818 -- the state of a file
    """A file of known failures that cannot be read as one; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Known:
    """One entry.

    Attributes:
        id: of a test, or a glob.
        reason: why it fails, for a person.
        issue: where it is tracked.
        refused, difference, fault: how it fails: the kind it is refused as, the path of the first
            difference, or the sort of fault; "" where that is not said.
        implementation: the label it is about, "" for every one.
        expires: the last day on which it holds.
    """

    id: str
    reason: str
    issue: str = ""
    refused: str = ""
    difference: str = ""
    fault: str = ""
    implementation: str = ""
    expires: dt.date | None = None

    def means(self, row: Row) -> bool:
        """Whether the entry is about this row."""
        return self.implementation in ("", row.implementation) and fits(self.id, row.id)

    def tells(self, row: Row) -> bool:
        """Whether the row fails in the way the entry says."""
        failure = row.failure or {}
        found = {
            "refused": failure.get("refused", ""),
            "difference": (failure.get("difference") or {}).get("path", ""),
            "fault": (failure.get("fault") or {}).get("what", ""),
        }
        return all(getattr(self, key) in ("", value) for key, value in found.items())

    def expired(self, today: dt.date) -> bool:
        """Whether its last day is past."""
        return self.expires is not None and self.expires < today


def read(path: Path) -> tuple[Known, ...]:
    """The entries of a file.

    Raises:
        Malformed: it cannot be read, or an entry is not one.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Malformed(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Malformed(f"{path}: {error}") from None
    rows = document.pop("known", [])
    if document or not isinstance(rows, list):
        raise Malformed(
            f"{path}: holds [[known]] entries and nothing else, not {', '.join(document) or 'known'}"
        )
    return tuple(_entry(f"{path}: entry {number}", row) for number, row in enumerate(rows, 1))


def _entry(where: str, row: object) -> Known:
    if not isinstance(row, Mapping):
        raise Malformed(f"{where} is no table")
    for key, value in row.items():
        _check(where, key, value)
    for key in ("id", "reason"):
        if not row.get(key):
            raise Malformed(f"{where} has no {key}")
    values: dict[str, Any] = dict(row)
    return Known(**values)


def _check(where: str, key: str, value: object) -> None:
    if key not in _KEYS:
        near = difflib.get_close_matches(key, _KEYS, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; keys are {', '.join(_KEYS)}"
        raise Malformed(f"{where} has an unknown key {key!r}{hint}")
    if key == "expires":
        if type(value) is not dt.date:
            raise Malformed(f"{where}: expires is a date such as 2027-01-31, without quotes")
    elif not isinstance(value, str):
        raise Malformed(f"{where}: {key} is a string")


def greedy(entries: Iterable[Known], ids: Collection[str]) -> list[str]:
    """Complaints about globs that swallow more tests than one may."""
    complaints = []
    for entry in entries:
        number = sum(fits(entry.id, name) for name in ids)
        if number > MOST_OF_A_GLOB:
            complaints.append(
                f"known failure {entry.id!r} means {number} tests; one entry may mean {MOST_OF_A_GLOB}"
            )
    return complaints


def settle(row: Row, entries: Iterable[Known], today: dt.date) -> Known | None:
    """Give a row the verdict that its entry makes of it; gives the entry, if there is one."""
    entry = next((entry for entry in entries if entry.means(row)), None)
    if entry is None or row.verdict not in (*_FAILED, "pass", "not run"):
        return entry
    about = f"{entry.reason} ({entry.issue})" if entry.issue else entry.reason
    if row.verdict not in _FAILED:
        said = "passes" if row.verdict == "pass" else f"was not run: {row.reason}"
        row.verdict, row.reason = "stale known failure", f"listed as known, but {said}; listed for: {about}"
    elif entry.expired(today):
        row.verdict, row.reason = "stale known failure", f"known until {entry.expires}; listed for: {about}"
    elif entry.tells(row):
        row.verdict, row.reason = "known failure", about
    else:
        row.reason = f"listed as known, but fails in another way; listed for: {about}"
    return entry


def unmet(entries: Iterable[Known], rows: Iterable[Row]) -> list[str]:
    """Entries that no test of the run met, not claimed tests left aside."""
    run = [row for row in rows if row.verdict != "not claimed"]
    return [
        f"known failure {entry.id!r} meets no test that was run"
        for entry in entries
        if not any(entry.means(row) for row in run)
    ]
