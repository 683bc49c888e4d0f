"""Additions that are stopped: before the index of the result is there, the container is what it was."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, refuses
from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.container.index import GRAPH, INDEX
from vindex3_fixtures.container.stored import of_writing
from vindex3_fixtures.container.writings import tower
from vindex3_fixtures.representation.packs import Pack, encoded
from vindex3_suites.container.models import FULL, TINY, opens
from vindex3_suites.container.on_disk import spares
from vindex3_suites.container.stopping import spread
from vindex3_suites.container.tensors import delivers
from vindex3_suites.representation.packing import BOTH, add, add_to, said_added
from vindex3_suites.representation.test_pack_added import MIXED, ONE, TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model
    from vindex3_suites.representation.packing import Added

SMALL = of_writing(tower())
SMALL_PACK = encoded(SMALL, "vision.perception_tower")
FEW, ALL = 3, 30
"""How many of its changes a writer is stopped before."""
IO = either(answers(), refuses("io"))
"""A call that fails may be one that the writer can do without."""


def _check_as_before(ask: Ask, made: Added, model: Model, pack: Pack) -> None:
    """The source is what it was: elsewhere to the byte, in place by all that a reader sees of it.

    An index that has the pack is the new one, before which nobody was stopped: it comes last, and all
    that it names is there.
    """
    path = str(made.source.folder)
    opened = ask("container.open", path=path)
    if made.in_place and made.after.entry(pack.id) is not MISSING:
        check("PACK-CRASH-01", opened, spares("whether all digests hold", True, made.after.complete))
        return
    check("PACK-CRASH-01", opened, opens(model))
    if not made.in_place:
        for name, data in made.before.files.items():
            check("PACK-CRASH-01", opened, spares(name, data, made.source.files.get(name, MISSING)))
        return
    verified = answers(verified=True, examined=len(model.segments))
    check("PACK-CRASH-01", ask("container.verify", path=path), verified)
    for key, segment in model.segments.items():
        for row in segment.true_rows:
            tensor = ask("container.tensor", path=path, representation=key, tensor=row["name"])
            check("PACK-CRASH-01", tensor, delivers(segment, row["name"]))


@needs("pack.add:interrupt_before", "container.open", "container.verify", "container.tensor")
@clause("PACK-CRASH-01")
@cases(
    one_tensor=(TINY, ONE),
    many_tensors=(TINY, MIXED),
    beside_a_pack=(FULL, encoded(FULL, TOKENS, "Q6_K")),
)
def test_an_interrupted_addition_leaves_the_old_container(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Interrupted before its segment, the graph or the index, the container is as it was."""
    model, pack = case
    for place in BOTH:
        for at, name in enumerate((INDEX, GRAPH, pack.file)):
            target = place if place == "in place" else f"{place} {at}"
            made = add(ask, model, pack, target, interrupt_before=name)
            check("PACK-CRASH-01", made.reply, answers(interrupted=True))
            _check_as_before(ask, made, model, pack)
    whole = add(ask, model, pack)
    check("PACK-CRASH-01", whole.reply, said_added(whole, pack))


def _stops(ask: Ask, place: str, most: int, error: str | None = None) -> Iterator[Added]:
    """Additions to `SMALL` that are stopped before their changes, the first one not; see `Ask.stopped`."""
    yield (whole := _stop(ask, place, None, error))
    for before in spread(whole.reply.changes or 0, most):
        made = _stop(ask, place, before, error)
        if not made.reply.stopped:
            return
        yield made
        shutil.rmtree(made.source.folder.parent)


def _stop(ask: Ask, place: str, before: int | None, error: str | None) -> Added:
    folder = ask.folder / f"{before}"
    folder.mkdir()
    SMALL.folder.write_to(folder / "source")
    out = None if place == "in place" else folder / "out"

    def stopped(verb: str, **arguments: Any) -> Reply:
        return ask.stopped(verb, before=before, error=error, **arguments)

    return add_to(stopped, folder / "source", SMALL_PACK, out, place)


@needs("container.open", "container.verify", "container.tensor")
@clause("PACK-CRASH-01")
@cases(
    {
        f"{word}_{place}": (place, most)
        for word, most in {"a_few": FEW, "all": ALL}.items()
        for place in ("in place", "elsewhere")
    }
)
def test_a_stopped_addition_leaves_the_old_container(ask: Ask, case: tuple[str, int]) -> None:
    """Wherever an addition is stopped before its index, the container is as it was."""
    for made in _stops(ask, *case):
        if not made.reply.stopped:
            check("PACK-CRASH-01", made.reply, said_added(made, SMALL_PACK))
        _check_as_before(ask, made, SMALL, SMALL_PACK)


@needs("container.open", "container.verify", "container.tensor")
@clause("PACK-CRASH-01")
@cases(
    full_disk_in_place=("in place", ALL, "ENOSPC"),
    full_disk_elsewhere=("elsewhere", ALL, "ENOSPC"),
    no_links=("elsewhere", ALL, "EMLINK"),
)
def test_a_failing_addition_leaves_the_old_container(ask: Ask, case: tuple[str, int, str]) -> None:
    """Whichever change fails, the addition is refused or does without it, and the container is as it was."""
    for made in _stops(ask, *case):
        check("PACK-CRASH-01", made.reply, IO)
        _check_as_before(ask, made, SMALL, SMALL_PACK)
