"""The two digests of a segment: each over its own bytes, each against its own record."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pytest_vindex3 import cases, check, clause, either, refuses
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.container import Segment, Tensor, tiny
from vindex3_suites.container.tensors import PAIR, STACK, holding, stack
from vindex3_suites.container.verifying import (
    HEADER,
    PAYLOAD,
    SPOILT,
    check_found,
    defect,
    finds,
    intact,
    unsound,
    verify,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

NORM = "target.final_norm@F32"
HEAD, EMBEDDING = "target.output_head@BF16", "target.embedding@BF16"
TINY = tiny()


def flipped(model: Model, representation: str, place: int, bits: int = 1) -> Model:
    """The container with some bits of one byte of a segment flipped; `place` counts from its start or end."""
    data = bytearray(model.segments[representation].bytes())
    data[place] ^= bits
    return model.with_file(model.file_of(representation), bytes(data))


def payload_flipped(model: Model, representation: str, place: int = 0) -> Model:
    """The container with a bit of this byte of a payload flipped."""
    return flipped(model, representation, model.segments[representation].payload_start + place)


@clause("VERIFY-HASH-01")
@cases({name.partition("@")[0]: name for name in TINY.segments})
def test_a_changed_byte_of_a_payload_is_found(ask: Ask, case: str) -> None:
    """A bit of the first, of a middle or of the last byte spoils both digests of its representation alone."""
    length = len(TINY.segments[case].payload)
    for place in (0, length // 2, length - 1):
        wrong = payload_flipped(TINY, case, place)
        check_found(ask, "VERIFY-HASH-01", TINY, wrong, flags={case: SPOILT})


@clause("VERIFY-HASH-01")
def test_no_byte_of_a_payload_is_left_out(ask: Ask) -> None:
    """Whichever byte of a small payload is changed, by its highest or its lowest bit, it is found."""
    check("VERIFY-HASH-01", verify(ask, TINY, "legal"), intact(TINY))
    for place in range(-len(TINY.segments[NORM].payload), 0):
        wrong = flipped(TINY, NORM, place, 0x80 if place % 2 else 1)
        check("VERIFY-HASH-01", verify(ask, wrong, "wrong"), finds(wrong, flags={NORM: SPOILT}))


def _with_payload(edit: Callable[[bytes], bytes]) -> Model:
    """The container whose embedding has another payload of the same length, recorded as it was."""
    segment = TINY.segments[EMBEDDING]
    return TINY.with_file(TINY.file_of(EMBEDDING), segment.head + edit(segment.payload))


@clause("VERIFY-HASH-01")
@cases(
    zeros=lambda data: bytes(len(data)),
    turned_round=lambda data: data[::-1],
    two_bytes_exchanged=lambda data: data[1::-1] + data[2:],
    pairs_exchanged=lambda data: b"".join(data[k : k + 2][::-1] for k in range(0, len(data), 2)),
    rotated=lambda data: data[1:] + data[:1],
)
def test_bytes_in_another_order_are_found(ask: Ask, case: Callable[[bytes], bytes]) -> None:
    """A payload of the same length and often the same sum is another payload."""
    check_found(ask, "VERIFY-HASH-01", TINY, _with_payload(case), flags={EMBEDDING: SPOILT})


@clause("VERIFY-HASH-01")
@cases(first=1, in_the_second_mib=(1 << 20) + 1, last=(3 << 20) - 1)
def test_a_long_payload_is_read_to_its_end(ask: Ask, case: int) -> None:
    """One byte of a payload of three MiB is found wherever it is."""
    long = holding(stack(Tensor("a", "U8", (3 << 20,))))
    check_found(ask, "VERIFY-HASH-01", long, payload_flipped(long, STACK, case), flags={STACK: SPOILT})


@clause("VERIFY-HASH-01")
def test_a_change_without_a_trace_is_found(ask: Ask) -> None:
    """A byte that changes while length and modification time stay is found by who verified it before."""
    path = ask.file("model", TINY.folder)
    check("VERIFY-HASH-01", ask("container.verify", path=path), intact(TINY))
    file = ask.folder / "model" / TINY.file_of(EMBEDDING)
    times = file.stat()
    wrong = payload_flipped(TINY, EMBEDDING)
    file.write_bytes(cast("bytes", wrong.files[TINY.file_of(EMBEDDING)]))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    check("VERIFY-HASH-01", ask("container.verify", path=path), finds(wrong, flags={EMBEDDING: SPOILT}))


PADDED = stack(*PAIR, stored_padding=b" " * 9)
"""A segment whose header has spaces to spare."""


def _header_edits() -> dict[str, Segment]:
    """Headers of one length that say the same, or the same but for a word that nothing is compared with."""
    header: Any = PADDED.header
    rows = [dict(reversed(row.items())) for row in PADDED.true_rows]
    return {
        "tab_for_a_space": replace(PADDED, stored_padding=b"\t" + b" " * 8),
        "line_feed_at_the_end": replace(PADDED, stored_padding=b" " * 8 + b"\n"),
        "keys_in_another_order": replace(PADDED, stored_header=dict(reversed(header.items()))),
        "keys_of_rows_in_another_order": replace(PADDED, stored_rows=rows),
        "space_moved_inside": replace(
            PADDED, stored_text=b"{ " + PADDED.header_text[1:], stored_padding=b" " * 8
        ),
        "another_name": stack(PAIR[0], replace(PAIR[1], name="c"), stored_padding=b" " * 9),
        "another_dtype": stack(PAIR[0], replace(PAIR[1], dtype="I8"), stored_padding=b" " * 9),
    }


@clause("VERIFY-HASH-02")
@cases(_header_edits())
def test_a_changed_header_spoils_one_digest(ask: Ask, case: Segment) -> None:
    """A header of equal length with other bytes fails the digest of the file, and the payload's holds."""
    legal = holding(PADDED)
    wrong = legal.with_file(legal.file_of(STACK), case)
    check_found(ask, "VERIFY-HASH-02", legal, wrong, flags={STACK: HEADER})


