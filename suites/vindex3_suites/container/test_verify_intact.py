"""Containers without a defect: what is no defect, and that verifying leaves everything as it was."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container import Segment, Tensor, pattern, tiny
from vindex3_fixtures.container.index import CAPABILITY_FILES
from vindex3_fixtures.container.tiny import bank
from vindex3_suites.container.models import FULL, SMALLEST
from vindex3_suites.container.on_disk import contents, shows, spares
from vindex3_suites.container.tensors import PAIR, STACK, holding, stack, with_pack
from vindex3_suites.container.test_verify_digests import payload_flipped
from vindex3_suites.container.verifying import intact, verify

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

TINY = tiny()


def _backwards(model: Model) -> Model:
    """The container with its directory in the opposite order."""
    entries = model.index["representations"]
    return model.with_index(("representations",), {key: entries[key] for key in reversed(entries)})


def _packed(*encodings: str) -> Model:
    """The tiny container with so many further encodings of its embedding, each with other bytes."""
    model = TINY
    for position, encoding in enumerate(encodings):
        segment = Segment(f"target.embedding@{encoding}", (Tensor("weight", "U8", (position + 1,)),))
        model = with_pack(model, segment)
    return model


INTACT = {
    "tiny": TINY,
    "every_key_of_an_index": FULL,
    "no_representation": SMALLEST,
    "directory_in_the_opposite_order": _backwards(TINY),
    "version_3": TINY.with_index(("version",), 3),
    "several_encodings": _packed("Q4_K", "A8", "bf16", "BF16+F32", "10", "9"),
    "several_encodings_backwards": _backwards(_packed("Q4_K", "A8", "bf16", "BF16+F32", "10", "9")),
    "two_objects_of_equal_bytes": holding(stack(*TINY.segments["target.embedding@BF16"].tensors)),
    "many_tensors": holding(stack(*(Tensor(f"{n:04}", "U8", (n % 3,)) for n in range(2000)))),
    "three_mib": holding(stack(Tensor("a", "U8", (3 << 20,)))),
}


@clause("VERIFY-INTACT-01")
@cases(INTACT)
def test_an_intact_container_has_no_defect(ask: Ask, case: Model) -> None:
    """Every entry holds, in the order of the ids, and nothing is listed."""
    check("VERIFY-INTACT-01", verify(ask, case), intact(case))


def _unknown_keys() -> Model:
    model = TINY.with_index(("x-note",), {"nested": [1, {"x": None}]}).with_index(("open",), True)
    return model.with_entry(STACK, "x-note", "of an entry").with_entry(STACK, "fidelity", "unheard")


def _unpadded(model: Model) -> Model:
    """The container without padding in any of its segments."""
    for segment in model.segments.values():
        model = model.with_segment(replace(segment, alignment=1))
    return model


ACCEPTED = {
    "no_padding": holding(stack(*PAIR, alignment=1)),
    "one_space": holding(stack(*PAIR, stored_padding=b" ")),
    "two_spaces": holding(stack(*PAIR, stored_padding=b"  ")),
    "aligned_to_64": holding(stack(*PAIR, alignment=64)),
    "no_segment_is_padded": _unpadded(TINY),
    "unknown_encoding": _packed("ZQ9_unheard-of"),
    "unknown_dtype": holding(stack(Tensor("a", "ZQ9", (3, 5), pattern(7)), *PAIR[1:])),
    "unknown_index_keys": _unknown_keys(),
    "unknown_header_key": holding(stack(*PAIR, extra={"x-note": {"a": 1}})),
    "unreferenced_files": TINY.with_file("notes.txt", b"x").with_file("deep/er/one.bin", b"\0"),
    "unreferenced_segment": TINY.with_file("segments/target.embedding@Q4_K.bin", b"no segment"),
    "unreferenced_copy_of_a_segment": TINY.with_file("segments/copy.bin", TINY.segments[STACK]),
    "left_temporary": TINY.with_file("index.json.tmp", b"{").with_file("segments/.tmp1", b""),
    "capability_files": replace(TINY, files={**TINY.files, **dict.fromkeys(CAPABILITY_FILES, b"{}")}),
    "damaged_capability_files": replace(
        TINY, files={**TINY.files, **dict.fromkeys(CAPABILITY_FILES, b"\xff{")}
    ),
    "count_of_files_above_one": TINY.with_index(("segments", "segments/target.embedding"), 7),
}


@clause("VERIFY-ACCEPT-01")
@cases(ACCEPTED)
def test_what_is_unknown_is_no_defect(ask: Ask, case: Model) -> None:
    """Unaligned payloads, unknown words and keys and files that nobody names are left alone."""
    check("VERIFY-ACCEPT-01", verify(ask, case), intact(case))


@clause("VERIFY-ACCEPT-02")
@cases(
    padded=stack(),
    unpadded=stack(alignment=1),
    empty_tensors=stack(Tensor("a", "F32", (0,)), Tensor("b", "U8", (2, 0))),
)
def test_a_segment_of_nothing_verifies(ask: Ask, case: Segment) -> None:
    """An empty payload has a digest like any other."""
    check("VERIFY-ACCEPT-02", verify(ask, holding(case)), intact(holding(case)))


LONG_AGO = 1_000_000_000_000_000_000
"""A modification time, in nanoseconds, that no file gets by being written."""


def _state(folder: Path) -> dict[str, list[int]]:
    """Kind and modification time of everything below a folder, and of itself, by its path."""
    found = {".": folder, **{path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}}
    states = {name: path.lstat() for name, path in found.items()}
    return {name: [state.st_mode, state.st_mtime_ns] for name, state in states.items()}


@clause("VERIFY-PURE-01")
@cases(
    intact=(TINY, True),
    every_key=(FULL, True),
    bank=(bank(), True),
    with_unreferenced_files=(ACCEPTED["left_temporary"], True),
    damaged_payload=(payload_flipped(TINY, STACK), False),
    wrong_record=(TINY.with_entry(STACK, "payload_sha256", "0" * 64), False),
    wrong_count=(TINY.with_entry(STACK, "tensor_count", 3), False),
)
def test_verifying_changes_nothing(ask: Ask, case: tuple[Model, bool]) -> None:
    """No byte, name or time is another one afterwards: nothing is repaired, cached or noted down."""
    model, sound = case
    folder = Path(ask.file("model", model.folder))
    for path in (*folder.rglob("*"), folder):
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
    before = _state(folder), contents(folder)
    reply = ask("container.verify", path=str(folder))
    expect = shows if sound else spares
    check("VERIFY-PURE-01", reply, expect("files", before[1], contents(folder)))
    check("VERIFY-PURE-01", reply, expect("times", before[0], _state(folder)))
