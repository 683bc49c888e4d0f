"""What is wrong with a manifest by itself: versions, layers, programmes and spaces, the router."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import Present
from vindex3_fixtures.json_text import changed, json_text
from vindex3_fixtures.lyrw.manifest import ExpertBank, Manifest, MoeLayer, Router
from vindex3_fixtures.lyrw.programmes import LATENT as LATENT_PROGRAMMES
from vindex3_fixtures.lyrw.programmes import PROGRAMMES
from vindex3_suites.lyrw.manifests import (
    EMPTY,
    EVERYTHING,
    LATENT,
    NAME,
    SIMPLE,
    defect,
    examine,
    reports,
    with_layer,
    with_router,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

CLEAN = reports()


def _check(ask: Ask, clause_id: str, legal: Manifest, wrong: Manifest, *defects: Any) -> None:
    """The legal manifest has no defect, the wrong one exactly these."""
    check(clause_id, examine(ask, legal), CLEAN)
    check(clause_id, examine(ask, wrong), reports(*defects))


@clause("MOE-CHECK-01")
@cases(
    one_layer=SIMPLE,
    no_layer=EMPTY,
    every_field=EVERYTHING,
    brief=replace(SIMPLE, brief=True),
    distant_layers=Manifest((MoeLayer(layer=3), MoeLayer(layer=61), MoeLayer(layer=4294967295))),
    falling_layers=Manifest((MoeLayer(layer=9), MoeLayer(layer=4), MoeLayer(layer=0))),
    one_key_in_two_layers=Manifest((MoeLayer(layer=1), MoeLayer(layer=2))),
    shared_bank=with_layer(SIMPLE, shared=ExpertBank(storage="s", dims=(1, 1, 1))),
)
def test_a_coherent_manifest_has_no_defect(ask: Ask, case: Manifest) -> None:
    """A manifest that breaks no rule has an empty list; layers that are not listed are none of its matter."""
    check("MOE-CHECK-01", examine(ask, case), CLEAN)


@clause("MOE-CHECK-01")
@cases({programme: programme for programme in PROGRAMMES})
def test_every_programme_may_be_routed_or_shared(ask: Ask, case: str) -> None:
    """Each programme of the table is one for either bank, with the input space that is its own."""
    latent = case in LATENT_PROGRAMMES
    space = "latent" if latent else "residual"
    bank = ExpertBank(programme=case)
    layer = MoeLayer(input_space=space, transforms=latent, routed=bank, shared=replace(bank, storage="s"))
    check("MOE-CHECK-01", examine(ask, Manifest((layer,))), CLEAN)


@clause("MOE-CHECK-01")
def test_unknown_fields_are_no_defect(ask: Ask) -> None:
    """Fields that nobody defined, and transforms that no programme needs, break no rule."""
    document = changed(SIMPLE.document(), ("layers", 0, "router", "temperature"), 2)
    path = ask.file(NAME, json_text(changed(document, ("comment",), "none")))
    check("MOE-CHECK-01", ask("moe.check", path=path), CLEAN)
    check("MOE-CHECK-01", examine(ask, with_layer(SIMPLE, transforms=True)), CLEAN)


@clause("MOE-CHECK-01")
def test_by_itself_a_manifest_names_no_file(ask: Ask) -> None:
    """Without segments, or with null for them, no file of a storage key is looked for."""
    path = ask.file(NAME, SIMPLE.text())
    check("MOE-CHECK-01", ask("moe.check", path=path), CLEAN)
    check("MOE-CHECK-01", ask("moe.check", path=path, segments=None), CLEAN)


BROKEN = MoeLayer(
    router=Router(scores="", k=9, sink=True),
    routed=ExpertBank(experts=0, programme="none", storage="", dims=(0, 0, 0)),
)


@clause("MOE-CHECK-02")
@cases({"version_0": 0, "version_2": 2, "largest_version": 4294967295})
def test_another_version_is_unknown(ask: Ask, case: int) -> None:
    """A schema_version other than 1 is unknown-version, with what was found and what is supported."""
    wrong = replace(SIMPLE, version=case)
    _check(ask, "MOE-CHECK-02", SIMPLE, wrong, defect("unknown-version", found=case, supported=Present()))


@clause("MOE-CHECK-02")
def test_an_unknown_version_is_the_only_defect(ask: Ask) -> None:
    """Under another version no rule of this one is applied."""
    wrong = Manifest((BROKEN, BROKEN), version=3)
    _check(ask, "MOE-CHECK-02", EMPTY, wrong, defect("unknown-version", found=3, supported=Present()))


def _layers(*numbers: int) -> Manifest:
    return Manifest(tuple(MoeLayer(layer=number) for number in numbers))


@clause("MOE-CHECK-03")
@cases(
    twice=(_layers(0, 1), _layers(0, 0), [0]),
    apart=(_layers(5, 6, 7), _layers(5, 6, 5), [5]),
    two_numbers=(_layers(3, 8, 1, 2), _layers(3, 8, 8, 3), [3, 8]),
    largest=(_layers(4294967294, 4294967295), _layers(4294967295, 4294967295), [4294967295]),
)
def test_a_layer_has_one_entry(ask: Ask, case: tuple[Manifest, Manifest, list[int]]) -> None:
    """A number that occurs twice is duplicate-layer, wherever its two entries stand."""
    legal, wrong, repeated = case
    _check(
        ask, "MOE-CHECK-03", legal, wrong, *(defect("duplicate-layer", layer=number) for number in repeated)
    )


@clause("MOE-CHECK-04")
@cases(
    routed=(ExpertBank(programme="mystery-v1", storage="r"), None, "r"),
    shared=(ExpertBank(storage="r"), ExpertBank(programme="mystery-v1", storage="s"), "s"),
)
def test_an_unknown_programme_is_named(ask: Ask, case: tuple[ExpertBank, ExpertBank | None, str]) -> None:
    """A string outside the table is unknown-programme, with layer, storage and the string."""
    routed, shared, storage = case
    legal = Manifest(
        (MoeLayer(layer=6, routed=ExpertBank(storage="r"), shared=shared and ExpertBank(storage="s")),)
    )
    wrong = Manifest((MoeLayer(layer=6, routed=routed, shared=shared),))
    named = defect("unknown-programme", layer=6, storage=storage, programme="mystery-v1")
    _check(ask, "MOE-CHECK-04", legal, wrong, named)


@clause("MOE-CHECK-04")
def test_both_banks_may_have_unknown_programmes(ask: Ask) -> None:
    """The routed and the shared bank of one layer are named each for itself."""
    wrong = with_layer(
        SIMPLE,
        routed=ExpertBank(programme="one", storage="r"),
        shared=ExpertBank(programme="two", storage="s"),
    )
    named = [
        defect("unknown-programme", layer=0, storage=storage, programme=programme)
        for storage, programme in (("r", "one"), ("s", "two"))
    ]
    _check(ask, "MOE-CHECK-04", SIMPLE, wrong, *named)


LATENT_BANK = ExpertBank(programme="latent-moe-v1", storage="l")
SHARED_LATENT = MoeLayer(layer=2, transforms=True, shared=LATENT_BANK)


@clause("MOE-CHECK-05")
@cases(routed=(LATENT, "routed"), shared=(SHARED_LATENT, "shared"))
def test_a_latent_bank_needs_transforms(ask: Ask, case: tuple[MoeLayer, str]) -> None:
    """A latent programme in a layer with transforms null is reported, with the bank that has it."""
    layer, which = case
    names = {"layer": layer.layer, "which": which, "programme": "latent-moe-v1"}
    wrong = Manifest((replace(layer, transforms=False),))
    missing = defect("latent-bank-without-transforms", **names)
    _check(ask, "MOE-CHECK-05", Manifest((layer,)), wrong, missing)
    check("MOE-CHECK-05", examine(ask, replace(wrong, brief=True)), reports(missing))


@clause("MOE-CHECK-06")
@cases(
    {
        "residual_in_latent_space": ("residual", "latent-moe-v1"),
        **{
            f"latent_without_{name.replace('-', '_')}": ("latent", name)
            for name in PROGRAMMES
            if name not in LATENT_PROGRAMMES
        },
    }
)
def test_the_space_is_that_of_the_programme(ask: Ask, case: tuple[str, str]) -> None:
    """input_space and the routed programme agree about latent, or both words are reported."""
    space, programme = case
    other = "latent" if space == "residual" else "residual"
    legal = MoeLayer(layer=8, input_space=other, transforms=True, routed=ExpertBank(programme=programme))
    wrong = replace(legal, input_space=space)
    named = defect("input-space-contradicts-programme", layer=8, declared=space, programme=programme)
    _check(ask, "MOE-CHECK-06", Manifest((legal,)), Manifest((wrong,)), named)


@clause("MOE-CHECK-06")
def test_a_shared_bank_has_no_space(ask: Ask) -> None:
    """Only the routed programme is compared with input_space."""
    legal = Manifest((SHARED_LATENT,))
    wrong = Manifest((replace(SHARED_LATENT, input_space="latent"),))
    names = {"layer": 2, "declared": "latent", "programme": "gated-mlp-v1"}
    _check(ask, "MOE-CHECK-06", legal, wrong, defect("input-space-contradicts-programme", **names))


@clause("MOE-CHECK-07")
@cases(empty="", space=" ", blanks=" \t \n")
def test_a_router_has_scores(ask: Ask, case: str) -> None:
    """Scores that are empty or blank are router-has-no-scores."""
    wrong = with_router(with_layer(SIMPLE, layer=17), scores=case)
    _check(ask, "MOE-CHECK-07", with_layer(SIMPLE, layer=17), wrong, defect("router-has-no-scores", layer=17))


@clause("MOE-CHECK-07")
def test_scores_may_begin_with_a_blank(ask: Ask) -> None:
    """A text that holds more than blanks is scores."""
    check("MOE-CHECK-07", examine(ask, with_router(SIMPLE, scores=" x ")), CLEAN)
