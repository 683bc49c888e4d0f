"""How writers of containers are asked, and what a refused plan leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from vindex3_suites.container.on_disk import StoredContainer, paths, spares

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_vindex3.contract.outcome import Limits, Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers, Expectation
    from vindex3_fixtures.container.sources import Writing

OUT = "out"


def write(ask: Ask, writing: Writing, name: str = OUT, *, limits: Limits | None = None, **more: Any) -> Reply:
    """Ask for a container of this name in the test's own folder."""
    return ask("container.write", limits=limits, out=str(ask.folder / name), **writing.request, **more)


def said_written(ask: Ask, name: str = OUT) -> Answers:
    """What a writer says that was not interrupted, without the order of what it published."""
    return answers(path=str(ask.folder / name))


def stored(ask: Ask, name: str = OUT) -> StoredContainer:
    """What stands in a folder now."""
    return StoredContainer(ask.folder / name)


def write_and_look(
    ask: Ask, clause_id: str, writing: Writing, name: str = OUT
) -> tuple[Reply, StoredContainer]:
    """Ask for a container that must be written; gives what stands there."""
    reply = write(ask, writing, name)
    check(clause_id, reply, said_written(ask, name))
    return reply, stored(ask, name)


def check_refused(ask: Ask, clause_id: str, writing: Writing, refused: Expectation) -> Reply:
    """Ask for a container that must be refused, into a target that is not there yet."""
    reply = write(ask, writing, "refused")
    check(clause_id, reply, refused)
    return reply


def holds_nothing(folder: Path, *below: str) -> Expectation:
    """Expect no file in a target after a refusal, or none below these folders and of these names."""
    found = [one for one in paths(folder) if not below or one.startswith(below)]
    return spares(folder.name, [], found)
