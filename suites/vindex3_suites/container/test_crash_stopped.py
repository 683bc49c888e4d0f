"""Writers that are stopped before any of their changes, or that meet a full disk or a closed folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.outcome import Limits
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.index import CAPABILITY_FILES, INDEX
from vindex3_fixtures.container.writings import text_model, tower
from vindex3_suites.container.on_disk import contents
from vindex3_suites.container.replacing import CLAUSE, check_one_or_none, put, with_other_bytes
from vindex3_suites.container.stopping import COPY, Scene
from vindex3_suites.container.writing import OUT, said_written, write

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SMALL, TEXT = tower(), text_model()
OTHER = with_other_bytes(SMALL)
FEW, ALL = 3, 60
"""How many of its changes a writer is stopped before."""
IO = either(answers(), refuses("io"))
"""A call that fails may be one that the writer can do without."""


@needs("container.open")
@clause("PUBLISH-ORDER-02")
@cases(a_few=FEW, all=ALL)
def test_a_stopped_write_is_no_container(ask: Ask, case: int) -> None:
    """Wherever a fresh write is stopped, a target that has no index is refused for that."""
    for reply, place in Scene(ask, SMALL).stops(case):
        target = place / OUT
        opened = ask("container.open", path=str(target))
        if not reply.stopped:
            check("PUBLISH-ORDER-02", reply, answers(path=str(target)))
            check("PUBLISH-ORDER-02", opened, answers())
        elif not (target / INDEX).exists():
            check("PUBLISH-ORDER-02", opened, refuses("missing-file", path=INDEX))


def _old(ask: Ask) -> Folder:
    """A container that the writer itself has made."""
    return Folder(contents(put(ask, SMALL, "old")))


SCENES = {
    "a_few": ({}, FEW),
    "all": ({}, ALL),
    "links_that_are_open": ({"links": True, "opened": True}, ALL),
}


@needs("container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(SCENES)
def test_a_stopped_write_leaves_no_mixture(ask: Ask, case: tuple[dict[str, bool], int]) -> None:
    """Wherever a write over a container is stopped, the old one, the new one or none is there."""
    scene, most = case
    for reply, place in Scene(ask, OTHER, _old(ask), **scene).stops(most):
        if not reply.stopped:
            check(CLAUSE, reply, answers(path=str(place / OUT)))
        check_one_or_none(ask, f"{place.name}/{OUT}", old=SMALL, new=OTHER)
        if scene.get("links"):
            check_one_or_none(ask, f"{place.name}/{COPY}", old=SMALL)


@needs("container.open", "container.verify", "container.rewrite")
@clause("PUBLISH-REPLACE-01")
@cases(SCENES)
def test_a_stopped_rewrite_leaves_no_mixture(ask: Ask, case: tuple[dict[str, bool], int]) -> None:
    """Wherever a rewrite in place is stopped, the container is there or none is."""
    scene, most = case
    for reply, place in Scene(ask, None, _old(ask), **scene).stops(most):
        if not reply.stopped:
            check(CLAUSE, reply, answers(path=str(place / OUT)))
        check_one_or_none(ask, f"{place.name}/{OUT}", old=SMALL)
        if scene.get("links"):
            check_one_or_none(ask, f"{place.name}/{COPY}", old=SMALL)


@needs("container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(a_few=("ENOSPC", FEW), full_disk=("ENOSPC", ALL), broken_disk=("EIO", FEW))
def test_a_failing_write_leaves_no_mixture(ask: Ask, case: tuple[str, int]) -> None:
    """Whichever change fails, the write is refused or does without it, and leaves one container or none."""
    error, most = case
    for reply, place in Scene(ask, OTHER, _old(ask)).stops(most, error):
        check(CLAUSE, reply, IO)
        check_one_or_none(ask, f"{place.name}/{OUT}", old=SMALL, new=OTHER)


@needs("container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(a_few_bytes=64, a_kilobyte=1000)
def test_a_full_disk_leaves_no_mixture(ask: Ask, case: int) -> None:
    """Where no file can grow beyond some bytes, a larger container is not written over a smaller one."""
    reply, place = Scene(ask, TEXT, _old(ask)).hinder(Limits(file_size=case))
    check(CLAUSE, reply, refuses("io"))
    check_one_or_none(ask, f"{place.name}/{OUT}", old=SMALL)


@needs("container.open", "container.verify")
@clause("PUBLISH-REPLACE-01")
@cases(target="", segments="segments")
def test_a_closed_folder_leaves_no_mixture(ask: Ask, case: str) -> None:
    """Where a folder of the target may not be written to, one container is there or none."""
    closed = put(ask, SMALL, OUT) / case
    closed.chmod(0o555)
    try:
        reply = write(ask, OTHER, limits=Limits(unprivileged=True))
        check(CLAUSE, reply, IO)
    finally:
        closed.chmod(0o755)
    check_one_or_none(ask, OUT, old=SMALL, new=OTHER)


@clause("PUBLISH-CAPABILITY-02")
@cases({name: name for name in CAPABILITY_FILES})
def test_a_capability_file_that_may_not_be_read_is_named(ask: Ask, case: str) -> None:
    """Where a capability file may not be read the write fails, and names it."""
    given = ask.file("given", Folder({case: b"{}"}))
    limits = Limits(unprivileged=True)
    check("PUBLISH-CAPABILITY-02", write(ask, TEXT, limits=limits, capability_dir=given), said_written(ask))
    file = ask.folder / "given" / case
    file.chmod(0)
    try:
        reply = write(ask, TEXT, "refused", limits=limits, capability_dir=given)
        check("PUBLISH-CAPABILITY-02", reply, refuses("io", path=case))
    finally:
        file.chmod(0o644)
