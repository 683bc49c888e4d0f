"""Pairs that most clauses are judged on: a legal container, and the same with one fault in its index."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import check, refuses
from pytest_vindex3.law.registry import clauses
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.index import INDEX
from vindex3_fixtures.json_text import json_text
from vindex3_suites.container.models import is_open, open_, opens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin


def check_legal(ask: Ask, clause_id: str, model: Model) -> None:
    """A container opens, whatever else is said of it."""
    check(clause_id, open_(ask, model), is_open(model))


def check_opened(ask: Ask, clause_id: str, model: Model, spelt: Model | None = None) -> None:
    """A container is observed as its index says; so is another one, `spelt`, whose index says the same."""
    check(clause_id, open_(ask, spelt or model), opens(model))


def check_refused(
    ask: Ask, clause_id: str, wrong: Model | Folder, kinds: str | tuple[str, ...], **names: object
) -> None:
    """A container is refused as this kind, or one of these, with the facts that the clause asks for.

    Those are `names`, with index.json as `path` where no other is given; others are left out.
    """
    folder = wrong if isinstance(wrong, Folder) else wrong.folder
    _check_refusal(ask, clause_id, folder, kinds, names)


def check_fault(ask: Ask, fault: JsonFault, model: Model) -> None:
    """A container opens, and is refused by the clause of a fault with that fault in its index."""
    check_legal(ask, fault.law, model)
    folder = model.folder.with_file(INDEX, fault.edit(json_text(model.index)))
    _check_refusal(ask, fault.law, folder, fault.kinds, fault.names)


def check_twin(ask: Ask, twin: JsonTwin, model: Model) -> None:
    """A container whose index is spelt in another way, or has one more key, is observed as it says."""
    text = twin.edit(json_text(model.index))
    path = ask.file("model", model.folder.with_file(INDEX, text))
    check(twin.law, ask("container.open", path=path), opens(replace(model, index=json.loads(text))))


def _check_refusal(
    ask: Ask, clause_id: str, folder: Folder, kinds: str | tuple[str, ...], names: Mapping[str, object]
) -> None:
    kind, *more = (kinds,) if isinstance(kinds, str) else kinds
    facts = {"path": INDEX, **names}
    asked = {name: value for name, value in facts.items() if name in clauses()[clause_id].names}
    check(clause_id, ask("container.open", path=ask.file("model", folder)), refuses(kind, *more, **asked))
