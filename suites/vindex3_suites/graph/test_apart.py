"""Interfaces are apart: what one of them lacks takes nothing from another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph import edge
from vindex3_fixtures.graph.evidence import artifact, drafter, interface, nested, projector, text_model
from vindex3_suites.graph.asking import resolve
from vindex3_suites.graph.canary import COMPONENTS
from vindex3_suites.graph.expected import resolves, unresolved
from vindex3_suites.graph.resolving import EDGE, no_producer, no_projector

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FAILING = {
    "no_producer": (drafter("bad", (40,)), no_producer(40, "draft_2", "bad")),
    "no_projector": (drafter("bad", tensors=[]), no_projector("draft_2", "bad")),
    "missing_inventory": (
        drafter("bad", tensors=None),
        unresolved("missing-inventory", "draft_2", "bad", artifact="bad"),
    ),
}
BESIDE = [
    COMPONENTS[0],
    {"id": "draft_2", "role": "drafter", "source_artifact": "bad"},
    COMPONENTS[1],
]


@clause("EDGE-APART-01")
@cases(FAILING)
def test_an_unresolved_interface_leaves_others_alone(ask: Ask, case: tuple[Any, Any]) -> None:
    """Beside it another drafter's edge is made, and every component is there."""
    failing, entry = case
    expected = resolves(BESIDE, [EDGE], [entry])
    check("EDGE-APART-01", resolve(ask, text_model(), drafter(), failing), expected)
    check("EDGE-APART-01", resolve(ask, drafter(), failing, text_model()), expected)


@clause("EDGE-APART-01")
@cases(FAILING)
def test_an_unresolved_interface_may_come_first(ask: Ask, case: tuple[Any, Any]) -> None:
    """It makes no difference that the failing drafter is the first one."""
    failing, entry = case
    names = {key: "draft" if value == "draft_2" else value for key, value in entry["names"].items()}
    expected = resolves(
        None, [edge("target", (1, 3), "draft_2")], [{**entry, "component": "draft", "names": names}]
    )
    check("EDGE-APART-01", resolve(ask, failing, text_model(), drafter()), expected)


@clause("EDGE-APART-01")
@cases(
    second_too_deep=((40, 41), no_producer(41)),
    second_without_a_projector=((1, 3, 5), no_projector()),
)
def test_interfaces_of_one_drafter_are_apart(ask: Ask, case: tuple[tuple[int, ...], Any]) -> None:
    """Of two interfaces of one drafter one gives its edge, and the other is unresolved."""
    taps, entry = case
    for declared in (
        [interface((1, 3)), interface(taps, "b.target_layer_ids")],
        [interface(taps), interface((1, 3), "b.target_layer_ids")],
    ):
        reply = resolve(ask, text_model(), drafter(interfaces=declared, tensors=[projector(2)]))
        check("EDGE-APART-01", reply, resolves(COMPONENTS, [EDGE], [entry]))


@clause("EDGE-APART-01")
def test_every_unresolved_interface_is_listed(ask: Ask) -> None:
    """Three drafters that fail in three ways give three entries, and take no component away."""
    failing = [drafter("a", (40,)), drafter("b", tensors=[]), drafter("c", tensors=None)]
    entries = [
        no_producer(40, "draft", "a"),
        no_projector("draft_2", "b"),
        unresolved("missing-inventory", "draft_3", "c", artifact="c"),
    ]
    reply = resolve(ask, *failing, artifact("tiny-target", 6, nested=[nested("vision")]))
    components = [
        *(
            {"id": identity, "role": "drafter", "source_artifact": one}
            for identity, one in (("draft", "a"), ("draft_2", "b"), ("draft_3", "c"))
        ),
        COMPONENTS[1],
        {"id": "vision", "role": "perception", "source_artifact": "tiny-target"},
    ]
    check("EDGE-APART-01", reply, resolves(components, [], entries))
