"""Strategies for what chooses among stored forms: catalogues, selected words, precision maps, candidates.

A few knobs are drawn and everything else follows from them. What is drawn holds plain data for a request,
and beside it what a right implementation makes of it.

```python
@given(choices())
def test_my_selector(choice):
    answer = my_selector.resolve(choice.catalogue, choice.profiles, choice.asked)
    assert {name: one["variant"] for name, one in answer["selections"].items()} == choice.picks
```
"""

from __future__ import annotations

from hypothesis import strategies as st

from vindex3_fixtures.representation.sampled import (
    Choice,
    Compilation,
    Promotion,
    sampled_choice,
    sampled_compilation,
    sampled_promotion,
)
from vindex3_fixtures.representation.vocabulary import LEVELS

__all__ = ["choices", "compilations", "levels", "promotions", "reordered_choices"]

_SEEDS = st.integers(0, (1 << 32) - 1)


def levels(*, least: int = 0, most: int = 12) -> st.SearchStrategy[list[str]]:
    """Words of authority as they are selected, between `least` and `most` of them."""
    return st.lists(st.sampled_from(LEVELS), min_size=least, max_size=most)


def choices(*, sets: int = 8, profiles: int = 4) -> st.SearchStrategy[Choice]:
    """Sound catalogues with declared profiles, one of which is asked for.

    Args:
        sets: most region sets, at least 1 and at most 36.
        profiles: most profiles, at least 1.
    """
    return st.builds(sampled_choice, _SEEDS, st.integers(1, sets), st.integers(1, profiles))


def reordered_choices(*, sets: int = 8, profiles: int = 4) -> st.SearchStrategy[tuple[Choice, Choice]]:
    """A choice, and the same one with the keys of every object and the profiles in another order."""

    def both(seed: int, sets: int, profiles: int, order: int) -> tuple[Choice, Choice]:
        return sampled_choice(seed, sets, profiles), sampled_choice(seed, sets, profiles, order)

    orders = st.integers(1, 1 << 16)
    return st.builds(both, _SEEDS, st.integers(1, sets), st.integers(1, profiles), orders)


def compilations(*, exceptions: int = 6, layers: int = 6) -> st.SearchStrategy[Compilation]:
    """Maps without dead rules, over stacks of which at least one tensor compiles.

    Args:
        exceptions: most exceptions.
        layers: most layers, at least 1.
    """
    return st.builds(sampled_compilation, _SEEDS, st.integers(0, exceptions), st.integers(1, layers))


def promotions(*, candidates: int = 12) -> st.SearchStrategy[Promotion]:
    """Candidates whose scopes are apart, about half of them with something that they lack."""
    return st.builds(sampled_promotion, _SEEDS, st.integers(0, candidates))
