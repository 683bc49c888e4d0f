"""Which variants other processors get: the compiled module under an emulator that can be any of them."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vindex3_reference.kernels import native

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from _native import ffi, lib
names = [ffi.string(lib.isa_name(number)).decode() for number in range(6)]
kernels = lib.KERNEL_CRC32, lib.KERNEL_DECODE, lib.KERNEL_MULTIPLY, lib.KERNEL_HALF_TO_FLOAT
found = [[name for number, name in enumerate(names) if lib.kernel_has(kernel, number)] for kernel in kernels]
sums = {lib.crc32_of(names.index(name), 0, b"123456789" * 100, 900) for name in found[0]}
print(json.dumps([found, len(sums)]))
"""


@pytest.mark.memory
@pytest.mark.skipif(
    not native.built or platform.machine() != "x86_64" or not shutil.which("qemu-x86_64"),
    reason="compiled kernels of x86-64 and an emulator of it are needed",
)
@pytest.mark.parametrize(
    ("processor", "sums", "others"),
    [
        ("Nehalem", ["scalar"], ["scalar"]),
        ("Westmere", ["scalar", "clmul"], ["scalar"]),
        ("Haswell", ["scalar", "clmul"], ["scalar", "avx2"]),
    ],
)
def test_a_processor_gets_the_variants_that_it_runs(
    processor: str, sums: list[str], others: list[str]
) -> None:
    """Each generation has what its instructions allow and no more, and its sums agree."""
    kernels = str(Path(native.__file__).parent)
    command = ["qemu-x86_64", "-cpu", processor, sys.executable, "-c", PROGRAM, kernels]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout) == [[sums, others, others, others], 1]
