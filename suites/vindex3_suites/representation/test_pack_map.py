"""Packs beside the precision map of their container: each tensor as the map has it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, clause
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.stored import of_writing
from vindex3_fixtures.container.tiny import tiny
from vindex3_fixtures.container.writings import TOWER, whole_model
from vindex3_fixtures.representation import exception, policy
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.packs import Pack, first_of
from vindex3_suites.container.verifying import check_found, defect
from vindex3_suites.representation.test_pack_added import STACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

NORM, DOWN_0, DOWN_1, GATE_1, ODD = (
    "0.input_layernorm.weight",
    "0.mlp.down_proj.weight",
    "1.mlp.down_proj.weight",
    "1.mlp.gate_proj.weight",
    "1.mlp.x_proj.weight",
)
ROWS = {NORM: (32,), DOWN_0: (2, 32), DOWN_1: (2, 32), GATE_1: (2, 32), ODD: (2, 24)}
DTYPES = {NORM: "F32"}
"""BF16 for all others."""
USUAL = policy(exception("down_proj", (1, 1)), exception("gate_proj", encoding=v.Q8_0), roles=[v.LINEAR])
AS_MAPPED = {NORM: "F32", DOWN_0: v.NVFP4, DOWN_1: "BF16", GATE_1: v.Q8_0, ODD: "BF16"}
"""What the map makes of the stack: by role, by default, twice by an exception, by shape."""
PLAIN = policy(encoding=v.Q8_0, roles=[v.LINEAR])
AS_PLAIN = {NORM: "F32", DOWN_0: v.Q8_0, DOWN_1: v.Q8_0, GATE_1: v.Q8_0, ODD: "BF16"}
"""What a map without exceptions makes of it: one tensor has a shape that its encoding does not fit."""


def _stacked(declared: dict[str, Any] | None) -> Model:
    rows = tuple(Tensor(name, DTYPES.get(name, "BF16"), shape) for name, shape in ROWS.items())
    model = tiny().with_segment(Segment(f"{STACK}@BF16", rows))
    return model if declared is None else model.with_index(("precision_map",), declared)


def _packed(
    declared: dict[str, Any] | None,
    dtypes: dict[str, str],
    label: str | None = None,
    shapes: dict[str, tuple[int, ...]] = ROWS,
) -> Model:
    """The stack, a map, and a pack of these dtypes under the map's default or another label."""
    model = _stacked(declared)
    lengths = {"F32": 4, "BF16": 2, "F16": 2}
    tensors = [
        Tensor(name, dtype, shapes[name], bytes([1 + at]) * (lengths.get(dtype, 1) * _values(shapes[name])))
        for at, (name, dtype) in enumerate(dtypes.items())
    ]
    return Pack(STACK, label or str((declared or USUAL)["encoding"]), tensors).added_to(model)


def _values(shape: Sequence[int]) -> int:
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


def _mismatch(label: str, name: str, expected: str, found: str) -> Any:
    key = f"{STACK}@{label}"
    return defect("map-mismatch", representation=key, tensor=name, expected=expected, found=found)


OTHERWISE: dict[str, tuple[dict[str, Any], dict[str, str], str, str, str]] = {
    "kept_by_its_role": (USUAL, AS_MAPPED, NORM, "F32", v.NVFP4),
    "not_compiled": (USUAL, AS_MAPPED, DOWN_0, v.NVFP4, "BF16"),
    "compiled_to_another": (USUAL, AS_MAPPED, DOWN_0, v.NVFP4, v.Q8_0),
    "kept_by_an_exception": (USUAL, AS_MAPPED, DOWN_1, "BF16", v.NVFP4),
    "default_in_place_of_an_exception": (USUAL, AS_MAPPED, GATE_1, v.Q8_0, v.NVFP4),
    "source_in_place_of_an_exception": (USUAL, AS_MAPPED, GATE_1, v.Q8_0, "BF16"),
    "an_unknown_dtype": (USUAL, AS_MAPPED, DOWN_0, v.NVFP4, "nvfp4"),
    "kept_by_its_shape": (USUAL, AS_MAPPED, ODD, "BF16", v.NVFP4),
    "kept_by_its_shape_in_blocks": (PLAIN, AS_PLAIN, ODD, "BF16", v.Q8_0),
    "another_default": (PLAIN, AS_PLAIN, DOWN_1, v.Q8_0, v.NVFP4),
}


