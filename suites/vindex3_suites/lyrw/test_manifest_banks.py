"""What is wrong with the banks of a manifest by themselves, and that everything is reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw.manifest import ExpertBank, Manifest, MoeLayer, Router
from vindex3_suites.lyrw.manifests import SIMPLE, defect, examine, reports, with_layer

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _check(ask: Ask, clause_id: str, legal: MoeLayer, wrong: MoeLayer, *defects: Any) -> None:
    """The legal layer has no defect, the wrong one exactly these."""
    check(clause_id, examine(ask, Manifest((legal,))), reports())
    check(clause_id, examine(ask, Manifest((wrong,))), reports(*defects))


def _choosing(k: int, groups: int | None, experts: int) -> MoeLayer:
    return MoeLayer(layer=7, router=Router(k=k, groups=groups), routed=ExpertBank(experts=experts))


@clause("MOE-CHECK-08")
@cases(
    top_k=(3, None, 2),
    top_k_of_one=(2, None, 1),
    largest_k=(4294967295, None, 4294967294),
    grouped=(2, 3, 5),
    grouped_by_one=(1, 8, 7),
    groups_of_one=(8, 1, 7),
    k_alone_would_do=(4, 2, 7),
    groups_alone_would_do=(2, 4, 7),
    product_of_33_bits=(65536, 65536, 4294967295),
    largest_product=(4294967295, 4294967295, 4294967295),
)
def test_no_more_experts_are_chosen_than_there_are(ask: Ask, case: tuple[int, int | None, int]) -> None:
    """k, or k x groups, above experts is selection-exceeds-bank with both exact numbers."""
    k, groups, experts = case
    selected = k * (groups or 1)
    legal = _choosing(min(k, experts), 1 if groups else None, experts)
    names = {"layer": 7, "selected": selected, "available": experts}
    wrong = _choosing(k, groups, experts)
    _check(ask, "MOE-CHECK-08", legal, wrong, defect("selection-exceeds-bank", **names))


@clause("MOE-CHECK-08")
@cases(top_k=(4, None, 4), grouped=(2, 3, 6), one_of_one=(1, None, 1))
def test_all_experts_may_be_chosen(ask: Ask, case: tuple[int, int | None, int]) -> None:
    """As many experts per token as there are is no defect."""
    check("MOE-CHECK-08", examine(ask, Manifest((_choosing(*case),))), reports())


@clause("MOE-CHECK-08")
def test_a_shared_bank_is_not_chosen_from(ask: Ask) -> None:
    """The shared bank's experts are neither added nor compared."""
    legal = replace(_choosing(2, None, 2), shared=ExpertBank(experts=1, storage="s"))
    wrong = replace(_choosing(3, None, 2), shared=ExpertBank(experts=9, storage="s"))
    names = {"layer": 7, "selected": 3, "available": 2}
    _check(ask, "MOE-CHECK-08", legal, wrong, defect("selection-exceeds-bank", **names))


@clause("MOE-CHECK-09")
def test_a_sink_needs_a_shared_bank(ask: Ask) -> None:
    """shared_expert_sink without a shared bank is reported, with one it is no defect."""
    wrong = MoeLayer(layer=11, router=Router(sink=True))
    legal = replace(wrong, shared=ExpertBank(storage="s"))
    _check(ask, "MOE-CHECK-09", legal, wrong, defect("sink-without-shared-bank", layer=11))


@clause("MOE-CHECK-09")
def test_a_shared_bank_needs_no_sink(ask: Ask) -> None:
    """A shared bank without the sink is no defect."""
    legal = with_layer(SIMPLE, shared=ExpertBank(storage="s"))
    check("MOE-CHECK-09", examine(ask, legal), reports())


PLAIN = MoeLayer(
    layer=3,
    router=Router(k=1),
    routed=ExpertBank(storage="r", dims=(1, 2, 3)),
    shared=ExpertBank(storage="s", dims=(4, 5, 6)),
)
BANKS = {"routed": PLAIN.routed, "shared": PLAIN.shared or PLAIN.routed}


def _with_bank(which: str, **values: Any) -> MoeLayer:
    bank = replace(BANKS[which], **values)
    return replace(PLAIN, routed=bank) if which == "routed" else replace(PLAIN, shared=bank)


@clause("MOE-CHECK-10")
@cases(
    {
        f"{which}_{name}": (which, storage)
        for which in BANKS
        for name, storage in (("empty", ""), ("blank", " \t"))
    }
)
def test_a_bank_has_storage(ask: Ask, case: tuple[str, str]) -> None:
    """A blank storage is bank-has-no-storage, with layer and bank."""
    which, storage = case
    named = defect("bank-has-no-storage", layer=3, which=which)
    _check(ask, "MOE-CHECK-10", PLAIN, _with_bank(which, storage=storage), named)


@clause("MOE-CHECK-10")
@cases({which: which for which in BANKS})
def test_a_bank_has_experts(ask: Ask, case: str) -> None:
    """No experts are bank-has-no-experts, with layer and bank."""
    check("MOE-CHECK-10", examine(ask, Manifest((PLAIN,))), reports())
    wrong = Manifest((_with_bank(case, experts=0),))
    named = defect("bank-has-no-experts", layer=3, which=case)
    check("MOE-CHECK-10", examine(ask, wrong), reports(named, also={"kind": "selection-exceeds-bank"}))


