"""Integers of manifest.json: what an integer slot takes, how it is spelt, and that no digit is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, clause
from vindex3_fixtures.json_text import Raw, Way, at
from vindex3_fixtures.waste import TRUNK
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import FULL, NORM, QUERY
from vindex3_suites.waste.slots import DEFAULTED, INTEGERS, LARGEST, REQUIRED, named

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Waste

TYPES, EXACT, SPELT = "WASTE-JSON-05", "WASTE-JSON-06", "WASTE-JSON-08"


@clause(TYPES)
@cases(INTEGERS)
def test_an_integer_is_a_number(ask: Ask, case: Way) -> None:
    """A boolean, a string, a list, an object and a fraction are bad-type, naming the slot."""
    check_opened(ask, TYPES, FULL)
    value = at(FULL.manifest, case)
    others: tuple[Any, ...] = (True, False, str(value), [value], {}, value + 0.9)
    for wrong in others:
        check_refused(ask, TYPES, FULL.with_manifest(case, wrong), "bad-type", field=named(case))


@clause(TYPES)
@cases({**REQUIRED, **DEFAULTED})
def test_an_integer_is_not_null(ask: Ask, case: Way) -> None:
    """Null where a number has to stand is bad-type, and never a default."""
    check_opened(ask, TYPES, FULL)
    check_refused(ask, TYPES, FULL.with_manifest(case, None), "bad-type", field=named(case))


@clause(SPELT)
@cases(INTEGERS)
def test_an_integer_is_spelt_without_fraction_and_exponent(ask: Ask, case: Way) -> None:
    """A whole number in another spelling is bad-type."""
    check_opened(ask, SPELT, FULL)
    value = at(FULL.manifest, case)
    for spelt in (f"{value}.0", f"{value}e0", f"{10 * value}e-1", "1.28e2"):
        wrong = FULL.with_manifest(case, Raw(spelt))
        check_refused(ask, SPELT, wrong, "bad-type", field=named(case))


FREE_KIND = {"experts": ("out-of-range", "count-mismatch"), "fmt": ("out-of-range", "unknown-format")}
"""Slots in which a large number breaks another rule as well."""


@clause(EXACT)
@cases({name: way for name, way in INTEGERS.items() if name not in FREE_KIND})
def test_no_integer_wraps(ask: Ask, case: Way) -> None:
    """One beyond 2^63 - 1 is out-of-range with every digit, also where its low bits would be legal."""
    check_opened(ask, EXACT, FULL)
    value = at(FULL.manifest, case)
    for wrong in (LARGEST + 1, (1 << 64) + value, 10**30):
        check_refused(
            ask,
            EXACT,
            FULL.with_manifest(case, wrong),
            "out-of-range",
            field=named(case),
            value=wrong,
        )


EDGES = {
    "above_32_bits": (1 << 32) + 1,
    "above_binary64": (1 << 53) + 1,
    "between_two_of_binary64": (1 << 60) + 129,
    "largest_but_one": LARGEST - 1,
    "largest": LARGEST,
}


@clause("TRUNK-EXTENT-01", EXACT)
@cases(EDGES)
def test_an_offset_is_exact(ask: Ask, case: int) -> None:
    """An offset of 63 bits is compared as it is: the refusal says to the digit where it would end."""
    have = FULL.length(TRUNK)
    check_opened(ask, EXACT, FULL)
    norm = FULL.tensor(NORM)
    wrong = FULL.with_entry(NORM, "off", case)
    names = {"tensor": NORM, "need": case + len(norm.payload), "have": have}
    check_refused(ask, "TRUNK-EXTENT-01", wrong, "extent-out-of-file", **names)
    scales = FULL.tensor(QUERY).scale_bytes
    wrong = FULL.with_entry(QUERY, "scale_off", case)
    names = {"tensor": QUERY, "need": case + len(scales), "have": have}
    check_refused(ask, "TRUNK-EXTENT-01", wrong, "extent-out-of-file", **names)


@clause(EXACT)
@cases(EDGES)
def test_a_size_is_exact(ask: Ask, case: int) -> None:
    """A size that config bounds is refused with every digit of it."""
    check_opened(ask, EXACT, FULL)
    for key in ("vocab_size", "num_attention_heads", "intermediate_size", "q_lora_rank"):
        wrong: Waste = FULL.with_config(key, case)
        check_refused(ask, EXACT, wrong, "out-of-range", field=named((key,)), value=case)
