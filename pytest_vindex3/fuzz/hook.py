"""The hook of atheris for comparisons, mended."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]
"""Called with two values, the numbers of an operator and of a place, and whether the first is constant."""


def with_mended_hook(function: Callable[[bytes], None], atheris: Any) -> Callable[[bytes], None]:
    """The function, which mends the hook when it is called first: before, atheris puts its own in place."""
    place = atheris._reserve_counter()
    hook = None

    def called(data: bytes) -> None:
        nonlocal hook
        if hook is None:
            hook = atheris._trace_cmp = mended(atheris._trace_cmp, place)
        function(data)

    return called


def mended(hook: Hook, place: int) -> Hook:
    """The hook without the reference that it keeps of what every comparison gives.

    Arrays are compared to arrays: kept, these fill the memory, and the implementation would be blamed for it.

    Args:
        hook: as atheris has it; a hook that keeps nothing is given back as it is.
        place: a place that it counts, to try it at.
    """
    if sys.getrefcount(_Compared() < 0) == sys.getrefcount(hook(_Compared(), 0, 0, place, False)):
        return hook
    release = ctypes.pythonapi.Py_DecRef
    release.argtypes, release.restype = [ctypes.py_object], None

    def releasing(*arguments: Any) -> Any:
        result = hook(*arguments)
        if type(result) is not bool:
            release(result)
        return result

    return releasing


class _Compared:
    """Gives a new object when it is compared; operator 0 is `<`."""

    def __lt__(self, other: object) -> Any:
        return object()
