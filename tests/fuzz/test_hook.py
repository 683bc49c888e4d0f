"""The hook for comparisons, mended: what a comparison gives lives no longer than its user wants."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

from pytest_vindex3.fuzz.hook import mended


class Result:
    """What comparing two of `Value` gives."""


class Value:
    """Gives a new result whatever it is compared with."""

    def __lt__(self, other: object) -> Any:
        return Result()


def keeping(left: Any, right: Any, *rest: Any) -> Any:
    """A hook that keeps a reference to every result for good."""
    result = left < right
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(result))
    return result


def releasing(left: Any, right: Any, *rest: Any) -> Any:
    """A hook that keeps nothing."""
    return left < right


def lives_on(hook: Any) -> bool:
    """Whether a result is there when nobody uses it any more."""
    return weakref.ref(hook(Value(), Value(), 0, 0, False))() is not None


def test_a_reference_that_is_kept_is_released() -> None:
    """The result of a hook that keeps it goes away, and one that is a truth value comes through."""
    assert lives_on(keeping)
    assert not lives_on(mended(keeping, 0))
    assert mended(keeping, 0)(1, 2, 0, 0, False) is True


def test_a_hook_that_keeps_nothing_stays() -> None:
    """Nothing is released that was not kept."""
    assert mended(releasing, 0) is releasing
