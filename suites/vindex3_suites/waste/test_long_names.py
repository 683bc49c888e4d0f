"""Names of banks that are alike for long: never cut, neither to be compared nor to be opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, refuses
from vindex3_fixtures.waste import Waste
from vindex3_suites.waste.models import TINY

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

FIRST, SECOND = TINY.bank_file(1), TINY.bank_file(2)


def _named(first: str, second: str) -> Waste:
    """The tiny container with these names of its banks."""
    one: Any = TINY.files[FIRST]
    two: Any = TINY.files[SECOND]
    model = TINY.without_file(FIRST).without_file(SECOND).with_file(first, one).with_file(second, two)
    return model.with_layer(1, "file", first).with_layer(2, "file", second)


def _read(ask: Ask, model: Waste, layer: int) -> Reply:
    return ask("waste.record", path=ask.file("model", model.folder), layer=layer, expert=1)


@clause("WASTE-PATH-03")
@cases({f"{length}_alike": length for length in (1, 30, 31, 63, 64, 70, 71, 127, 128, 200, 240)})
def test_names_are_compared_whole(ask: Ask, case: int) -> None:
    """Two names that differ behind many equal characters are two files, each read for its own layer."""
    model = _named("e" * case + "-1.bin", "e" * case + "-2.bin")
    for layer in (1, 2):
        expected = answers(data=TINY.record(layer, 1).data)
        check("WASTE-PATH-03", _read(ask, model, layer), expected)


@clause("WASTE-PATH-03")
@cases(one_more=256, twice=510, path=5000, long=100_000)
def test_no_name_is_shortened(ask: Ask, case: int) -> None:
    """A name that no system takes is missing-file, also where a file of its first characters is there."""
    sound = _named("e" * 255, "e" * 70)
    check("WASTE-PATH-03", _read(ask, sound, 1), answers(data=TINY.record(1, 1).data))
    wrong = sound.with_layer(1, "file", "e" * case)
    check("WASTE-PATH-03", _read(ask, wrong, 1), refuses("missing-file", path="e" * case))
