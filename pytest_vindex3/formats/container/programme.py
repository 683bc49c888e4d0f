"""What the layers of a component run, in words."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats._page import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_LINES: Final = 6
_MOST_TAPS: Final = 8


def programme(policies: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Lines such as "24 x softmax, full, rope", layers with one policy that follow each other in one.

    A stack that alternates too often is told by the number of its layers of each policy, the most
    frequent first. At most `MOST_LINES` lines.
    """
    said = [_policy(one) for one in policies]
    runs = [(text, len(list(alike))) for text, alike in groupby(said)]
    if len(runs) > MOST_LINES:
        runs = Counter(said).most_common()
    return tuple(f"{count} x {text}" for text, count in runs[:MOST_LINES])


def _policy(policy: Mapping[str, Any]) -> str:
    span, window = policy.get("span"), policy.get("window")
    reach = " ".join(str(one) for one in (span, window) if one is not None)
    return ", ".join(filter(None, (policy["operator"], reach, policy["position"]["kind"])))


def sizes(component: Mapping[str, Any]) -> str:
    """Layers and width of a component; of a tower zeros mean that nobody has read them."""
    layers, width = component["num_layers"], component["hidden_size"]
    return f"{counted(layers, 'layer')} of {width:,}" if layers or width else "sizes unread"


def taps(layers: Sequence[int]) -> str:
    """The numbers of tapped layers in their order, no more than a label has room for."""
    shown = [str(layer) for layer in layers]
    return ", ".join(shown if len(shown) <= _MOST_TAPS else [*shown[: _MOST_TAPS - 1], "..."])