@clause("PRECISION-PACK-01")
@cases(OTHERWISE)
def test_a_pack_is_held_to_the_map(
    ask: Ask, case: tuple[dict[str, Any], dict[str, str], str, str, str]
) -> None:
    """A tensor is named that has not the encoding decided for it, or has the default where none was."""
    declared, dtypes, name, expected, found = case
    legal = _packed(declared, dtypes)
    wrong = _packed(declared, {**dtypes, name: found})
    mismatch = _mismatch(declared["encoding"], name, expected, found)
    check_found(ask, "PRECISION-PACK-01", legal, wrong, mismatch)


@clause("PRECISION-PACK-01")
def test_every_tensor_beside_the_map_is_named(ask: Ask) -> None:
    """Where nothing is as the map has it, every tensor is listed."""
    mismatches = [_mismatch(v.NVFP4, name, AS_MAPPED[name], found) for name, found in MISFIT.items()]
    model = _packed(USUAL, MISFIT)
    check_found(ask, "PRECISION-PACK-01", _packed(USUAL, AS_MAPPED), model, *mismatches)


MISFIT = {NORM: v.NVFP4, DOWN_0: "BF16", DOWN_1: v.NVFP4, GATE_1: "BF16", ODD: v.NVFP4}


def _bare(model: Model, key: str) -> Model:
    without = model.without_index(("representations", key, "compiled_from"))
    return without.without_index(("representations", key, "source_representation_digest"))


@clause("PRECISION-PACK-01")
@cases(
    as_the_map_has_it=_packed(USUAL, AS_MAPPED),
    other_dtypes_where_the_source_is_kept=_packed(USUAL, {**AS_MAPPED, NORM: "F16", DOWN_1: v.Q8_0}),
    by_the_shape_of_the_first=_packed(
        USUAL, AS_MAPPED, shapes={**ROWS, DOWN_0: (36, 1), GATE_1: (68, 1), ODD: (27, 1)}
    ),
    of_another_label=_packed(USUAL, MISFIT, "mixed"),
    of_a_label_in_other_letters=_packed(USUAL, MISFIT, "nvfp4"),
    of_the_encoding_of_an_exception=_packed(USUAL, MISFIT, v.Q8_0),
    without_a_map=_packed(None, MISFIT, v.NVFP4),
    not_compiled=_bare(_packed(USUAL, MISFIT), f"{STACK}@{v.NVFP4}"),
    a_map_of_a_derived_container=_packed(USUAL, AS_MAPPED).with_index(("authority",), "derived"),
)
def test_nothing_else_is_held_to_the_map(ask: Ask, case: Model) -> None:
    """Packs of other labels, entries that were not compiled, and what the map leaves free are sound."""
    wrong = _packed(USUAL, {**AS_MAPPED, DOWN_0: "BF16"})
    mismatch = _mismatch(v.NVFP4, DOWN_0, v.NVFP4, "BF16")
    check_found(ask, "PRECISION-PACK-01", case, wrong, mismatch)


def _beside(dtype: str) -> Model:
    """A model with a map, a tower beside it, and a pack of the tower with this dtype."""
    model = of_writing(whole_model()).with_index(("precision_map",), policy(roles=[v.LINEAR]))
    first = model.segments[first_of(model, TOWER)]
    kept = [
        Tensor(row["name"], row["dtype"], tuple(row["shape"]), first.data(row["name"])) for row in first.rows
    ]
    changed = replace(kept[0], dtype=dtype, data=kept[0].data[:-1] + b"x" if kept[0].data else b"")
    return Pack(TOWER, v.NVFP4, [changed, *kept[1:]]).added_to(model)


@clause("PRECISION-PACK-01")
def test_other_components_are_kept(ask: Ask) -> None:
    """A tensor of a tower is none that a map for decoders compiles."""
    name = str(of_writing(whole_model()).segments[f"{TOWER}@BF16"].rows[0]["name"])
    key = f"{TOWER}@{v.NVFP4}"
    mismatch = defect("map-mismatch", representation=key, tensor=name, expected="BF16", found=v.NVFP4)
    check_found(ask, "PRECISION-PACK-01", _beside("BF16"), _beside(v.NVFP4), mismatch)
