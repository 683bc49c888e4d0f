"""The suite's matrices tell every wrong order of operations from the right one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from vindex3_fixtures.waste import Quant, formulas
from vindex3_suites.waste import test_vq_product, test_vq_product_int8
from vindex3_suites.waste.kernels import PACKED, Given, drawn, table_of, vector
from vindex3_suites.waste.orders import UNEVEN, WORKED, Shape, uneven
from vindex3_suites.waste.test_vq_decode import CANCELLED, LATE, SCALED, TIE

Floats = npt.NDArray[np.float32]
Wide = npt.NDArray[Any]


def chosen(given: Given, dtype: type = np.float32) -> list[Wide]:
    """The values that each stage adds, [rows][positions][vec_dim]."""
    return [
        formulas.widened(book)[given.matrix.indices[:, :, stage]].astype(dtype)
        for stage, book in enumerate(given.books)
    ]


def scales(given: Given, dtype: type = np.float32) -> Wide:
    """The scale of every row, to be multiplied with such values."""
    return formulas.widened(given.matrix.scales).astype(dtype)[:, None, None]


def shaped(given: Given, weights: Wide) -> Floats:
    """As weights of the matrix."""
    return weights.astype(np.float32).reshape(given.matrix.rows, -1)


def reversed_stages(given: Given) -> Floats:
    acc, *rest = reversed(chosen(given))
    for values in rest:
        acc = acc + values
    return shaped(given, acc * scales(given))


def scaled_stages(given: Given) -> Floats:
    acc: Wide = np.zeros_like(chosen(given)[0])
    for values in chosen(given):
        acc = acc + values * scales(given)
    return shaped(given, acc)


def in_double(given: Given) -> Floats:
    acc = np.float32(0) + sum(chosen(given, np.float64))
    return shaped(given, np.asarray(acc).astype(np.float32) * scales(given))


def rounded_once(given: Given) -> Floats:
    return shaped(given, sum(chosen(given, np.float64)) * scales(given, np.float64))


def fused_scale(given: Given) -> Floats:
    """The last addition and the multiplication in one: (acc + last) x scale, rounded once."""
    *first, last = chosen(given)
    acc: Wide = np.zeros_like(last)
    for values in first:
        acc = acc + values
    return shaped(given, (acc.astype(np.float64) + last) * scales(given, np.float64))


def from_stage_0(given: Given) -> Floats:
    acc, *rest = chosen(given)
    for values in rest:
        acc = acc + values
    return shaped(given, acc * scales(given))


def without_subnormals(given: Given) -> Floats:
    flat = [np.where(np.abs(values) < 2.0**-14, 0, values).astype(np.float32) for values in chosen(given)]
    acc: Wide = np.zeros_like(flat[0])
    for values in flat:
        acc = acc + values
    return shaped(given, acc * scales(given))


def in_halves(given: Given) -> Floats:
    acc: Wide = np.zeros(chosen(given)[0].shape, np.float16)
    for values in chosen(given, np.float16):
        acc = acc + values
    return shaped(given, acc.astype(np.float32) * scales(given))


TYPED: dict[Callable[[Given], Floats], list[int]] = {
    reversed_stages: [0x442AA001, 0x3EBBAEEF, 0x00000000, 0x3EFFF2A9],
    scaled_stages: [0x442AA002, 0x3EBBAEF0, 0x00000000, 0x3EFFF2A9],
    rounded_once: [0x442AA001, 0x3EBBAEF0, 0x80000000, 0x3EFFF2A9],
}
"""What the format's text says that wrong ways give for its example."""


def bits(values: Floats) -> list[int]:
    """The patterns of all numbers."""
    found: list[int] = np.ascontiguousarray(values, np.float32).view(np.uint32).reshape(-1).tolist()
    return found


@pytest.mark.parametrize(
    "wrong", [reversed_stages, scaled_stages, in_double, from_stage_0, without_subnormals]
)
def test_the_worked_example_tells_wrong_ways(wrong: Callable[[Given], Floats]) -> None:
    """Each wrong way of the format's table gives other bits for the example."""
    with np.errstate(all="ignore"):
        assert bits(wrong(WORKED)) != bits(WORKED.weights)


