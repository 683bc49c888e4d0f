"""Precision maps: roles, exceptions in their order, selectors, and the bytes that follow."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.representation import Placed, exception, policy, tensor
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.maps import EXAMPLE
from vindex3_fixtures.representation.tensors import (
    AROUND,
    BESIDE,
    EXPERT_BANK,
    EXPERTS,
    LARGE,
    LAST_NORM,
    LOGITS,
    SMALL,
    TOKENS,
    linear,
)
from vindex3_suites.representation.compiling import KEPT, Ruling, compile_, rulings, says

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

Map = dict[str, Any]

DEFAULT: Ruling = (v.NVFP4, "default", None)
SOURCE_0: Ruling = (None, "exception", 0)

PUBLISHED: dict[str, Ruling] = {
    "0.self_attn.v_proj.weight": SOURCE_0,
    "1.mlp.down_proj.weight": (None, "exception", 1),
    "0.mlp.down_proj.weight": DEFAULT,
    "0.mlp.gate_proj.weight": (v.Q8_0, "exception", 2),
    "1.mlp.gate_proj.weight": DEFAULT,
}


def _named(*names: str) -> list[Placed]:
    return [linear(name) for name in names]


@clause("PRECISION-FIRST-01")
def test_the_published_map_decides_as_published(ask: Ask) -> None:
    """Each tensor of the published table is decided as it says there."""
    tensors = _named(*PUBLISHED)
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
    tensors = _named(*matched)
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
    tensors = _named("0.mlp.up_proj.weight", "7.mlp.down_proj.weight")
    for encoding in (None, v.NVFP4, v.Q8_0):
        rule = case if encoding is None else {**case, "encoding": encoding}
        mixed = policy(rule)
        expected: list[Ruling] = [(encoding, "exception", 0), DEFAULT]
        check("PRECISION-KEEP-01", compile_(ask, mixed, tensors), says(mixed, tensors, expected))


NEAR_PROJECTIONS = {
    "longer_before": "1.mlp.xdown_proj.weight",
    "longer_behind": "1.mlp.down_projx.weight",
    "shorter": "1.mlp.down_pro.weight",
    "capitals": "1.mlp.Down_proj.weight",
    "last_part": "1.mlp.down_proj",
    "third_to_last": "1.mlp.down_proj.x.weight",
    "first_part": "down_proj.mlp.up_proj.weight",
    "only_part": "down_proj",
    "in_a_part": "1.mlp.a-down_proj-b_proj.weight",
    "space": "1.mlp.down_proj .weight",
    "empty_part": "1.mlp.down_proj..weight",
    "other_projection": "1.mlp.up_proj.weight",
}
MATCHING = (
    "1.mlp.down_proj.weight",
    "down_proj.weight",
    "1.x_proj.mlp.down_proj.anything",
    "mlp.down_proj.",
    "1.mlp.experts.3.down_proj.weight",
)


@clause("PRECISION-MATCH-01")
@cases(NEAR_PROJECTIONS)
def test_a_projection_is_the_second_to_last_part(ask: Ask, case: str) -> None:
    """That part alone is compared, whole and in exact case."""
    mixed = policy(exception("down_proj"))
    tensors = _named(*MATCHING, case)
    expected = says(mixed, tensors, [*[SOURCE_0] * len(MATCHING), DEFAULT])
    check("PRECISION-MATCH-01", compile_(ask, mixed, tensors), expected)


@clause("PRECISION-MATCH-01")
def test_a_projection_is_any_text(ask: Ask) -> None:
    """Words that are no projection, numbers and empty parts are compared alike."""
    for word, name in (
        ("dense", "0.mlp.dense.weight"),
        ("3", "0.mlp.3.w"),
        ("", "0.mlp..w"),
        ("mlp", "0.mlp.w"),
    ):
        mixed = policy(exception(word))
        tensors = _named(name, "0.mlp.other.weight")
        expected = says(mixed, tensors, [SOURCE_0, DEFAULT])
        check("PRECISION-MATCH-01", compile_(ask, mixed, tensors), expected)


RANGES = {
    "one_layer": (3, 3),
    "two_layers": (3, 4),
    "from_the_first": (0, 5),
    "the_first": (0, 0),
    "to_beyond": (5, 1_000_000),
    "two_digits": (9, 11),
    "one_hundred": (10, 100),
}
DEPTHS = (*range(13), 30, 99, 100, 101, 110)


@clause("PRECISION-MATCH-02")
@cases(RANGES)
def test_a_range_includes_both_ends(ask: Ask, case: tuple[int, int]) -> None:
    """Depths from the first to the last layer match, as numbers and not as texts."""
    mixed = policy(exception(layers=case))
    tensors = _named(*(f"{depth}.mlp.up_proj.weight" for depth in DEPTHS))
    low, high = case
    expected = [SOURCE_0 if low <= depth <= high else DEFAULT for depth in DEPTHS]
    check("PRECISION-MATCH-02", compile_(ask, mixed, tensors), says(mixed, tensors, expected))


DEPTHLESS = (
    "mlp.up_proj.weight",
    "model.0.mlp.up_proj.weight",
    "layer0.mlp.up_proj.weight",
    "0x.mlp.up_proj.weight",
    "0a1.mlp.up_proj.weight",
    ".0.mlp.up_proj.weight",
    "q_proj",
)


@clause("PRECISION-MATCH-02")
def test_a_name_without_a_depth_is_in_no_range(ask: Ask) -> None:
    """A first part that is no integer has no depth, also where a later part is one."""
    mixed = policy(exception(layers=(0, 1_000_000)))
    tensors = _named("0.mlp.up_proj.weight", *DEPTHLESS)
    expected = says(mixed, tensors, [SOURCE_0, *[DEFAULT] * len(DEPTHLESS)])
    check("PRECISION-MATCH-02", compile_(ask, mixed, tensors), expected)


GRID = [f"{depth}.mlp.{name}.weight" for depth in range(4) for name in ("up_proj", "down_proj", "gate_proj")]


@clause("PRECISION-MATCH-03")
@cases(
    both=(exception("up_proj", (1, 2)), ("1.mlp.up_proj.weight", "2.mlp.up_proj.weight")),
    projection_alone=(exception("up_proj"), tuple(f"{depth}.mlp.up_proj.weight" for depth in range(4))),
    layers_alone=(exception(layers=(3, 3)), tuple(GRID[9:])),
    none=(exception(), tuple(GRID)),
)
def test_all_selectors_have_to_match(ask: Ask, case: tuple[Map, tuple[str, ...]]) -> None:
    """With both selectors an exception is about what meets both; one that is absent is met by everything."""
    rule, matched = case
    mixed = policy({**rule, "encoding": v.Q8_0})
    tensors = _named(*GRID)
    expected: list[Ruling] = [(v.Q8_0, "exception", 0) if one in matched else DEFAULT for one in GRID]
    check("PRECISION-MATCH-03", compile_(ask, mixed, tensors), says(mixed, tensors, expected))


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
    tensors = [*kept, *_named("0.self_attn.v_proj.weight", "0.self_attn.q_proj.weight")]
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


MAPS: dict[str, Map] = {
    "usual": policy(),
    "published": EXAMPLE,
    "q8": policy(exception("down_proj"), encoding=v.Q8_0),
    "deep_and_shallow": policy(
        exception(layers=(0, 3), encoding=v.Q8_0),
        exception("v_proj", (4, 26), v.Q6_K),
        exception("down_proj", (20, 40)),
        exception("gate_proj", (3, 5), v.Q4_K),
        exception("o_proj", (4, 4)),
        exception("v_proj", encoding=v.Q8_0),
    ),
}
STACKS = {
    "of_416_tensors": LARGE,
    "of_280_tensors": SMALL,
    "of_a_whole_model": [*AROUND, *LARGE, *EXPERT_BANK, *BESIDE],
}


@clause("PRECISION-STACK-01")
@cases({f"{name}_{stack}": (MAPS[name], STACKS[stack]) for name in MAPS for stack in STACKS})
def test_a_map_compiles_against_any_stack(ask: Ask, case: tuple[Map, list[Placed]]) -> None:
    """One map decides every tensor of every stack by the same rules, in whatever order they are given."""
    chosen, tensors = case
    for order in (tensors, tensors[::-1]):
        check("PRECISION-STACK-01", compile_(ask, chosen, order), says(chosen, order, rulings(chosen, order)))


COUNTED = {"of_416_tensors": (LARGE, 32 * 7), "of_280_tensors": (SMALL, 28 * 7)}


@clause("PRECISION-STACK-01")
@cases(COUNTED)
def test_seven_projections_a_layer_compile(ask: Ask, case: tuple[list[Placed], int]) -> None:
    """Under the usual map the seven projections of every layer compile and all else is carried."""
    tensors, compiled = case
    expected = [DEFAULT if "_proj.weight" in one.name else KEPT for one in tensors]
    reply = compile_(ask, policy(), tensors)
    check("PRECISION-STACK-01", reply, says(policy(), tensors, expected))
    check("PRECISION-STACK-01", reply, answers(compiled=compiled, carried=len(tensors) - compiled))


BYTES: dict[str, dict[tuple[int, ...], int]] = {
    v.NVFP4: {
        (1, 16): 13,
        (1, 32): 22,
        (3, 16): 31,
        (16, 16): 148,
        (5, 48): 139,
        (2560, 8192): 11_796_484,
        (131_072, 65_536): 4_831_838_212,
    },
    v.Q8_0: {
        (1, 32): 34,
        (1, 64): 68,
        (3, 32): 102,
        (5, 96): 510,
        (2560, 8192): 22_282_240,
        (131_072, 65_536): 9_126_805_504,
    },
    v.Q6_K: {
        (1, 256): 210,
        (1, 512): 420,
        (3, 256): 630,
        (5, 768): 3150,
        (2560, 8192): 17_203_200,
        (131_072, 65_536): 7_046_430_720,
    },
    v.Q4_K: {
        (1, 256): 144,
        (1, 512): 288,
        (3, 256): 432,
        (5, 768): 2160,
        (2560, 8192): 11_796_480,
        (131_072, 65_536): 4_831_838_208,
    },
}
"""Bytes by encoding and shape, reckoned by hand."""


@clause("PRECISION-BYTES-01")
@cases({encoding: encoding for encoding in BYTES})
def test_bytes_follow_from_the_shape(ask: Ask, case: str) -> None:
    """Blocks along the last dimension, and what a whole tensor takes besides."""
    chosen = policy(encoding=case)
    tensors = [linear(f"{at}.mlp.up_proj.weight", *shape) for at, shape in enumerate(BYTES[case])]
    reply = compile_(ask, chosen, tensors)
    check("PRECISION-BYTES-01", reply, says(chosen, tensors, [(case, "default", None)] * len(tensors)))
    check("PRECISION-BYTES-01", reply, answers(decisions=[{"bytes": size} for size in BYTES[case].values()]))


BORDERS = {v.NVFP4: 16, v.Q8_0: 32, v.Q6_K: 256, v.Q4_K: 256}


@clause("PRECISION-BYTES-01")
@cases(BORDERS)
def test_the_last_dimension_is_a_multiple_of_the_block(ask: Ask, case: int) -> None:
    """Rows of whole blocks fit; one value more or less, or a multiple in the other dimension, does not."""
    for encoding in [name for name, block in BORDERS.items() if block == case]:
        chosen = policy(encoding=encoding)
        widths = (case, 2 * case, 3 * case, 40 * case)
        shapes = [(7, width) for width in widths]
        unfit = [(7, width + off) for width in widths for off in (-1, 1, case // 2)]
        unfit += [(case, 7), (case, 1), (2, case // 2), (case * case, case // 2)]
        tensors = [linear(f"{at}.mlp.up_proj.weight", *shape) for at, shape in enumerate([*shapes, *unfit])]
        ruled: list[Ruling] = [
            *[(encoding, "default", None)] * len(shapes),
            *[(None, "shape", None)] * len(unfit),
        ]
        check("PRECISION-BYTES-01", compile_(ask, chosen, tensors), says(chosen, tensors, ruled))


VECTOR_SHAPES = ((256,), (512,), (48,), (3, 8, 256), (2, 2, 2, 256), (8, 256, 3))
VECTOR_BYTES: dict[str, list[int | None]] = {
    v.NVFP4: [None] * 6,
    v.Q8_0: [272, 544, None, 6528, 2176, None],
    v.Q6_K: [210, 420, None, 5040, 1680, None],
    v.Q4_K: [144, 288, None, 3456, 1152, None],
}
"""Bytes of each of these shapes, None where it does not fit."""


@clause("PRECISION-BYTES-01")
@cases(VECTOR_BYTES)
def test_nvfp4_alone_needs_two_dimensions(ask: Ask, case: list[int | None]) -> None:
    """A vector or a tensor of three dimensions whose role is compiled holds every other encoding."""
    encoding = next(name for name, sizes in VECTOR_BYTES.items() if sizes == case)
    chosen = policy(encoding=encoding, roles=[v.VECTOR, v.LINEAR])
    tensors = [tensor(v.VECTOR, f"{at}.mlp.scales", shape) for at, shape in enumerate(VECTOR_SHAPES)]
    fitting: Ruling = (encoding, "default", None)
    ruled = [(None, "shape", None) if size is None else fitting for size in case]
    reply = compile_(ask, chosen, [*tensors, linear("9.mlp.up_proj.weight")])
    answer = says(chosen, [*tensors, linear("9.mlp.up_proj.weight")], [*ruled, fitting])
    check("PRECISION-BYTES-01", reply, answer)
    sizes = [{} if size is None else {"bytes": size} for size in case]
    check("PRECISION-BYTES-01", reply, answers(decisions=[*sizes, {}]))