@clause("VERIFY-HASH-02")
def test_a_relabelled_header_spoils_one_digest(ask: Ask) -> None:
    """A header that was renamed in place leaves the payload's digest as it is."""
    legal = holding(PADDED)
    named = Segment("target.decoder_stack@BF61", PAIR, stored_padding=b" " * 9)
    wrong = legal.with_file(legal.file_of(STACK), named)
    check_found(ask, "VERIFY-HASH-02", legal, wrong, flags={STACK: HEADER})


def _recorded(representation: str, **digests: str) -> Model:
    """The container with these digests recorded for a segment that is as it was."""
    model = TINY
    for key, digest in digests.items():
        model = model.with_entry(representation, key, digest)
    return model


def _other_digit(digest: str, place: int) -> str:
    digits = list(digest)
    digits[place] = "0" if digits[place] != "0" else "1"
    return "".join(digits)


RIGHT = TINY.segments[EMBEDDING].payload_sha256, TINY.segments[EMBEDDING].segment_sha256
WRONG = {
    "first_digit": lambda digest: _other_digit(digest, 0),
    "a_middle_digit": lambda digest: _other_digit(digest, 31),
    "last_digit": lambda digest: _other_digit(digest, 63),
    "turned_round": lambda digest: digest[::-1],
    "zeros": lambda digest: "0" * 64,
    "digest_of_nothing": lambda digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "digest_of_another_payload": lambda digest: TINY.segments[NORM].payload_sha256,
    "digest_of_another_file": lambda digest: TINY.segments[NORM].segment_sha256,
}


@clause("VERIFY-HASH-03")
@cases(WRONG)
def test_each_record_is_compared_with_its_own_bytes(ask: Ask, case: Callable[[str], str]) -> None:
    """A wrong record of one digest leaves the other's flag true."""
    payload, segment = RIGHT
    wrong = _recorded(EMBEDDING, payload_sha256=case(payload))
    check_found(ask, "VERIFY-HASH-03", TINY, wrong, flags={EMBEDDING: PAYLOAD})
    wrong = _recorded(EMBEDDING, segment_sha256=case(segment))
    check_found(ask, "VERIFY-HASH-03", TINY, wrong, flags={EMBEDDING: HEADER})


