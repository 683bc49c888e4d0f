"""Entries of the trunk: which keys they have, which formats, shapes and groups."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_vindex3 import cases, check, clause, either, needs, on_disk, refuses
from pytest_vindex3.contract.patterns import Present, element, field
from pytest_vindex3.plugin.expect import Refuses
from vindex3_fixtures.json_faults import SORTS
from vindex3_fixtures.json_text import Raw
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import TRUNK, Sparse, Tensor, Waste, plain, quantised
from vindex3_fixtures.waste.draw import reals
from vindex3_fixtures.waste.trunk import F16, Q3G, Q4G, Q8G
from vindex3_suites.lyrw.limits import GIB, sparse_files
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import DENSE, EMBEDDING, HEAD, NORM, QUERY, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

NAMES = (EMBEDDING, HEAD, NORM, QUERY)
QUANTISED = {EMBEDDING: Q4G, HEAD: Q8G, QUERY: Q3G}
LARGEST = 1 << 26


def _drawn(name: str, fmt: int, shape: tuple[int, ...], group: int) -> Tensor:
    return quantised(name, fmt, shape, group, Numbers("trunk", name, fmt, shape, group))


def _values(name: str, *shape: int) -> Tensor:
    return plain(name, reals(Numbers("trunk", name, shape), *shape))


NAMES_OF_ANY_SORT = (
    "",
    " ",
    "a/b\\c",
    "模型.重み",
    "\U0001f600",
    "e\u0301",
    "\u00e9",
    "a\nb",
    "a\x00b",
    "null",
    "0",
)
LISTS: dict[str, tuple[Tensor, ...]] = {
    "none": (),
    "one": (_values("w", 3),),
    "turned": tuple(reversed(TINY.tensors)),
    "one_of_each_rank": (
        _values("a", 5),
        _values("b", 2, 3),
        _values("c", 2, 1, 3),
        _drawn("d", Q4G, (2, 1, 2, 6), 4),
    ),
    "names_of_any_sort": tuple(_values(name, 2) for name in NAMES_OF_ANY_SORT),
    "long_names": (_values("n" * 300 + "1", 2), _values("n" * 300 + "2", 2), _values("n" * 5000, 1)),
    "nearly_one_name": (
        _values("w", 1),
        _values("W", 1),
        _values("w ", 1),
        _values("w.", 1),
        _values("V", 1),
        _values("v", 1),
    ),
    "wide_groups": (_drawn("w", Q8G, (2, 3), 128), _drawn("v", Q3G, (1, 5), 4096)),
    "many": tuple(_values(f"model.layers.{number}.w", 1) for number in range(200)),
}


@clause("TRUNK-ENTRY-01")
@cases(LISTS)
def test_tensors_are_listed_in_order(ask: Ask, case: tuple[Tensor, ...]) -> None:
    """Every tensor is reported where it stands in the list, with its name to the byte."""
    for model in (TINY, DENSE):
        check_opened(ask, "TRUNK-ENTRY-01", model.with_trunk(*case))


@clause("TRUNK-ENTRY-01")
def test_the_list_says_nothing_of_places(ask: Ask) -> None:
    """Nor does the place of a tensor in the file say where it is listed."""
    for model in (TINY, DENSE):
        entries = model.manifest["trunk"]
        for turned in (entries[::-1], [*entries[2:], *entries[:2]]):
            check_opened(ask, "TRUNK-ENTRY-01", model.with_manifest(("trunk",), turned))


@clause("TRUNK-ENTRY-01")
def test_what_f32_does_not_use_is_not_reported(ask: Ask) -> None:
    """A group and a scale_off beside F32 are observed as null, and absent bytes as what they should be."""
    for key in ("group", "scale_off"):
        given = TINY.with_entry(NORM, key, 8)
        check("TRUNK-ENTRY-01", open_(ask, given), opens(TINY))
    for name in NAMES:
        absent = TINY.without_manifest(("trunk", TINY.entry_of(name), "bytes"))
        check("TRUNK-ENTRY-01", open_(ask, absent), opens(TINY))


@clause("TRUNK-ENTRY-02")
@cases(SORTS["object"])
def test_an_entry_is_an_object(ask: Ask, case: str) -> None:
    """Whatever else stands in the list is bad-type."""
    check_opened(ask, "TRUNK-ENTRY-02", TINY)
    for place in (0, 3):
        wrong = TINY.with_manifest(("trunk", place), Raw(case))
        check_refused(ask, "TRUNK-ENTRY-02", wrong, "bad-type", field=element("trunk", place))


@clause("TRUNK-ENTRY-02")
@cases({key: key for key in ("name", "fmt", "off", "shape")})
def test_a_key_of_an_entry_is_missed(ask: Ask, case: str) -> None:
    """Without name, format, offset or shape an entry is missing-field: none of them has a usual value."""
    check_opened(ask, "TRUNK-ENTRY-02", TINY)
    for name in NAMES:
        wrong = TINY.without_manifest(("trunk", TINY.entry_of(name), case))
        check_refused(ask, "TRUNK-ENTRY-02", wrong, "missing-field", field=field(case))


@clause("TRUNK-ENTRY-02")
def test_a_first_tensor_needs_its_offset_too(ask: Ask) -> None:
    """Where the offset would be 0 and the format F32 they are missed as well."""
    model = TINY.with_trunk(_values("w", 2, 3))
    check_opened(ask, "TRUNK-ENTRY-02", model)
    for key in ("off", "fmt"):
        wrong = model.without_manifest(("trunk", 0, key))
        check_refused(ask, "TRUNK-ENTRY-02", wrong, "missing-field", field=field(key))


@clause("TRUNK-ENTRY-03")
@cases({f"{fmt}_{key}": (name, key) for name, fmt in QUANTISED.items() for key in ("group", "scale_off")})
def test_scales_are_said(ask: Ask, case: tuple[str, str]) -> None:
    """A quantised tensor without group or scale_off is missing-field: no scale is 1, no group usual."""
    name, key = case
    check_opened(ask, "TRUNK-ENTRY-03", TINY)
    wrong = TINY.without_manifest(("trunk", TINY.entry_of(name), key))
    check_refused(ask, "TRUNK-ENTRY-03", wrong, "missing-field", field=field(key))


@clause("TRUNK-ENTRY-05")
@cases({name: name for name in NAMES})
def test_a_name_stands_once(ask: Ask, case: str) -> None:
    """Two entries of one name are duplicate-id, also when they hold the same values."""
    tensor = TINY.tensor(case)
    check_opened(ask, "TRUNK-ENTRY-05", TINY)
    twice = TINY.with_trunk(*TINY.tensors, tensor)
    check_refused(ask, "TRUNK-ENTRY-05", twice, "duplicate-id", id=case)
    other = next(name for name in NAMES if name != case)
    wrong = TINY.with_entry(other, "name", case)
    check_refused(ask, "TRUNK-ENTRY-05", wrong, "duplicate-id", id=case)


FORMATS = (4, 5, 6, 8, 9, 10, 16, 30, 127, 128, 255, 256, 258, 259, 263, 65538, (1 << 32) + 2, 1 << 62)


@clause("TRUNK-FMT-01")
@cases({f"fmt_{fmt}": fmt for fmt in FORMATS})
def test_another_format_is_unknown(ask: Ask, case: int) -> None:
    """Expert formats and numbers that nobody gave are unknown-format at open, naming tensor and number."""
    check_opened(ask, "TRUNK-FMT-01", TINY)
    for name in NAMES:
        names = {"tensor": name, "found": case, "supported": Present()}
        check_refused(ask, "TRUNK-FMT-01", TINY.with_entry(name, "fmt", case), "unknown-format", **names)


def _halved(name: str, *shape: int) -> tuple[Waste, Any]:
    """A container with a tensor of format 1 behind others, and the values that its halves are."""
    count = prod(shape)
    patterns = np.frombuffer(Numbers("halves", name, shape).data(2 * count), "<u2")
    patterns = np.where(patterns & 0x7C00 == 0x7C00, patterns & 0x83FF, patterns).astype("<u2")
    values = patterns.view("<f2").astype(np.float32).reshape(shape)
    model = TINY.with_trunk(*TINY.tensors, tail=patterns.tobytes())
    entry = {"name": name, "fmt": F16, "shape": list(shape), "off": TINY.length(TRUNK)}
    return model.with_manifest(("trunk",), [*model.manifest["trunk"], entry]), values


def _unsupported(name: str) -> Refuses:
    return refuses("unknown-format", tensor=name, found=1, supported=Present())


@clause("TRUNK-FMT-02")
@cases(vector=(7,), matrix=(4, 24), small=(1, 1), cube=(2, 3, 5))
def test_16_bits_are_refused_or_two_bytes_an_element(ask: Ask, case: tuple[int, ...]) -> None:
    """Format 1 is unknown-format, or takes two bytes for each element and nothing else."""
    model, _ = _halved("w", *case)
    check("TRUNK-FMT-02", open_(ask, model), either(opens(model), _unsupported("w")))


@clause("TRUNK-FMT-02")
@needs("waste.tensor")
@cases(vector=(7,), matrix=(4, 24), all_of_them=(64, 64))
def test_16_bits_are_refused_or_ieee_halves(ask: Ask, case: tuple[int, ...]) -> None:
    """Format 1 is never taken as bfloat16 or as single bytes."""
    model, values = _halved("w", *case)
    reply = ask("waste.tensor", path=ask.file("model", model.folder), name="w")
    check("TRUNK-FMT-02", reply, either(gives(values), _unsupported("w")))


SHAPES: dict[str, list[int]] = {
    "empty": [],
    "five": [1, 1, 1, 2, 3],
    "nine": [1] * 8 + [6],
    "zero": [0],
    "zero_first": [0, 6],
    "zero_last": [6, 0],
    "negative": [-1],
    "negative_first": [-2, 3],
    "two_negatives": [-2, -3],
    "beyond": [LARGEST + 1],
    "beyond_first": [LARGEST + 1, 1],
    "largest_of_32_bits": [1 << 31],
    "one_when_cut": [(1 << 32) + 1, 1],
}


@on_disk
@clause("TRUNK-SHAPE-01")
@cases(SHAPES)
def test_a_shape_has_1_to_4_dimensions(ask: Ask, case: list[int]) -> None:
    """Other shapes, and dimensions below 1 or beyond 2^26, are out-of-range, naming the tensor."""
    sparse_files(ask.folder)
    model = TINY.with_trunk(_values("w", 2, 3)).with_file(TRUNK, Sparse(64 * GIB))
    model = model.without_manifest(("trunk", 0, "bytes"))
    for legal in ([6], [2, 3], [1, 2, 3], [1, 1, 2, 3], [LARGEST], [LARGEST, 1], [1, LARGEST, 1, 1]):
        check_opened(ask, "TRUNK-SHAPE-01", model.with_entry("w", "shape", legal))
    wrong_at = next((place for place, one in enumerate(case) if not 1 <= one <= LARGEST), 0)
    names = {"tensor": "w", "field": element("shape", wrong_at)}
    check_refused(ask, "TRUNK-SHAPE-01", model.with_entry("w", "shape", case), "out-of-range", **names)


@clause("TRUNK-SHAPE-01")
def test_a_shape_has_no_million_dimensions(ask: Ask) -> None:
    """A list of a million ones is out-of-range as well, though it would be one element."""
    model = TINY.with_trunk(_values("w", 1))
    check_opened(ask, "TRUNK-SHAPE-01", model)
    wrong = model.with_entry("w", "shape", Raw("[" + ",".join(["1"] * 1_000_000) + "]"))
    check_refused(ask, "TRUNK-SHAPE-01", wrong, "out-of-range", tensor="w", field=field("shape"))


@clause("TRUNK-SHAPE-01")
@cases({name: name for name in NAMES})
def test_an_offset_is_not_negative(ask: Ask, case: str) -> None:
    """A negative offset of payload or scales is out-of-range, naming tensor and key."""
    check_opened(ask, "TRUNK-SHAPE-01", TINY)
    keys = ("off",) if case == NORM else ("off", "scale_off")
    for key in keys:
        for value in (-1, -4, -TINY.length(TRUNK), -(1 << 32), -(1 << 63)):
            wrong = TINY.with_entry(case, key, value)
            names = {"tensor": case, "field": field(key)}
            check_refused(ask, "TRUNK-SHAPE-01", wrong, "out-of-range", **names)


@clause("TRUNK-GROUP-01")
@cases({f"fmt_{fmt}": name for name, fmt in QUANTISED.items()})
def test_a_group_has_a_column(ask: Ask, case: str) -> None:
    """A group of 0 and a negative one are out-of-range at open, and nothing is divided by them."""
    for model in (TINY, DENSE):
        check_opened(ask, "TRUNK-GROUP-01", model)
        for value in (0, -1, -16, -(1 << 32), 16 - (1 << 32)):
            wrong = model.with_entry(case, "group", value)
            check_refused(ask, "TRUNK-GROUP-01", wrong, "out-of-range", tensor=case, value=value)


@clause("TRUNK-GROUP-04")
@cases({f"group_{group}": group for group in (1, 3, 5, 7, 15, 23, 25, 127, 129)})
def test_a_group_of_nibbles_is_even(ask: Ask, case: int) -> None:
    """An odd group of Q4G is out-of-range; of Q8G and Q3G it is taken."""
    even = _drawn("w", Q4G, (2, 24), case + 1)
    for legal in (even, _drawn("w", Q8G, (2, 24), case), _drawn("w", Q3G, (2, 24), case)):
        check_opened(ask, "TRUNK-GROUP-04", TINY.with_trunk(legal))
    wrong = TINY.with_trunk(_drawn("w", Q4G, (2, 24), case), tail=bytes(64))
    without = wrong.without_manifest(("trunk", 0, "bytes"))
    check_refused(ask, "TRUNK-GROUP-04", without, "out-of-range", tensor="w", value=case)


@clause("TRUNK-GROUP-04")
@cases({f"group_{group}": group for group in (2, 4, 6, 10, 14, 22, 24, 26, 30, 66, 1000, 4096)})
def test_an_even_group_has_any_size(ask: Ask, case: int) -> None:
    """Even groups of any size are taken, no power of two and larger than the row among them."""
    for fmt in (Q4G, Q8G, Q3G):
        check_opened(ask, "TRUNK-GROUP-04", TINY.with_trunk(_drawn("w", fmt, (1, 23), case)))
    wrong = TINY.with_trunk(_drawn("w", Q4G, (1, 23), case - 1), tail=bytes(64))
    without = wrong.without_manifest(("trunk", 0, "bytes"))
    check_refused(ask, "TRUNK-GROUP-04", without, "out-of-range", tensor="w", value=case - 1)
