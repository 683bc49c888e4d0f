"""That selection needs no stored byte: storage that is gone, wrong, or never to be opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.outcome import Limits
from pytest_vindex3.plugin.ask import needs
from pytest_vindex3.plugin.check import NotRun
from vindex3_fixtures.container import Folder
from vindex3_fixtures.container.tiny import bank
from vindex3_fixtures.representation import profile, region_set
from vindex3_fixtures.representation.catalogue import DECLARED, DOWN, GATE_UP
from vindex3_suites.container.models import BOTH, opens
from vindex3_suites.container.on_disk import spares
from vindex3_suites.representation.opens import Watch
from vindex3_suites.representation.selecting import absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses
    from vindex3_fixtures.container import Model

BANK = bank()
FILES = ("routed/layer_000.mxfp4.lyrw", "routed/layer_000.q6k.lyrw")
BAD = profile("bad", {DOWN: "native-mxfp4"})
BAD_REFUSED = absent(DOWN, "native-mxfp4", "exact-q6k")


def _gone(model: Model) -> Model:
    for file in FILES:
        model = model.without_file(file)
    return model


def _filled(content: Any) -> Callable[[Model], Model]:
    def fill(model: Model) -> Model:
        for file in FILES:
            model = model.with_file(file, content)
        return model

    return fill


def _one_gone(model: Model) -> Model:
    return model.without_file(FILES[0])


def _swapped(model: Model) -> Model:
    first, second = FILES
    return model.with_file(first, model.files[second]).with_file(second, model.files[first])


STORAGE: dict[str, Callable[[Model], Model]] = {
    "gone": _gone,
    "one_gone": _one_gone,
    "empty": _filled(b""),
    "other_bytes": _filled(bytes(range(256))),
    "other_magic": _filled(b"LYRX" + bytes(60)),
    "folders": _filled(Folder()),
    "swapped": _swapped,
    "whole": lambda model: model,
}


def _declaring(*profiles: Any, of: Model = BANK) -> Model:
    return of.with_index(("profiles",), list(profiles))


def _check_opens(ask: Ask, model: Model) -> None:
    path = ask.file("legal", model.folder)
    check("SELECT-EARLY-01", ask("container.open", path=path), opens(model))


def _check_refused(ask: Ask, model: Model, expected: Refuses) -> None:
    path = ask.file("wrong", model.folder)
    check("SELECT-EARLY-01", ask("container.open", path=path), expected)


@clause("SELECT-EARLY-01")
@cases(STORAGE)
def test_profiles_are_resolved_without_storage(ask: Ask, case: Callable[[Model], Model]) -> None:
    """The second profile of a container is refused for its absent variant, whatever became of the files."""
    _check_opens(ask, BANK)
    _check_refused(ask, case(_declaring(profile("exact"), BAD)), BAD_REFUSED)


PLACES: dict[str, tuple[list[Any], Refuses]] = {
    "only": ([BAD], BAD_REFUSED),
    "first": ([BAD, *DECLARED], BAD_REFUSED),
    "last": ([*DECLARED, BAD], BAD_REFUSED),
    "before_another": (
        [profile("exact"), BAD, profile("worse", {GATE_UP: "x"})],
        BAD_REFUSED,
    ),
    "behind_another": (
        [profile("exact"), profile("worse", {GATE_UP: "x"}), BAD],
        absent(GATE_UP, "x", "exact-q6k", "native-mxfp4"),
    ),
    "near_miss": (
        [profile("exact"), profile("near", {GATE_UP: "Native-MXFP4"})],
        absent(GATE_UP, "Native-MXFP4", "exact-q6k", "native-mxfp4"),
    ),
    "unknown_set": (
        [profile("exact"), profile("p", {"x": "y"})],
        refuses("unknown-region-set", region_set="x"),
    ),
}


@clause("SELECT-EARLY-01")
@cases(PLACES)
def test_every_profile_is_resolved_at_open(ask: Ask, case: tuple[list[Any], Refuses]) -> None:
    """Wherever a failing profile stands it is found, and of several the first is told, also without files."""
    profiles, expected = case
    for model in (BANK, BOTH):
        _check_opens(ask, model)
        wrong = _declaring(*profiles, of=model)
        _check_refused(ask, wrong, expected)
        _check_refused(ask, _gone(wrong), expected)


BROKEN = {
    "baseline_absent": (region_set("lost", ["there"]), refuses("baseline-absent", region_set=DOWN)),
    "no_variants": (region_set("lost", []), refuses("no-variants", region_set=DOWN)),
}


@clause("SELECT-EARLY-01")
@cases(BROKEN)
def test_a_broken_set_is_found_at_open(ask: Ask, case: tuple[Any, Refuses]) -> None:
    """A broken catalogue refuses a container whose profiles do not mention it, also without files."""
    broken, expected = case
    _check_opens(ask, BANK)
    wrong = BANK.with_index(("variants", DOWN), broken)
    _check_refused(ask, wrong, expected)
    _check_refused(ask, _gone(wrong), expected)


@needs("selection.resolve")
@clause("SELECT-EARLY-01")
@cases(STORAGE)
def test_a_profile_of_a_container_is_refused_without_storage(
    ask: Ask, case: Callable[[Model], Model]
) -> None:
    """Asked for a failing profile, a selector refuses it alike, whatever became of the files."""
    _check_opens(ask, BANK)
    path = ask.file("wrong", case(_declaring(profile("exact"), BAD)).folder)
    check("SELECT-EARLY-01", ask("selection.resolve", path=path, profile="bad"), BAD_REFUSED)


# A reader that opens a FIFO waits for ever: only a door that can end it carries the request.
WATCHED = Limits(seconds=10, memory=1 << 30)


@clause("SELECT-EARLY-01")
def test_storage_is_not_waited_for(ask: Ask) -> None:
    """With FIFOs in the place of its segments, a container is refused for its profile at once."""
    if not hasattr(os, "mkfifo"):
        raise NotRun("this platform makes no FIFO")
    legal = ask("container.open", path=ask.file("legal", BANK.folder), limits=WATCHED)
    check("SELECT-EARLY-01", legal, opens(BANK))
    path = ask.file("wrong", _gone(_declaring(profile("exact"), BAD)).with_file("routed", Folder()).folder)
    for file in FILES:
        os.mkfifo(ask.folder / "wrong" / file)
    check("SELECT-EARLY-01", ask("container.open", path=path, limits=WATCHED), BAD_REFUSED)


@clause("SELECT-EARLY-01")
def test_no_segment_is_opened_for_a_refusal(ask: Ask) -> None:
    """While a container is refused for its profile, none of its segment files is opened."""
    _check_opens(ask, BANK)
    path = ask.file("wrong", _declaring(profile("exact"), BAD).folder)
    with Watch(ask.folder / "wrong", FILES) as watch:
        reply = ask("container.open", path=path)
        check("SELECT-EARLY-01", reply, BAD_REFUSED)
        check("SELECT-EARLY-01", reply, spares("opened", [], watch.opened()))
