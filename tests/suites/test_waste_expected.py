"""What the suite expects of WASTE readers and kernels holds for right answers alone, in every right form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytest_vindex3.contract.difference import first_difference
from pytest_vindex3.contract.outcome import Answer, Refused
from vindex3_fixtures.real.waste_containers import verdicts
from vindex3_suites.waste import test_real_damaged
from vindex3_suites.waste.arrays import Digested, gives
from vindex3_suites.waste.infinite import Half
from vindex3_suites.waste.variants import Names, Same
from vindex3_suites.waste.verifying import Listed, defect

DAMAGE = defect("checksum-mismatch", layer=1, expert=2)


def test_every_damage_of_a_real_container_has_a_verdict() -> None:
    """Each recorded damage is judged by a test, once in all tables or by name."""
    apart = {"h09", "h23", "h26", "p01", "l10", "t05"}
    tables = [*test_real_damaged.RECORDS, *test_real_damaged.OPENED, *apart]
    assert sorted(tables) == sorted(verdicts())


@pytest.mark.parametrize("found", [0x7C00, "inf", "Infinity", "+inf", "7C00", "0x7c00", "007c", float("inf")])
def test_an_infinity_has_many_forms(found: object) -> None:
    """An infinite half may be told by its pattern, its bytes, or as a number."""
    assert first_difference(Half(0x7C00), found) is None


@pytest.mark.parametrize(
    "found", [0xFC00, "-inf", "nan", "fc00", float("-inf"), float("nan"), True, None, "", 1.0]
)
def test_no_other_value_is_that_infinity(found: object) -> None:
    """The opposite infinity, NaN and anything else is a difference."""
    assert first_difference(Half(0x7C00), found) is not None


@pytest.mark.parametrize(("found", "same"), [("nan", True), ("NaN", True), (0x7E00, True), ("inf", False)])
def test_a_nan_is_no_infinity(found: object, same: bool) -> None:
    """NaN is told by its pattern or its name."""
    assert (first_difference(Half(0x7E00), found) is None) == same


@pytest.mark.parametrize(
    ("found", "same"),
    [
        (["scalar"], True),
        (["avx512", "avx2", "scalar"], True),
        ([], False),
        (["scalar", "scalar"], False),
        (["sse2"], False),
        ("scalar", False),
        (None, False),
    ],
)
def test_variants_are_listed_by_name(found: object, same: bool) -> None:
    """A list of names of the format, none twice and at least one."""
    assert (first_difference(Names(), found) is None) == same


@pytest.mark.parametrize(
    ("found", "same"), [(["b", "a"], True), (["a"], False), (["a", "b", "b"], False), ("ab", False)]
)
def test_the_same_variants_are_listed_again(found: object, same: bool) -> None:
    """The same names in any order, and no other."""
    assert (first_difference(Same(frozenset("ab")), found) is None) == same


@pytest.mark.parametrize(
    ("found", "same"),
    [
        ([DAMAGE], True),
        ([DAMAGE, DAMAGE], True),
        ([{"kind": "checksum-mismatch", "names": {"layer": 1, "expert": 2, "stored": 5}}], True),
        ([], False),
        ([defect("checksum-mismatch", layer=1, expert=3)], False),
        ([DAMAGE, defect("checksum-mismatch", layer=1, expert=3)], False),
        ([DAMAGE, defect("io")], False),
        ([DAMAGE, defect("region-gap")], True),
        ("x", False),
    ],
)
def test_defects_are_listed_and_no_others(found: Any, same: bool) -> None:
    """What is required is there, and beside it only what may be."""
    assert (first_difference(Listed((DAMAGE,), frozenset({"region-gap"})), found) is None) == same


ARRAY = np.array([[1.0, -0.0], [np.nan, np.inf]], np.float32)


def test_an_array_is_compared_by_bits() -> None:
    """The same bits are the same, NaN as one class; another sign of zero, shape or type is not."""
    other_nan = ARRAY.copy()
    other_nan.view(np.uint32)[1, 0] = 0xFFC00001
    assert gives(ARRAY).difference(Answer(ARRAY)) is None
    assert gives(ARRAY).difference(Answer(other_nan)) is None
    for wrong in (np.abs(ARRAY), ARRAY.reshape(4), ARRAY.astype(np.float64), [1.0], None):
        assert gives(ARRAY).difference(Answer(wrong)) is not None
    assert gives(ARRAY).difference(Refused("io")) is not None


def test_an_array_is_compared_by_its_digest() -> None:
    """Type, shape and digest have to be the recorded ones."""
    digest = "4b227777d4dd1fc61c6f884f48641d02b4d121d3fd328cb08b5531fcacdabf8a"  # of the byte 34
    assert Digested((1,), digest).difference(Answer(np.zeros(1, np.float32))) is not None
    zeros = "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119"  # of four bytes 00
    assert Digested((1,), zeros).difference(Answer(np.zeros(1, np.float32))) is None
    for wrong in (np.zeros(1, np.float64), np.zeros((1, 1), np.float32), None):
        assert Digested((1,), zeros).difference(Answer(wrong)) is not None
    assert Digested((1,), zeros).difference(Refused("io")) is not None
