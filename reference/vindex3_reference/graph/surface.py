"""Whether a component has the execution groups that its layers and objects call for (graph.md, 6 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.graph import vocabulary
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from vindex3_reference.graph.execution import Execution
    from vindex3_reference.graph.model import Component


def missing(component: Component, kinds: Collection[str]) -> Iterator[Refusal]:
    """The groups that are called for and absent (SURFACE-ATTN-01 to SURFACE-MIXER-01).

    Args:
        component: whose surface is judged.
        kinds: the kinds of the objects that it owns.
    """
    if component.execution is not None:
        groups = _missing_groups(component, component.execution, kinds)
    else:
        groups = iter(("execution",) if vocabulary.DECODER_STACK in kinds else ())
    for group in groups:
        yield Refusal(
            "missing-surface",
            f"{component.id} calls for {group}, which is not there",
            component=component.id,
            group=group,
        )


def surplus(component: Component) -> Iterator[Refusal]:
    """The groups that no layer of a declared programme runs (SURFACE-SURPLUS-01)."""
    if component.execution is None or not component.policies:
        return
    for group, called_for in (("attention", attends(component)), ("ffn", feeds_forward(component))):
        if group in component.execution.groups and not called_for:
            yield Refusal(
                "surplus-surface",
                f"{component.id} has a group {group}, and no layer that runs it",
                component=component.id,
                group=group,
            )


def attends(component: Component) -> bool:
    """Whether some layer runs attention, judged by operators alone (GRAPH-POLICY-07)."""
    return not component.operators.isdisjoint(vocabulary.ATTENDING)


def feeds_forward(component: Component) -> bool:
    """Whether some layer has a feed-forward part."""
    return not component.operators <= set(vocabulary.WITHOUT_FFN)


def _missing_groups(component: Component, execution: Execution, kinds: Collection[str]) -> Iterator[str]:
    if "head" not in execution.groups and not set(kinds).isdisjoint(vocabulary.HEADED):
        yield "head"
    if vocabulary.DECODER_STACK in kinds and execution.placement is None:
        yield "norm.placement"
    operators = component.operators
    for group, called_for in (
        ("attention", attends(component)),
        ("ffn", feeds_forward(component)),
        ("mamba2", vocabulary.MAMBA2 in operators),
        ("conv_qkv", vocabulary.CONV_QKV_ATTENTION in operators),
    ):
        if called_for and group not in execution.groups:
            yield group
