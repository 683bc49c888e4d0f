"""Functions of this process that others take the place of, wherever a module has them; and `open` by itself.

It is meant for a process that ends after one request: what was wrapped stays wrapped.
"""

from __future__ import annotations

import functools
import io
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

Function = Callable[..., Any]

_SETS = ("supports_dir_fd", "supports_fd", "supports_follow_symlinks", "supports_effective_ids")
_KINDS = frozenset("rwax")
_MODES = _KINDS | frozenset("+bt")


@functools.cache
def places() -> dict[int, list[tuple[ModuleType, str]]]:
    """The modules and names that have a function of `os`, or `open`, by the identity of the function.

    Looking through all modules takes longer than a fork: look before it.
    """
    found: dict[int, list[tuple[ModuleType, str]]] = {
        id(one): [] for one in (*vars(os).values(), io.open, io.FileIO) if callable(one)
    }
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in found:
                found[id(value)].append((module, name))
    return found


def put_in_place(wrappers: Mapping[Function, Function]) -> None:
    """Let every module that has one of these functions have its wrapper from now on."""
    for function, wrapper in wrappers.items():
        places()[id(wrapper)] = places().get(id(function), [])
        for module, name in places()[id(wrapper)]:
            setattr(module, name, wrapper)
    for supporting in (getattr(os, name) for name in _SETS):
        supporting |= {wrappers[function] for function in supporting & wrappers.keys()}


def opening(plain: Function, raw: type[io.FileIO], applies: Callable[[Any, str], bool]) -> Function:
    """`open` over raw files of another type.

    Args:
        plain: `open` as it is, for all else, and to refuse wrong use.
        raw: the type.
        applies: whether a file, as `open` is given it, is to be one in this mode, which is well-formed.
    """

    @functools.wraps(plain)
    def opened(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Callable[[Any, int], int] | None = None,
    ) -> Any:
        text = (encoding, errors, newline)
        misused = text != (None, None, None) if "b" in str(mode) else buffering == 0
        if not _is_mode(mode) or misused or not applies(file, mode):
            return plain(file, mode, buffering, *text, closefd, opener)
        made = raw(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        try:
            return _buffered(made, mode, buffering, text)
        except BaseException:
            made.close()
            raise

    return opened


def writes(mode: str) -> bool:
    """Whether a well-formed mode lets write."""
    return set(mode) - {"b", "t"} != {"r"}


def path_of(descriptor: int) -> Path:
    """The path of an open file, as the kernel knows it.

    Raises:
        OSError: it has none.
    """
    return Path(f"/proc/self/fd/{descriptor}").readlink()


def _buffered(raw: io.FileIO, mode: str, buffering: int, text: tuple[Any, Any, Any]) -> Any:
    """The file that `open` gives over a raw one."""
    if buffering == 0:
        return raw
    size = buffering if buffering > 1 else max(os.fstat(raw.fileno()).st_blksize, io.DEFAULT_BUFFER_SIZE)
    binary = _buffer_of(mode)(raw, size)
    if "b" in mode:
        return binary
    by_line = buffering == 1 or (buffering < 0 and raw.isatty())
    wrapper = io.TextIOWrapper(binary, *text, line_buffering=by_line)
    wrapper.mode = mode  # type: ignore[misc]
    return wrapper


def _buffer_of(mode: str) -> Function:
    if "+" in mode:
        return io.BufferedRandom
    return io.BufferedWriter if writes(mode) else io.BufferedReader


def _is_mode(mode: Any) -> bool:
    """Whether this is a well-formed mode."""
    marks = set(mode) if isinstance(mode, str) else set()
    well_formed = marks <= _MODES and len(marks) == len(mode) and not marks >= {"b", "t"}
    return well_formed and len(marks & _KINDS) == 1
