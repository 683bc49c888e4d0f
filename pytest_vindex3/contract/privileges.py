"""Root without root's way around the permissions of files; run by path, it starts a program in that state.

A program that root starts has all capabilities that its bounding set leaves, whatever its parent has given
up, so that both sets are made smaller.
"""

from __future__ import annotations

import ctypes
import os
import sys

_VERSION_3 = 0x20080522
_DROP_FROM_BOUNDING_SET = 24
_OVERRIDING = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, by which Linux passes over permissions."""
_SETPCAP = 8
"""CAP_SETPCAP, without which a bounding set stays as it is."""
WHY_NOT = "root cannot be made to heed the permissions of files here"


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def can_drop() -> bool:
    """Whether `drop` works for this process and for those that it starts."""
    return os.geteuid() != 0 or bool(_sets(ctypes.CDLL(None))[0].effective >> _SETPCAP & 1)


def drop() -> None:
    """Let permissions hold for this process and all that it starts, for good.

    Raises:
        OSError: they do not.
    """
    if os.geteuid() != 0:
        return
    library = ctypes.CDLL(None, use_errno=True)
    sets = _sets(library)
    for capability in _OVERRIDING:
        _require(library.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0))
        for kept in ("effective", "permitted", "inheritable"):
            setattr(sets[0], kept, getattr(sets[0], kept) & ~(1 << capability))
    _require(library.capset(ctypes.byref(_Header(_VERSION_3, 0)), sets))


def _sets(library: ctypes.CDLL) -> ctypes.Array[_Sets]:
    """The capabilities of this process; the first of the two holds those that matter here."""
    sets = (_Sets * 2)()
    library.capget(ctypes.byref(_Header(_VERSION_3, 0)), sets)
    return sets


def _require(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    drop()
    os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 -- there is no shell in this