@clause("MOE-CHECK-10")
@cases(
    {
        f"{which}_{name}": (which, dims)
        for which in BANKS
        for name, dims in {
            "input": (0, 2, 3),
            "intermediate": (1, 0, 3),
            "output": (1, 2, 0),
            "all": (0, 0, 0),
        }.items()
    }
)
def test_an_expert_has_dimensions(ask: Ask, case: tuple[str, tuple[int, int, int]]) -> None:
    """A zero anywhere in expert_dims is bank-has-zero-dimension, once a bank."""
    which, dims = case
    named = defect("bank-has-zero-dimension", layer=3, which=which)
    _check(ask, "MOE-CHECK-10", PLAIN, _with_bank(which, dims=dims), named)


@clause("MOE-CHECK-10")
@cases(plain="experts", blanks_inside="a key", path="segments/layer_003")
def test_two_banks_have_two_keys(ask: Ask, case: str) -> None:
    """Both banks of a layer with one storage key are duplicate-bank-storage, once."""
    wrong = replace(PLAIN, routed=ExpertBank(storage=case), shared=ExpertBank(storage=case))
    _check(ask, "MOE-CHECK-10", PLAIN, wrong, defect("duplicate-bank-storage", layer=3, storage=case))


@clause("MOE-CHECK-10")
def test_keys_alike_are_not_equal(ask: Ask) -> None:
    """Keys that differ in case or by a blank are two keys."""
    for storage in ("Experts", "experts ", "experts/"):
        legal = replace(PLAIN, routed=ExpertBank(storage="experts"), shared=ExpertBank(storage=storage))
        check("MOE-CHECK-10", examine(ask, Manifest((legal,))), reports())


MANY = Manifest(
    (
        MoeLayer(layer=1, router=Router(scores=" ", k=5, sink=True)),
        MoeLayer(
            layer=2,
            routed=ExpertBank(storage="", dims=(0, 1, 1)),
            shared=ExpertBank(experts=0, programme="mystery", storage="s"),
        ),
        MoeLayer(layer=1, input_space="latent", transforms=True),
        MoeLayer(
            layer=4,
            input_space="latent",
            routed=ExpertBank(programme="latent-moe-v1", storage="one"),
            shared=ExpertBank(storage="one"),
        ),
    )
)
ALL_OF_THEM = [
    defect("duplicate-layer", layer=1),
    defect("router-has-no-scores", layer=1),
    defect("selection-exceeds-bank", layer=1, selected=5, available=4),
    defect("sink-without-shared-bank", layer=1),
    defect("bank-has-no-storage", layer=2, which="routed"),
    defect("bank-has-zero-dimension", layer=2, which="routed"),
    defect("bank-has-no-experts", layer=2, which="shared"),
    defect("unknown-programme", layer=2, storage="s", programme="mystery"),
    defect("input-space-contradicts-programme", layer=1, declared="latent", programme="gated-mlp-v1"),
    defect("latent-bank-without-transforms", layer=4, which="routed", programme="latent-moe-v1"),
    defect("duplicate-bank-storage", layer=4, storage="one"),
]


@clause("MOE-CHECK-11")
def test_all_defects_are_reported(ask: Ask) -> None:
    """Defects of every layer and of every sort stand in one list."""
    check("MOE-CHECK-11", examine(ask, SIMPLE), reports())
    check("MOE-CHECK-11", examine(ask, MANY), reports(*ALL_OF_THEM))


@clause("MOE-CHECK-11")
def test_an_unknown_programme_hides_nothing_but_the_space(ask: Ask) -> None:
    """Of a bank with an unknown programme everything else is judged; its space cannot be."""
    unknown = ExpertBank(experts=1, programme="mystery", storage="r", dims=(1, 0, 1))
    layer = MoeLayer(layer=5, input_space="latent", router=Router(scores="", sink=True), routed=unknown)
    expected = [
        defect("unknown-programme", layer=5, storage="r", programme="mystery"),
        defect("router-has-no-scores", layer=5),
        defect("selection-exceeds-bank", layer=5, selected=2, available=1),
        defect("sink-without-shared-bank", layer=5),
        defect("bank-has-zero-dimension", layer=5, which="routed"),
    ]
    _check(ask, "MOE-CHECK-11", MoeLayer(layer=5), layer, *expected)


@clause("MOE-CHECK-11")
def test_an_unknown_programme_hides_nothing_of_another_layer(ask: Ask) -> None:
    """The space of the next layer is judged as ever."""
    strange = MoeLayer(layer=1, input_space="latent", routed=ExpertBank(programme="mystery", storage="r"))
    wrong = Manifest((strange, MoeLayer(layer=2, input_space="latent")))
    expected = [
        defect("unknown-programme", layer=1, storage="r", programme="mystery"),
        defect("input-space-contradicts-programme", layer=2, declared="latent", programme="gated-mlp-v1"),
    ]
    check("MOE-CHECK-11", examine(ask, SIMPLE), reports())
    check("MOE-CHECK-11", examine(ask, wrong), reports(*expected))


@clause("MOE-CHECK-11")
def test_an_empty_bank_is_chosen_from(ask: Ask) -> None:
    """Without experts both that and the choice above 0 are reported."""
    wrong = replace(PLAIN, routed=replace(PLAIN.routed, experts=0))
    expected = [
        defect("bank-has-no-experts", layer=3, which="routed"),
        defect("selection-exceeds-bank", layer=3, selected=1, available=0),
    ]
    _check(ask, "MOE-CHECK-11", PLAIN, wrong, *expected)
