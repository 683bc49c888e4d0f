"""Where tensors lie in the trunk: inside of it, by exact integers, each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, on_disk, refuses
from pytest_vindex3.contract.patterns import field, one_of
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import TRUNK, Sparse, Tensor, Waste, plain, quantised
from vindex3_fixtures.waste.draw import reals
from vindex3_fixtures.waste.observation import encoded_bytes
from vindex3_fixtures.waste.trunk import F32, Q3G, Q4G, Q8G
from vindex3_suites.lyrw.limits import GIB, sparse_files
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import DENSE, EMBEDDING, HEAD, NORM, QUERY, SHAPES, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FORMATS = {"f32": F32, "q8g": Q8G, "q4g": Q4G, "q3g": Q3G}


def _tensor(fmt: int, *shape: int, group: int = 16, name: str = "w") -> Tensor:
    numbers = Numbers("extent", fmt, shape, group)
    return plain(name, reals(numbers, *shape)) if fmt == F32 else quantised(name, fmt, shape, group, numbers)


def _last(tensor: Tensor, part: str) -> Waste:
    """A trunk of one tensor that ends with its payload, or with its scales."""
    payload, scales = len(tensor.payload), len(tensor.scale_bytes)
    places = (scales, 0) if part == "off" else (0, payload)
    return TINY.with_trunk(tensor, places={"w": places})


WIDTHS = {"one": (1, 1), "row": (1, 16), "padded": (3, 17), "cube": (2, 3, 24), "vector": (40,)}
PARTS = {
    f"{name}_{part}_{width}": (_tensor(fmt, *shape), part)
    for name, fmt in FORMATS.items()
    for part in (("off",) if fmt == F32 else ("off", "scale_off"))
    for width, shape in WIDTHS.items()
}


@clause("TRUNK-EXTENT-01")
@cases(PARTS)
def test_a_tensor_ends_within_the_file(ask: Ask, case: tuple[Tensor, str]) -> None:
    """Ending where the file does is legal; one byte further payload or scales are extent-out-of-file."""
    tensor, part = case
    model = _last(tensor, part)
    check_opened(ask, "TRUNK-EXTENT-01", model)
    data: Any = model.files[TRUNK]
    names = {"tensor": "w", "field": field(part), "need": len(data), "have": len(data) - 1}
    check_refused(ask, "TRUNK-EXTENT-01", model.with_file(TRUNK, data[:-1]), "extent-out-of-file", **names)
    start = model.manifest["trunk"][0][part]
    for beyond in (1, 2, 4096, 1 << 31, 1 << 32, 1 << 40):
        wrong = model.with_entry("w", part, start + beyond)
        names = {"tensor": "w", "field": field(part), "need": len(data) + beyond, "have": len(data)}
        check_refused(ask, "TRUNK-EXTENT-01", wrong, "extent-out-of-file", **names)


@clause("TRUNK-EXTENT-01")
@cases({name: name for name in (EMBEDDING, HEAD, NORM, QUERY)})
def test_every_tensor_is_measured(ask: Ask, case: str) -> None:
    """Not only the last one, nor only those that a reader loads: embedding and head are measured too."""
    have = TINY.length(TRUNK)
    for model in (TINY, TINY.with_manifest(("trunk",), TINY.manifest["trunk"][::-1])):
        check_opened(ask, "TRUNK-EXTENT-01", model)
        need = have + len(TINY.tensor(case).payload)
        names = {"tensor": case, "field": field("off"), "need": need, "have": have}
        wrong = model.with_entry(case, "off", have)
        check_refused(ask, "TRUNK-EXTENT-01", wrong, "extent-out-of-file", **names)


@clause("TRUNK-EXTENT-01")
def test_an_empty_trunk_holds_no_tensor(ask: Ask) -> None:
    """Over a trunk.bin of no bytes a list may be empty, and nothing else."""
    empty = DENSE.with_trunk()
    check_opened(ask, "TRUNK-EXTENT-01", empty)
    wrong = DENSE.with_trunk(_tensor(F32, 1)).with_file(TRUNK, b"")
    names = {"tensor": "w", "field": field("off"), "need": 4, "have": 0}
    check_refused(ask, "TRUNK-EXTENT-01", wrong, "extent-out-of-file", **names)


@clause("TRUNK-EXTENT-02")
@cases(
    q4g=_tensor(Q4G, 40, 64, group=64),
    q3g=_tensor(Q3G, 40, 64, group=64),
    q8g=_tensor(Q8G, 40, 64, group=64),
    one_group=_tensor(Q3G, 1, 3000, group=3000),
)
def test_encoded_bytes_are_what_counts(ask: Ask, case: Tensor) -> None:
    """A tensor of more elements, or more bytes when decoded, than the file is long opens."""
    check_opened(ask, "TRUNK-EXTENT-02", TINY.with_trunk(case))


@on_disk
@clause("TRUNK-EXTENT-02")
def test_a_large_tensor_fits_a_large_file(ask: Ask) -> None:
    """Half a byte an element is enough for 2^32 elements, though not for twice as many."""
    sparse_files(ask.folder, 4 * GIB)
    entry = {"name": "w", "fmt": Q4G, "shape": [1 << 16, 1 << 16], "off": 0, "group": 1 << 16}
    length = encoded_bytes({**entry, "scale_off": 0})
    entry["scale_off"] = length - 2 * (1 << 16)
    model = TINY.with_manifest(("trunk",), [entry]).with_file(TRUNK, Sparse(length))
    check_opened(ask, "TRUNK-EXTENT-02", model)


MIB = 1 << 20
HUGE: dict[str, tuple[int, list[int], int]] = {
    "two_to_the_40": (Q8G, [MIB, MIB], 128),
    "two_to_the_63": (Q8G, [1 << 26, 1 << 26, 1 << 11], 64),
    "two_to_the_64": (Q8G, [1 << 26, 1 << 26, 1 << 12], 64),
    "two_to_the_64_and_a_little": (Q8G, [1 << 26, 1 << 26, (1 << 12) + 1], 1),
    "two_to_the_64_of_nibbles": (Q4G, [1 << 26, 1 << 26, 1 << 13], 64),
    "two_to_the_62_of_f32": (F32, [1 << 26, 1 << 26, 1 << 10], 1),
    "two_to_the_64_of_f32": (F32, [1 << 26, 1 << 26, 1 << 12], 1),
    "two_to_the_104": (Q8G, [1 << 26] * 4, 1 << 26),
    "two_to_the_104_of_f32": (F32, [1 << 26] * 4, 1),
    "of_three_bits": (Q3G, [1 << 26, 1 << 26, 1 << 12, 5], 8),
    "small_when_cut_to_32_bits": (Q8G, [1 << 16, (1 << 16) + 1], 1 << 17),
    "a_wide_group": (Q8G, [2, 3], (1 << 62) - 1),
    "a_group_of_63_bits": (Q8G, [4, 1], 1 << 62),
    "a_group_of_all_bits": (Q3G, [1, 1], (1 << 63) - 1),
}


@clause("TRUNK-SHAPE-03")
@cases(HUGE)
def test_an_extent_does_not_wrap(ask: Ask, case: tuple[int, list[int], int]) -> None:
    """A tensor of any size over a small trunk is extent-out-of-file, and how long it is is said exactly."""
    fmt, shape, group = case
    check_opened(ask, "TRUNK-SHAPE-03", TINY)
    have = TINY.length(TRUNK)
    entry: dict[str, Any] = {"name": "w", "fmt": fmt, "shape": shape, "off": have}
    if fmt != F32:
        entry |= {"group": group, "scale_off": have}
    columns, rows = shape[-1], 1
    for dimension in shape[:-1]:
        rows *= dimension
    scales = 0 if fmt == F32 else 2 * rows * -(-columns // group)
    ends = [have + encoded_bytes(entry) - scales, have + scales]
    wrong = TINY.with_manifest(("trunk",), [*TINY.manifest["trunk"], entry])
    far = refuses("extent-out-of-file", tensor="w", need=one_of(*ends), have=have)
    # codes so long cannot but run into their own scales, and either may be said first
    check("TRUNK-SHAPE-03", open_(ask, wrong), either(far, refuses("overlap", tensor="w", other="w")))


A, B = _tensor(Q8G, 2, 16, name="a"), _tensor(F32, 8, name="b")
"""32 bytes of payload with 4 of scales, and 32 bytes."""

OVERLAPS: dict[str, tuple[tuple[int, int], int]] = {
    "payload_by_one_byte": ((0, 100), 31),
    "payload_from_behind": ((40, 100), 9),
    "payload_whole": ((0, 100), 0),
    "scales_by_one_byte": ((0, 60), 63),
    "scales_whole": ((0, 60), 40),
    "scales_first": ((60, 30), 0),
}
"""Where payload and scales of one tensor lie, and where another begins that shares a byte with them."""

APART: dict[str, tuple[tuple[int, int], int]] = {
    "touching_behind": ((0, 100), 32),
    "touching_before": ((40, 100), 8),
    "between_payload_and_scales": ((0, 64), 32),
    "touching_scales": ((0, 60), 64),
    "before_scales": ((60, 32), 0),
}


def _two(places: tuple[tuple[int, int], int]) -> Waste:
    first, second = places
    return TINY.with_trunk(A, B, places={"a": first, "b": (second, None)})


@clause("TRUNK-EXTENT-04")
@cases(OVERLAPS)
def test_tensors_share_no_byte(ask: Ask, case: tuple[tuple[int, int], int]) -> None:
    """Ranges of two tensors that share a byte are overlap, naming both; ranges that touch are legal."""
    for apart in APART.values():
        check_opened(ask, "TRUNK-EXTENT-04", _two(apart))
    wrong = _two(case)
    for entries in (wrong.manifest["trunk"], wrong.manifest["trunk"][::-1]):
        turned = wrong.with_manifest(("trunk",), entries)
        names = {"tensor": one_of("a", "b"), "other": one_of("a", "b")}
        check_refused(ask, "TRUNK-EXTENT-04", turned, "overlap", **names)


@clause("TRUNK-EXTENT-04")
@cases(first_scale=0, within=30, last_payload_byte=31)
def test_scales_are_no_codes(ask: Ask, case: int) -> None:
    """A tensor whose scales begin in its own payload is overlap; directly behind it they are legal."""
    check_opened(ask, "TRUNK-EXTENT-04", TINY.with_trunk(A, places={"a": (0, 32)}))
    wrong = TINY.with_trunk(A, places={"a": (0, case)})
    check_refused(ask, "TRUNK-EXTENT-04", wrong, "overlap", tensor="a", other="a")


@clause("TRUNK-EXTENT-04")
def test_equal_data_are_stored_twice(ask: Ask) -> None:
    """Two names of one range are overlap too, and every pair of tensors is compared."""
    check_opened(ask, "TRUNK-EXTENT-04", TINY)
    for entry in TINY.manifest["trunk"]:
        again = {**entry, "name": "again"}
        wrong = TINY.with_manifest(("trunk",), [*TINY.manifest["trunk"], again])
        both = one_of(entry["name"], "again")
        check_refused(ask, "TRUNK-EXTENT-04", wrong, "overlap", tensor=both, other=both)


ORDERS: dict[str, dict[str, tuple[int, int | None]]] = {
    "gaps": {EMBEDDING: (64, 300), HEAD: (400, 730), NORM: (800, None), QUERY: (1000, 2000)},
    "odd": {EMBEDDING: (1, 163), HEAD: (205, 527), NORM: (569, None), QUERY: (667, 747)},
    "backwards": {EMBEDDING: (900, 860), HEAD: (520, 478), NORM: (302, None), QUERY: (100, 0)},
    "scales_first": {EMBEDDING: (200, 0), HEAD: (400, 40), NORM: (800, None), QUERY: (1000, 90)},
    "crossed": {EMBEDDING: (0, 1000), HEAD: (200, 1100), NORM: (560, None), QUERY: (660, 160)},
    "far": {EMBEDDING: (100_000, 0), HEAD: (200_001, 50_000), NORM: (300_003, None), QUERY: (40, 99_000)},
}


@clause("TRUNK-EXTENT-05")
@cases(ORDERS)
def test_tensors_lie_anywhere(ask: Ask, case: dict[str, tuple[int, int | None]]) -> None:
    """No alignment, no order and no contiguity is needed, and scales lie before or behind, near or far."""
    for tail in (b"", b"\xff", bytes(5000)):
        model = TINY.with_trunk(*TINY.tensors, places=case, tail=tail)
        check_opened(ask, "TRUNK-EXTENT-05", model)


@clause("TRUNK-EXTENT-05")
@cases({name: model for name, model in SHAPES.items() if model is not TINY})
def test_bytes_behind_the_last_tensor_are_legal(ask: Ask, case: Waste) -> None:
    """What lies behind everything is no part of the trunk."""
    for tail in (b"x", bytes(4096)):
        data: Any = case.files[TRUNK]
        check("TRUNK-EXTENT-05", open_(ask, case.with_file(TRUNK, data + tail)), opens(case))


@clause("TRUNK-BYTES-01")
@cases({name: name for name in (EMBEDDING, HEAD, NORM, QUERY)})
def test_bytes_are_payload_and_scales(ask: Ask, case: str) -> None:
    """Another number is shape-mismatch, with both; without one it is derived."""
    place = TINY.entry_of(case)
    expected = TINY.manifest["trunk"][place]["bytes"]
    check_opened(ask, "TRUNK-BYTES-01", TINY)
    check("TRUNK-BYTES-01", open_(ask, TINY.without_manifest(("trunk", place, "bytes"))), opens(TINY))
    tensor = TINY.tensor(case)
    others = {0, 1, expected - 1, expected + 1, 2 * expected, expected + (1 << 32), 1 << 62}
    for found in sorted(others | {len(tensor.payload), len(tensor.scale_bytes)} - {expected}):
        wrong = TINY.with_entry(case, "bytes", found)
        names = {"tensor": case, "expected": expected, "found": found}
        check_refused(ask, "TRUNK-BYTES-01", wrong, "shape-mismatch", **names)
