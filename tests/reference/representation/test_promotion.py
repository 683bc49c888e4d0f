"""promotion.promote: each step of the evidence, conflicts, and the map of what is promoted."""

from __future__ import annotations

import math
from typing import Any

import pytest

from vindex3_reference.representation.verbs import promotion_promote

Document = dict[str, Any]

GATE: Document = {
    "id": "kimi-logit-v1", "positions_min": 4096, "kl_p99_max": 0.001,
    "top1_flip_max": 8, "top10_change_max": 82, "route_flip_max": 82,
}  # fmt: skip
LADDER = {
    "represented": True, "available": True, "backend_supported": True, "runnable": True, "measured": True,
}  # fmt: skip


def bank(
    positions: int = 4096, kl: float = 0.001, top1: int = 8, top10: int = 82, **routing: Any
) -> Document:
    """A bank that is as bad as the gate allows, or otherwise where that is said."""
    logits = {"kl_p99": kl, "top1_flips": top1, "top10_changes": top10}
    return {"positions": positions, "logits": logits, "routing": {"route_flips": 82, **routing}}


def candidate(**changes: Any) -> Document:
    """One that is promoted, or otherwise."""
    evidence = {"bank": bank(), "gate": GATE, "native_kernel": True, "target_gpu_ms": 0.25}
    return {"role": "decoder-linear", "target": "NVFP4", "ladder": LADDER, **evidence, **changes}


def asked(*candidates: Document) -> tuple[Document, list[tuple[str, Document] | None]]:
    """The map, and of each candidate what refuses it, or None."""
    answer: Any = promotion_promote(name="m", default_encoding="NVFP4", candidates=list(candidates))
    found: list[tuple[str, Document] | None] = []
    for verdict in answer["verdicts"]:
        assert verdict["selected"] is (verdict["refusal"] is None)
        refusal = verdict["refusal"]
        found.append(None if refusal is None else (refusal["kind"], refusal["names"]))
    return answer["map"], found


def one(**changes: Any) -> tuple[str, Document] | None:
    """What refuses a single candidate."""
    policy, found = asked(candidate(**changes))
    roles = [] if found[0] else ["decoder-linear"]
    assert policy == {"name": "m", "encoding": "NVFP4", "roles": roles}
    return found[0]


def failed(*thresholds: str) -> tuple[str, Document]:
    """The refusal of a bank that fails these."""
    return "quality-gate-failed", {"gate": "kimi-logit-v1", "failed": list(thresholds)}


def test_evidence_that_equals_every_threshold_promotes():
    """Equal passes; integers and floats compare as numbers."""
    assert one() is None
    assert one(bank=bank(positions=2**64 - 1, kl=0, top1=0, top10=0, route_flips=0)) is None


def test_a_candidate_without_bank_or_gate_is_unproven():
    """Whatever else it shows: a gate without an id is no gate."""
    assert one(bank=None) == ("quality-unproven", {})
    assert one(gate=None) == ("quality-unproven", {})
    assert one(gate={**GATE, "id": None}) == ("quality-unproven", {})
    assert one(gate={key: value for key, value in GATE.items() if key != "id"}) == ("quality-unproven", {})
    without = candidate()
    del without["bank"]
    assert asked(without)[1] == [("quality-unproven", {})]


@pytest.mark.parametrize(
    ("measured", "thresholds"),
    [
        (bank(positions=4095), ["positions_min"]),
        (bank(kl=math.nextafter(0.001, 1)), ["kl_p99_max"]),
        (bank(top1=9), ["top1_flip_max"]),
        (bank(top10=83), ["top10_change_max"]),
        (bank(route_flips=83), ["route_flip_max"]),
        (bank(kl=0.0, top1=0, top10=0, route_flips=83), ["route_flip_max"]),
        (bank(top1=9, route_flips=0), ["top1_flip_max"]),
        (bank(kl=math.nan), ["kl_p99_max"]),
        (
            bank(0, 1.0, 9, 83, route_flips=83),
            ["positions_min", "kl_p99_max", "top1_flip_max", "top10_change_max", "route_flip_max"],
        ),
    ],
)
def test_each_criterion_is_judged(measured, thresholds):
    """All that fail are named, in the order of the gate."""
    assert one(bank=measured) == failed(*thresholds)


