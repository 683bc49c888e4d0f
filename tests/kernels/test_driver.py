"""The driver that runs where there is no numpy, on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

import vindex3_golden
from vindex3_reference.kernels import native

DRIVER = Path(__file__).with_name("driver.py")

PROGRAM = """
import runpy, sys
sys.modules["numpy"] = None
runpy.run_path(sys.argv[1])["main"](*sys.argv[2:])
"""


@pytest.mark.skipif(not native.built, reason="the kernels were not built")
def test_the_driver_needs_no_numpy_and_finds_no_difference(in_child):
    """The plain driver compares kernels and goldens with what it computes by itself."""
    kernels = Path(native.__file__).parent
    said = in_child(PROGRAM, str(DRIVER), str(kernels), str(vindex3_golden.__path__[0]))
    assert [line.partition(":")[0] for line in said.splitlines()[1:]] == [
        "crc32",
        "half_to_float",
        "matrices",
        "dequantised",
        "assembler",
    ]
