"""The model's config: which keys must be there, where they stand, and what the ranges of numbers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import field, one_of
from vindex3_fixtures.json_text import Way
from vindex3_fixtures.waste import MANIFEST, Waste
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import DENSE, FLAGS, FULL, IDLE, OPTIONAL_SIZES, PACKED, TINY, open_, opens
from vindex3_suites.waste.slots import OPTIONAL_OF_CONFIG, REQUIRED_OF_CONFIG, named

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

MANY = 1 << 20


def _idle(**values: object) -> Waste:
    """A model whose experts no layer uses, with other numbers."""
    model = IDLE
    for key, value in values.items():
        model = model.with_config(key, value)
    return model


SIZES: dict[str, tuple[Waste, str, int, int]] = {
    "num_hidden_layers": (DENSE, "num_hidden_layers", 1, 128),
    "hidden_size": (DENSE, "hidden_size", 1, MANY),
    "vocab_size": (DENSE, "vocab_size", 1, 1 << 24),
    "moe_intermediate_size": (IDLE, "moe_intermediate_size", 1, MANY),
}
"""A container, a key of its config, and the least and the largest value; no file depends on them."""


@clause("WASTE-CONFIG-04")
@cases(SIZES)
def test_a_size_has_its_range(ask: Ask, case: tuple[Waste, str, int, int]) -> None:
    """Both ends are legal; one below, one beyond and what would fit when cut is out-of-range, with value."""
    model, key, least, largest = case
    for value in (least, least + 1, largest - 1, largest):
        check_opened(ask, "WASTE-CONFIG-04", model.with_config(key, value))
    wrapped = [(1 << bits) + least + 2 for bits in (16, 32, 63, 64) if 1 << bits > largest]
    for value in (least - 1, -MANY, -(1 << 32) + least + 2, largest + 1, *wrapped, 2**31, 2**32 - 1):
        wrong = model.with_config(key, value)
        check_refused(ask, "WASTE-CONFIG-04", wrong, "out-of-range", field=field(key), value=value)


@clause("WASTE-CONFIG-04")
def test_the_number_of_experts_has_its_range(ask: Ask) -> None:
    """From none to 2^20 where no layer uses them; what is beyond, or negative, is out-of-range."""
    key, one = "num_experts", _idle(num_experts_per_token=1)
    for model in (DENSE.with_config(key, 0), *(one.with_config(key, value) for value in (1, 65537, MANY))):
        check_opened(ask, "WASTE-CONFIG-04", model)
    for value in (-1, -(1 << 32), 1 - (1 << 32)):
        wrong = DENSE.with_config(key, value)
        check_refused(ask, "WASTE-CONFIG-04", wrong, "out-of-range", field=field(key), value=value)
    for value in (MANY + 1, 1 << 31, (1 << 32) - 1, (1 << 32) + 1, 1 << 62):
        wrong = one.with_config(key, value)
        check_refused(ask, "WASTE-CONFIG-04", wrong, "out-of-range", field=field(key), value=value)


CONSEQUENCES = ("out-of-range", "missing-layer", "count-mismatch", "bad-stride", "partial-block")


@clause("WASTE-CONFIG-04")
@cases({key: key for key in (*SIZES, "num_experts")})
def test_a_size_is_not_taken_modulo_2_to_the_32(ask: Ask, case: str) -> None:
    """Beside banks, too, 4294967299 layers are not the three that are there."""
    for model in (TINY, PACKED):
        check_opened(ask, "WASTE-CONFIG-04", model)
        wrong = model.with_config(case, model.config[case] + (1 << 32))
        check("WASTE-CONFIG-04", open_(ask, wrong), refuses(*CONSEQUENCES))


@clause("WASTE-CONFIG-06")
@cases(REQUIRED_OF_CONFIG)
def test_a_required_number_is_missed(ask: Ask, case: Way) -> None:
    """Absent it is missing-field, 0 is out-of-range: no typical value is filled in."""
    for model in (FULL, IDLE):
        check_opened(ask, "WASTE-CONFIG-06", model)
        wrong = model.without_manifest(case)
        check_refused(ask, "WASTE-CONFIG-06", wrong, "missing-field", field=named(case))
        wrong = model.with_manifest(case, 0)
        check_refused(ask, "WASTE-CONFIG-06", wrong, "out-of-range", field=named(case))


@clause("WASTE-CONFIG-06")
@cases(REQUIRED_OF_CONFIG)
def test_a_required_number_is_not_null(ask: Ask, case: Way) -> None:
    """Null is no number: the key is missed, or its value is of another type."""
    for model in (FULL, IDLE):
        check_opened(ask, "WASTE-CONFIG-06", model)
        wrong = model.with_manifest(case, None)
        check_refused(ask, "WASTE-CONFIG-06", wrong, ("missing-field", "bad-type"), field=named(case))


@clause("WASTE-CONFIG-06")
@cases({key: key for key in ("num_experts_per_token", "moe_intermediate_size", "num_experts")})
def test_a_model_without_experts_needs_none_of_their_numbers(ask: Ask, case: str) -> None:
    """Without experts, or with 0 of them, what sizes them may be absent."""
    check_opened(ask, "WASTE-CONFIG-06", DENSE)
    check_opened(ask, "WASTE-CONFIG-06", DENSE.with_config("num_experts", 0))
    key = "hidden_size" if case == "num_experts" else case
    wrong = IDLE.without_manifest(("config", key))
    check_refused(ask, "WASTE-CONFIG-06", wrong, "missing-field", field=field(key))


_ATTENTION: Way = ("config", "linear_attn_config")
RANGES: dict[str, tuple[Waste, Way, int, int]] = {
    "num_experts_per_token": (_idle(num_experts=9), ("config", "num_experts_per_token"), 1, 9),
    "num_experts_per_token_of_many": (_idle(num_experts=256), ("config", "num_experts_per_token"), 1, 64),
    "first_k_dense_replace": (DENSE, ("config", "first_k_dense_replace"), 0, 2),
    "num_attention_heads": (DENSE, ("config", "num_attention_heads"), 1, 65536),
    "num_shared_experts": (DENSE, ("config", "num_shared_experts"), 0, 64),
    "attn_res_block_size": (DENSE, ("config", "attn_res_block_size"), 0, 2),
    **{key: (DENSE, ("config", key), 0, MANY) for key in OPTIONAL_SIZES},
    **{f"{key}_beside_experts": (IDLE, ("config", key), 0, MANY) for key in OPTIONAL_SIZES},
    **{
        key: (DENSE.with_manifest(_ATTENTION, {}), (*_ATTENTION, key), 0, largest)
        for key, largest in (("num_heads", 65536), ("head_dim", 65536), ("short_conv_kernel_size", 64))
    },
}
"""A container, a place of its config, and the least and the largest value there."""


@clause("WASTE-CONFIG-08")
@cases(RANGES)
def test_a_number_has_its_range(ask: Ask, case: tuple[Waste, Way, int, int]) -> None:
    """Both ends are legal; one below, one beyond and what would wrap is out-of-range, with the value."""
    model, way, least, largest = case
    for value in (least, largest):
        check_opened(ask, "WASTE-CONFIG-08", model.with_manifest(way, value))
    for value in (least - 1, largest + 1, (1 << 32) + least, (1 << 63) - 1):
        wrong = model.with_manifest(way, value)
        check_refused(ask, "WASTE-CONFIG-08", wrong, "out-of-range", field=named(way), value=value)


@clause("WASTE-CONFIG-08")
def test_ranges_hold_beside_banks(ask: Ask) -> None:
    """In a container with experts they are the same, and counted from its own numbers."""
    check_opened(ask, "WASTE-CONFIG-08", FULL)
    for key, values in {
        "num_experts_per_token": (4, 64, -1),
        "attn_res_block_size": (4, 128, -1),
        "num_shared_experts": (65, -1),
        "num_attention_heads": (0, 65537),
        **{key: (MANY + 1, -1) for key in OPTIONAL_SIZES if key != "routed_expert_hidden_size"},
    }.items():
        for value in values:
            wrong = FULL.with_config(key, value)
            check_refused(ask, "WASTE-CONFIG-08", wrong, "out-of-range", field=field(key), value=value)


@clause("WASTE-CONFIG-08")
def test_an_epsilon_is_between_0_and_1(ask: Ask) -> None:
    """rms_norm_eps is above 0 and below 1; both ends are out-of-range, in either spelling."""
    for model in (DENSE, FULL):
        for legal in (1e-05, 5e-324, 0.5, 0.9999999999999999):
            check_opened(ask, "WASTE-CONFIG-08", model.with_config("rms_norm_eps", legal))
        for value in (0, 0.0, 1, 1.0, -1e-05, -1, 1.5, 2, 1e300):
            wrong = model.with_config("rms_norm_eps", value)
            found = one_of(*{type(one): one for one in (float(value), value)}.values())
            check_refused(
                ask, "WASTE-CONFIG-08", wrong, "out-of-range", field=field("rms_norm_eps"), value=found
            )


@clause("WASTE-CONFIG-03")
@cases(OPTIONAL_OF_CONFIG)
def test_null_is_absence(ask: Ask, case: Way) -> None:
    """An optional number that is null is like one that is left out."""
    model = DENSE.with_manifest(_ATTENTION, {"num_heads": 1, "head_dim": 8, "short_conv_kernel_size": 4})
    null = model.with_manifest(case, None)
    check_opened(ask, "WASTE-CONFIG-03", null.without_manifest(case))
    check("WASTE-CONFIG-03", open_(ask, null), opens(model))


@clause("WASTE-CONFIG-03")
def test_every_optional_key_may_be_null(ask: Ask) -> None:
    """All of them at once are absent beside experts too, numbers, flags and objects."""
    null = TINY
    for key in (*OPTIONAL_SIZES, *FLAGS, "num_shared_experts", "attn_res_block_size", "rms_norm_eps"):
        null = null.with_config(key, None)
        check("WASTE-CONFIG-03", open_(ask, TINY.with_config(key, None)), opens(TINY))
    check("WASTE-CONFIG-03", open_(ask, null.with_config("linear_attn_config", None)), opens(TINY))


TYPES: tuple[Any, ...] = (1, 0, "true", "", [True], {})


@clause("WASTE-CONFIG-09")
@cases({key: key for key in FLAGS})
def test_a_flag_is_a_boolean(ask: Ask, case: str) -> None:
    """True, false and null are taken; another type is bad-type, naming manifest and key."""
    for model in (TINY, DENSE):
        for legal in (True, False, None):
            check("WASTE-CONFIG-09", open_(ask, model.with_config(case, legal)), opens(model))
    for value in TYPES:
        wrong = TINY.with_config(case, value)
        check_refused(ask, "WASTE-CONFIG-09", wrong, "bad-type", path=MANIFEST, field=field(case))
