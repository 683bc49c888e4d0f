"""Pairs that most clauses are judged on: a legal container, and the same with one fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import check, refuses
from pytest_vindex3.law.registry import clauses
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.waste import MANIFEST
from vindex3_suites.waste.models import open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_text import Way
    from vindex3_fixtures.json_twins import JsonTwin
    from vindex3_fixtures.waste import Waste


def check_opened(ask: Ask, clause_id: str, model: Waste, spelt: Waste | Folder | None = None) -> None:
    """A container is observed as its manifest says; so is another one, `spelt`, that says the same."""
    folder = spelt if isinstance(spelt, Folder) else (spelt or model).folder
    check(clause_id, ask("waste.open", path=ask.file("model", folder)), opens(model))


def check_refused(
    ask: Ask, clause_id: str, wrong: Waste | Folder, kinds: str | tuple[str, ...], **names: object
) -> None:
    """A container is refused as this kind, or one of these, with the facts that the clause asks for.

    Those are `names`, with manifest.json as `path` where no other is given; others are left out.
    """
    folder = wrong if isinstance(wrong, Folder) else wrong.folder
    reply = ask("waste.open", path=ask.file("model", folder))
    check(clause_id, reply, refused(clause_id, kinds, **names))


def refused(clause_id: str, kinds: str | tuple[str, ...], **names: object) -> Refuses:
    """The refusal that a clause asks for; see `check_refused`."""
    kind, *more = (kinds,) if isinstance(kinds, str) else kinds
    facts = {"path": MANIFEST, **names}
    asked = {name: value for name, value in facts.items() if name in clauses()[clause_id].names}
    return refuses(kind, *more, **asked)


def check_pair(
    ask: Ask,
    clause_id: str,
    model: Waste,
    way: Way,
    value: object,
    kinds: str | tuple[str, ...],
    **names: object,
) -> None:
    """A container opens, and is refused with another value at this place of its manifest."""
    check_opened(ask, clause_id, model)
    check_refused(ask, clause_id, model.with_manifest(way, value), kinds, **names)


def check_fault(ask: Ask, clause_id: str, fault: JsonFault, model: Waste) -> None:
    """A container opens, and is refused by this clause with a fault of family JSON in its manifest."""
    check_opened(ask, clause_id, model)
    wrong = model.folder.with_file(MANIFEST, fault.edit(model.text))
    check_refused(ask, clause_id, wrong, fault.kinds)


def check_twin(ask: Ask, clause_id: str, twin: JsonTwin, model: Waste) -> None:
    """A container whose manifest is spelt in another way, or has one more key, is observed like it."""
    path = ask.file("model", model.folder.with_file(MANIFEST, twin.edit(model.text)))
    check(clause_id, ask("waste.open", path=path), opens(model))


def check_alike(ask: Ask, clause_id: str, models: dict[str, Waste]) -> None:
    """Each of these containers is observed as its manifest says."""
    for model in models.values():
        check(clause_id, open_(ask, model), opens(model))
