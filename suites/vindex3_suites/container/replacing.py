"""What a folder may hold after a write into it was stopped or refused: one container whole, or none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, check, refuses
from pytest_vindex3.contract.difference import Stored, first_difference
from pytest_vindex3.contract.outcome import Refused
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.law.registry import kinds
from pytest_vindex3.plugin.check import NotRun
from vindex3_fixtures.container.sources import source
from vindex3_suites.container.on_disk import StoredContainer, paths, spares
from vindex3_suites.container.writing import said_written, write

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.sources import Writing

CLAUSE = "PUBLISH-REPLACE-01"


def with_other_bytes(writing: Writing, *names: str) -> Writing:
    """The writing with other bytes, as many, in the tensors of these names; in all where none is named."""
    sources = {
        artifact: [
            {**one, "data": source(f"other {one['name']}", "U8", (len(one["data"]),))["data"]}
            if one["name"] in names or not names
            else one
            for one in tensors
        ]
        for artifact, tensors in writing.sources.items()
    }
    return replace(writing, sources=sources)


def holds(folder: Path, writing: Writing) -> bool:
    """Whether a folder holds this container: its graph, its payloads, nothing that misses its digest."""
    found = StoredContainer(folder)
    pairs = writing.representations.items()
    return (
        found.complete
        and found.entries.keys() == set(writing.representations.values())
        and first_difference(Stored(writing.graph), found.graph) is None
        and all(found.segment(key).payload == writing.payload(one) for one, key in pairs)
    )


def check_one_or_none(ask: Ask, name: str, **containers: Writing) -> None:
    """Judge a folder by the implementation's own reader, and what that opens by its bytes.

    Args:
        ask: the implementation.
        name: of the folder.
        containers: what the folder may hold, by a word for each.
    """
    folder = ask.folder / name
    opened = ask("container.open", path=str(folder))
    if isinstance(opened.outcome, Refused):
        check(CLAUSE, opened, replace(refuses(*kinds()), sides=frozenset({"legal", "wrong"})))
        return
    check(CLAUSE, opened, answers())
    check(CLAUSE, ask("container.verify", path=str(folder)), answers(verified=True))
    held = next((word for word, writing in containers.items() if holds(folder, writing)), "something else")
    check(CLAUSE, opened, spares(f"what {name} holds", one_of(*containers), held))


def put(ask: Ask, writing: Writing, name: str) -> Path:
    """Have a container written that is there before the request which the test is about."""
    reply = write(ask, writing, name)
    check(CLAUSE, reply, said_written(ask, name))
    return ask.folder / name


def linked(source_folder: Path, copy: Path, *, symbolic: bool = False) -> None:
    """A second folder whose files are hard links of those of the first, or symbolic links to them.

    Raises:
        NotRun: the file system makes no such links.
    """
    for name in paths(source_folder):
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            (target.symlink_to if symbolic else target.hardlink_to)(source_folder / name)
        except OSError as error:
            raise NotRun(f"links cannot be made here: {error.strerror}") from None