@pytest.mark.parametrize("shape", UNEVEN.values(), ids=UNEVEN)
def test_uneven_matrices_tell_wrong_ways(shape: Shape) -> None:
    """Each wrong order or rounding gives other bits for every matrix of halves of any size."""
    given = shape.given
    wrong = [scaled_stages, rounded_once, fused_scale, in_halves]
    if given.quant.stages > 2:  # the sum of two is the same in any order, and is rounded once
        wrong += [reversed_stages, in_double]
    with np.errstate(all="ignore"):
        for way in wrong:
            assert bits(way(given)) != bits(given.weights), way.__name__


@pytest.mark.parametrize("given", [TIE, CANCELLED, LATE, SCALED])
def test_typed_columns_tell_a_wider_sum(given: Given) -> None:
    """Sums that are typed by hand differ from those of one rounding."""
    with np.errstate(all="ignore"):
        assert bits(rounded_once(given)) != bits(given.weights)


def fused_table(books: tuple[npt.NDArray[np.uint16], ...], x: Floats) -> Floats:
    """The table with fused operations: float64 holds a product of float32 and its sum nearly exactly."""
    table = np.zeros((len(x) // books[0].shape[1], len(books), len(books[0])), np.float32)
    parts = x.reshape(len(table), -1).astype(np.float64)
    for stage, book in enumerate(books):
        values = formulas.widened(book).astype(np.float64)
        for d in range(book.shape[1]):
            table[:, stage] = (table[:, stage] + parts[:, d, None] * values[None, :, d]).astype(np.float32)
    return table


def entries_of(given: Given, table: Floats) -> Wide:
    """What every row takes of the table, [rows][positions][stages]."""
    indices = given.matrix.indices
    positions, stages = np.arange(indices.shape[1])[:, None], np.arange(indices.shape[2])
    taken: Wide = table[positions, stages, indices]
    return taken


def summed(given: Given, taken: Wide, order: Callable[[Wide], Wide]) -> Floats:
    """Rows by an order of summing positions, after stages are summed one by one."""
    part = taken[:, :, 0]
    for stage in range(1, taken.shape[2]):
        part = part + taken[:, :, stage]
    return order(part) * formulas.widened(given.matrix.scales)


def ascending(part: Wide) -> Wide:
    acc = np.zeros(len(part), part.dtype)
    for position in range(part.shape[1]):
        acc = acc + part[:, position]
    return acc


def descending(part: Wide) -> Wide:
    return ascending(part[:, ::-1])


def as_a_tree(part: Wide) -> Wide:
    while part.shape[1] > 1:
        if part.shape[1] % 2:
            part = np.pad(part, ((0, 0), (0, 1)))
        part = part[:, ::2] + part[:, 1::2]
    return part[:, 0]


def as_doubles(part: Wide) -> Wide:
    return ascending(part.astype(np.float64)).astype(np.float32)


def without_parts(given: Given, taken: Wide) -> Floats:
    """Each entry added to the row's sum on its own."""
    flat = taken.reshape(len(taken), -1)
    return ascending(flat) * formulas.widened(given.matrix.scales)


LONG = [uneven(Quant(stages, 1, 16), 9, 500) for stages in (1, 3, 8)]


@pytest.mark.parametrize("given", LONG)
def test_long_rows_tell_wrong_orders(given: Given) -> None:
    """A product over 500 positions differs for every other order of its sums."""
    x = vector("long", length=500)
    taken = entries_of(given, formulas.tables(given.books, x))
    right = given.product(x)
    assert bits(summed(given, taken, ascending)) == bits(right)
    for order in (descending, as_a_tree, as_doubles):
        assert bits(summed(given, taken, order)) != bits(right)
    if given.quant.stages > 1:
        assert bits(without_parts(given, taken)) != bits(right)


@pytest.mark.parametrize("shape", UNEVEN.values(), ids=UNEVEN)
def test_uneven_products_tell_entries_added_one_by_one(shape: Shape) -> None:
    """Where several stages are summed first, adding each to the row gives other bits."""
    given = shape.given
    x = vector("order", length=given.arguments["n_in"])
    taken = entries_of(given, formulas.tables(given.books, x))
    assert bits(without_parts(given, taken)) != bits(given.product(x))


@pytest.mark.parametrize("vec_dim", [2, 3, 8, 16, 33, 64])
def test_tables_tell_fused_operations(vec_dim: int) -> None:
    """The table's products and sums have other bits when they are fused."""
    given = table_of(uneven(Quant(1, vec_dim, 200), 1, 1).books)
    x = vector("table", vec_dim, length=vec_dim)
    assert bits(fused_table(given.books, x)) != bits(formulas.tables(given.books, x))


@pytest.mark.parametrize(("patterns", "numbers"), test_vq_product.FUSED)
def test_typed_products_tell_fused_operations(patterns: list[int], numbers: list[float]) -> None:
    """Of the products that are typed by hand, a fused sum gives others."""
    books = (np.array([patterns], np.uint16),)
    x = np.array(numbers, np.float32)
    assert bits(fused_table(books, x)) != bits(formulas.tables(books, x))


def int8(given: Given, x: Floats, rounding: Callable[[Floats, np.float32], Wide], block: int = 32) -> Floats:
    """A product by an int8 table that is rounded, or cut into blocks, in another way."""
    table = formulas.tables(given.books, x)
    acc = np.zeros(given.matrix.rows, np.float32)
    for start in range(0, len(table), block):
        part = table[start : start + block]
        factor = np.float32(np.abs(part).max() / np.float32(127))
        q = rounding(part, factor) if factor else np.zeros(part.shape)
        positions, stages = np.arange(len(part))[:, None], np.arange(part.shape[1])
        total = q[positions, stages, given.matrix.indices[:, start : start + block]].sum((1, 2))
        acc = acc + total.astype(np.float32) * factor
    return acc * formulas.widened(given.matrix.scales)


def to_nearest(part: Floats, factor: np.float32) -> Wide:
    return np.clip(np.rint(part / factor), -127, 127)


def half_away(part: Floats, factor: np.float32) -> Wide:
    return np.clip(np.copysign(np.floor(np.abs(part / factor) + np.float32(0.5)), part), -127, 127)


def cut(part: Floats, factor: np.float32) -> Wide:
    return np.clip(np.trunc(part / factor), -127, 127)


def unbounded(part: Floats, factor: np.float32) -> Wide:
    return np.rint(part / factor)


WRONG_TABLES: dict[str, Callable[[Given, Floats], Floats]] = {
    "half_away": lambda given, x: int8(given, x, half_away),
    "cut": lambda given, x: int8(given, x, cut),
    "unbounded": lambda given, x: int8(given, x, unbounded),
    "half_blocks": lambda given, x: int8(given, x, to_nearest, 16),
    "double_blocks": lambda given, x: int8(given, x, to_nearest, 64),
    "one_factor": lambda given, x: int8(given, x, to_nearest, 1 << 20),
}


def int8_cases() -> list[tuple[Given, Floats]]:
    """What the suite asks of the int8 table, as far as it is typed or uneven."""
    typed = [
        test_vq_product_int8.typed_table(*row[0], x=row[1]) for row in test_vq_product_int8.TYPED.values()
    ]
    blocks = [
        (uneven(PACKED, 5, positions), vector("blocks", length=8 * positions)) for positions in (33, 64, 100)
    ]
    return typed + blocks


@pytest.mark.parametrize("name", WRONG_TABLES)
def test_tables_of_int8_tell_wrong_roundings(name: str) -> None:
    """Each wrong rounding, bound or block shows in one of the matrices of the suite."""
    with np.errstate(all="ignore"):
        told = [
            bits(WRONG_TABLES[name](given, x)) != bits(given.product(x, "int8")) for given, x in int8_cases()
        ]
    assert any(told)


def test_the_right_table_is_the_formula() -> None:
    """What the wrong ones are variations of is the formula itself."""
    with np.errstate(all="ignore"):
        for given, x in int8_cases():
            assert bits(int8(given, x, to_nearest)) == bits(given.product(x, "int8"))


@pytest.mark.parametrize("wrong", TYPED)
def test_wrong_ways_are_those_of_the_text(wrong: Callable[[Given], Floats]) -> None:
    """The wrong ways give what the format's text says that they give."""
    assert bits(wrong(WORKED)) == TYPED[wrong]


def test_neighbouring_packings_differ() -> None:
    """Packed indices read as whole bytes, and rows read in blocks of another size, are other numbers."""
    given = drawn(Quant(3, 2, 16, index_block=64), 70, 3)
    stored = [Quant(3, 2, 16, index_block=block).places(70, 3).tolist() for block in (0, 32, 63, 64, 65)]
    assert all(one != other for one, other in pairwise(stored))
    assert given.arguments["indices"] != drawn(Quant(3, 2, 16), 70, 3).arguments["indices"]
