"""Codes with a scale per group: the trunk's formats."""

from __future__ import annotations

import numpy as np
import pytest

from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import draw, formulas, worked
from vindex3_fixtures.waste.trunk import CODE_RANGE, Q3G, Q4G, Q8G, Tensor
from vindex3_reference.kernels import Groups, dequantised, native

ONE = np.ones(1, np.float16)


@pytest.fixture(params=[True, False], ids=["compiled", "numpy"])
def build(request, monkeypatch):
    """With C where it was built, and without."""
    monkeypatch.setattr(native, "built", native.built and request.param)


def drawn(fmt, shape, group):
    """A tensor whose filling and guard are no code that could pass for one of a row."""
    numbers = Numbers("dequantised", fmt, *shape, group)
    rows, width = int(np.prod(shape[:-1])), shape[-1]
    codes = draw.codes(numbers, *CODE_RANGE[fmt], rows, width)
    scales = draw.halves(numbers, rows, -(-width // group))
    filling = {"padding": CODE_RANGE[fmt][1], "guard": 0xFF}
    return Tensor(name="t", fmt=fmt, shape=shape, group=group, codes=codes, scales=scales, **filling)


@pytest.mark.usefixtures("build")
@pytest.mark.parametrize("fmt", [Q8G, Q4G, Q3G])
@pytest.mark.parametrize(
    ("shape", "group"), [((1,), 2), ((5, 7), 4), ((3, 64), 64), ((2, 3, 9), 2), ((4, 100), 6)]
)
def test_every_format_and_group(same, fmt, shape, group):
    """Rows with partly filled groups of any size have the formula's values, to the bit."""
    tensor = drawn(fmt, shape, group)
    groups = Groups(fmt, tensor.rows, tensor.width, group)
    assert (groups.payload_bytes, groups.scale_bytes) == (len(tensor.payload), len(tensor.scale_bytes))
    found = dequantised(groups, tensor.payload, tensor.scale_bytes)
    assert same(found.reshape(shape), formulas.dequantised(tensor))


@pytest.mark.usefixtures("build")
@pytest.mark.parametrize("fmt", [Q8G, Q3G])
@pytest.mark.parametrize("group", [1, 3, 5])
def test_odd_groups(same, fmt, group):
    """Groups of any size begin inside bytes where a code is no whole byte."""
    tensor = drawn(fmt, (3, 17), group)
    found = dequantised(Groups(fmt, 3, 17, group), tensor.payload, tensor.scale_bytes)
    assert same(found, formulas.dequantised(tensor))


@pytest.mark.usefixtures("build")
def test_the_worked_codes():
    """The literal bytes of the specification have the codes that stand there."""
    for packed, codes in worked.Q4G_CODES.items():
        assert dequantised(Groups(Q4G, 1, 2, 2), packed, ONE).tolist() == [list(codes)]
    packed, codes = worked.Q3G_CODES
    assert dequantised(Groups(Q3G, 1, 8, 8), packed + b"\xff", ONE).tolist() == [list(codes)]
    assert dequantised(Groups(Q8G, 1, 2, 2), b"\x80\x7f", ONE).tolist() == [[-128, 127]]


@pytest.mark.usefixtures("build")
@pytest.mark.parametrize("fmt", [Q8G, Q4G, Q3G])
def test_a_short_buffer_is_refused(refused, fmt):
    """A byte less of codes or scales is refused with both lengths; the whole is read."""
    tensor = drawn(fmt, (3, 8), 4)
    groups = Groups(fmt, 3, 8, 4)
    buffers = {"payload": tensor.payload, "scales": tensor.scale_bytes}
    assert dequantised(groups, **buffers).shape == (3, 8)
    for subject, whole in buffers.items():
        kind, names = refused(dequantised, groups, **buffers | {subject: whole[:-1]})
        expected = {"subject": subject, "expected": len(whole), "found": len(whole) - 1}
        assert (kind, names) == ("length-mismatch", expected)


@pytest.mark.parametrize(
    "shape", [(Q4G, 1, 4, 3), (1, 1, 4, 4), (Q8G, 0, 4, 4), (Q8G, 1, 0, 4), (Q8G, 1, 4, 0)]
)
def test_a_shape_of_no_trunk_format_is_an_error(shape):
    """Odd groups of Q4G, other formats and nothing at all are no shapes; the least one is."""
    assert Groups(Q4G, 1, 1, 2).payload_bytes == 1
    with pytest.raises(ValueError, match="no shape"):
        Groups(*shape)
