"""Strategies for whole containers of the graph shape, and for their indexes.

A few knobs are drawn and everything else follows from them. What is drawn is a description
(`vindex3_fixtures.container.Model`): `.folder.write_to(path)` makes the directory, `.opened()` is what a
right reader answers to container.open, `.segments` has every tensor, `.index` is the document of index.json.

```python
@given(containers())
def test_my_reader(model):
    with tempfile.TemporaryDirectory() as folder:
        model.folder.write_to(Path(folder) / "model")
        assert my_reader.open(Path(folder) / "model") == model.opened()
```
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from vindex3_fixtures.container.damage import Damage, damage
from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.sampled import Knobs, sampled
from vindex3_fixtures.graph.sampled import GraphKnobs

__all__ = ["containers", "damaged_containers", "indexes"]

_SEEDS = st.integers(0, (1 << 32) - 1)


def containers(
    *,
    text_models: int = 1,
    drafters: int = 1,
    towers: int = 1,
    representations: int = 2,
    tensors: int = 5,
    unaligned: bool = True,
    unknown: bool = True,
    variants: bool = True,
    strays: bool = True,
) -> st.SearchStrategy[Model]:
    """Containers without any defect: a right reader opens them, serves every tensor and verifies them.

    Args:
        text_models: most primary_text components, 0 or 1.
        drafters: most drafters.
        towers: most perception components; there is one where nothing else is.
        representations: most representations of an object, at least 1.
        tensors: most tensors of a segment.
        unaligned: whether payloads that begin anywhere may occur.
        unknown: whether dtypes without a width and unknown keys may occur.
        variants: whether region sets and profiles that select from them may occur.
        strays: whether files that no index names may occur.
    """
    graph = st.builds(
        GraphKnobs,
        text_models=st.integers(0, text_models),
        drafters=st.integers(0, drafters),
        towers=st.integers(0, towers),
        layers=st.just(2),
        representations=st.integers(1, representations),
    )
    return st.builds(
        Knobs,
        seed=_SEEDS,
        graph=graph,
        tensors=st.integers(0, tensors),
        unaligned=_may_be(unaligned),
        unknown=_may_be(unknown),
        variants=_may_be(variants),
        strays=_may_be(strays),
    ).map(sampled)


def indexes(**bounds: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Documents of index.json that are legal where the files that they name are there.

    Args:
        bounds: as for `containers`.
    """
    return containers(**bounds).map(lambda model: dict(model.index))


def damaged_containers(**bounds: Any) -> st.SearchStrategy[Damage]:
    """Containers of which one byte of one segment has changed: in its length, header, padding or payload.

    Args:
        bounds: as for `containers`.
    """
    return st.tuples(containers(**bounds), _SEEDS).map(lambda drawn: damage(*drawn))


def _may_be(allowed: bool) -> st.SearchStrategy[bool]:
    return st.booleans() if allowed else st.just(False)
