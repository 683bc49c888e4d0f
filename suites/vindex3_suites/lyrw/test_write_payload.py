"""Payloads that do not match their plan, and what a failed write leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.lyrw.plan import payload, plan
from vindex3_suites.lyrw.planning import (
    check_twin,
    untouched,
    write,
)
from vindex3_suites.lyrw.samples import (
    DENSE,
    SPLIT,
    TWO_BANKS,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


class Piece(NamedTuple):
    """A region of a payload by its coordinates."""

    bank_id: int
    entry: int
    schema_index: int

    def place(self, pieces: list[dict[str, Any]]) -> int:
        """Where it stands in a payload."""
        return next(
            at
            for at, one in enumerate(pieces)
            if all(one[key] == value for key, value in self._asdict().items())
        )


FIRST, MIDDLE, LAST = Piece(7, 0, 0), Piece(2, 1, 2), Piece(7, 2, 1)


def _lacks(piece: Piece) -> list[dict[str, Any]]:
    pieces = payload(TWO_BANKS)
    del pieces[piece.place(pieces)]
    return pieces


def _resized(piece: Piece, change: int) -> list[dict[str, Any]]:
    pieces = payload(TWO_BANKS)
    one = pieces[piece.place(pieces)]
    one["data"] = (one["data"] + b"\0")[: len(one["data"]) + change]
    return pieces


def _surplus(piece: Piece) -> list[dict[str, Any]]:
    return [*payload(TWO_BANKS), {**piece._asdict(), "data": bytes(8)}]


MISMATCHES = {
    "first_missing": (_lacks(FIRST), FIRST),
    "middle_missing": (_lacks(MIDDLE), MIDDLE),
    "last_missing": (_lacks(LAST), LAST),
    "first_too_long": (_resized(FIRST, 1), FIRST),
    "middle_too_short": (_resized(MIDDLE, -1), MIDDLE),
    "last_too_long": (_resized(LAST, 1), LAST),
    "last_too_short": (_resized(LAST, -1), LAST),
    "last_empty": (_resized(LAST, -8), LAST),
    "entry_beyond_the_bank": (_surplus(Piece(7, 3, 0)), Piece(7, 3, 0)),
    "schema_beyond_the_bank": (_surplus(Piece(7, 1, 2)), Piece(7, 1, 2)),
    "undeclared_bank": (_surplus(Piece(9, 0, 0)), Piece(9, 0, 0)),
}


@clause("LAYOUT-WRITE-04")
@cases(MISMATCHES)
def test_a_payload_has_what_the_plan_has(ask: Ask, case: tuple[list[dict[str, Any]], Piece]) -> None:
    """A region that is missing, surplus or of another length is refused with its coordinates."""
    pieces, piece = case
    check_twin(ask, "LAYOUT-WRITE-04", TWO_BANKS)
    refused = refuses("plan-mismatch", **piece._asdict())
    check("LAYOUT-WRITE-04", write(ask, "wrong.lyrw", plan(TWO_BANKS), pieces), refused)


@clause("LAYOUT-WRITE-04")
@cases(before=1, behind=4)
def test_a_region_of_a_sibling_file_is_surplus(ask: Ask, case: int) -> None:
    """An entry that the plan leaves to another file has no region here, nor has one beyond the bank."""
    check_twin(ask, "LAYOUT-WRITE-04", SPLIT)
    extra = {"bank_id": 7, "entry": case, "schema_index": 1}
    pieces = [*payload(SPLIT), {**extra, "data": bytes(8)}]
    check("LAYOUT-WRITE-04", write(ask, "wrong.lyrw", plan(SPLIT), pieces), refuses("plan-mismatch", **extra))


@clause("LAYOUT-WRITE-05")
@cases(MISMATCHES)
def test_a_failed_write_leaves_the_target_alone(ask: Ask, case: tuple[list[dict[str, Any]], Piece]) -> None:
    """After a payload was refused no file is there that was not, and a former file has its bytes."""
    pieces, _ = case
    check_twin(ask, "LAYOUT-WRITE-05", TWO_BANKS)
    absent = write(ask, "absent.lyrw", plan(TWO_BANKS), pieces)
    check("LAYOUT-WRITE-05", absent, refuses("plan-mismatch"))
    check("LAYOUT-WRITE-05", absent, untouched(ask, "absent.lyrw", None))
    for former in (b"", b"former", DENSE.data(), bytes(4096)):
        ask.file("there.lyrw", former)
        there = write(ask, "there.lyrw", plan(TWO_BANKS), pieces)
        check("LAYOUT-WRITE-05", there, refuses("plan-mismatch"))
        check("LAYOUT-WRITE-05", there, untouched(ask, "there.lyrw", former))
