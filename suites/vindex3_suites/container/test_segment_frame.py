"""The first bytes of a segment: header lengths beyond the limit, beyond the file, and of nothing."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, on_disk, refuses
from vindex3_fixtures.container import tiny
from vindex3_suites.container.tensors import FILE, PAIR, STACK, delivers, filed, holding, stack, tensor
from vindex3_suites.lyrw.limits import MIB, measured, promptly, sparse_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.container import Model

LIMIT = 268_435_456
"""The largest header that is read: 256 MiB."""
LEGAL = stack(*PAIR)
DATA = LEGAL.bytes()


def _claiming(length: int) -> Model:
    """The legal segment with this header length in front."""
    return filed(struct.pack("<Q", length) + DATA[8:], LEGAL.payload_start)


def _check_priced(ask: Ask, clause_id: str, wrong: Model, refused: Expectation) -> None:
    """A legal segment is served, and the wrong one refused in little memory and time."""
    check(clause_id, tensor(ask, holding(LEGAL), "a", folder="legal"), delivers(LEGAL, "a"))
    path = ask.file("wrong", wrong.folder)
    reply, cost = measured(ask, "container.tensor", len(DATA), path=path, representation=STACK, tensor="a")
    check(clause_id, reply, refused)
    check(clause_id, reply, promptly(ask, cost))


@on_disk
@clause("SEGMENT-FRAME-05")
@cases(
    one_above=LIMIT + 1,
    twice=2 * LIMIT,
    two_to_the_31=1 << 31,
    two_to_the_32=1 << 32,
    low_half_is_right=(1 << 32) + LEGAL.header_length,
    two_to_the_63=1 << 63,
    top_bit_and_right=(1 << 63) + LEGAL.header_length,
    start_wraps_to_zero=(1 << 64) - 8,
    largest=(1 << 64) - 1,
    other_end_first=int.from_bytes(DATA[:8], "big"),
    text=int.from_bytes(b'{"schema', "little"),
)
def test_a_length_above_the_limit_is_too_large(ask: Ask, case: int) -> None:
    """A claimed header of more than 256 MiB is refused by its number, before memory is taken."""
    expected = refuses("header-too-large", claimed=case)
    _check_priced(ask, "SEGMENT-FRAME-05", _claiming(case), expected)


@dataclass(frozen=True, slots=True)
class Hollow:
    """A file with these first bytes and a hole behind them."""

    head: bytes
    length: int

    def write_to(self, path: Path) -> None:
        """Write the first bytes; the rest is zeros that take no room."""
        with path.open("wb") as file:
            file.write(self.head)
            file.truncate(self.length)


def _hollow(claimed: int, length: int) -> Model:
    head = struct.pack("<Q", claimed) + LEGAL.header_text
    return tiny().with_file(FILE, Hollow(head, length))


@on_disk
@clause("SEGMENT-FRAME-05")
@cases(
    one_above=(LIMIT + 1, LIMIT + 4096),
    one_above_without_payload=(LIMIT + 1, LIMIT + 9),
    one_gib=(1 << 30, (1 << 30) + 4096),
    five_gib=(5 << 30, (5 << 30) + 4096),
)
def test_a_header_that_is_there_is_too_large_as_well(ask: Ask, case: tuple[int, int]) -> None:
    """The limit holds where the file really is so long: the header is refused unread."""
    claimed, length = case
    sparse_files(ask.folder, length)
    expected = refuses("header-too-large", claimed=claimed)
    _check_priced(ask, "SEGMENT-FRAME-05", _hollow(claimed, length), expected)


@on_disk
@clause("SEGMENT-FRAME-06")
@cases(
    one_byte=len(DATA) - 7,
    twice=2 * len(DATA),
    two_to_the_16=1 << 16,
    sixteen_mib=16 * MIB,
    just_below_the_limit=LIMIT - 1,
    the_limit_itself=LIMIT,
)
def test_a_header_beyond_the_file_is_truncated(ask: Ask, case: int) -> None:
    """A length within the limit that the file does not hold is truncated, before memory is taken."""
    _check_priced(ask, "SEGMENT-FRAME-06", _claiming(case), refuses("truncated", path=FILE))


@clause("SEGMENT-FRAME-06")
@cases(a_few=(0, 7, 8, LEGAL.payload_start - 1), all=range(LEGAL.payload_start))
def test_every_cut_of_a_header_is_truncated(ask: Ask, case: Iterable[int]) -> None:
    """Wherever a file ends before its payload begins, from no byte at all, it is truncated."""
    check("SEGMENT-FRAME-06", tensor(ask, holding(LEGAL), "a", folder="legal"), delivers(LEGAL, "a"))
    for length in case:
        reply = tensor(ask, filed(DATA[:length], length), "a", folder="wrong")
        check("SEGMENT-FRAME-06", reply, refuses("truncated", path=FILE))


@clause("SEGMENT-FRAME-07")
@cases(
    nothing_behind=b"",
    zeros=bytes(64),
    the_header=DATA[8:],
    a_whole_segment=DATA,
    an_empty_object=b"{}",
    payload_alone=LEGAL.payload,
)
def test_a_header_of_no_bytes_is_malformed(ask: Ask, case: bytes) -> None:
    """A header length of 0 is no header, whatever the payload looks like."""
    check("SEGMENT-FRAME-07", tensor(ask, holding(LEGAL), "a", folder="legal"), delivers(LEGAL, "a"))
    reply = tensor(ask, filed(bytes(8) + case, 8), "a", folder="wrong")
    check("SEGMENT-FRAME-07", reply, refuses("malformed-json", path=FILE))
