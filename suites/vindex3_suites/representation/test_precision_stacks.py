"""Whole stacks under one map, and the bytes that follow from encodings and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.representation import Placed, exception, policy, tensor
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.maps import EXAMPLE
from vindex3_fixtures.representation.tensors import (
    AROUND,
    BESIDE,
    EXPERT_BANK,
    LARGE,
    SMALL,
    linear,
)
from vindex3_suites.representation.compiling import (
    DEFAULT,
    KEPT,
    Map,
    Ruling,
    compile_,
    rulings,
    says,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

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
