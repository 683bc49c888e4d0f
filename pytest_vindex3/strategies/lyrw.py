"""Strategies for LYRW v2 layer files.

A few knobs are drawn and everything else follows from them, so that a file costs well under a
millisecond and a failing one shrinks to few banks, schemas and entries. What is drawn is a
description (`vindex3_fixtures.lyrw.LyrwFile`): `.data()` gives the bytes, `.region(...)` a region,
and `vindex3_fixtures.lyrw.observation(file)` the answer that a right reader gives.

```python
@given(layer_files())
def test_my_reader(file):
    assert my_reader.parse(file.data()) == observation(file)
```
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from vindex3_fixtures.lyrw import Knobs, LyrwFile, Place, sampled

__all__ = ["cut_layer_files", "knobs", "layer_files", "placed_layer_files"]

_SEEDS = st.integers(0, (1 << 32) - 1)


def knobs(
    *,
    banks: int = 3,
    schemas: int = 5,
    entries: int = 5,
    segments: int = 3,
    split: bool = True,
    unknown: bool = True,
    pairs: bool = True,
) -> st.SearchStrategy[Knobs]:
    """Shapes of layer files.

    Args:
        banks: most banks of a file, at least 1.
        schemas: most schemas of a bank.
        entries: most entries of a bank.
        segments: most segments of a bank, at least 1.
        split: whether files of split layers, which lack entries, may occur.
        unknown: whether tags and flag bits without a name may occur.
        pairs: whether schemas of values and scales may occur.
    """
    return st.builds(
        Knobs,
        seed=_SEEDS,
        more_banks=st.integers(0, banks - 1),
        schemas=st.integers(0, schemas),
        entries=st.integers(0, entries),
        more_segments=st.integers(0, segments - 1),
        split=_may_be(split),
        permuted=st.booleans(),
        gaps=st.booleans(),
        unknown=_may_be(unknown),
        pairs=_may_be(pairs),
    )


def _may_be(allowed: bool) -> st.SearchStrategy[bool]:
    return st.booleans() if allowed else st.just(False)


def layer_files(**bounds: Any) -> st.SearchStrategy[LyrwFile]:
    """Legal layer files, free of everything that a reader may refuse.

    Args:
        bounds: as for `knobs`.
    """
    return knobs(**bounds).map(sampled)


def placed_layer_files(**bounds: Any) -> st.SearchStrategy[tuple[LyrwFile, Place]]:
    """Layer files that have a region, together with one of its places.

    Args:
        bounds: as for `knobs`.
    """
    with_regions = layer_files(**bounds).filter(lambda file: bool(file.places))
    return st.tuples(with_regions, _SEEDS).map(lambda drawn: (drawn[0], _chosen(*drawn)))


def _chosen(file: LyrwFile, number: int) -> Place:
    return file.places[number % len(file.places)]


def cut_layer_files(**bounds: Any) -> st.SearchStrategy[tuple[LyrwFile, int]]:
    """Layer files together with a length that cuts descriptors or schemas; the header is whole.

    `vindex3_fixtures.lyrw.cut(file, length)` says what a right reader answers.

    Args:
        bounds: as for `knobs`.
    """
    return st.tuples(layer_files(**bounds), _SEEDS).map(
        lambda drawn: (drawn[0], 24 + drawn[1] % (drawn[0].entry_table - 24))
    )
