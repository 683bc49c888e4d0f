"""Several faults at once: each is listed, every other entry is judged, and the verdict follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container import Tensor, tiny
from vindex3_suites.container.models import FULL, SMALLEST
from vindex3_suites.container.tensors import PAIR, STACK, holding, stack
from vindex3_suites.container.test_verify_digests import EMBEDDING, HEAD, NORM, payload_flipped
from vindex3_suites.container.verifying import (
    PAYLOAD,
    SPOILT,
    UNASKED,
    UNMATCHED,
    Agrees,
    check_found,
    defect,
    finds,
    intact,
    unsound,
    verify,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

TINY = tiny()


def _wrong_count(model: Model, representation: str) -> Model:
    return model.with_entry(representation, "tensor_count", 99)


@clause("VERIFY-ROWS-01")
@cases(
    first_and_last=(STACK, HEAD),
    neighbours=(EMBEDDING, NORM),
    three=(STACK, EMBEDDING, NORM),
    all=(STACK, EMBEDDING, NORM, HEAD),
)
def test_several_damaged_payloads_are_found(ask: Ask, case: tuple[str, ...]) -> None:
    """Each damaged segment is listed, and the sound ones are judged sound."""
    wrong = TINY
    for representation in case:
        wrong = payload_flipped(wrong, representation)
    check_found(ask, "VERIFY-ROWS-01", TINY, wrong, flags=dict.fromkeys(case, SPOILT))


@clause("VERIFY-ROWS-01")
def test_faults_of_different_sorts_are_found(ask: Ask) -> None:
    """A damaged payload, a wrong record and a wrong count in three segments are listed side by side."""
    wrong = payload_flipped(TINY, STACK).with_entry(EMBEDDING, "payload_sha256", "0" * 64)
    wrong = _wrong_count(wrong, NORM)
    count = defect("count-mismatch", subject=NORM, expected=99, found=1)
    flags = {STACK: SPOILT, EMBEDDING: PAYLOAD}
    check_found(ask, "VERIFY-ROWS-01", TINY, wrong, count, flags=flags)


@clause("VERIFY-ROWS-01")
def test_several_faults_of_one_segment_are_found(ask: Ask) -> None:
    """A damaged payload does not hide a wrong count and a wrong length of the same segment."""
    segment = TINY.segments[STACK]
    wrong = _wrong_count(payload_flipped(TINY, STACK), STACK).with_entry(STACK, "payload_bytes", 7)
    length = len(segment.bytes())
    found = (
        defect("count-mismatch", subject=STACK, expected=99, found=len(segment.rows)),
        defect("length-mismatch", subject=STACK, expected=segment.payload_start + 7, found=length),
    )
    check_found(ask, "VERIFY-ROWS-01", TINY, wrong, *found, flags={STACK: SPOILT})


UNREADABLE = {
    "no_byte": (b"", "truncated"),
    "four_bytes": (b"\1\0\0\0", "truncated"),
    "no_header": (bytes(32), "malformed-json"),
    "length_beyond_the_file": (b"\xff\xff\0\0\0\0\0\0{}", "truncated"),
    "length_beyond_the_limit": (b"\xff" * 8 + b"{}", "header-too-large"),
    "no_json": (b"\4\0\0\0\0\0\0\0oops", "malformed-json"),
    "no_table": (b"\2\0\0\0\0\0\0\0{}", "missing-field"),
}


@clause("VERIFY-ROWS-01")
@cases(UNREADABLE)
def test_an_unreadable_segment_hides_no_other(ask: Ask, case: tuple[bytes, str]) -> None:
    """A file that is no segment is listed with the kind of its fault, beside a damaged payload."""
    content, kind = case
    check("VERIFY-ROWS-01", verify(ask, TINY, "legal"), intact(TINY))
    wrong = payload_flipped(TINY, NORM).with_file(TINY.file_of(EMBEDDING), content)
    flags = {EMBEDDING: (False, UNMATCHED), NORM: SPOILT}
    found = finds(wrong, defect(kind), flags=flags)
    check("VERIFY-ROWS-01", verify(ask, wrong, "wrong"), found)


DAMAGED: dict[str, Model] = {
    "payload": payload_flipped(TINY, NORM),
    "record_of_the_payload": TINY.with_entry(NORM, "payload_sha256", "0" * 64),
    "record_of_the_file": TINY.with_entry(NORM, "segment_sha256", "0" * 64),
    "count": _wrong_count(TINY, NORM),
    "length": TINY.with_entry(NORM, "payload_bytes", 99),
    "entry_without_an_object": TINY.with_entry(NORM, "object", "target.ghost"),
}


@clause("VERIFY-ROWS-02")
@cases(DAMAGED)
def test_no_damaged_container_is_verified(ask: Ask, case: Model) -> None:
    """Whatever is wrong, `verified` is false, whether a flag says so or only the list of defects."""
    check("VERIFY-ROWS-02", verify(ask, TINY, "legal"), intact(TINY))
    reply = verify(ask, case, "wrong")
    check("VERIFY-ROWS-02", reply, unsound(case, flags={NORM: (UNASKED, UNASKED)}))
    check("VERIFY-ROWS-02", reply, Agrees(frozenset({"wrong"})))


PLAIN: dict[str, Model] = {
    "every_key": FULL,
    "no_representation": SMALLEST,
    "unaligned": holding(stack(*PAIR, alignment=1)),
    "unsorted": holding(stack(*reversed(PAIR))),
    "gap": holding(stack(*PAIR, stored_rows=[stack(*PAIR).true_rows[1]])),
    "several_rows": holding(stack(*(Tensor(f"{n}", "U8", (n,)) for n in range(9)))),
}


@clause("VERIFY-ROWS-02")
@cases(PLAIN)
def test_the_verdict_follows_from_the_list(ask: Ask, case: Model) -> None:
    """`verified` is true exactly where nothing is listed and every flag is true, whatever is listed."""
    check("VERIFY-ROWS-02", verify(ask, case), Agrees(frozenset({"legal"})))
