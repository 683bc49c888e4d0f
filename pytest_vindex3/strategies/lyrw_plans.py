"""Strategies for LYRW v2 layer files that a writer may make.

What is drawn is a description (`vindex3_fixtures.lyrw.LyrwFile`): `plan(file)` and `payload(file)` of
`vindex3_fixtures.lyrw.plan` are what a writer is given, `.data()` the bytes that it has to write.
"""

from __future__ import annotations

from hypothesis import strategies as st

from vindex3_fixtures.lyrw import LyrwFile
from vindex3_fixtures.lyrw.sampled_plan import PlanKnobs, sampled_plan

__all__ = ["planned_layer_files"]


def planned_layer_files(
    *,
    banks: int = 3,
    schemas: int = 4,
    entries: int = 5,
    segments: int = 3,
    unruled: bool = True,
    unknown: bool = True,
) -> st.SearchStrategy[LyrwFile]:
    """Files that keep every rule of writing, so that a right verifier finds nothing wrong with them.

    Args:
        banks: most banks of a file, at least 1.
        schemas: most schemas of a bank, at least 1; a pair of values and scales counts as one.
        entries: most entries of a bank, at least 1.
        segments: most segments of a bank, at least 1.
        unruled: whether formats without a length rule may occur.
        unknown: whether tags and flag bits without a name may occur.
    """
    return st.builds(
        PlanKnobs,
        seed=st.integers(0, (1 << 32) - 1),
        more_banks=st.integers(0, banks - 1),
        more_schemas=st.integers(0, schemas - 1),
        more_entries=st.integers(0, entries - 1),
        more_segments=st.integers(0, segments - 1),
        split=st.booleans(),
        pairs=st.booleans(),
        unruled=st.booleans() if unruled else st.just(False),
        unknown=st.booleans() if unknown else st.just(False),
    ).map(sampled_plan)
