"""Writers that are stopped or fail anywhere: the old container whole, the new one, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.contract.outcome import Limits, Refused
from pytest_vindex3.contract.patterns import Exactly
from vindex3_fixtures.waste import MANIFEST, Waste, description, made
from vindex3_suites.container.on_disk import contents, shows, spares
from vindex3_suites.container.stopping import COPY
from vindex3_suites.waste.models import TINY, opens
from vindex3_suites.waste.stopping import Scene, check_one_or_none
from vindex3_suites.waste.stored import StoredWaste, holds
from vindex3_suites.waste.test_write_refused import INDICES
from vindex3_suites.waste.writing import OUT, WRITE, check_written

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_suites.waste.stopping import Stopped

TWIN = made(seed="twin").with_manifest(("arch",), "twin")
"""Like the tiny container in all numbers, with other bytes and another name."""
GROWN = made(layers=4)
"""The tiny container with one layer more."""
FEW, MANY = 3, 10
"""How many of its changes a writer is stopped before."""

SMALLER = made(experts=2, layers=2, seed="twin")
WRITES: dict[str, tuple[Waste, dict[str, Any]]] = {
    "over_another": (TWIN, description(TWIN)),
    "over_a_larger": (SMALLER, description(SMALLER)),
    "a_layer_added": (GROWN, description(GROWN, layers=(3,), resume=True)),
}
"""What is written over the tiny container."""
STOPS = {
    f"{name}_{word}": (*pair, most)
    for word, most in {"a_few": FEW, "many": MANY}.items()
    for name, pair in WRITES.items()
}
Case = tuple[Waste, dict[str, Any], int]


def _check_kept(clause_id: str, reply: Reply, stopped: Stopped) -> None:
    """What the old manifest names is as it was while that stands, and always for who has it open."""
    for name, data in stopped.described.items():
        path = stopped.target / name
        found = path.read_bytes()[: len(data)] if path.is_file() else MISSING
        check(clause_id, reply, spares(f"{name} under the old manifest", data, found))
    for name, data in stopped.before.items():
        found = stopped.handles[name][: len(data)]
        check(clause_id, reply, shows(f"{name}, opened before", data, found))


@needs("waste.open")
@clause("RESUME-LAST-02", "RESUME-KEEP-01")
@cases(STOPS)
def test_a_stopped_writer_leaves_no_mixture(ask: Ask, case: Case) -> None:
    """Stopped anywhere over a container it leaves the old one, the new one or none, and old files be."""
    new, described, most = case
    for stopped in Scene(ask, described, TINY.folder).stops(most):
        opened = check_one_or_none(ask, "RESUME-LAST-02", stopped.target, old=TINY, new=new)
        _check_kept("RESUME-KEEP-01", opened, stopped)
        if not stopped.reply.stopped:
            check("RESUME-LAST-02", stopped.reply, answers())


@needs("waste.open")
@clause("RESUME-LAST-02", "RESUME-KEEP-01")
@cases(WRITES)
def test_a_whole_write_replaces_all(ask: Ask, case: tuple[Waste, dict[str, Any]]) -> None:
    """Over a container that somebody has open the new one stands, whole, and open files are as they were."""
    new, described = case
    written = Scene(ask, described, TINY.folder).whole()
    check("RESUME-LAST-02", written.reply, answers())
    for expected in StoredWaste(written.target).written(new):
        check("RESUME-LAST-02", written.reply, expected)
    _check_kept("RESUME-KEEP-01", written.reply, written)


@needs("waste.open")
@clause("RESUME-LAST-02")
@cases(a_few=FEW, many=MANY)
def test_a_stopped_fresh_write_is_whole_or_none(ask: Ask, case: int) -> None:
    """Wherever a fresh write is stopped, the new container is there or none is."""
    for stopped in Scene(ask, description(TINY)).stops(case):
        opened = check_one_or_none(ask, "RESUME-LAST-02", stopped.target, new=TINY)
        if not stopped.reply.stopped:
            held = holds(stopped.target, TINY)
            check("RESUME-LAST-02", opened, shows("whether the container is there", True, held))


@needs("waste.open")
@clause("RESUME-LAST-01", "RESUME-KEEP-04")
@cases(STOPS)
def test_the_manifest_comes_last_and_neighbours_stay(ask: Ask, case: Case) -> None:
    """A manifest is the old one or the new one over complete files; hard-linked copies keep their bytes."""
    new, described, most = case
    for stopped in Scene(ask, described, TINY.folder, links=True).stops(most):
        opened = ask("waste.open", path=str(stopped.place / COPY))
        check("RESUME-KEEP-04", opened, opens(TINY))
        copy = contents(stopped.place / COPY)
        for name, data in stopped.before.items():
            check("RESUME-KEEP-04", opened, shows(f"{name} of the neighbour", data, copy.get(name, MISSING)))
        found = StoredWaste(stopped.target)
        if found.files.get(MANIFEST) in (None, stopped.before[MANIFEST]):
            ended = not stopped.reply.stopped
            check("RESUME-LAST-01", opened, shows("whether the new manifest is missing", False, ended))
            continue
        for expected in found.written(new):
            check("RESUME-LAST-01", opened, expected)


@needs("waste.open")
@clause("RESUME-KEEP-04")
@cases(WRITES)
def test_linked_neighbours_keep_their_bytes(ask: Ask, case: tuple[Waste, dict[str, Any]]) -> None:
    """A folder whose files are hard links of those that are written over has the same bytes afterwards."""
    written = Scene(ask, case[1], TINY.folder, links=True).whole()
    check("RESUME-KEEP-04", written.reply, answers())
    copy = contents(written.place / COPY)
    for name, data in written.before.items():
        found = copy.get(name, MISSING)
        check("RESUME-KEEP-04", written.reply, shows(f"{name} of the neighbour", data, found))


@clause("RESUME-KEEP-02")
@cases(
    {
        f"{name}_at_{size}": (*pair, size)
        for name, pair in WRITES.items()
        if name != "over_a_larger"
        for size in (0, 1000, 3000)
    }
)
def test_a_full_disk_leaves_everything_as_it_was(ask: Ask, case: Case) -> None:
    """Where no file can grow beyond some bytes, the write is refused; the container and its folder stay."""
    _, described, size = case
    stopped = Scene(ask, described, TINY.folder).hindered(Limits(file_size=size))
    check("RESUME-KEEP-02", stopped.reply, refuses("io"))
    found = contents(stopped.target)
    check("RESUME-KEEP-02", stopped.reply, spares("files", sorted(stopped.before), sorted(found)))
    for name, data in stopped.before.items():
        check("RESUME-KEEP-02", stopped.reply, spares(name, data, found.get(name, MISSING)))


@clause("RESUME-KEEP-02")
@cases(WRITES)
def test_a_closed_folder_stays_as_it_was(ask: Ask, case: tuple[Waste, dict[str, Any]]) -> None:
    """A folder that may not be written to stays as it was, unless it is swapped as a whole."""
    new, described = case
    path = ask.file(OUT, TINY.folder)
    target = ask.folder / OUT
    before = contents(target)
    target.chmod(0o555)
    try:
        reply = ask(WRITE, model=described, path=path, limits=Limits(unprivileged=True))
    finally:
        target.chmod(0o755)
    check("RESUME-KEEP-02", reply, either(refuses("io"), answers()))
    if isinstance(reply.outcome, Refused):
        check("RESUME-KEEP-02", reply, spares("files", Exactly(before), contents(target)))
    else:
        check_written(ask, "RESUME-KEEP-02", reply, new)


@clause("RESUME-KEEP-02")
@cases({name: wrong for name, (model, wrong, _) in INDICES.items() if model is TINY})
def test_a_refused_description_changes_nothing(ask: Ask, case: dict[str, Any]) -> None:
    """A refused description leaves the container as it was, and no file of its own beside it."""
    written = Scene(ask, description(TWIN), TINY.folder).whole()
    check("RESUME-KEEP-02", written.reply, answers())
    stays = contents(written.target)
    reply = ask(WRITE, model=case, path=str(written.target))
    check("RESUME-KEEP-02", reply, refuses("out-of-range"))
    check("RESUME-KEEP-02", reply, spares("files", Exactly(stays), contents(written.target)))
