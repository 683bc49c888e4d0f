"""How waste.verify is asked, and what a right verifier lists, as expectations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from pytest_vindex3.contract.difference import MISSING, Difference, first_difference
from pytest_vindex3.contract.patterns import Present
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.waste import Waste

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

Defect = Any
"""A defect as it is expected: a mapping, or a pattern for one that can be said in several ways."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of defects that has these, and beside them none but of the kinds `also`.

    Of one fault a verifier may list several places, so that a second defect of a kind that is expected
    counts as true where all else it says is so.
    """

    required: tuple[Defect, ...]
    also: frozenset[str] = frozenset()

    def difference(self, found: object, path: str) -> Difference | None:
        """The first defect that is missing, else the first that is not true."""
        if not isinstance(found, list):
            return Difference(path, list(self.required), found)
        for wanted in self.required:
            if all(first_difference(wanted, item) for item in found):
                return _missing(wanted, found, path)
        for place, item in enumerate(found):
            known = any(first_difference(wanted, item) is None for wanted in self.required)
            if not known and item["kind"] not in self.also:
                return Difference(f"{path}[{place}]", MISSING, item)
        return None


def _missing(wanted: Defect, found: list[Any], path: str) -> Difference:
    """Where the only defect of the same kind parts from the one expected, else that there is none."""
    kind = wanted["kind"] if isinstance(wanted, Mapping) else None
    same = [place for place, item in enumerate(found) if item["kind"] == kind]
    nearer = first_difference(wanted, found[same[0]], f"{path}[{same[0]}]") if len(same) == 1 else None
    return nearer or Difference(path, wanted, found)


def defect(kind: str, **names: object) -> Mapping[str, Any]:
    """A defect of this kind that has at least these facts."""
    return {"kind": kind, "names": names}


def verify(ask: Ask, model: Waste | Folder, folder: str = "model") -> Reply:
    """Ask for the defects of a container, which is written into this folder first."""
    content = model if isinstance(model, Folder) else model.folder
    return ask("waste.verify", path=ask.file(folder, content))


def records(model: Waste) -> int:
    """How many records the container has."""
    return sum(len(bank) for bank in model.banks.values())


def sound(model: Waste) -> Answers:
    """The whole answer for a container without a defect."""
    return answers(records_checked=records(model), defects=[])


def lists(*required: Defect, also: tuple[str, ...] = (), checked: object = None) -> Answers:
    """Expect these defects, and none else but of the kinds `also`; `checked` records where that is fixed."""
    counted = Present() if checked is None else checked
    told = {"records_checked": counted, "defects": Listed(required, frozenset(also))}
    return Answers(told, frozenset({"wrong"}))


def check_listed(
    ask: Ask,
    clause_id: str,
    legal: Waste,
    wrong: Waste,
    *required: Defect,
    also: tuple[str, ...] = (),
    checked: object = None,
) -> None:
    """The legal container has no defect, and the wrong one has those required."""
    check(clause_id, verify(ask, legal), sound(legal))
    check(clause_id, verify(ask, wrong), lists(*required, also=also, checked=checked))
