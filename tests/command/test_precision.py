"""`vindex3 precision`: bits per weight, roles, rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import tiny

POLICY = {
    "name": "mixed",
    "encoding": "Q8_0",
    "roles": ["decoder-linear"],
    "exceptions": [{"projection": "v_proj"}, {"projection": "o_proj", "layers": [0, 0], "encoding": "NVFP4"}],
}
STACK = Segment(
    "target.decoder_stack@BF16",
    (
        Tensor("0.input_layernorm.weight", shape=(32,)),
        Tensor("0.self_attn.k_proj.weight", shape=(4, 32)),
        Tensor("0.self_attn.o_proj.weight", shape=(4, 32)),
        Tensor("0.self_attn.q_proj.weight", shape=(2, 24)),
        Tensor("0.self_attn.v_proj.weight", shape=(4, 32)),
    ),
)


@pytest.fixture
def asked(tmp_path: Path, run: Callable[..., Any]) -> Callable[..., Any]:
    """The command over a small container whose stack meets every rule of a map once."""

    def ask(policy: object, *options: str) -> Any:
        tiny().with_segment(STACK).folder.write_to(tmp_path / "model")
        (tmp_path / "map.json").write_text(json.dumps(policy), "utf-8")
        return run("precision", tmp_path / "map.json", tmp_path / "model", *options)

    return ask


def test_bits_roles_and_rules_are_counted(asked: Callable[..., Any]) -> None:
    """The figures are those of the formats' sizes, and every rule is told with how many it decided.

    Q8_0 has 34 bytes for 32 values and NVFP4 9 for 16 and 4 besides: 136 and 76 bytes for 128 values, which
    were 256 each.
    """
    done = asked(POLICY)
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert (done.code, lines[0]) == (0, "map.json: 2 tensors of 8 compiled")
    assert "compiled 6.625 bits a weight, 212 bytes instead of 512" in lines
    assert "decoder-linear 4 1 NVFP4, 1 Q8_0, 2 source precision 864 564 10.444" in lines
    told = lines[lines.index("which rule decided") + 2 :]
    assert told == [
        "exception 0: v_proj -> source precision 1",
        "exception 1: o_proj, layers 0 to 0 -> NVFP4 1",
        "default: Q8_0 1",
        "the role is not compiled 4",
        "the shape does not fit 1",
    ]


def test_tensors_are_listed_on_request(asked: Callable[..., Any]) -> None:
    """--tensors has a line for each, with the rule that decided."""
    lines = [" ".join(line.split()) for line in asked(POLICY, "--tensors").out.splitlines()]
    place = "target.decoder_stack 0.self_attn"
    assert f"{place}.q_proj.weight decoder-linear source precision the shape does not fit" in lines
    assert f"{place}.k_proj.weight decoder-linear Q8_0 default: Q8_0" in lines


def test_json_is_the_answer_of_precision_compile(asked: Callable[..., Any]) -> None:
    """--json prints decisions in the order of the container's tensors."""
    answer = json.loads(asked(POLICY, "--json").out)
    assert (answer["compiled"], answer["carried"]) == (2, 6)
    assert [one["encoding"] for one in answer["decisions"][:5]] == [None, "Q8_0", "NVFP4", None, None]


def test_a_dead_rule_is_refused(asked: Callable[..., Any]) -> None:
    """A map with a rule that decides nothing exits 3, with the rule's position and why it is dead."""
    done = asked({**POLICY, "exceptions": [{"projection": "nowhere"}]})
    assert done.code == 3
    assert "refused as dead-rule" in done.out
    assert "unmatched" in done.out


def test_a_map_that_is_no_map_is_refused(asked: Callable[..., Any]) -> None:
    """A missing key is told by its name, also as JSON."""
    done = asked({"name": "x"}, "--json")
    assert (done.code, json.loads(done.out)["refused"]["kind"]) == (3, "missing-field")
