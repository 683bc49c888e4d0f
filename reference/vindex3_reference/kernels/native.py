"""The compiled kernels, where they were built; every caller has numpy to fall back on."""

from __future__ import annotations

from typing import Any


def _loaded() -> Any:
    try:
        from vindex3_reference.kernels import _native
    except ImportError:
        return None
    return _native


_NATIVE = _loaded()
built = _NATIVE is not None
lib: Any = _NATIVE.lib if built else None
ffi: Any = _NATIVE.ffi if built else None


def variants(kernel: int, isas: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the named variants of a kernel that this machine can run."""
    if not built:
        return ()
    return tuple(isa for isa in isas if lib.kernel_has(kernel, isa.encode()))
