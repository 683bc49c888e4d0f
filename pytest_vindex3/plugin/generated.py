"""Tests whose inputs are drawn: hypothesis with every setting fixed, the same files on every machine."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3.plugin.ask import Ask
from pytest_vindex3.plugin.check import Failed, NotRun
from pytest_vindex3.plugin.verdict import find_failed

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

QUICK_EXAMPLES = 5
SOAK_FACTOR = 25
MOST_SHRINKS = 150
_UNSHRUNK = frozenset({"hang", "memory"})


class _Stop(BaseException):
    """Ends the search for a smaller failing input."""

    def __init__(self, failed: Failed) -> None:
        super().__init__()
        self.failed = failed


def generated(
    strategy: SearchStrategy[Any], examples: int = 40
) -> Callable[[Callable[..., object]], Callable[..., None]]:
    """Run a test with drawn inputs, as its argument `drawn`; it must take `ask` as well.

    Args:
        strategy: what to draw.
        examples: how many of them in the profile certify; quick takes a few, soak many more.
    """

    def decorate(test: Callable[..., object]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(ask: Ask, **fixtures: Any) -> None:
            _search(functools.partial(test, ask=ask, **fixtures), strategy, ask, examples)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name != "drawn"]
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        del run.__wrapped__
        marked: Callable[..., None] = pytest.mark.vindex3_generated(run)
        return marked

    return decorate


def _search(test: Callable[..., object], strategy: SearchStrategy[Any], ask: Ask, examples: int) -> None:
    import hypothesis

    failures = 0

    def once(drawn: Any) -> None:
        nonlocal failures
        try:
            test(drawn=drawn)
        except NotRun as reason:
            pytest.skip(str(reason))
        except Failed as failed:
            failures += 1
            fault = failed.failure.fault
            if failures >= MOST_SHRINKS or (fault and fault.what in _UNSHRUNK):
                raise _Stop(failed) from None
            raise

    fixed = hypothesis.settings(
        max_examples=_count(ask, examples),
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        stateful_step_count=50,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
    )
    try:
        with _nothing_of_local_modules():
            hypothesis.seed(ask.seed)(fixed(hypothesis.given(drawn=strategy)(once)))()
    except _Stop as stop:
        raise stop.failed from None
    except Exception as exception:
        failed = find_failed(exception)
        if failed is None:
            raise
        raise failed from None


@contextmanager
def _nothing_of_local_modules() -> Iterator[None]:
    """Let hypothesis draw no constants that it reads in the sources of modules outside site-packages.

    Which those are depends on how the kit is installed and on which tests were imported before, and to read
    them all takes seconds. Versions that know no such constants, or by another name, stay as they are.
    """
    from hypothesis.internal.conjecture import providers

    names = vars(providers)
    before, empty = names.get("_get_local_constants"), names.get("Constants")
    if before is None or empty is None:
        yield
        return
    names["_get_local_constants"] = empty
    try:
        yield
    finally:
        names["_get_local_constants"] = before


def _count(ask: Ask, examples: int) -> int:
    profile = ask.settings.profile
    if profile == "soak":
        return examples * SOAK_FACTOR
    return min(examples, QUICK_EXAMPLES) if profile == "quick" else examples
