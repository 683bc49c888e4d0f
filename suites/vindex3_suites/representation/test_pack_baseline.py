"""What was there before a pack: its bytes, the links to it, and files that are nobody's links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, refuses
from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.contract.outcome import Refused
from pytest_vindex3.law.registry import kinds
from vindex3_fixtures.container.index import GRAPH, INDEX
from vindex3_fixtures.representation.packs import Pack, encoded
from vindex3_suites.container.models import FULL, TINY
from vindex3_suites.container.on_disk import StoredContainer, contents, shows
from vindex3_suites.container.replacing import linked
from vindex3_suites.representation.linking import linkable, node, other_file_system
from vindex3_suites.representation.packing import (
    Added,
    Lists,
    add,
    add_to,
    adds,
    said_added,
    said_skipped,
)
from vindex3_suites.representation.test_pack_added import HEAD, LAST, MAPPED, MIXED, ONE, STACK, TOKENS

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

PACK_FILE = "packs/embedding v1.2/q8@0.bin"
"""Where a pack of another producer may lie."""


def _elsewhere_stored() -> Model:
    """The container in which one segment lies in a folder of its own, under another name."""
    packed = f"{TOKENS}@Q8_0"
    keys = {**TINY.index["segments"], PACK_FILE.removesuffix(".bin"): 1}
    model = FULL.with_file(PACK_FILE, FULL.segments[packed]).without_file(FULL.file_of(packed))
    return model.with_entry(packed, "segment", PACK_FILE).with_index(("segments",), keys)


ADDED: dict[str, tuple[Model, Pack]] = {
    "one_tensor": (TINY, ONE),
    "many_tensors": (TINY, MIXED),
    "beside_a_pack": (FULL, encoded(FULL, TOKENS, "Q6_K")),
    "of_an_object_without_packs": (FULL, encoded(FULL, HEAD)),
    "a_folder_of_its_own": (_elsewhere_stored(), encoded(FULL, TOKENS, "Q6_K")),
    "files_that_nobody_names": (
        TINY.with_file("tokenizer.json", b"{}")
        .with_file("notes.txt", b"notes")
        .with_file("segments/target.embedding@Q8.bin", b"no segment"),
        ONE,
    ),
    "longer_than_a_buffer": (MAPPED, encoded(MAPPED, STACK)),
}


@clause("PACK-BASELINE-01")
@cases(ADDED)
def test_no_byte_of_the_baseline_changes(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Every segment that was there is the same to the byte; elsewhere so is every file of the source."""
    for made in adds(ask, "PACK-BASELINE-01", *case):
        for name, data in made.before.segments.items():
            found = made.after.files.get(name, MISSING)
            check("PACK-BASELINE-01", made.reply, shows(f"{name}, {made.place}", data, found))
        if not made.in_place:
            source = made.source.files
            check(
                "PACK-BASELINE-01", made.reply, shows("the source", sorted(made.before.files), sorted(source))
            )
            for name, data in made.before.files.items():
                check("PACK-BASELINE-01", made.reply, shows(f"{name} of the source", data, source[name]))


@clause("PACK-BASELINE-02")
@cases(ADDED)
def test_untouched_segments_are_linked(ask: Ask, case: tuple[Model, Pack]) -> None:
    """In another folder each segment is the source's file under one more name, and is listed as such."""
    linkable(ask.folder)
    made = add(ask, *case, "elsewhere")
    check("PACK-BASELINE-02", made.reply, said_added(made, case[1]))
    segments = sorted(made.before.segments)
    check("PACK-BASELINE-02", made.reply, answers(linked=Lists(segments, segments)))
    _check_linked(made, segments)


def _check_linked(made: Added, names: list[str]) -> None:
    for name in names:
        is_link = node(made.after.folder / name) == node(made.source.folder / name)
        check("PACK-BASELINE-02", made.reply, shows(f"whether {name} is a link", True, is_link))


@clause("PACK-BASELINE-02")
def test_in_place_nothing_is_linked(ask: Ask) -> None:
    """In place both lists are empty; in another folder no file is in both."""
    linkable(ask.folder)
    for made in adds(ask, "PACK-BASELINE-02", TINY, ONE):
        if made.in_place:
            check("PACK-BASELINE-02", made.reply, answers(linked=[], copied=[]))
        else:
            segments = sorted(made.before.segments)
            check("PACK-BASELINE-02", made.reply, answers(linked=Lists(segments, segments)))
            check("PACK-BASELINE-02", made.reply, answers(copied=Lists([], segments)))


@clause("PACK-BASELINE-02")
def test_a_pack_is_linked_by_the_next_one(ask: Ask) -> None:
    """What one addition wrote is an untouched segment of the next, from folder to folder."""
    linkable(ask.folder)
    first = add(ask, TINY, ONE, "first")
    check("PACK-BASELINE-02", first.reply, said_added(first, ONE))
    other = encoded(TINY, LAST)
    second = add_to(ask, first.after.folder, other, ask.folder / "second")
    check("PACK-BASELINE-02", second.reply, said_added(second, other))
    segments = sorted([*first.before.segments, ONE.file])
    check("PACK-BASELINE-02", second.reply, answers(linked=Lists(segments, segments)))
    _check_linked(second, segments)


