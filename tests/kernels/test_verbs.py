"""The verbs of kernels: what they answer and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from vindex3_fixtures.waste.quant import Quant
from vindex3_reference.kernels import available
from vindex3_reference.kernels.verbs import kernel_crc32, kernel_vq_decode, kernel_vq_matvec


def test_a_checksum_is_continued_and_combined():
    """The value before, the data, and a second part that is known by its checksum all count."""
    best = available("crc32")[0]
    assert kernel_crc32(data=b"123456789") == {"crc32": 0xCBF43926, "isa": best}
    assert kernel_crc32(data=b"6789", value=0xCBF53A1C, guard=True)["crc32"] == 0xCBF43926
    second = {"crc32": 0x9DBABF87, "length": 4}
    for data, value in ((b"", 0xCBF53A1C), (b"12345", 0)):
        found = kernel_crc32(data=data, value=value, combine=second, isa="scalar")
        assert found == {"crc32": 0xCBF43926, "isa": "scalar"}


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"value": -1}, "out-of-range"),
        ({"value": 2**32}, "out-of-range"),
        ({"value": True}, "bad-type"),
        ({"combine": {"crc32": 1}}, "missing-field"),
        ({"combine": {"crc32": 1, "length": -1}}, "out-of-range"),
        ({"combine": []}, "bad-type"),
        ({"data": "text"}, "bad-type"),
        ({"isa": "sse2"}, "isa-unavailable"),
    ],
)
def test_a_wrong_request_for_a_checksum_is_refused(refused, wrong, kind):
    """Numbers that are no checksums or lengths, and what is no data, are refused."""
    assert kernel_crc32(data=b"", value=2**32 - 1)["crc32"] == 2**32 - 1
    assert refused(kernel_crc32, **{"data": b"", **wrong})[0] == kind


def test_decoding_and_multiplying_name_what_they_used(same, sample):
    """Answers have the result, the variant and the table, guarded and in threads or not."""
    matrix = sample(70, 3)
    asked = matrix.arguments()
    for ways in ({}, {"guard": True}, {"threads": 3}, {"threads": 2**60}):
        decoded = kernel_vq_decode(**asked, **ways, isa="scalar")
        assert decoded["isa"] == "scalar"
        assert same(decoded["out"], matrix.weights)
        for table, expected in (("f32", matrix.product), ("int8", matrix.product_int8)):
            product = kernel_vq_matvec(**asked, **ways, x=matrix.x, table=table)
            assert (product["isa"], product["table"]) == (available("multiply")[0], table)
            assert same(product["out"], expected)


@pytest.mark.parametrize(
    ("wrong", "kind", "names"),
    [
        ({"rows": 0}, "out-of-range", {"field": "rows", "value": 0}),
        ({"rows": 1.0}, "bad-type", {"field": "rows", "path": "request"}),
        ({"stages": 9}, "out-of-range", {"field": "stages", "value": 9}),
        ({"vec_dim": 65}, "out-of-range", {"field": "vec_dim", "value": 65}),
        ({"entries": 257}, "out-of-range", {"field": "entries", "value": 257}),
        ({"index_block": -1}, "out-of-range", {"field": "index_block", "value": -1}),
        ({"index_bits": 7}, "unsupported-packing", {"field": "index_bits", "value": 7}),
        ({"index_bits": 6, "stages": 4}, "unsupported-packing", {"field": "entries", "value": 256}),
        ({"index_bits": 6, "entries": 64}, "unsupported-packing", {"field": "stages", "value": 3}),
        ({"n_in": 17}, "partial-block", {"field": "n_in", "columns": 17, "vec_dim": 8}),
        ({"threads": 0}, "out-of-range", {"path": "request", "field": "threads", "value": 0}),
        ({"isa": "sse2"}, "isa-unavailable", None),
    ],
)
def test_a_wrong_shape_is_refused(refused, sample, wrong, kind, names):
    """What is no packing, no matrix of vectors or no number is refused, by both verbs alike."""
    asked = sample(3, 2, Quant(3, 8, 256)).arguments()
    assert kernel_vq_decode(**asked)["out"].shape == (3, 16)
    x = np.zeros(16, np.float32)
    for verb, more in ((kernel_vq_decode, {}), (kernel_vq_matvec, {"x": x})):
        found = refused(verb, **asked | wrong | more)
        assert found[0] == kind
        assert names is None or found[1] == names


@pytest.mark.parametrize("field", ["rows", "n_in"])
@pytest.mark.parametrize("guard", [False, True])
def test_a_huge_claim_costs_nothing(refused, sample, field, guard):
    """Shapes beyond memory are refused by the length of what is there, before anything is made for them."""
    asked = sample(3, 2, Quant(3, 8, 256)).arguments()
    claimed = asked | {field: 2**62}
    assert refused(kernel_vq_decode, **claimed, guard=guard)[0] == "length-mismatch"


@pytest.mark.parametrize("x", [[0.0] * 16, np.zeros(16), np.zeros(16, np.float16), b"\0" * 64])
def test_x_is_float32(refused, sample, x):
    """Another type is refused; any buffer of float32 is taken."""
    asked = sample(3, 2, Quant(3, 8, 256)).arguments()
    legal = memoryview(np.zeros(16, np.float32))
    assert kernel_vq_matvec(**asked, x=legal)["out"].tolist() == [0.0] * 3
    assert refused(kernel_vq_matvec, **asked, x=x) == ("bad-type", {"path": "request", "field": "x"})
