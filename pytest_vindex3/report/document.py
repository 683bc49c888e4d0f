"""The JSON report: a header, rows in stable order, a footer; what changes from run to run stands apart.

A report without its footer is of a run that did not end, and is invalid.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_vindex3.report.row import Row, Verdict

FORMAT: Final = 1
VOLATILE: Final = ("seconds", "inputs", "stderr")
"""Keys of a row that stand apart."""


class InvalidReport(ValueError):  # noqa: N818 -- the state of a file
    """A file that is no report, is of another format, or is of a run that did not end."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report.

    Attributes:
        header: what was judged, by what, and how.
        rows: what each test gave, in order of implementation and id.
        footer: counts, the verdict of every clause, the verdict of the run and its exit code.
        volatile: dates, durations and paths.
    """

    header: Mapping[str, Any]
    rows: tuple[Row, ...]
    footer: Mapping[str, Any]
    volatile: Mapping[str, Any] = field(default_factory=dict)


def write_report(path: Path, report: Report) -> None:
    """Write the report whole or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    rows, apart = [], []
    for row in report.rows:
        plain = row.plain()
        apart.append({key: plain.pop(key) for key in VOLATILE})
        rows.append(plain)
    document = {
        "format": FORMAT,
        "header": report.header,
        "rows": rows,
        "footer": report.footer,
        "volatile": {**report.volatile, "rows": apart},
    }
    _replace(path, json.dumps(document, indent=1) + "\n")


def write_beginning(path: Path, header: Mapping[str, Any]) -> None:
    """Write what a report begins with, so that no earlier one is taken for that of a run which broke off.

    Raises:
        OSError: the file cannot be written.
    """
    _replace(path, json.dumps({"format": FORMAT, "header": header}) + "\n")


def read_report(path: Path) -> Report:
    """Read and check a report.

    Raises:
        InvalidReport: it is no report, of another format, or of a run that did not end.
        OSError: there is no such file.
    """
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InvalidReport(f"{path} is no JSON document: {error}") from None
    if not isinstance(document, dict) or "format" not in document:
        raise InvalidReport(f"{path} is no report of pytest-vindex3")
    if document["format"] != FORMAT:
        raise InvalidReport(f"{path} has format {document['format']!r}; this version reads {FORMAT}")
    if "footer" not in document:
        raise InvalidReport(f"{path} has no footer: its run did not end")
    return _report(path, document)


def _report(path: Path, document: Mapping[str, Any]) -> Report:
    try:
        volatile = dict(document["volatile"])
        apart = volatile.pop("rows")
        rows = tuple(Row.of({**row, **more}) for row, more in zip(document["rows"], apart, strict=True))
        return Report(document["header"], rows, document["footer"], volatile)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidReport(f"{path} is damaged: {type(error).__name__}: {error}") from None


def counts(rows: Iterable[Row]) -> dict[Verdict, int]:
    """How many rows have which verdict; verdicts that none has are left out."""
    given: dict[Verdict, int] = {}
    for row in rows:
        given[row.verdict] = given.get(row.verdict, 0) + 1
    return dict(sorted(given.items()))


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="ascii")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
