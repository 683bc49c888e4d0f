"""precision.compile: the decisions of the example, selectors, and what a map is refused for."""

from __future__ import annotations

import time
from typing import Any

import pytest

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.verbs import precision_compile

Document = dict[str, Any]

EXAMPLE: Document = {
    "name": "example-mixed",
    "encoding": "NVFP4",
    "roles": ["decoder-linear", "expert-weight"],
    "exceptions": [
        {"projection": "v_proj"},
        {"projection": "down_proj", "layers": [1, 1]},
        {"projection": "gate_proj", "layers": [0, 0], "encoding": "Q8_0"},
    ],
}
ALIVE = ["0.self_attn.v_proj.weight", "1.mlp.down_proj.weight", "0.mlp.gate_proj.weight"]
"""Names that leave no exception of the example dead."""


def tensor(name: str, thing: str = "target.decoder_stack", **changes: Any) -> Document:
    """A projection of 64 by 256 in BF16, or something else."""
    matrix = {"kind": thing.partition(".")[2], "component_role": "primary_text", "shape": [64, 256]}
    return {"object": thing, "name": name, "dtype": "BF16", **matrix, **changes}


def policy(*exceptions: Document, **changes: Any) -> Document:
    """A map to NVFP4 of decoder-linear, with these exceptions."""
    return {
        "name": "n", "encoding": "NVFP4", "roles": ["decoder-linear"], "exceptions": [*exceptions], **changes
    }  # fmt: skip


def decided(of: Document, *tensors: Document) -> list[tuple[str | None, str, int | None]]:
    """Encoding, reason and exception of each tensor."""
    answer: Any = precision_compile(map=of, tensors=list(tensors))
    return [(each["encoding"], each["reason"], each["exception"]) for each in answer["decisions"]]


def dead(of: Document, *tensors: Document) -> list[tuple[int, str]]:
    """Index and reason of each dead rule, which are also those of the refusal."""
    with pytest.raises(Refusal) as caught:
        precision_compile(map=of, tensors=list(tensors))
    names: Any = caught.value.names
    listed = [each["names"] for each in names.get("defects", [{"names": names}])]
    assert caught.value.kind == "dead-rule"
    assert (names["index"], names["reason"]) == (listed[0]["index"], listed[0]["reason"])
    return [(each["index"], each["reason"]) for each in listed]


def test_the_example_decides_as_the_law_shows():
    """The first match decides, then the default; the answer has every key and counts."""
    tensors = [tensor(name) for name in (*ALIVE, "0.mlp.down_proj.weight", "1.mlp.gate_proj.weight")]
    norm = tensor("0.input_layernorm.weight", shape=[256])
    head = tensor("weight", "target.output_head", dtype="odd")
    answer: Any = precision_compile(map=EXAMPLE, tensors=[*tensors, norm, head])
    linear = {"object": "target.decoder_stack", "role": "decoder-linear", "eligible": True}
    kept = {"encoding": None, "bytes": 32768}
    q8_0 = {"encoding": "Q8_0", "reason": "exception", "exception": 2, "bytes": 17408}
    nvfp4 = {"encoding": "NVFP4", "reason": "default", "exception": None, "bytes": 9220}
    assert answer == {
        "decisions": [
            {**linear, **kept, "name": ALIVE[0], "reason": "exception", "exception": 0},
            {**linear, **kept, "name": ALIVE[1], "reason": "exception", "exception": 1},
            {**linear, "name": ALIVE[2], **q8_0},
            {**linear, **nvfp4, "name": "0.mlp.down_proj.weight"},
            {**linear, **nvfp4, "name": "1.mlp.gate_proj.weight"},
            {
                "object": "target.decoder_stack", "name": "0.input_layernorm.weight", "role": "small-vector",
                "eligible": False, "encoding": None, "reason": "role", "exception": None, "bytes": 512,
            },
            {
                "object": "target.output_head", "name": "weight", "role": "output-head",
                "eligible": False, "encoding": None, "reason": "role", "exception": None, "bytes": None,
            },
        ],
        "untouched": ["target.output_head"],
        "compiled": 3,
        "carried": 4,
    }  # fmt: skip


