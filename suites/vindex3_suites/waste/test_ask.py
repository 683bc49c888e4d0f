"""Requests for records and matrices that are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_suites.waste.models import DENSE, PACKED, TINY
from vindex3_suites.waste.records import VERIFY, check_decoded, check_served, matrix, record

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BEYOND: dict[str, tuple[int, int]] = {
    "dense_layer": (0, 0),
    "next_layer": (3, 0),
    "next_expert": (1, 3),
    "expert_of_another_count": (2, 255),
    "negative_expert": (1, -1),
    "negative_layer": (-1, 0),
    "layer_from_the_end": (-2, 0),
    "layer_modulo_2_to_the_8": (257, 0),
    "expert_modulo_2_to_the_8": (1, 256),
    "layer_modulo_2_to_the_16": (65537, 0),
    "expert_modulo_2_to_the_16": (1, 65536),
    "expert_modulo_2_to_the_32": (1, 1 << 32),
    "layer_modulo_2_to_the_32": ((1 << 32) + 1, 0),
    "expert_modulo_2_to_the_64": (1, (1 << 64) + 2),
    "layer_modulo_2_to_the_64": ((1 << 64) + 1, 2),
    "offset_beyond_2_to_the_63": (1, 1 << 51),
    "both": (9, 9),
    "a_hundred_digits": (1, 10**99),
}


@clause("WASTE-ASK-01")
@cases(BEYOND)
def test_a_record_that_is_not_there_is_refused(ask: Ask, case: tuple[int, int]) -> None:
    """A layer without bank and an expert without number are refused as they were asked for."""
    layer, expert = case
    check_served(ask, "WASTE-ASK-01", TINY, 1, 2)
    for options in VERIFY:
        refused = refuses("no-such-record", layer=layer, expert=expert)
        check("WASTE-ASK-01", record(ask, TINY, layer, expert, **options), refused)


@clause("WASTE-ASK-01")
def test_without_experts_there_is_no_record(ask: Ask) -> None:
    """A dense model has no record at all."""
    check_served(ask, "WASTE-ASK-01", TINY)
    refused = refuses("no-such-record", layer=0, expert=0)
    check("WASTE-ASK-01", record(ask, DENSE, 0, 0), refused)


@clause("WASTE-ASK-01")
@needs("waste.matrix")
@cases(
    {
        name: BEYOND[name]
        for name in ("dense_layer", "next_expert", "negative_expert", "expert_modulo_2_to_the_16")
    }
)
def test_a_matrix_of_no_record_is_refused(ask: Ask, case: tuple[int, int]) -> None:
    """A matrix is asked for by the same numbers."""
    layer, expert = case
    check_decoded(ask, "WASTE-ASK-01", TINY, 1, 2)
    refused = refuses("no-such-record", layer=layer, expert=expert)
    check("WASTE-ASK-01", matrix(ask, TINY, layer, expert, "gate"), refused)


@clause("WASTE-ASK-01")
@needs("waste.matrix")
@cases(
    capital="Gate",
    empty="",
    blank="gate ",
    plural="gates",
    number="0",
    other="w1",
    prefix="gat",
    nul="gate\0",
)
def test_another_matrix_is_refused(ask: Ask, case: str) -> None:
    """An expert has gate, up and down, and no other matrix."""
    check_decoded(ask, "WASTE-ASK-01", PACKED, 1, 1)
    check("WASTE-ASK-01", matrix(ask, PACKED, 1, 1, case), refuses("no-such-matrix"))