def test_covered_mass_counts_where_the_gate_asks_for_it():
    """Unrecorded fails, equal passes, and without the key nothing is asked."""
    gate = {**GATE, "covered_mass_min": 0.75}
    assert one(bank=bank(), gate=gate) == failed("covered_mass_min")
    assert one(bank=bank(covered_mass=None), gate=gate) == failed("covered_mass_min")
    assert one(bank=bank(covered_mass=0.5), gate=gate) == failed("covered_mass_min")
    assert one(bank=bank(covered_mass=0.75), gate=gate) is None
    assert one(bank=bank(covered_mass=1), gate=gate) is None
    assert one(bank=bank(covered_mass=0.0), gate={**GATE, "covered_mass_min": None}) is None


def test_throughput_is_measured_on_the_native_kernel():
    """Another kernel, or no time, is no measurement."""
    refusal = ("not-natively-measured", {})
    assert one(native_kernel=False) == refusal
    assert one(target_gpu_ms=None) == refusal
    assert one(target_gpu_ms=3) is None


def test_the_ladder_is_climbed_whole():
    """What is missing is named, sorted; support and a flag that says selected are nothing."""
    for rung in ("represented", "available", "runnable", "measured"):
        assert one(ladder={**LADDER, rung: False}) == ("ladder-incomplete", {"missing": [rung]})
    none = dict.fromkeys(LADDER, False) | {"backend_supported": True, "selected": True}
    names = {"missing": ["available", "measured", "represented", "runnable"]}
    assert one(ladder=none) == ("ladder-incomplete", names)
    assert one(ladder={**LADDER, "backend_supported": False, "selected": False}) is None


def test_the_first_step_names_the_refusal():
    """Bank, gate, native measurement, ladder, conflict: each hides the later ones."""
    changes: Document = {"ladder": {**LADDER, "runnable": False}}
    kinds = [(one(**changes) or ("",))[0]]
    for change in ({"native_kernel": False}, {"bank": bank(positions=0)}, {"bank": None}):
        changes.update(change)
        kinds.append((one(**changes) or ("",))[0])
    assert kinds == ["ladder-incomplete", "not-natively-measured", "quality-gate-failed", "quality-unproven"]


def test_two_targets_of_one_scope_refuse_each_other():
    """Each names the first of another target; one that is refused already conflicts with nobody."""
    other = candidate(target="Q8_0")
    assert asked(candidate(), other) == (
        {"name": "m", "encoding": "NVFP4", "roles": []},
        [("conflicting-candidates", {"other": 1}), ("conflicting-candidates", {"other": 0})],
    )
    found = asked(candidate(bank=None), other, candidate(), candidate(target="Q6_K"), other)[1]
    assert [names and names[1].get("other") for names in found] == [None, 2, 1, 1, 2]
    assert asked(candidate(), candidate(target="Q8_0", native_kernel=False))[1] == [
        None, ("not-natively-measured", {}),
    ]  # fmt: skip
    assert asked(candidate(), candidate())[1] == [None, None]


def test_a_scope_is_role_projection_and_layers():
    """Scopes that differ in one of them do not conflict; null and absent are one."""
    scopes: list[Document] = [{}, {"role": "expert-weight"}, {"projection": "q_proj"}, {"layers": [0, 1]}]
    for scope in scopes[1:]:
        assert asked(candidate(), candidate(target="Q8_0", **scope))[1] == [None, None]
    null = candidate(target="Q8_0", projection=None, layers=None)
    assert asked(candidate(), null)[1] == [
        ("conflicting-candidates", {"other": 1}), ("conflicting-candidates", {"other": 0}),
    ]  # fmt: skip


