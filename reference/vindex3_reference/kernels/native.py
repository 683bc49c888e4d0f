"""The compiled kernels, where they were built; every caller has numpy to fall back on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def _loaded() -> Any:
    try:
        from vindex3_reference.kernels import _native
    except ImportError:
        return None
    return _native


_NATIVE = _loaded()
built = _NATIVE is not None
"""Whether this is a build with C."""
lib: Any = _NATIVE.lib if built else None
ffi: Any = _NATIVE.ffi if built else None


def numbers() -> dict[str, int]:
    """The number of each variant that C has a name for."""
    found: dict[str, int] = {}
    while (name := lib.isa_name(len(found))) != ffi.NULL:
        found[ffi.string(name).decode()] = len(found)
    return found


NUMBERS = numbers() if built else {}


def variants(kernel: int) -> set[str]:
    """The variants of a kernel that were built, and that this machine can run."""
    return {isa for isa, number in NUMBERS.items() if lib.kernel_has(kernel, number)}


def pointer(kind: str, array: npt.NDArray[np.generic]) -> Any:
    """The array as C sees it; it has to outlive the call."""
    return ffi.from_buffer(f"{kind}[]", array)


def done(status: int) -> int:
    """What a kernel returned.

    Raises:
        MemoryError: there was none for what it prepares.
    """
    if status < 0:
        raise MemoryError("no memory for the tables of a kernel")
    return status


def direct_alignment(descriptor: int) -> tuple[int, int] | None:
    """What memory and offsets of direct reads of a file must be multiples of; None where nobody says.

    Both are 0 for a file that cannot be read direct.
    """
    if not built:
        return None
    memory, offset = ffi.new("uint32_t *"), ffi.new("uint32_t *")
    return (memory[0], offset[0]) if lib.direct_alignment(descriptor, memory, offset) else None
