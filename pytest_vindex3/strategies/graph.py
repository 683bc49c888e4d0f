"""Strategies for system graphs of schema 6, and for what artifacts declare.

A few knobs are drawn and everything else follows from them. What is drawn is plain data: a graph is the
document that a container holds, evidence the list of artifacts that components and edges follow from;
`vindex3_fixtures.graph.observation` has what a right reader says of the one, `derivation` of the other.

```python
@given(graphs())
def test_my_reader(document):
    assert my_reader.load(json.dumps(document)).defects == []
```
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from vindex3_fixtures.graph.sampled import EvidenceKnobs, GraphKnobs, sampled_evidence, sampled_graph

__all__ = ["evidence", "graphs"]

_SEEDS = st.integers(0, (1 << 32) - 1)


def graphs(
    *, text_models: int = 1, drafters: int = 2, towers: int = 2, layers: int = 4, representations: int = 3
) -> st.SearchStrategy[dict[str, Any]]:
    """Graphs that are sound in every respect: a right reader reports nothing, advice included.

    Args:
        text_models: most primary_text components, 0 or 1.
        drafters: most drafters; most of them tap another component.
        towers: most perception components; there is one where nothing else is.
        layers: most layers of a component, at least 1.
        representations: most representations of an object, at least 1; a writer is given one of each.
    """
    return st.builds(
        GraphKnobs,
        seed=_SEEDS,
        text_models=st.integers(0, text_models),
        drafters=st.integers(0, drafters),
        towers=st.integers(0, towers),
        layers=st.integers(1, layers),
        representations=st.integers(1, representations),
    ).map(sampled_graph)


def evidence(*, text_models: int = 3, drafters: int = 3) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Artifacts of one width in any order, with towers or none.

    Args:
        text_models: most artifacts that declare nothing.
        drafters: most artifacts that declare taps; with a projector, without one, or without a list.
    """
    return st.builds(
        EvidenceKnobs,
        seed=_SEEDS,
        text_models=st.integers(0, text_models),
        drafters=st.integers(0, drafters),
    ).map(sampled_evidence)
