"""Work for several threads, with results in order and not far ahead of whoever takes them."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from concurrent.futures import Future

    Given = TypeVar("Given")
    Result = TypeVar("Result")

AHEAD = 2
"""Results that wait for each thread, so that none stands still while they are taken."""
MOST_JOBS = 64


def in_order(
    work: Callable[[Given], Result], given: Iterable[Given], jobs: int
) -> Generator[Result, None, None]:
    """The result for each thing given, in their order; whoever closes it waits only for what is begun."""
    jobs = min(max(1, jobs), MOST_JOBS)
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for each in given:
            waiting.append(pool.submit(work, each))
            if len(waiting) > AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
