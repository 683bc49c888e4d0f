"""The shapes of experts: from which keys of config they come, and from which they never do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, needs
from vindex3_fixtures.waste import KINDS, Quant, Waste, made
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import BLOCKED, DENSE, FULL, IDLE, PACKED, SHAPES, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _widths() -> dict[str, Waste]:
    """Containers whose experts are narrower or wider than the model, and those that say so with 0 or null."""
    wide = made(inner=64, width=2048, experts=2, layers=1, dense=0, seed="wide")
    narrow = wide.with_config("routed_expert_hidden_size", 2048)
    return {
        "of_the_model": wide,
        "narrower": narrow.with_config("hidden_size", 1 << 20),
        "narrower_than_an_odd_model": narrow.with_config("hidden_size", 4099),
        "wider": narrow.with_config("hidden_size", 8),
        "as_wide": narrow,
        "zero": wide.with_config("routed_expert_hidden_size", 0),
        "null": wide.with_config("routed_expert_hidden_size", None),
    }


WIDTHS = _widths()


@clause("WASTE-CONFIG-01")
@cases(WIDTHS)
def test_the_width_of_experts_sizes_a_record(ask: Ask, case: Waste) -> None:
    """routed_expert_hidden_size where it is there and not 0, else hidden_size: what fits it opens."""
    check_opened(ask, "WASTE-CONFIG-01", case)


@clause("WASTE-CONFIG-01")
@needs("waste.matrix")
@cases(WIDTHS)
def test_matrices_have_the_shapes_of_config(ask: Ask, case: Waste) -> None:
    """Gate and up are inner by width, down is width by inner, decoded as they were stored."""
    path = ask.file("model", case.folder)
    for kind in KINDS:
        reply = ask("waste.matrix", path=path, layer=0, expert=1, matrix=kind)
        check("WASTE-CONFIG-01", reply, gives(case.weights(0, 1, kind)))


@clause("WASTE-CONFIG-01")
@needs("waste.matrix")
@cases(
    square=(8, 8),
    tall=(40, 8),
    flat=(8, 40),
    one_position=(8, 16),
)
def test_matrices_of_every_form(ask: Ask, case: tuple[int, int]) -> None:
    """Inner and width are told apart whichever is larger."""
    inner, width = case
    model = made(inner=inner, width=width, experts=2, layers=1, dense=0, seed="forms")
    path = ask.file("model", model.folder)
    for kind in KINDS:
        reply = ask("waste.matrix", path=path, layer=0, expert=0, matrix=kind)
        check("WASTE-CONFIG-01", reply, gives(model.weights(0, 0, kind)))


def _wrapped(model: Waste, beside: dict[str, Any]) -> Waste:
    """The model's config within text_config, and these keys beside it."""
    return model.with_manifest(("config",), {**beside, "text_config": model.config})


BESIDE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "another_model": {
        "num_hidden_layers": 2,
        "hidden_size": 7,
        "vocab_size": 3,
        "num_attention_heads": 1,
        "num_experts": 5,
        "num_experts_per_token": 4,
        "moe_intermediate_size": 9,
        "first_k_dense_replace": 0,
        "routed_expert_hidden_size": 11,
    },
    "no_experts": {"num_experts": 0, "num_hidden_layers": 1},
    "tower": {"vision_config": {"hidden_size": 1152, "num_hidden_layers": 27}, "model_type": "multimodal"},
    "outer": {"_outer": {"hidden_size": 3, "text_config": {"num_hidden_layers": 1}}},
}


@clause("WASTE-CONFIG-02")
@cases(BESIDE)
def test_a_text_config_is_the_model(ask: Ask, case: dict[str, Any]) -> None:
    """Where config holds text_config, the numbers are in it, and keys beside it size nothing."""
    for model in (TINY, DENSE, PACKED, FULL, IDLE):
        check_opened(ask, "WASTE-CONFIG-02", _wrapped(model, case))


@clause("WASTE-CONFIG-02")
@cases(
    empty={},
    layers_alone={"num_hidden_layers": 3},
    null={"num_hidden_layers": None, "hidden_size": None},
)
def test_nothing_is_made_up_from_around_a_text_config(ask: Ask, case: dict[str, Any]) -> None:
    """What text_config lacks is missing, although it stands in config around it."""
    for model in (TINY, DENSE):
        check_opened(ask, "WASTE-CONFIG-02", _wrapped(model, {}))
        wrong = model.with_config("text_config", case)
        check_refused(ask, "WASTE-CONFIG-02", wrong, "missing-field")


OUTER: dict[str, Any] = {
    "empty": {},
    "another_model": {"num_hidden_layers": 40, "hidden_size": 7168, "num_experts": 384},
    "with_a_text_config": {"text_config": {"num_hidden_layers": 1, "hidden_size": 4}},
    "of_other_types": {"hidden_size": "wide", "num_experts": None, "num_hidden_layers": [3]},
    "beyond_every_range": {"hidden_size": -1, "num_hidden_layers": 1 << 40, "rms_norm_eps": 7},
}


@clause("WASTE-CONFIG-02")
@cases(OUTER)
def test_an_outer_config_is_carried(ask: Ask, case: dict[str, Any]) -> None:
    """_outer is never consulted, in config or in text_config, whatever it holds."""
    for model in (TINY, DENSE):
        check("WASTE-CONFIG-02", open_(ask, model.with_config("_outer", case)), opens(model))
        check_opened(ask, "WASTE-CONFIG-02", _wrapped(model, {"_outer": case}))
        check_opened(ask, "WASTE-CONFIG-02", _wrapped(model.with_config("_outer", case), {}))


@clause("WASTE-CONFIG-02")
@needs("waste.matrix")
@cases({name: model for name, model in SHAPES.items() if model.banks and model is not BLOCKED})
def test_experts_of_a_text_config_decode(ask: Ask, case: Waste) -> None:
    """The matrices are those of the numbers within text_config."""
    layer = next(iter(case.banks))
    model = _wrapped(case, BESIDE["another_model"])
    path = ask.file("model", model.folder)
    for kind in KINDS:
        reply = ask("waste.matrix", path=path, layer=layer, expert=0, matrix=kind)
        check("WASTE-CONFIG-02", reply, gives(model.weights(layer, 0, kind)))


@clause("WASTE-CONFIG-01")
@cases(one=Quant(stages=1, vec_dim=1, entries=1), many=Quant(stages=8, vec_dim=4, entries=3, index_block=64))
def test_the_size_of_a_record_follows(ask: Ask, case: Quant) -> None:
    """A stride that is just the payload of these shapes, in whole pages, is enough."""
    model = made(quant=case, inner=20, width=44, experts=2, layers=2, dense=0, seed="just")
    check_opened(ask, "WASTE-CONFIG-01", model)
