"""Precision maps: roles, and exceptions in their order."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.representation import exception, policy, tensor
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.maps import EXAMPLE
from vindex3_fixtures.representation.tensors import (
    BESIDE,
    EXPERTS,
    LAST_NORM,
    LOGITS,
    TOKENS,
    linear,
)
from vindex3_suites.representation.compiling import (
    DEFAULT,
    KEPT,
    SOURCE_0,
    Map,
    Ruling,
    compile_,
    linears,
    says,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

PUBLISHED: dict[str, Ruling] = {
    "0.self_attn.v_proj.weight": SOURCE_0,
    "1.mlp.down_proj.weight": (None, "exception", 1),
    "0.mlp.down_proj.weight": DEFAULT,
    "0.mlp.gate_proj.weight": (v.Q8_0, "exception", 2),
    "1.mlp.gate_proj.weight": DEFAULT,
}


@clause("PRECISION-FIRST-01")
def test_the_published_map_decides_as_published(ask: Ask) -> None:
    """Each tensor of the published table is decided as it says there."""
    tensors = linears(*PUBLISHED)
    check(
        "PRECISION-FIRST-01",
        compile_(ask, EXAMPLE, tensors),
        says(EXAMPLE, tensors, list(PUBLISHED.values())),
    )


OVERLAPPING: dict[str, tuple[list[Map], dict[str, tuple[int, ...]]]] = {
    "projection_and_depth": (
        [exception("v_proj", encoding=v.Q8_0), exception(layers=(0, 0), encoding=v.Q6_K)],
        {
            "0.self_attn.v_proj.weight": (0, 1),
            "1.self_attn.v_proj.weight": (0,),
            "0.self_attn.k_proj.weight": (1,),
            "1.self_attn.k_proj.weight": (),
        },
    ),
    "ranges": (
        [exception(layers=(0, 2), encoding=v.Q8_0), exception(layers=(2, 4))],
        {
            f"{depth}.mlp.up_proj.weight": hits
            for depth, hits in enumerate([(0,), (0,), (0, 1), (1,), (1,), ()])
        },
    ),
    "narrow_and_wide": (
        [
            exception("up_proj", (0, 1), v.Q8_0),
            exception("up_proj", (1, 9), v.Q4_K),
            exception(layers=(1, 2), encoding=v.Q6_K),
        ],
        {
            "0.mlp.up_proj.weight": (0,),
            "1.mlp.up_proj.weight": (0, 1, 2),
            "2.mlp.up_proj.weight": (1, 2),
            "3.mlp.up_proj.weight": (1,),
            "2.mlp.down_proj.weight": (2,),
            "3.mlp.down_proj.weight": (),
        },
    ),
}
"""Exceptions that overlap, and by tensor those that match it."""


@clause("PRECISION-FIRST-01")
@cases(OVERLAPPING)
def test_the_first_match_decides_in_every_order(
    ask: Ask, case: tuple[list[Map], dict[str, tuple[int, ...]]]
) -> None:
    """In every order of the exceptions the first that matches decides: neither the last nor the narrowest."""
    exceptions, matched = case
    tensors = linears(*matched)
    for order in permutations(range(len(exceptions))):
        mixed = policy(*(exceptions[at] for at in order))
        expected: list[Ruling] = []
        for hits in matched.values():
            first = min((order.index(at) for at in hits), default=None)
            found = (
                DEFAULT if first is None else (exceptions[order[first]].get("encoding"), "exception", first)
            )
            expected.append(found)
        check("PRECISION-FIRST-01", compile_(ask, mixed, tensors), says(mixed, tensors, expected))


@clause("PRECISION-KEEP-01")
@cases(
    by_projection=exception("up_proj"),
    by_depth=exception(layers=(0, 0)),
    by_both=exception("up_proj", (0, 3)),
)
def test_an_exception_without_an_encoding_keeps(ask: Ask, case: Map) -> None:
    """Its tensors stay at the precision of the source; with an encoding, even the default, they do not."""
    tensors = linears("0.mlp.up_proj.weight", "7.mlp.down_proj.weight")
    for encoding in (None, v.NVFP4, v.Q8_0):
        rule = case if encoding is None else {**case, "encoding": encoding}
        mixed = policy(rule)
        expected: list[Ruling] = [(encoding, "exception", 0), DEFAULT]
        check("PRECISION-KEEP-01", compile_(ask, mixed, tensors), says(mixed, tensors, expected))


OF_EACH_ROLE = [
    linear("0.mlp.up_proj.weight"),
    tensor(v.EXPERT, "0.w1", thing=EXPERTS),
    tensor(v.EMBEDDING, "weight", thing=TOKENS),
    tensor(v.HEAD, "weight", thing=LOGITS),
    tensor(v.NORM, "weight", thing=LAST_NORM),
    tensor(v.ROUTER, "0.mlp.router.weight"),
    tensor(v.VECTOR, "0.mlp.up_proj.bias", (256, 256)),
    *BESIDE[:1],
    tensor(v.UNKNOWN, "0.w"),
]


@clause("PRECISION-ROLE-01")
def test_an_exception_does_not_reach_beyond_the_roles(ask: Ask) -> None:
    """What is not eligible stays as it is, also where an exception with an encoding names it."""
    kept = [
        tensor(v.NORM, "0.v_proj.norm_v_proj.v_proj.weight"),
        tensor(v.VECTOR, "0.self_attn.v_proj.bias", (256, 256)),
        tensor(v.EMBEDDING, "0.v_proj.weight", thing=TOKENS),
        tensor(v.ROUTER, "0.router.v_proj.weight"),
        *BESIDE,
    ]
    tensors = [*kept, *linears("0.self_attn.v_proj.weight", "0.self_attn.q_proj.weight")]
    for rule in (exception("v_proj", encoding=v.Q8_0), exception("v_proj", (0, 0), v.NVFP4)):
        mixed = policy(rule)
        expected = says(mixed, tensors, [*[KEPT] * len(kept), (rule["encoding"], "exception", 0), DEFAULT])
        check("PRECISION-ROLE-01", compile_(ask, mixed, tensors), expected)


@clause("PRECISION-ROLE-02")
@cases({role: role for role in v.ROLES})
def test_each_role_is_compiled_where_it_stands(ask: Ask, case: str) -> None:
    """A role compiles its own tensors: alone, added to others, or beside words without sense."""
    for roles in ([case], ["no role at all", case], [case, "", case.upper()], [case, case]):
        chosen = policy(roles=roles)
        expected = [DEFAULT if one.role == case else KEPT for one in OF_EACH_ROLE]
        check("PRECISION-ROLE-02", compile_(ask, chosen, OF_EACH_ROLE), says(chosen, OF_EACH_ROLE, expected))
    wider = policy(roles=[*v.COMPILED_ROLES, case])
    expected = [DEFAULT if one.role in wider["roles"] else KEPT for one in OF_EACH_ROLE]
    check("PRECISION-ROLE-02", compile_(ask, wider, OF_EACH_ROLE), says(wider, OF_EACH_ROLE, expected))
