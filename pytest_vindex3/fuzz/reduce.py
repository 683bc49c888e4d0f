"""A finding made small: what is simpler and still shows it takes its place, as long as there is such."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

MOST_TRIES: Final = 400
MOST_SECONDS: Final = 10.0


def reduced(
    data: bytes, smaller: Callable[[bytes], Iterator[bytes]], shows: Callable[[bytes], bool]
) -> bytes:
    """The simplest input found that still shows what `data` shows.

    Args:
        data: the input.
        smaller: gives inputs that are simpler than one, the simplest first.
        shows: whether an input shows the same finding.
    """
    tries, deadline = 0, time.monotonic() + MOST_SECONDS
    going = True
    while going:
        going = False
        for candidate in smaller(data):
            tries += 1
            if tries > MOST_TRIES or time.monotonic() > deadline:
                return data
            if candidate != data and shows(candidate):
                data, going = candidate, True
                break
    return data