@clause("PACK-BASELINE-04")
@cases(one_tensor=(TINY, ONE), many_tensors=(TINY, MIXED), beside_a_pack=ADDED["beside_a_pack"])
def test_documents_are_never_linked(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Index and graph of the result are files of their own."""
    linkable(ask.folder)
    made = add(ask, *case, "elsewhere")
    check("PACK-BASELINE-04", made.reply, said_added(made, case[1]))
    _check_own(made)


@clause("PACK-BASELINE-04")
@cases(packed=ONE.added_to(TINY))
def test_documents_of_a_skipped_pack_are_never_linked(ask: Ask, case: Model) -> None:
    """They are files of their own as well where the pack is there and nothing in them changes."""
    linkable(ask.folder)
    made = add(ask, case, ONE, "elsewhere")
    check("PACK-BASELINE-04", made.reply, said_skipped(made, ONE))
    _check_own(made)


def _check_own(made: Added) -> None:
    for name in (GRAPH, INDEX):
        there = node(made.after.folder / name)
        own = there is not None and there != node(made.source.folder / name)
        check("PACK-BASELINE-04", made.reply, shows(f"whether {name} is a file of its own", True, own))
        check("PACK-BASELINE-04", made.reply, answers(linked=Lists([], [name])))


ANY_REFUSAL = replace(refuses(*sorted(kinds())), sides=frozenset({"legal", "wrong"}))
"""A writer may refuse a folder in which something stands; then too nothing is written through."""


def _check_baseline(made: Added, pack: Pack, **baselines: StoredContainer) -> None:
    """The pack was added or refused, and these containers are as they were."""
    if isinstance(made.reply.outcome, Refused):
        check("PACK-BASELINE-03", made.reply, ANY_REFUSAL)
    else:
        check("PACK-BASELINE-03", made.reply, said_added(made, pack))
        for name, data in made.before.segments.items():
            found = made.after.files.get(name, MISSING)
            check("PACK-BASELINE-03", made.reply, shows(f"{name} of the result", data, found))
        check("PACK-BASELINE-03", made.reply, shows("whether all digests hold", True, made.after.complete))
    for word, baseline in baselines.items():
        after = contents(baseline.folder)
        for name, data in baseline.files.items():
            check("PACK-BASELINE-03", made.reply, shows(f"{name} of {word}", data, after.get(name, MISSING)))


OTHER = encoded(TINY, TOKENS, "Q6_K").added_to(TINY).with_index(("x-note",), "another container")
"""A container whose index, graph and one more segment are others than those of the result."""
STANDING: dict[str, tuple[Model, bool]] = {
    "the_source": (TINY, False),
    "another_container": (OTHER, False),
    "one_with_the_pack": (encoded(TINY, TOKENS, codec={"x": 1}).added_to(OTHER), False),
    "symbolic_links": (OTHER, True),
}


@clause("PACK-BASELINE-03")
@cases(STANDING)
def test_what_stands_in_the_target_is_not_written_through(ask: Ask, case: tuple[Model, bool]) -> None:
    """Where the target's files are links to those of another container, that one is as it was."""
    model, symbolic = case
    ask.file("baseline", model.folder)
    baseline = StoredContainer(ask.folder / "baseline")
    linked(baseline.folder, ask.folder / "elsewhere", symbolic=symbolic)
    made = add(ask, TINY, ONE, "elsewhere")
    _check_baseline(made, ONE, baseline=baseline, source=made.before)


@clause("PACK-BASELINE-03")
def test_a_second_addition_goes_into_the_first_result(ask: Ask) -> None:
    """A target that is linked to the source already takes another pack, and the source is as it was."""
    linkable(ask.folder)
    made = add(ask, TINY, ONE, "elsewhere")
    check("PACK-BASELINE-03", made.reply, said_added(made, ONE))
    again = add_to(ask, made.source.folder, encoded(TINY, LAST), made.after.folder)
    _check_baseline(again, encoded(TINY, LAST), source=made.before)


@clause("PACK-BASELINE-03")
@cases(hard_links=False, symbolic_links=True)
def test_in_place_no_link_is_written_through(ask: Ask, case: bool) -> None:
    """In place of a container whose files are links to those of another one, that one is as it was."""
    ask.file("baseline", TINY.folder)
    baseline = StoredContainer(ask.folder / "baseline")
    linked(baseline.folder, ask.folder / "source", symbolic=case)
    made = add(ask, None, ONE)
    _check_baseline(made, ONE, baseline=baseline)


@clause("PACK-BASELINE-03")
@cases(one_tensor=(TINY, ONE), beside_a_pack=ADDED["beside_a_pack"])
def test_where_no_link_can_be_made_it_is_copied(ask: Ask, case: tuple[Model, Pack]) -> None:
    """On another file system every segment of the result is a copy, and is listed as such."""
    with other_file_system(ask.folder) as folder:
        ask.file("source", case[0].folder)
        made = add_to(ask, ask.folder / "source", case[1], folder / "out")
        check("PACK-BASELINE-03", made.reply, said_added(made, case[1]))
        segments = sorted(made.before.segments)
        told = answers(linked=Lists([], segments), copied=Lists(segments, segments))
        check("PACK-BASELINE-03", made.reply, told)
        _check_baseline(made, case[1], source=made.before)


@clause("PACK-BASELINE-03")
@cases({name: case for name, case in STANDING.items() if name != "the_source"})
def test_no_copy_is_written_through(ask: Ask, case: tuple[Model, bool]) -> None:
    """Where copies take the place of links to another container's files, that one is as it was."""
    model, symbolic = case
    with other_file_system(ask.folder) as folder:
        ask.file("source", TINY.folder)
        model.folder.write_to(folder / "baseline")
        baseline = StoredContainer(folder / "baseline")
        linked(baseline.folder, folder / "out", symbolic=symbolic)
        made = add_to(ask, ask.folder / "source", ONE, folder / "out")
        _check_baseline(made, ONE, baseline=baseline, source=made.before)
