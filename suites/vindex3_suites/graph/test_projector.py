"""The projector that an interface needs, in the drafter's list of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph import edge
from vindex3_fixtures.graph.evidence import drafter, projector, tensor, text_model
from vindex3_suites.graph.asking import resolve
from vindex3_suites.graph.expected import resolves, unresolved
from vindex3_suites.graph.resolving import FOUND, no_projector

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

PROJECTORLESS = {
    "no_tensors": [],
    "another_tensor": [tensor("encoder.fc.weight", 16, 16)],
    "one_tap_too_many": [projector(3)],
    "one_tap_too_few": [projector(1)],
    "twice_as_many_taps": [projector(4)],
    "one_tap_too_many_turned": [projector(3, turned=True)],
    "another_width": [tensor("encoder.fc.weight", 32, 64)],
    "wide_enough_one_way_alone": [tensor("encoder.fc.weight", 32, 8)],
    "one_dimension": [tensor("encoder.fc.weight", 512)],
    "three_dimensions": [tensor("encoder.fc.weight", 1, 32, 16)],
    "three_dimensions_behind": [tensor("encoder.fc.weight", 32, 16, 1)],
    "as_many_values": [tensor("encoder.fc.weight", 8, 64)],
    "one_off": [tensor("encoder.fc.weight", 33, 16), tensor("encoder.fc2.weight", 16, 31)],
    "scalar": [tensor("encoder.fc.weight")],
    "halves": [tensor("encoder.fc.0", 16, 16), tensor("encoder.fc.1", 16, 16)],
}


@clause("EDGE-PROJECTOR-01")
@cases(PROJECTORLESS)
def test_an_interface_needs_a_projector(ask: Ask, case: list[Any]) -> None:
    """Without a 2-D tensor of taps x hidden_size by hidden_size the interface is no-projector."""
    check("EDGE-PROJECTOR-01", resolve(ask, text_model(), drafter()), FOUND)
    expected = resolves(None, [], [no_projector()])
    check("EDGE-PROJECTOR-01", resolve(ask, text_model(), drafter(tensors=case)), expected)


@clause("EDGE-PROJECTOR-01")
def test_a_projector_of_another_artifact_does_not_do(ask: Ask) -> None:
    """The tensor is looked for in the drafter's artifact, not in the target's or in another drafter's."""
    check("EDGE-PROJECTOR-01", resolve(ask, text_model(), drafter()), FOUND)
    has_it = text_model(tensors=[projector(2)])
    expected = resolves(None, [], [no_projector()])
    check("EDGE-PROJECTOR-01", resolve(ask, has_it, drafter(tensors=[])), expected)
    second = resolve(ask, text_model(), drafter(tensors=[]), drafter("other"))
    expected = resolves(None, [edge("target", (1, 3), "draft_2")], [no_projector()])
    check("EDGE-PROJECTOR-01", second, expected)


@clause("EDGE-PROJECTOR-01")
@cases(narrow=8, wide=24)
def test_the_width_is_the_drafters(ask: Ask, case: int) -> None:
    """The hidden_size of the drafter's artifact counts."""
    models = text_model(hidden_size=case)
    fitting = drafter(hidden_size=case, tensors=[projector(2, case)])
    check("EDGE-PROJECTOR-01", resolve(ask, models, fitting), FOUND)
    wrong = drafter(hidden_size=case, tensors=[projector(2, 16)])
    expected = resolves(None, [], [no_projector()])
    check("EDGE-PROJECTOR-01", resolve(ask, models, wrong), expected)


@clause("EDGE-PROJECTOR-01")
def test_the_projector_is_judged_before_candidates_are_counted(ask: Ask) -> None:
    """Without a projector it is no-projector also where there is no candidate, or more than one."""
    check("EDGE-PROJECTOR-01", resolve(ask, text_model(), drafter()), FOUND)
    expected = resolves(None, [], [no_projector()])
    for models in ([], [text_model(num_layers=1)], [text_model("a"), text_model("b")]):
        check("EDGE-PROJECTOR-01", resolve(ask, *models, drafter(tensors=[])), expected)


@clause("EDGE-PROJECTOR-02")
@cases(two_taps=(1, 3), one_tap=(3,), three_taps=(0, 1, 2), six_taps=(5, 4, 3, 2, 1, 0))
def test_a_projector_counts_either_way_round(ask: Ask, case: tuple[int, ...]) -> None:
    """The tensor may be stored in either orientation, under any name, among others."""
    made = resolves(None, [edge("target", case, "draft")], [])
    for turned in (False, True):
        for name in ("encoder.fc.weight", "fc", "model.any.thing"):
            fitting = projector(len(case), name=name, turned=turned)
            for tensors in ([fitting], [tensor("a", 16), fitting, tensor("z", 16, 16)]):
                check(
                    "EDGE-PROJECTOR-02", resolve(ask, text_model(), drafter(taps=case, tensors=tensors)), made
                )


@clause("EDGE-PROJECTOR-03")
@cases(
    one_candidate=[text_model()],
    no_candidate=[],
    too_shallow=[text_model(num_layers=1)],
    several=[text_model("a"), text_model("b")],
    candidate_without_a_list=[text_model(tensors=None)],
)
def test_a_drafter_needs_a_list_of_tensors(ask: Ask, case: list[Any]) -> None:
    """Without the list its interface is missing-inventory of that artifact, whatever candidates there are."""
    check("EDGE-PROJECTOR-03", resolve(ask, text_model(), drafter()), FOUND)
    expected = resolves(None, [], [unresolved("missing-inventory", "draft", artifact="tiny-draft")])
    check("EDGE-PROJECTOR-03", resolve(ask, *case, drafter(tensors=None)), expected)


@clause("EDGE-PROJECTOR-03")
def test_a_target_needs_no_list(ask: Ask) -> None:
    """That the producer's tensors were not listed makes no difference."""
    check("EDGE-PROJECTOR-03", resolve(ask, text_model(tensors=None), drafter()), FOUND)
    expected = resolves(None, [], [unresolved("missing-inventory", "draft", artifact="tiny-draft")])
    check("EDGE-PROJECTOR-03", resolve(ask, text_model(), drafter(tensors=None)), expected)
