"""Writers that are interrupted or refuse in the middle: one container whole, or none."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, refuses
from pytest_vindex3.contract.outcome import Refused
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.container.index import GRAPH, INDEX
from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.writings import ARTIFACT, text_model, tower, whole_model
from vindex3_suites.container.on_disk import contents, shows
from vindex3_suites.container.replacing import (
    CLAUSE,
    check_one_or_none,
    holds,
    linked,
    put,
    with_other_bytes,
)
from vindex3_suites.container.test_write_refused import UNMATCHED
from vindex3_suites.container.writing import OUT, said_written, write

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.sources import Writing

SMALL, TEXT, WHOLE = tower(), text_model(), whole_model()
INTERRUPTED = answers(interrupted=True)


def _files(writing: Writing) -> list[str]:
    """The files of a container, in an order in which they may become visible."""
    return [*(f"segments/{one}.bin" for one in writing.representations), GRAPH, INDEX]


@needs("container.write:interrupt_before", "container.open")
@clause("PUBLISH-ORDER-02")
@cases(one_object=SMALL, text_model=TEXT, whole_model=WHOLE)
def test_without_its_index_it_is_no_container(ask: Ask, case: Writing) -> None:
    """Interrupted before any of its files, a fresh container is refused for the index that it lacks."""
    check("PUBLISH-ORDER-02", write(ask, case), said_written(ask))
    check("PUBLISH-ORDER-02", ask("container.open", path=str(ask.folder / OUT)), answers())
    for at, name in enumerate(_files(case)):
        target = ask.folder / f"stopped_{at}"
        target.mkdir()
        reply = write(ask, case, target.name, interrupt_before=name)
        check("PUBLISH-ORDER-02", reply, INTERRUPTED)
        named = INDEX if target.is_dir() else one_of(INDEX, str(target))
        opened = ask("container.open", path=str(target))
        check("PUBLISH-ORDER-02", opened, refuses("missing-file", path=named))


REPLACED: dict[str, tuple[Writing, Writing]] = {
    "every_byte": (SMALL, with_other_bytes(SMALL)),
    "several_segments": (TEXT, with_other_bytes(TEXT)),
    "the_last_segment": (TEXT, with_other_bytes(TEXT, "lm_head.weight")),
    "the_graph_alone": (TEXT, replace(TEXT, graph={**TEXT.graph, "x-note": 1})),
    "more_objects": (TEXT, WHOLE),
    "fewer_objects": (WHOLE, with_other_bytes(TEXT)),
}


@needs("container.write:interrupt_before", "container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(REPLACED)
def test_an_interrupted_write_leaves_no_mixture(ask: Ask, case: tuple[Writing, Writing]) -> None:
    """Stopped before any of its files, a write over a container leaves the old one, the new one, or none."""
    old, new = case
    for at, name in enumerate(_files(new)):
        target = put(ask, old, f"old_{at}").name
        check(CLAUSE, write(ask, new, target, interrupt_before=name), INTERRUPTED)
        check_one_or_none(ask, target, old=old, new=new)


@needs("container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(REPLACED)
def test_a_whole_write_replaces_all(ask: Ask, case: tuple[Writing, Writing]) -> None:
    """Over a container that somebody has open the new one stands alone; a linked copy stays the old one."""
    old, new = case
    target = put(ask, old, OUT)
    linked(target, ask.folder / "copy")
    with ExitStack() as stack:
        for name in contents(target):
            stack.enter_context((target / name).open("rb"))
        reply = write(ask, new)
    check(CLAUSE, reply, said_written(ask))
    check(CLAUSE, reply, shows("whether the new container stands there", True, holds(target, new)))
    check_one_or_none(ask, OUT, new=new)
    check_one_or_none(ask, "copy", old=old)


@needs("container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(REPLACED)
def test_no_link_is_written_through(ask: Ask, case: tuple[Writing, Writing]) -> None:
    """Where the files of a target are symbolic links, what they lead to is the old container."""
    old, new = case
    elsewhere = put(ask, old, "elsewhere")
    linked(elsewhere, ask.folder / OUT, symbolic=True)
    reply = write(ask, new)
    if not isinstance(reply.outcome, Refused):
        check(CLAUSE, reply, said_written(ask))
    check_one_or_none(ask, OUT, old=old, new=new)
    check_one_or_none(ask, elsewhere.name, old=old)


OTHER = with_other_bytes(TEXT)
REFUSED: dict[str, tuple[Writing, str]] = {
    "a_length_in_the_last_object": (
        OTHER.with_tensor(ARTIFACT, source("lm_head.weight", "BF16", (24, 16), bytes(767))),
        "length-mismatch",
    ),
    "the_last_binding": (with_other_bytes(UNMATCHED["the_last_object"][1]), "unmatched-binding"),
    "the_first_binding": (with_other_bytes(UNMATCHED["the_first_object"][1]), "unmatched-binding"),
    "a_stored_name_twice": (OTHER.with_tensor(ARTIFACT, source("lm_head")), "duplicate-id"),
    "another_schema": (replace(OTHER, graph={**TEXT.graph, "schema": 5}), "unknown-version"),
    "no_component": (replace(OTHER, graph={**TEXT.graph, "components": [], "objects": []}), "empty-graph"),
}


@needs("container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(REFUSED)
def test_a_refused_write_leaves_no_mixture(ask: Ask, case: tuple[Writing, str]) -> None:
    """Refused, a write over a container leaves the old one or none."""
    wrong, kind = case
    put(ask, TEXT, OUT)
    check(CLAUSE, write(ask, wrong), refuses(kind))
    check_one_or_none(ask, OUT, old=TEXT)
