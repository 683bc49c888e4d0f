"""Which tensors of an artifact no rule gives to a component, as prefixes over them (graph.md, section 8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    Tree = dict[str, "Tree"]

APART = "mtp"
"""A namespace at the top that belongs to no component, whatever stands below it."""
PLACING = frozenset(
    ("adapter", "embed", "embedding", "embeddings", "head", "layer", "layernorm", "layers", "norm", "stack",
     "tower")
)  # fmt: skip
"""Words of a name by which a rule owns the tensor."""
_BETWEEN_WORDS = re.compile(r"[._]")


def unplaced(names: Iterable[str], owned: Collection[str]) -> set[str]:
    """Prefixes that cover every name that no rule owns, and owned ones only where they must.

    Args:
        names: all tensors of one artifact.
        owned: those that are owned whatever they are called.
    """
    tree: Tree = {}
    strays = []
    for name in names:
        if _top(name) != APART and (name in owned or _is_placed(name)):
            _plant(tree, name)
        else:
            strays.append(name)
    return {_prefix(stray, tree) for stray in strays}


def _is_placed(name: str) -> bool:
    return not PLACING.isdisjoint(_BETWEEN_WORDS.split(name))


def _top(name: str) -> str:
    return name.partition(".")[0]


def _plant(tree: Tree, name: str) -> None:
    for part in name.split("."):
        tree = tree.setdefault(part, {})


def _prefix(stray: str, tree: Tree) -> str:
    """As many parts as no owned name begins with; all of them where an owned one goes on after them."""
    if _top(stray) == APART:
        return APART
    parts = stray.split(".")
    for count, part in enumerate(parts, 1):
        if part not in tree:
            return ".".join(parts[:count])
        tree = tree[part]
    return stray
