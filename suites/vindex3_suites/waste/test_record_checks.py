"""What is checked of every record before a byte of it is served, and in which order."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_fixtures.waste import KINDS
from vindex3_suites.waste.models import BLOCKED, TINY
from vindex3_suites.waste.records import (
    FAULTS,
    RECORD,
    check_decoded,
    check_pair,
    check_served,
    matrix,
    record,
    with_header,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_suites.waste.records import Fault


@clause("RECORD-CHECK-01")
@cases(FAULTS)
def test_a_fault_is_found_on_every_read(ask: Ask, case: Fault) -> None:
    """A fault of a header refuses the record, verified or not, and harms no other record of the bank."""
    wrong = case.wrong(TINY)
    check_pair(ask, "RECORD-CHECK-01", TINY, wrong, refuses(case.kind, layer=1, expert=0))
    for expert in (1, 2):
        check_served(ask, "RECORD-CHECK-01", wrong, 1, expert, verify=True)


@clause("RECORD-CHECK-01")
@needs("waste.matrix")
@cases(FAULTS)
def test_a_fault_is_found_before_decoding(ask: Ask, case: Fault) -> None:
    """A fault of a header refuses each of its matrices, and the other records decode."""
    wrong = case.wrong(BLOCKED)
    for kind in KINDS:
        check("RECORD-CHECK-01", matrix(ask, wrong, 1, 0, kind), refuses(case.kind, layer=1, expert=0))
    check_decoded(ask, "RECORD-CHECK-01", wrong, 1, 1)


def _neighbours() -> dict[str, tuple[Fault, Fault]]:
    """Every fault with the next one that has another kind: a wrong order shows in one of these pairs."""
    return {
        f"{first}_before_{second}": (FAULTS[first], FAULTS[second])
        for first, second in pairwise(
            ("magic", "layer", "blocks", "format", "lowrank", "codebook", "gate_off")
        )
    }


@clause("RECORD-CHECK-02")
@cases(
    {
        **_neighbours(),
        "magic_before_scales": (FAULTS["magic"], FAULTS["scales"]),
        "expert_before_blocks": (FAULTS["expert"], FAULTS["blocks"]),
        "codebook_before_order": (FAULTS["codebook"], FAULTS["order"]),
        "codebook_before_region": (FAULTS["codebook"], FAULTS["region"]),
    }
)
def test_the_first_fault_is_named(ask: Ask, case: tuple[Fault, Fault]) -> None:
    """Of two faults that of the earlier check is the refusal, verified or not."""
    first, second = case
    wrong = first.wrong(second.wrong(TINY))
    check_pair(ask, "RECORD-CHECK-02", TINY, wrong, refuses(first.kind, layer=1, expert=0))


@clause("RECORD-CHECK-02")
@cases(FAULTS)
def test_the_checksum_is_compared_last(ask: Ask, case: Fault) -> None:
    """A header that is wrong is named before a checksum that is wrong too."""
    wrong = case.wrong(with_header(TINY, crc32=1))
    check_served(ask, "RECORD-CHECK-02", TINY, verify=True)
    refused = refuses(case.kind, layer=1, expert=0)
    check("RECORD-CHECK-02", record(ask, wrong, 1, 0, verify=True), refused)


@clause("RECORD-CHECK-02")
@needs(f"{RECORD}:before", f"{RECORD}:patch")
@cases(FAULTS)
def test_a_short_read_is_named_first(ask: Ask, case: Fault) -> None:
    """A record that is not there whole is truncated, whatever its header would say."""
    wrong = case.wrong(TINY, 1, 2)
    cut = [{"after": 1, "file": "experts-L1.bin", "length": 3 * 4096 - 1}]
    check_served(ask, "RECORD-CHECK-02", TINY, 1, 2, before=[[1, 0]])
    reply = record(ask, wrong, 1, 2, folder="cut", before=[[1, 0]], patch=cut)
    check("RECORD-CHECK-02", reply, refuses("truncated", layer=1, expert=2))


@clause("CRC-RANGE-04")
@cases(FAULTS)
def test_nothing_is_summed_before_the_header_is_checked(ask: Ask, case: Fault) -> None:
    """With verify on, a record whose payload is damaged as well is refused for its header."""
    damaged = with_header(TINY, crc32=TINY.record(1, 0).true_header["crc32"] ^ 1)
    check_served(ask, "CRC-RANGE-04", TINY, verify=True)
    check(
        "CRC-RANGE-04",
        record(ask, case.wrong(damaged), 1, 0, verify=True),
        refuses(case.kind, layer=1, expert=0),
    )


FAR = {
    "behind_the_record": {"correction_off": 4096},
    "behind_the_bank": {"correction_off": 1 << 20},
    "wraps_to_0": {"correction_off": (1 << 32) - 112},
    "wraps_into_the_record": {"correction_off": (1 << 32) - 1},
    "highest": {"correction_off": 0xFFFFFFFF},
    "all_of_them": {"up_off": 0x7FFFFFF0, "down_off": 0xFFFFFF00, "correction_off": 0xFFFFFFFF},
}


@clause("CRC-RANGE-04")
@cases(FAR)
def test_no_sum_leaves_the_record(ask: Ask, case: dict[str, int]) -> None:
    """Offsets far outside are record-offsets, with verify on as well: nothing is summed by them."""
    wrong = with_header(TINY, 1, 1, **case)
    refused = refuses("record-offsets", layer=1, expert=1)
    check_pair(ask, "CRC-RANGE-04", TINY, wrong, refused, (1, 1))
