"""What cffi builds the kernels from: run by setup.py, and by hand for another machine.

All sources have the same options, and sets of instructions are chosen function by function. The compiler
makes no vectors by itself: what it did to the portable variant would differ from machine to machine.
"""

from __future__ import annotations

from pathlib import Path

from cffi import FFI

SOURCES = Path(__file__).parent / "csrc"
ROOT = Path(__file__).parents[3]
"""The checkout, relative to which setuptools wants its sources."""
OPTIONS = [
    "-O3",
    "-std=gnu11",
    "-ffp-contract=off",
    "-fno-tree-vectorize",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
]

ffibuilder = FFI()
ffibuilder.cdef((SOURCES / "interface.h").read_text(encoding="utf-8"))
ffibuilder.set_source(
    "vindex3_reference.kernels._native",
    '#include "kernels.h"',
    sources=[str(path.relative_to(ROOT)) for path in sorted(SOURCES.glob("*.c"))],
    depends=[str(path.relative_to(ROOT)) for path in sorted(SOURCES.glob("*.h"))],
    include_dirs=[str(SOURCES.relative_to(ROOT))],
    libraries=["m"],
    extra_compile_args=OPTIONS,
    optional=True,
)
