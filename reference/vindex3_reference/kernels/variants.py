"""Which variants of a kernel this build and machine have, and which one is taken (VQ-ISA-01, VQ-ISA-02)."""

from __future__ import annotations

from functools import lru_cache

from vindex3_reference.kernels import native
from vindex3_reference.refusal import Refusal

KERNELS = ("crc32", "decode", "multiply", "dequantised", "half_to_float")
"""In the order of their numbers in C."""
ISAS = ("avx512", "clmul", "avx2", "armcrc", "neon", "scalar")
"""Names of variants, the best first. Scalar is portable, and numpy's part in a build without C."""

_forced: str | None = None


@lru_cache
def available(kernel: str) -> tuple[str, ...]:
    """The variants of a kernel that can be asked for, the best first."""
    found = native.variants(KERNELS.index(kernel)) or {"scalar"}
    return tuple(isa for isa in ISAS if isa in found)


def force(isa: str | None) -> None:
    """Let every kernel that has the variant use it where none is asked for; None lets each use its best.

    Raises:
        Refusal: `isa-unavailable` where no kernel has it.
    """
    global _forced
    names = {name for kernel in KERNELS for name in available(kernel)}
    if isa is not None and isa not in names:
        raise _unavailable(isa, [name for name in ISAS if name in names])
    _forced = isa


def chosen(kernel: str, isa: str | None) -> str:
    """The variant of a kernel that answers a request: the one asked for, never another in its place.

    Raises:
        Refusal: `isa-unavailable` for a variant that is not there, whatever its name.
    """
    names = available(kernel)
    if isa is None:
        return _forced if _forced in names else names[0]
    if isa not in names:
        raise _unavailable(isa, list(names))
    return isa


def _unavailable(isa: object, names: list[str]) -> Refusal:
    message = f"there is no variant {isa!r} here, only {', '.join(names)}"
    return Refusal("isa-unavailable", message, isa=isa, available=names)
