"""How a container is rewritten, and what stands in the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, check
from vindex3_suites.container.on_disk import StoredContainer

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model

PLACES = ("elsewhere", "empty", "in place")
"""A folder that is not there yet, one that is there and empty, the container's own."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One rewrite that was answered.

    Attributes:
        place: where the result stands, in words.
        before: the source as it was before the request.
        after: the result.
        out: the folder of the result.
    """

    place: str
    reply: Reply
    before: StoredContainer
    after: StoredContainer
    out: Path


def rewrite(ask: Ask, model: Model, place: str) -> Rewritten:
    """Ask for a container to be written again; see `PLACES`."""
    path = ask.file("source", model.folder)
    before = StoredContainer(ask.folder / "source")
    out = ask.folder / ("source" if place == "in place" else place)
    if place == "empty":
        out.mkdir(exist_ok=True)
    reply = ask("container.rewrite", path=path, out=str(out))
    return Rewritten(place, reply, before, StoredContainer(out), out)


def rewrites(ask: Ask, clause_id: str, model: Model) -> list[Rewritten]:
    """A rewrite to every place, each of which must be answered."""
    made = []
    for place in PLACES:
        made.append(rewrite(ask, model, place))
        check(clause_id, made[-1].reply, answers(path=str(made[-1].out)))
    return made
