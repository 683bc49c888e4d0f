"""The bytes that a failure is about, annotated: where a wrong input leaves its legal twin, or the start."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from pytest_vindex3.formats import annotate
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.report.shown import cut

MOST_LINES = 4
_WIDTH = 96
_LARGEST = 1 << 20
_BEFORE = 4
_AFTER = 24


def around(failure: Failure, folder: Path) -> list[str]:
    """A few annotated lines of the input that the failing request was about; none where it has no file."""
    named = failure.reply.arguments.get("path")
    if not isinstance(named, str):
        return []
    path = Path(named)
    try:
        if not path.is_file():
            return []
        start = max(0, _first_change(path, folder) - _BEFORE)
        return [cut(line, _WIDTH) for line in islice(annotate(path, start, start + _AFTER), MOST_LINES)]
    except OSError:
        return []


def _first_change(path: Path, folder: Path) -> int:
    """The first byte in which the input differs from another input of its test; 0 where there is none."""
    if path.stat().st_size > _LARGEST:
        return 0
    data = path.read_bytes()
    for other in sorted(folder.glob(f"*{path.suffix}")):
        if other != path and other.is_file() and other.stat().st_size <= _LARGEST:
            twin = other.read_bytes()
            shared = min(len(data), len(twin))
            return next((place for place in range(shared) if data[place] != twin[place]), shared)
    return 0
