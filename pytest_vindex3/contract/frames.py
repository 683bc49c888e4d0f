"""Short tracebacks: the exception and the implementer's own frames, none of the kit's."""

from __future__ import annotations

import importlib
import linecache
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

MOST_FRAMES = 3
MOST_CHARACTERS = 400

_OURS = (str(Path(__file__).parent), importlib.__file__, "<frozen importlib")


def brief(exception: BaseException) -> str:
    """The exception's last line, then its innermost frames outside the kit, outermost first."""
    frames = list(_frames(exception))[-MOST_FRAMES:]
    return "\n".join([headline(exception), *(_line(frame, number) for frame, number in frames)])


def headline(exception: BaseException) -> str:
    """The type and text of an exception on few lines, also where its `__str__` raises."""
    try:
        text = "".join(traceback.format_exception_only(exception)).strip()
    except BaseException as worse:  # text made by the implementation's code can do anything
        if type(worse) is KeyboardInterrupt:
            raise
        text = type(exception).__name__
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."


def shown(path: str) -> str:
    """A file's path below the working directory or the import path, else as it is."""
    for folder in [str(Path.cwd()), *sorted(filter(None, sys.path), key=len, reverse=True)]:
        if path.startswith(folder.rstrip("/") + "/"):
            return path[len(folder.rstrip("/")) + 1 :]
    return path


def _frames(exception: BaseException) -> Iterator[tuple[FrameType, int]]:
    for frame, number in traceback.walk_tb(exception.__traceback__):
        file = frame.f_code.co_filename
        if not file.startswith(_OURS):
            yield frame, number


def _line(frame: FrameType, number: int) -> str:
    code = frame.f_code
    source = linecache.getline(code.co_filename, number).strip()
    place = f"  {shown(code.co_filename)}:{number} in {code.co_qualname}"
    return f"{place}: {source}" if source else place
