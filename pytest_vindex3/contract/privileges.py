"""Root without root's way around the permissions of files."""

from __future__ import annotations

import ctypes
import os

_VERSION_3 = 0x20080522
_OVERRIDE, _READ_SEARCH = 1, 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, by which Linux passes over permissions."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def drop() -> bool:
    """Let permissions hold for this process, for good; whether they do."""
    if os.geteuid() != 0:
        return True
    library = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION_3, 0), (_Sets * 2)()
    if library.capget(ctypes.byref(header), sets) != 0:
        return False
    sets[0].effective &= ~(1 << _OVERRIDE | 1 << _READ_SEARCH)
    sets[0].permitted &= ~(1 << _OVERRIDE | 1 << _READ_SEARCH)
    return bool(library.capset(ctypes.byref(header), sets) == 0)
