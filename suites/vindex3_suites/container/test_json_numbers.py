"""Numbers of index.json: how an integer is spelt, what fits its slot, and that no digit is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.json_faults import faults
from vindex3_fixtures.json_text import Raw, Way, at
from vindex3_fixtures.json_twins import twins
from vindex3_fixtures.numbers import Numbers
from vindex3_suites.container.judging import check_fault, check_legal, check_opened, check_refused, check_twin
from vindex3_suites.container.models import FULL, SMALLEST, open_, opens
from vindex3_suites.container.slots import COUNTED, INTEGERS, U32, U64, named

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin

WAYS = {name: way for name, (way, _) in INTEGERS.items()}


@clause("JSON-NUMBER-01")
@cases(WAYS)
def test_an_integer_is_spelt_without_fraction_and_exponent(ask: Ask, case: Way) -> None:
    """Even where the number is whole, another spelling than that of an integer is bad-type."""
    check_legal(ask, "JSON-NUMBER-01", FULL)
    value = at(FULL.index, case)
    for spelt in (f"{value}.0", f"{value}e0", f"{value}E+0", f"{10 * value}e-1", f"{value}.5", "0.0", "1e2"):
        check_refused(ask, "JSON-NUMBER-01", FULL.with_index(case, Raw(spelt)), "bad-type", field=named(case))


@clause("JSON-NUMBER-02")
@cases(WAYS)
def test_an_integer_is_a_number(ask: Ask, case: Way) -> None:
    """A boolean, a string, an array and an object are no integer, whatever they hold."""
    check_legal(ask, "JSON-NUMBER-02", FULL)
    value = at(FULL.index, case)
    for wrong in (True, False, str(value), "", [value], [], {"value": value}, {}):
        check_refused(ask, "JSON-NUMBER-02", FULL.with_index(case, wrong), "bad-type", field=named(case))


@clause("JSON-NUMBER-03")
@cases(INTEGERS)
def test_an_integer_fits_its_slot(ask: Ask, case: tuple[Way, int]) -> None:
    """A negative one, and one beyond 32 or 64 bits, is out-of-range with field and value, never wrapped."""
    way, largest = case
    check_legal(ask, "JSON-NUMBER-03", FULL)
    value = at(FULL.index, way)
    beyond = [largest + 1, largest + 1 + value, 2 * (largest + 1) + value, (U64 + 1) * 16 + value]
    for wrong in (-1, -value, -(1 << 31), -(1 << 63), value - largest - 1, *beyond):
        check_refused(
            ask,
            "JSON-NUMBER-03",
            FULL.with_index(way, wrong),
            "out-of-range",
            field=named(way),
            value=wrong,
        )


@clause("JSON-NUMBER-03")
@cases(
    count=("segments", COUNTED),
    hidden_size=("hidden_size",),
    num_layers=("num_layers",),
)
def test_the_largest_integer_fits(ask: Ask, case: Way) -> None:
    """Up to the last number of 32 or 64 bits a slot that nobody compares is observed to the digit."""
    largest = U32 if case[0] == "segments" else U64
    for value in (0, 1, 1 << 31, largest - 1, largest):
        check_opened(ask, "JSON-NUMBER-03", FULL.with_index(case, value))
    wrong = FULL.with_index(case, largest + 1)
    check_refused(ask, "JSON-NUMBER-03", wrong, "out-of-range", field=named(case), value=largest + 1)


EDGES = [0, 1, 255, U32, U32 + 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, U64 - 1, U64]


@clause("JSON-NUMBER-04")
def test_integers_are_exact(ask: Ask) -> None:
    """Every digit of 64 bits is kept below an unknown key, at any depth."""
    extra = {f"x-{value}": value for value in EDGES}
    model = FULL.with_index(("x-all",), {"deep": [EDGES, {"deeper": EDGES[::-1]}]})
    for key, value in extra.items():
        model = model.with_index((key,), value)
    check_opened(ask, "JSON-NUMBER-04", model)


@clause("JSON-NUMBER-04")
def test_any_integer_is_exact(ask: Ask) -> None:
    """So is any other of up to 64 bits."""
    numbers = Numbers(ask.seed)
    drawn = [numbers.word() >> (64 - bits) for bits in range(1, 65) for _ in range(8)]
    check_opened(ask, "JSON-NUMBER-04", SMALLEST.with_index(("x",), drawn))
    check("JSON-NUMBER-04", open_(ask, SMALLEST), opens(SMALLEST))


@clause("JSON-NUMBER-05")
@cases(faults("JSON-NUMBER-05"))
def test_no_number_overflows(ask: Ask, case: JsonFault) -> None:
    """A number beyond binary64 is refused below an unknown key too; it never becomes infinity."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-NUMBER-05")
@cases(twins("JSON-NUMBER-05"))
def test_the_largest_number_is_read(ask: Ask, case: JsonTwin) -> None:
    """A number that binary64 holds is observed as what it is."""
    check_twin(ask, case, SMALLEST)


@clause("JSON-NUMBER-05")
@cases(precision_map=("precision_map", "x"), entry=("representations", "target.embedding@Q8_0", "x"))
def test_no_number_overflows_below_a_known_key(ask: Ask, case: Way) -> None:
    """The same holds for what nobody defined within the objects of the format."""
    check_opened(ask, "JSON-NUMBER-05", FULL)
    for spelt in ("1e999", "-1e999", "[1, 1.8e308]", "1" + "0" * 400 + ".0"):
        wrong = FULL.with_index(case, Raw(spelt))
        check_refused(ask, "JSON-NUMBER-05", wrong, ("out-of-range", "malformed-json"))