def test_the_map_has_what_is_promoted_and_no_trace_of_the_rest():
    """Roles once each, in order; exceptions for another target or a narrower scope, in input order."""
    policy, found = asked(
        candidate(role="expert-weight", layers=[4, 2]),
        candidate(role="norm", bank=None, projection="x"),
        candidate(projection="v_proj", target="Q8_0"),
        candidate(),
        candidate(role="expert-weight", target="Q6_K"),
        candidate(projection="k_proj", layers=[0, 0], target="nonsense"),
    )
    assert [refusal is None for refusal in found] == [True, False, True, True, True, True]
    assert policy == {
        "name": "m",
        "encoding": "NVFP4",
        "roles": ["expert-weight", "decoder-linear"],
        "exceptions": [
            {"layers": [4, 2], "encoding": "NVFP4"},
            {"projection": "v_proj", "encoding": "Q8_0"},
            {"encoding": "Q6_K"},
            {"projection": "k_proj", "layers": [0, 0], "encoding": "nonsense"},
        ],
    }
    assert asked() == ({"name": "m", "encoding": "NVFP4", "roles": []}, [])


def without(document: Document, *keys: str) -> Document:
    """The document without a key at the end of this way."""
    first, *rest = keys
    if rest:
        return {**document, first: without(document[first], *rest)}
    return {key: value for key, value in document.items() if key != first}


@pytest.mark.parametrize(
    "way",
    [
        "role", "target", "ladder", "ladder.measured", "bank.positions", "bank.logits", "bank.logits.kl_p99",
        "bank.logits.top1_flips", "bank.logits.top10_changes", "bank.routing", "bank.routing.route_flips",
        "gate.positions_min", "gate.kl_p99_max", "gate.top1_flip_max", "gate.top10_change_max",
        "gate.route_flip_max", "native_kernel",
    ],
)  # fmt: skip
def test_a_candidate_without_a_required_key_is_refused(way, refused):
    """The request as a whole is refused, and the key named with its way."""
    candidates = [candidate(), without(candidate(), *way.split("."))]
    request = {"name": "m", "default_encoding": "NVFP4", "candidates": candidates}
    assert refused(promotion_promote, **request) == ("missing-field", {"field": f"candidates[1].{way}"})


@pytest.mark.parametrize(
    ("changes", "kind", "field"),
    [
        ({"role": 1}, "bad-type", "role"),
        ({"projection": 1}, "bad-type", "projection"),
        ({"layers": [0]}, "bad-type", "layers"),
        ({"layers": [0, -1]}, "bad-type", "layers[1]"),
        ({"target": None}, "bad-type", "target"),
        ({"ladder": [True]}, "bad-type", "ladder"),
        ({"ladder": {**LADDER, "runnable": 1}}, "bad-type", "ladder.runnable"),
        ({"ladder": {**LADDER, "backend_supported": "yes"}}, "bad-type", "ladder.backend_supported"),
        ({"ladder": {**LADDER, "selected": 1}}, "bad-type", "ladder.selected"),
        ({"bank": []}, "bad-type", "bank"),
        ({"bank": bank(positions=True)}, "bad-type", "bank.positions"),
        ({"bank": bank(top1=-1)}, "out-of-range", "bank.logits.top1_flips"),
        ({"bank": bank(kl="0")}, "bad-type", "bank.logits.kl_p99"),
        ({"gate": "kimi-logit-v1"}, "bad-type", "gate"),
        ({"gate": {**GATE, "id": 1}}, "bad-type", "gate.id"),
        ({"gate": {**GATE, "kl_p99_max": None}}, "bad-type", "gate.kl_p99_max"),
        ({"native_kernel": None}, "bad-type", "native_kernel"),
        ({"target_gpu_ms": "1"}, "bad-type", "target_gpu_ms"),
    ],
)
def test_a_candidate_of_another_form_is_refused(changes, kind, field, refused):
    """Each slot has its type."""
    request = {"name": "m", "default_encoding": "NVFP4", "candidates": [candidate(**changes)]}
    found, names = refused(promotion_promote, **request)
    assert (found, names["field"]) == (kind, f"candidates[0].{field}")


def test_a_request_of_another_form_is_refused(refused):
    """Name, default and candidates are asked for by type."""
    request: Document = {"name": "m", "default_encoding": "NVFP4", "candidates": []}
    for key in request:
        assert refused(promotion_promote, **{**request, key: None}) == ("missing-field", {"field": key})
        assert refused(promotion_promote, **{**request, key: 1}) == ("bad-type", {"field": key})
