"""Changes of files by Python code: the functions of `os`, and `open`, with a gate before each that makes one.

What was wrapped stays wrapped (`wrapping.py`). What C code does by itself, past these functions, is not seen.
"""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pytest_vindex3.contract.wrapping import Function, opening, path_of, put_in_place, writes

Gate = Callable[[], None]

_CREATING = os.O_CREAT | os.O_TRUNC
_NAMELESS = getattr(os, "O_TMPFILE", 0)


class _Target(NamedTuple):
    """The parameter that says what a function changes, and the one with the folder it is relative to."""

    position: int
    name: str
    folder: str = ""


_PATH = _Target(0, "path", "dir_fd")
_DESCRIPTOR = _Target(0, "fd")
_PAIR = (_Target(0, "src", "src_dir_fd"), _Target(1, "dst", "dst_dir_fd"))
_TARGETS: dict[str, tuple[_Target, ...]] = {
    **dict.fromkeys(("open", "mkdir", "rmdir", "unlink", "remove", "mkfifo", "mknod"), (_PATH,)),
    **dict.fromkeys(("write", "pwrite", "writev", "pwritev", "ftruncate", "posix_fallocate"), (_DESCRIPTOR,)),
    **dict.fromkeys(("rename", "replace"), _PAIR),
    **dict.fromkeys(("copy_file_range", "splice"), (_Target(1, "dst"),)),
    "link": (_Target(1, "dst", "dst_dir_fd"),),
    "symlink": (_Target(1, "dst", "dir_fd"),),
    "truncate": (_PATH,),
    "sendfile": (_Target(0, "out_fd"),),
}


def watch(folder: str, gate: Gate) -> None:
    """Put the gate before every change that Python code of this process makes in a folder from now on.

    Args:
        folder: an absolute path without links; changes of anything else go through.
        gate: called before each change, which does not happen if it raises.
    """
    watched = _RawFile.watched = _Watched(folder, gate)
    opened = opening(io.open, _RawFile, lambda _, mode: writes(mode))
    wrappers: dict[Function, Function] = {io.open: opened, io.FileIO: _RawFile}
    for name, targets in _TARGETS.items():
        if function := getattr(os, name, None):
            wrappers[function] = watched.wrapped(function, targets, _creates if name == "open" else None)
    put_in_place(wrappers)


class _Watched:
    """A folder with a gate before its changes."""

    def __init__(self, folder: str, gate: Gate) -> None:
        self._folder = folder
        self._gate = gate

    def wrapped(
        self, function: Function, targets: tuple[_Target, ...], changes: Callable[..., bool] | None
    ) -> Function:
        """The function behind the gate; `changes` says of some calls that they change nothing."""

        @functools.wraps(function)
        def gated(*arguments: Any, **named: Any) -> Any:
            if changes is None or changes(*arguments, **named):
                self.enter(*(_given(target, arguments, named) for target in targets))
            return function(*arguments, **named)

        return gated

    def enter(self, *targets: tuple[Any, Any]) -> None:
        """Go through the gate once if any of the targets is in the folder.

        Args:
            targets: a descriptor or a path each, with the descriptor of what it is relative to or None.
        """
        if any(self._holds(target, folder) for target, folder in targets):
            self._gate()

    def _holds(self, target: Any, folder: Any) -> bool:
        with suppress(OSError, TypeError, ValueError):  # the call itself will say what is wrong
            if isinstance(target, int):
                return path_of(target).is_relative_to(self._folder)
            base = Path.cwd() if folder is None else path_of(folder)
            path = base / os.fsdecode(target)
            return (path.parent.resolve() / path.name).is_relative_to(self._folder)
        return False


class _RawFile(io.FileIO):
    """A file without a buffer that opens, writes and truncates through the gate."""

    watched: ClassVar[_Watched]

    def __init__(
        self,
        file: Any,
        mode: str = "r",
        closefd: bool = True,
        opener: Callable[[Any, int], int] | None = None,
    ) -> None:
        super().__init__(file, mode, closefd, opener or _opened)

    def write(self, data: Any, /) -> int:
        self.watched.enter((self.fileno(), None))
        return super().write(data)

    def truncate(self, size: int | None = None, /) -> int:
        self.watched.enter((self.fileno(), None))
        return super().truncate(size)


def _opened(name: Any, flags: int) -> int:
    return os.open(name, flags, 0o666)


def _creates(path: Any, flags: Any, *arguments: Any, **named: Any) -> bool:
    """Whether opening with these flags makes a file, or empties one."""
    del path, arguments, named
    return bool(flags & _CREATING) or bool(_NAMELESS and flags & _NAMELESS == _NAMELESS)


def _given(target: _Target, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    """What a call gives for a target, and the descriptor of the folder it is relative to."""
    value = arguments[target.position] if target.position < len(arguments) else named.get(target.name)
    return value, named.get(target.folder)
