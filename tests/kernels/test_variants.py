"""Which variants there are, how one is asked for or forced, and what a build without C does."""

from __future__ import annotations

import pytest

from vindex3_reference.kernels import available, crc32, decode, force, half_to_float, multiply, native
from vindex3_reference.kernels.variants import ISAS, KERNELS

WITHOUT_C = """
import sys
sys.modules["vindex3_reference.kernels._native"] = None
from vindex3_reference.kernels import available, crc32, native
from vindex3_reference.kernels.variants import KERNELS
assert not native.built
assert {available(kernel) for kernel in KERNELS} == {("scalar",)}
print(crc32(b"123456789", isa="scalar"))
"""

FORCED = """
import sys
from vindex3_reference.kernels import force
from vindex3_reference.kernels.verbs import kernel_crc32, kernel_vq_decode
one = dict.fromkeys(("rows", "n_in", "stages", "vec_dim", "entries"), 1)
halves = {"codebooks": b"\\0<", "scales": b"\\0<"}
for isa in sys.argv[1:]:
    force(isa)
    decoded = kernel_vq_decode(indices=b"\\0", index_bits=8, index_block=0, **halves, **one)
    print(kernel_crc32(data=b"123456789")["isa"], decoded["isa"], decoded["out"].tolist())
"""


@pytest.mark.skipif(not native.built, reason="the kernels were not built")
def test_names_and_numbers_are_those_of_c():
    """A kernel has the number that C gives it, and every variant that C names is known."""
    assert [getattr(native.lib, f"KERNEL_{kernel.upper()}") for kernel in KERNELS] == [*range(len(KERNELS))]
    assert set(native.NUMBERS) == set(ISAS)
    assert not any(native.lib.kernel_has(0, number) for number in (-1, len(ISAS), 2**31 - 1))


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_has_a_portable_variant(kernel):
    """The portable one is there wherever it runs, and taken where there is no better one."""
    names = available(kernel)
    assert names[-1] == "scalar"
    assert [isa for isa in ISAS if isa in names] == [*names]


@pytest.mark.parametrize("isa", ["", "Scalar", "scalar ", "sse2", "avx2\0", "armcrc", "clmul"])
def test_a_variant_that_is_not_there_is_refused(refused, sample, isa):
    """Another name is refused with those that are there, and no other variant answers in its place."""
    matrix = sample(1, 1)
    for kernel, ask in (
        ("crc32", lambda isa: crc32(b"", isa=isa)),
        ("decode", lambda isa: decode(matrix.geometry, *matrix.buffers, isa=isa)),
        ("multiply", lambda isa: multiply(matrix.geometry, *matrix.buffers, matrix.x, isa=isa)),
        ("half_to_float", lambda isa: half_to_float(b"", isa)),
    ):
        ask("scalar")
        if isa in available(kernel):
            continue
        kind, names = refused(ask, isa)
        assert (kind, names) == ("isa-unavailable", {"isa": isa, "available": [*available(kernel)]})


def test_a_variant_can_be_forced(in_child):
    """Each kernel that has the forced variant uses it, every other one its best, and both say so."""
    isas = sorted({*available("crc32"), *available("decode")})
    used = [
        [isa if isa in (names := available(kernel)) else names[0] for kernel in ("crc32", "decode")]
        for isa in isas
    ]
    assert in_child(FORCED, *isas) == "".join(f"{sums} {decodes} [[1.0]]\n" for sums, decodes in used)


def test_what_no_kernel_has_cannot_be_forced(refused, forced):
    """Forcing an unknown name is refused, and leaves the choice as it was."""
    forced("scalar")
    assert refused(force, "sse2")[0] == "isa-unavailable"
    assert crc32(b"123456789") == 0xCBF43926


def test_a_build_without_c_has_one_variant(in_child):
    """Without the compiled module there is the portable variant alone, with the same results."""
    assert in_child(WITHOUT_C) == f"{0xCBF43926}\n"