def test_swapping_two_exceptions_swaps_the_result():
    """Where two match, the first in declared order decides, whichever is narrower."""
    wide, narrow = {"projection": "q_proj", "encoding": "Q8_0"}, {"layers": [0, 0], "encoding": "Q4_K"}
    tensors = [tensor(f"{name}.weight") for name in ("0.a.q_proj", "1.a.q_proj", "0.a.k_proj", "1.a.k_proj")]
    default = ("NVFP4", "default", None)
    assert decided(policy(wide, narrow), *tensors) == [
        ("Q8_0", "exception", 0), ("Q8_0", "exception", 0), ("Q4_K", "exception", 1), default,
    ]  # fmt: skip
    assert decided(policy(narrow, wide), *tensors) == [
        ("Q4_K", "exception", 0), ("Q8_0", "exception", 1), ("Q4_K", "exception", 0), default,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "selectors", "matches"),
    [
        ("1.mlp.down_proj.weight", {"projection": "down_proj"}, True),
        ("1.mlp.xdown_proj.weight", {"projection": "down_proj"}, False),
        ("1.mlp.down_projx.weight", {"projection": "down_proj"}, False),
        ("1.mlp.down_proj.a.weight", {"projection": "down_proj"}, False),
        ("1.mlp.Down_proj.weight", {"projection": "down_proj"}, False),
        ("1.mlp.down_proj.weight", {"projection": "weight"}, False),
        ("down_proj.weight_proj", {"projection": "down_proj"}, True),
        ("mlp_proj", {"projection": ""}, False),
        ("3.mlp.w1", {"layers": [3, 5]}, True),
        ("5.mlp.w1", {"layers": [3, 5]}, True),
        ("2.mlp.w1", {"layers": [3, 5]}, False),
        ("6.mlp.w1", {"layers": [3, 5]}, False),
        ("10.mlp.w1", {"layers": [1, 1]}, False),
        ("mlp.w1", {"layers": [0, 2**64 - 1]}, False),
        ("x1.mlp.w1", {"layers": [0, 2**64 - 1]}, False),
        ("-1.mlp.w1", {"layers": [0, 2**64 - 1]}, False),
        ("\u0661.mlp.w1", {"layers": [0, 2**64 - 1]}, False),
        ("18446744073709551615.mlp.w1", {"layers": [0, 2**64 - 1]}, True),
        ("18446744073709551616.mlp.w1", {"layers": [0, 2**64 - 1]}, False),
        ("9" * 5000 + ".mlp.w1", {"layers": [0, 2**64 - 1]}, False),
        ("9" * 5000 + ".mlp.w1", {"projection": "mlp"}, True),
        ("0.a.q_proj.weight", {"projection": "q_proj", "layers": [0, 0]}, True),
        ("1.a.q_proj.weight", {"projection": "q_proj", "layers": [0, 0]}, False),
        ("0.a.k_proj.weight", {"projection": "q_proj", "layers": [0, 0]}, False),
        ("0.a.q_proj.weight", {"projection": None, "layers": None}, True),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_selector_sees_the_parts_of_a_name(name, selectors, matches):
    """The second-to-last part is the projection, the first the depth; of two selectors both must match."""
    alive = [tensor("4.mlp.down_proj.weight"), tensor("0.mlp.q_proj.weight"), tensor("1.mlp.x.weight")]
    if selectors.get("projection") in {"", "weight"}:
        alive.append(tensor(f"0.mlp.{selectors['projection']}.w"))
    found = decided(policy({**selectors, "encoding": "Q8_0"}), tensor(name), *alive)[0]
    assert found == (("Q8_0", "exception", 0) if matches else ("NVFP4", "default", None))


def test_a_role_that_is_not_compiled_is_not_excepted_either():
    """An exception that lives by other tensors gives nothing to one whose role is not in roles."""
    exception = {"projection": "mlp", "encoding": "Q8_0"}
    tensors = [tensor("0.mlp.gate.weight"), tensor("0.mlp.w1")]
    router = tensor("0.mlp.router")
    assert decided(policy(exception), router, *tensors) == [
        (None, "role", None), (None, "role", None), ("Q8_0", "exception", 0),
    ]  # fmt: skip
    more = policy(exception, roles=["no such role", "decoder-linear", "router"])
    assert decided(more, router, *tensors) == [
        ("Q8_0", "exception", 0), ("NVFP4", "default", None), ("Q8_0", "exception", 0),
    ]  # fmt: skip


def test_a_shape_that_does_not_fit_is_carried_and_stays_eligible():
    """The reason is shape, under the default and under an exception, whose position is kept."""
    tensors = [tensor("0.mlp.w1", shape=[64, 24]), tensor("1.mlp.w1", shape=[64, 48])]
    exception = {"layers": [1, 1], "encoding": "Q8_0"}
    answer: Any = precision_compile(map=policy(exception), tensors=[*tensors, tensor("2.mlp.w1")])
    found = [(each["eligible"], each["reason"], each["exception"]) for each in answer["decisions"]]
    assert found == [(True, "shape", None), (True, "shape", 1 - 1), (True, "default", None)]
    assert (answer["compiled"], answer["carried"]) == (1, 2)


def test_a_role_that_a_plan_has_bound_is_used():
    """It decides in place of the role that names and shape would give."""
    tensors = [tensor("0.mlp.w1", role="router"), tensor("weight", role="decoder-linear")]
    assert decided(policy(), *tensors) == [(None, "role", None), ("NVFP4", "default", None)]
    tensors = [tensor("0.mlp.w1", role=None), tensor("weight", role=None)]
    assert decided(policy(), *tensors) == [("NVFP4", "default", None), (None, "role", None)]


@pytest.mark.parametrize("word", ["nvfp4", "Q8_0 ", "q4_K", "MXFP9", ""])
def test_an_unknown_encoding_is_refused(word, refused):
    """As the default, and in an exception, before anything is matched."""
    facts = {"encoding": word, "known": ["NVFP4", "Q4_K", "Q6_K", "Q8_0"]}
    for of in (policy(encoding=word), policy({}, {"encoding": word})):
        assert refused(precision_compile, map=of, tensors=[]) == ("unknown-encoding", facts)


def test_a_map_that_compiles_no_role_of_the_input_is_refused(refused):
    """An empty input has none; a role that is there suffices, whatever its shape."""
    for tensors in ([], [tensor("0.mlp.gate.weight")], [tensor("0.mlp.w1", component_role="drafter")]):
        assert refused(precision_compile, map=policy(), tensors=tensors) == ("nothing-eligible", {})
    assert decided(policy(), tensor("0.mlp.w1", shape=[1, 1])) == [(None, "shape", None)]


def test_rules_that_can_never_decide_are_all_listed():
    """Unmatched, shadowed by one or by several earlier ones, and a catch-all that is not the last."""
    names = ("0.a.q_proj.weight", "1.a.q_proj.weight", "0.a.k_proj.weight")
    tensors = [tensor(name) for name in (*names, "9.mlp.gate.weight")]
    q, k, first, second = (
        {"projection": "q_proj"},
        {"projection": "k_proj"},
        {"layers": [0, 0]},
        {"layers": [1, 1]},
    )
    assert dead(policy({"projection": "v_proj"}), *tensors) == [(0, "unmatched")]
    assert dead(policy({"layers": [9, 9]}), *tensors) == [(0, "unmatched")]
    assert dead(policy({"layers": [1, 0]}), *tensors) == [(0, "unmatched")]
    assert dead(policy(q, {**q, "layers": [0, 0]}), *tensors) == [(1, "shadowed")]
    assert dead(policy(first, second, q), *tensors) == [(2, "shadowed")]
    assert dead(policy(q, k, {}), *tensors) == [(2, "shadowed")]
    assert dead(policy({}, q), *tensors) == [(0, "catch-all-not-last"), (1, "shadowed")]
    assert dead(policy({"projection": "x"}, first, k, {"layers": [5, 5]}), *tensors) == [
        (0, "unmatched"), (2, "shadowed"), (3, "unmatched"),
    ]  # fmt: skip
    for alive in ([first, q, {}], [q, first], [{**q, "layers": [0, 0]}, q, {}], [{}]):
        assert len(decided(policy(*alive), *tensors, tensor("1.a.k_proj.weight"))) == 5


def test_shapes_do_not_keep_a_rule_alive_or_kill_it():
    """Only roles and selectors count."""
    tensors = [tensor("0.mlp.w1", shape=[3, 5]), tensor("1.mlp.w1")]
    assert decided(policy({"layers": [0, 0], "encoding": "Q8_0"}), *tensors)[0] == (None, "shape", 0)


def naive(exceptions: list[Document], name: str) -> int | None:
    """The first exception that matches, asked one by one."""
    parts = name.split(".")
    for index, each in enumerate(exceptions):
        lowest, highest = each.get("layers", (0, 99))
        if each.get("projection", parts[-2]) == parts[-2] and lowest <= int(parts[0]) <= highest:
            return index
    return None


def test_the_first_match_is_found_among_many():
    """Over a thousand maps drawn by a small generator, the same exception decides as one by one."""
    state = 1
    for _ in range(1000):
        drawn = []
        for _ in range(12):
            state = state * 6364136223846793005 + 1442695040888963407 & 2**64 - 1
            drawn.append(state >> 33)
        exceptions: list[Document] = []
        for low, high, which in zip(drawn[:4], drawn[4:8], drawn[8:], strict=True):
            projection = {"projection": f"{'qk'[which % 2]}_proj"} if which % 3 else {}
            exceptions.append({**projection, "layers": [low % 5, high % 5], "encoding": "Q8_0"})
        names = [f"{layer}.a.{one}_proj.weight" for layer in range(5) for one in "qkv"]
        deciding = [naive(exceptions, name) for name in names]
        alive = [index for index in range(4) if index in deciding]
        kept = [exceptions[index] for index in alive]
        if len(kept) < 4:
            assert [at for at, _ in dead(policy(*exceptions), *map(tensor, names))] == [
                index for index in range(4) if index not in alive
            ]
        found = [exception for _, _, exception in decided(policy(*kept), *map(tensor, names))]
        assert found == [None if index is None else alive.index(index) for index in deciding]


@pytest.mark.parametrize(
    ("changes", "kind", "field"),
    [
        ({"name": None}, "bad-type", "name"),
        ({"encoding": 4}, "bad-type", "encoding"),
        ({"roles": "decoder-linear"}, "bad-type", "roles"),
        ({"roles": ["a", 1]}, "bad-type", "roles[1]"),
        ({"exceptions": {}}, "bad-type", "exceptions"),
        ({"exceptions": [{}, []]}, "bad-type", "exceptions[1]"),
        ({"exceptions": [{"projection": 1}]}, "bad-type", "exceptions[0].projection"),
        ({"exceptions": [{"encoding": True}]}, "bad-type", "exceptions[0].encoding"),
        ({"exceptions": [{"layers": 1}]}, "bad-type", "exceptions[0].layers"),
        ({"exceptions": [{"layers": [1]}]}, "bad-type", "exceptions[0].layers"),
        ({"exceptions": [{"layers": [0, 1, 2]}]}, "bad-type", "exceptions[0].layers"),
        ({"exceptions": [{"layers": [0, "1"]}]}, "bad-type", "exceptions[0].layers[1]"),
        ({"exceptions": [{"layers": [0, 1.0]}]}, "bad-type", "exceptions[0].layers[1]"),
        ({"exceptions": [{"layers": [False, 1]}]}, "bad-type", "exceptions[0].layers[0]"),
        ({"exceptions": [{"layers": [-1, 1]}]}, "bad-type", "exceptions[0].layers[0]"),
    ],
)
def test_a_map_of_another_form_is_refused(changes, kind, field, refused):
    """Each slot has its type, elements included."""
    tensors = [tensor("0.mlp.w1"), tensor("1.mlp.w1")]
    assert refused(precision_compile, map=policy(**changes), tensors=tensors) == (kind, {"field": field})


@pytest.mark.parametrize("key", ["name", "encoding", "roles"])
def test_a_map_without_a_required_key_is_refused(key, refused):
    """Exceptions alone are optional."""
    of = policy()
    del of["exceptions"]
    assert decided(of, tensor("0.mlp.w1"))
    del of[key]
    assert refused(precision_compile, map=of, tensors=[tensor("0.mlp.w1")]) == (
        "missing-field",
        {"field": key},
    )


@pytest.mark.parametrize(
    ("changes", "kind", "field"),
    [
        ({"object": 1}, "bad-type", "object"),
        ({"kind": None}, "bad-type", "kind"),
        ({"component_role": []}, "bad-type", "component_role"),
        ({"name": b"x"}, "bad-type", "name"),
        ({"dtype": 2}, "bad-type", "dtype"),
        ({"shape": 4}, "bad-type", "shape"),
        ({"shape": [2, 2.0]}, "bad-type", "shape[1]"),
        ({"shape": [2, -1]}, "out-of-range", "shape[1]"),
        ({"shape": [2**64, 2]}, "out-of-range", "shape[0]"),
        ({"shape": [2**64 - 1] * 3}, "out-of-range", "shape"),
        ({"shape": [2**32] * 100_000}, "out-of-range", "shape"),
        ({"role": 1}, "bad-type", "role"),
    ],
)  # fmt: skip
def test_a_tensor_of_another_form_is_refused(changes, kind, field, refused):
    """The tensor is named by its position."""
    tensors = [tensor("0.mlp.w1"), {**tensor("1.mlp.w1"), **changes}]
    found, names = refused(precision_compile, map=policy(), tensors=tensors)
    assert (found, names["field"]) == (kind, f"tensors[1].{field}")


def test_a_large_matrix_has_an_exact_size():
    """Bytes are counted beyond 64 bits."""
    answer: Any = precision_compile(map=policy(), tensors=[tensor("0.mlp.w1", shape=[2**63, 2**62])])
    assert answer["decisions"][0]["bytes"] == 2**121 * 9 + 4


def test_many_exceptions_over_many_tensors_take_no_longer_than_both():
    """20,000 exceptions of one layer each over 20,000 layers: not 400,000,000 comparisons."""
    exceptions = [{"layers": [layer, layer]} for layer in range(20_000)]
    tensors = [tensor(f"{layer}.mlp.w1") for layer in range(20_001)]
    begin = time.process_time()
    answer: Any = precision_compile(map=policy(*exceptions), tensors=tensors)
    assert time.process_time() - begin < 10
    assert answer["compiled"] == 1
