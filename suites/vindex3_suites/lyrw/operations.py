"""Asking what may be done with the files of a layer, and the verdicts as expectations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3.contract.difference import MISSING, Difference, free_order
from pytest_vindex3.contract.patterns import EachOf
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.lyrw import LyrwFile
from vindex3_fixtures.lyrw import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

FORMATS = list(v.FORMATS.values())
PACKINGS = list(v.PACKINGS.values())
LAYOUTS = list(v.LAYOUTS.values())


@dataclass(frozen=True, slots=True)
class Covered:
    """Entries as pairs [first, end) in any order: ranges that touch may be one or several."""

    ranges: tuple[tuple[int, int], ...]

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference unless the pairs hold exactly these entries."""
        expected = _joined(self.ranges)
        pairs = found if isinstance(found, list) else []
        fits = isinstance(found, list) and all(_is_range(pair) for pair in pairs)
        shown = [list(one) for one in expected]
        return None if fits and _joined(pairs) == expected else Difference(path, shown, found)


def _is_range(pair: object) -> bool:
    integers = isinstance(pair, list) and [type(one) for one in pair] == [int, int]
    return integers and isinstance(pair, list) and pair[0] < pair[1]


def _joined(pairs: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """The ranges in order, those that touch made one."""
    found: list[tuple[int, int]] = []
    for first, end in sorted(map(tuple, pairs)):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((first, end))
    return found


def covered(*ranges: tuple[int, int]) -> Covered:
    """Expect exactly these entries."""
    return Covered(ranges)


def judged(
    ask: Ask, files: LyrwFile | Sequence[LyrwFile], operation: str, bank_id: int = 0, /, **options: object
) -> Reply:
    """Ask for the verdict over an operation on a bank of these files; no options are none."""
    several = [files] if isinstance(files, LyrwFile) else files
    paths = [ask.file(f"layer_{position}.lyrw", file) for position, file in enumerate(several)]
    return judged_paths(ask, paths, operation, bank_id, **options)


def judged_paths(ask: Ask, paths: list[str], operation: str, bank_id: int = 0, /, **options: object) -> Reply:
    """The same for files that are written already."""
    arguments: dict[str, Any] = {"files": paths, "bank_id": bank_id, "operation": operation}
    if options:
        arguments["options"] = options
    return ask("capability.check", **arguments)


def permitted(operation: str, **more: object) -> Answers:
    """The operation is permitted, for no reason against it."""
    return Answers({"operation": operation, "verdict": "permitted", "reasons": [], **more})


def forbidden(operation: str, *reasons: object, also: object = MISSING, **more: object) -> Answers:
    """The operation is refused for exactly these reasons, in any order."""
    listed = free_order(reasons, also)
    keys = {"operation": operation, "verdict": "refused", "reasons": listed, **more}
    return Answers(keys, frozenset({"wrong"}))


def forbidden_by_each(operation: str, reason: object, **more: object) -> Answers:
    """The operation is refused for one or more reasons, all of which are of this sort."""
    keys = {"operation": operation, "verdict": "refused", "reasons": EachOf(reason), **more}
    return Answers(keys, frozenset({"wrong"}))


def reason(kind: str, **names: object) -> dict[str, Any]:
    """One reason with these facts; it may have more."""
    return {"kind": kind, "names": names}


def unsupported(operation: str, **names: object) -> dict[str, Any]:
    """The operation needs a tag value that is unknown or unsupported."""
    return reason("unsupported-operation", operation=operation, **names)


def supporting(
    *, formats: Iterable[str] = FORMATS, packings: Iterable[str] = PACKINGS, layouts: Iterable[str] = LAYOUTS
) -> dict[str, list[str]]:
    """What whoever asks can work with: every known tag unless said otherwise."""
    return {"formats": list(formats), "packings": list(packings), "layouts": list(layouts)}


def but(words: Iterable[str], *without: str) -> list[str]:
    """These words without some."""
    return [word for word in words if word not in without]