@clause("VERIFY-HASH-03")
@cases({name: WRONG[name] for name in ("first_digit", "last_digit", "zeros", "digest_of_another_payload")})
def test_a_payload_of_nothing_is_compared_as_well(ask: Ask, case: Callable[[str], str]) -> None:
    """The digest of no bytes is one value, and any other record of it is wrong."""
    nothing = holding(stack())
    segment = nothing.segments[STACK]
    wrong = nothing.with_entry(STACK, "payload_sha256", case(segment.payload_sha256))
    check_found(ask, "VERIFY-HASH-03", nothing, wrong, flags={STACK: PAYLOAD})
    wrong = nothing.with_entry(STACK, "segment_sha256", case(segment.segment_sha256))
    check_found(ask, "VERIFY-HASH-03", nothing, wrong, flags={STACK: HEADER})


@clause("VERIFY-HASH-03")
def test_exchanged_records_fail_both(ask: Ask) -> None:
    """Two right digests in each other's place, or one in both, are compared where they stand."""
    payload, segment = RIGHT
    for digests, flags in (
        ((segment, payload), SPOILT),
        ((payload, payload), HEADER),
        ((segment, segment), PAYLOAD),
    ):
        wrong = _recorded(EMBEDDING, payload_sha256=digests[0], segment_sha256=digests[1])
        check_found(ask, "VERIFY-HASH-03", TINY, wrong, flags={EMBEDDING: flags})


@clause("VERIFY-HASH-03")
def test_records_of_two_entries_are_not_exchanged(ask: Ask) -> None:
    """Each of two entries with the other's digests fails, though both files have the same payload."""
    same = TINY.segments[HEAD]
    wrong = _recorded(EMBEDDING, payload_sha256=same.payload_sha256, segment_sha256=same.segment_sha256)
    wrong = wrong.with_entry(HEAD, "segment_sha256", RIGHT[1])
    check_found(ask, "VERIFY-HASH-03", TINY, wrong, flags={EMBEDDING: HEADER, HEAD: HEADER})


def _one_upper(digest: str) -> str:
    """The digest with its last letter in uppercase."""
    place = max(digest.rfind(letter) for letter in "abcdef")
    return digest[:place] + digest[place].upper() + digest[place + 1 :]


SPELT: dict[str, Callable[[str], str]] = {
    "empty": lambda digest: "",
    "one_digit": lambda digest: digest[:1],
    "half": lambda digest: digest[:32],
    "one_digit_short": lambda digest: digest[:-1],
    "one_digit_long": lambda digest: digest + "0",
    "twice": lambda digest: digest * 2,
    "uppercase": str.upper,
    "one_uppercase_letter": _one_upper,
    "with_its_algorithm": lambda digest: f"sha256:{digest}",
    "with_its_base": lambda digest: f"0x{digest}",
    "space_before": lambda digest: f" {digest}",
    "space_behind": lambda digest: f"{digest} ",
    "line_feed_behind": lambda digest: f"{digest}\n",
    "nul_behind": lambda digest: f"{digest}\0",
    "in_pairs": lambda digest: ":".join(digest[k : k + 2] for k in range(0, 64, 2)),
}


@clause("VERIFY-HASH-04")
@cases(SPELT)
def test_a_record_that_is_no_digest_never_matches(ask: Ask, case: Callable[[str], str]) -> None:
    """A digest that is cut, prefixed or in capitals is compared as text: it never holds."""
    check("VERIFY-HASH-04", verify(ask, TINY, "legal"), intact(TINY))
    payload, segment = RIGHT
    mismatch = one_of(defect("hash-mismatch"), defect("unknown-value"))
    for key, digest, flags in (
        ("payload_sha256", payload, PAYLOAD),
        ("segment_sha256", segment, HEADER),
    ):
        wrong = _recorded(EMBEDDING, **{key: case(digest)})
        found = unsound(wrong, mismatch, flags={EMBEDDING: flags})
        check("VERIFY-HASH-04", verify(ask, wrong, "wrong"), either(found, refuses("unknown-value")))
