"""The rules of eligibility in every combination, and roles before shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph.vocabulary import DRAFTER, PERCEPTION, PRIMARY
from vindex3_fixtures.representation import Placed, exception, policy, tensor
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.tensors import EXPERTS, linear
from vindex3_suites.representation.compiling import DEFAULT, KEPT, Ruling, compile_, says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_vindex3.plugin.ask import Ask

USUAL = policy()
RULES = (
    v.VECTOR,
    v.AUXILIARY,
    v.EMBEDDING,
    v.HEAD,
    v.NORM,
    v.NORM,
    v.ROUTER,
    v.VECTOR,
    v.EXPERT,
    v.LINEAR,
    v.UNKNOWN,
)
"""The role that each rule gives, in their order; the last one holds always."""
SPELT = (
    ("embedding", "output_head", "final_norm", "q_norm", "router", "expert", "x_proj"),
    ("embed_tokens", "lm_head", "final_norm", "layernorm_1", "gate.weight", "my_experts", "mlp.x"),
)
SHAPES = ((256,), (2, 256, 256), (), (1, 1, 1, 16))
"""Shapes of other than two dimensions; of experts the first alone, since stacked ones are nobody's matter."""


def _meeting(met: Sequence[bool], number: int) -> Placed:
    """A tensor that meets these of the ten rules, in one of two spellings."""
    shape, component, embedding, head, last_norm, norm, router, bias, expert, projection = met
    words = dict(zip("ehnNrxp", SPELT[number % 2], strict=True))
    owners = [
        words[one] for one, there in zip("ehnx", (embedding, head, last_norm, expert), strict=True) if there
    ]
    parts = [words[one] for one, there in zip("Nrp", (norm, router, projection), strict=True) if there]
    return tensor(
        RULES[[*met, True].index(True)],
        ".".join([str(number), *parts, "bias" if bias else "weight"]),
        SHAPES[0 if expert else number % len(SHAPES)] if shape else (256, 256),
        f"{'-'.join(['m', *owners])}.decoder_stack",
        component_role=(PERCEPTION, DRAFTER)[number % 2] if component else PRIMARY,
    )


@clause("ELIGIBLE-ORDER-01")
@cases(first_spellings=0, second_spellings=1)
def test_the_first_rule_decides(ask: Ask, case: int) -> None:
    """Of every combination of the ten rules, met by one tensor each, the first one gives the role."""
    tensors = [
        _meeting([bool(number >> bit & 1) for bit in range(10)], 2 * number + case)
        for number in range(1 << 10)
    ]
    expected = [DEFAULT if one.role in v.COMPILED_ROLES else KEPT for one in tensors]
    check("ELIGIBLE-ORDER-01", compile_(ask, USUAL, tensors), says(USUAL, tensors, expected))


UNFIT = {
    v.NVFP4: ((1, 8), (16, 15), (16, 17), (512, 24)),
    v.Q8_0: ((1, 16), (32, 31), (32, 33), (512, 48)),
    v.Q6_K: ((1, 128), (256, 255), (256, 257), (512, 384)),
    v.Q4_K: ((1, 128), (256, 255), (256, 257), (512, 384)),
}
FITTING = (256, 256)


@clause("ELIGIBLE-SHAPE-01")
@cases({encoding: encoding for encoding in v.ENCODINGS})
def test_a_role_does_not_depend_on_the_shape(ask: Ask, case: str) -> None:
    """What cannot hold the encoding keeps its role, counts as eligible, and is carried for its shape."""
    usual = policy(encoding=case)
    shape: Ruling = (None, "shape", None)
    fitting: Ruling = (case, "default", None)
    for unfit in UNFIT[case]:
        tensors = [
            linear("0.mlp.up_proj.weight", *FITTING),
            linear("1.mlp.up_proj.weight", *unfit),
            tensor(v.EXPERT, "0.w1", unfit, EXPERTS),
            tensor(v.NORM, "0.norm", unfit),
            tensor(v.UNKNOWN, "0.w", unfit),
        ]
        expected = says(usual, tensors, [fitting, shape, shape, KEPT, KEPT])
        check("ELIGIBLE-SHAPE-01", compile_(ask, usual, tensors), expected)


@clause("ELIGIBLE-SHAPE-01")
def test_an_exception_that_does_not_fit_is_told(ask: Ask) -> None:
    """Where an exception decides and the shape does not fit, the reason is shape and the exception stays."""
    mixed = policy(
        exception("v_proj"), exception("up_proj", encoding=v.Q6_K), exception("down_proj", encoding=v.Q8_0)
    )
    tensors = [
        linear("0.mlp.up_proj.weight", 4, 256),
        linear("1.mlp.up_proj.weight", 4, 128),
        linear("0.mlp.down_proj.weight", 4, 32),
        linear("1.mlp.down_proj.weight", 4, 16),
        linear("0.self_attn.v_proj.weight", 3, 5),
        linear("0.self_attn.k_proj.weight", 3, 5),
    ]
    expected: list[Ruling] = [
        (v.Q6_K, "exception", 1),
        (None, "shape", 1),
        (v.Q8_0, "exception", 2),
        (None, "shape", 2),
        (None, "exception", 0),
        (None, "shape", None),
    ]
    check("ELIGIBLE-SHAPE-01", compile_(ask, mixed, tensors), says(mixed, tensors, expected))
