"""moe_manifest.json as it is loaded: shapes, defaults, and what no reader needs to know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, refuses
from vindex3_fixtures.json_text import Way, at, changed, json_text
from vindex3_fixtures.lyrw.manifest import ExpertBank, Manifest, MoeLayer, Router
from vindex3_fixtures.lyrw.programmes import PROGRAMMES
from vindex3_suites.lyrw.manifests import EMPTY, EVERYTHING, LATENT, NAME, SIMPLE, load, loads, with_layer

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BRIEF = replace(SIMPLE, brief=True)


@clause("MOE-LOAD-01")
@cases(
    one_layer=SIMPLE,
    no_layer=EMPTY,
    latent_layer=Manifest((LATENT,)),
    every_field=EVERYTHING,
    many_layers=Manifest(tuple(MoeLayer(layer=number) for number in range(100))),
    layers_in_any_order=Manifest((MoeLayer(layer=9), MoeLayer(layer=0), MoeLayer(layer=4))),
    largest_numbers=Manifest(
        (
            MoeLayer(
                layer=4294967295,
                router=Router(k=4294967295, groups=4294967295),
                routed=ExpertBank(experts=4294967295, dims=(4294967295, 4294967295, 4294967295)),
            ),
        )
    ),
    smallest_numbers=Manifest((MoeLayer(router=Router(k=1), routed=ExpertBank(experts=0, dims=(0, 0, 0))),)),
    words_of_every_sort=with_layer(SIMPLE, output_norm="", router=Router(scores='a "b"\\\n\té\U0001f600')),
)
def test_a_manifest_is_loaded(ask: Ask, case: Manifest) -> None:
    """A document of the listed shape is answered field by field."""
    check("MOE-LOAD-01", load(ask, case.text()), loads(case))


@clause("MOE-LOAD-01")
@cases({activation: activation for activation in ("softmax", "sigmoid")})
def test_each_activation_is_a_word(ask: Ask, case: str) -> None:
    """Both activations are kept as written, with either selection."""
    for groups in (None, 3):
        manifest = Manifest((MoeLayer(router=Router(activation=case, groups=groups)),))
        check("MOE-LOAD-01", load(ask, manifest.text()), loads(manifest))


@clause("MOE-LOAD-01")
def test_the_order_of_keys_says_nothing(ask: Ask) -> None:
    """Members of any object may stand in another order."""
    check("MOE-LOAD-01", load(ask, json_text(_turned(EVERYTHING.document()))), loads(EVERYTHING))


def _turned(value: Any) -> Any:
    """The document with the members of every object the other way round."""
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(item) for item in value] if isinstance(value, list) else value


@clause("MOE-LOAD-02")
@cases(
    simple=SIMPLE,
    latent=Manifest((LATENT,)),
    shared_bank=with_layer(SIMPLE, shared=ExpertBank(storage="s")),
    some_flags=with_layer(SIMPLE, router=Router(norm_after_top_k=True)),
    every_field=EVERYTHING,
)
def test_absent_fields_have_their_defaults(ask: Ask, case: Manifest) -> None:
    """Flags that are left out are false, everything else that is left out is null."""
    check("MOE-LOAD-02", load(ask, replace(case, brief=True).text()), loads(case))


@clause("MOE-LOAD-02")
def test_an_empty_post_is_all_defaults(ask: Ask) -> None:
    """A post without members is the same as none."""
    document = changed(BRIEF.document(), ("layers", 0, "router", "post"), {})
    check("MOE-LOAD-02", load(ask, json_text(document)), loads(SIMPLE))


NULLABLE: dict[str, Way] = {
    "transforms": ("layers", 0, "transforms"),
    "expert_dims": ("layers", 0, "routed_bank", "expert_dims"),
    "shared_bank": ("layers", 0, "shared_bank"),
    "routed_output_norm": ("layers", 0, "routed_output_norm"),
    "gate_bias": ("layers", 0, "router", "post", "gate_bias"),
    "route_scale": ("layers", 0, "router", "post", "route_scale"),
}


@clause("MOE-LOAD-02")
@cases(NULLABLE)
def test_null_is_absence(ask: Ask, case: Way) -> None:
    """An explicit null where null is allowed is answered like a field that is left out."""
    document = BRIEF.document()
    if case[-2] == "post":
        document = changed(document, case[:-1], {})
    check("MOE-LOAD-02", load(ask, json_text(changed(document, case, None))), loads(SIMPLE))


@clause("MOE-LOAD-02")
def test_a_flag_of_the_router_is_its_value(ask: Ask) -> None:
    """A flag is what is written, false included: that it is there says nothing."""
    for way in (("post", "renormalise"), ("post", "quantile_balanced"), ("shared_expert_sink",)):
        document = changed(SIMPLE.document(), ("layers", 0, "router", *way), True)
        expected = at(changed(SIMPLE.observation(), ("layers", 0, "router", *way), True), ("layers",))
        check("MOE-LOAD-02", load(ask, json_text(document)), answers(layers=expected))
        check("MOE-LOAD-02", load(ask, SIMPLE.text()), loads(SIMPLE))


LEVELS: dict[str, Way] = {
    "root": (),
    "layer": ("layers", 0),
    "router": ("layers", 0, "router"),
    "selection": ("layers", 0, "router", "selection"),
    "post": ("layers", 0, "router", "post"),
    "transforms": ("layers", 1, "transforms"),
    "routed_bank": ("layers", 0, "routed_bank"),
    "expert_dims": ("layers", 0, "routed_bank", "expert_dims"),
    "shared_bank": ("layers", 0, "shared_bank"),
}
UNKNOWN: dict[str, Any] = {
    "x-note": "a text",
    "__class__": "int",
    "constructor": {"prototype": [1, {"deep": None}]},
    "Layer": -1,
    "router ": True,
    "": 18446744073709551615,
}


@clause("MOE-LOAD-06")
@cases(LEVELS)
def test_unknown_fields_change_nothing(ask: Ask, case: Way) -> None:
    """Fields that nobody defined, of any type and name, leave the others as they are."""
    document: Any = EVERYTHING.document()
    for key, value in UNKNOWN.items():
        document = changed(document, (*case, key), value)
    check("MOE-LOAD-06", load(ask, json_text(document)), loads(EVERYTHING))


@clause("MOE-LOAD-06")
def test_a_field_of_another_place_is_unknown_here(ask: Ask) -> None:
    """A known name at another level is an unknown field like any other."""
    document = changed(SIMPLE.document(), ("layers", 0, "experts"), "many")
    document = changed(document, ("layers", 0, "router", "layer"), None)
    document = changed(document, ("storage",), [])
    check("MOE-LOAD-06", load(ask, json_text(document)), loads(SIMPLE))


@clause("MOE-LOAD-06")
@cases(
    unknown="mixture-of-depths-v9",
    number="0",
    capitals="Gated-MLP-v1",
    spaces=" gated-mlp-v1 ",
    empty="",
    composed="g\u00e9ant",
    decomposed="ge\u0301ant",
)
def test_a_programme_is_kept_as_written(ask: Ask, case: str) -> None:
    """Whatever the programme's string says, it neither stops the load nor changes on the way."""
    manifest = with_layer(
        SIMPLE, routed=ExpertBank(programme=case), shared=ExpertBank(programme=f"{case}!", storage="s")
    )
    check("MOE-LOAD-06", load(ask, manifest.text()), loads(manifest))


@clause("MOE-LOAD-06")
@cases({programme: programme for programme in PROGRAMMES})
def test_a_known_programme_is_kept_as_written(ask: Ask, case: str) -> None:
    """The strings of the table come out as strings, for both banks."""
    bank = ExpertBank(programme=case)
    manifest = with_layer(SIMPLE, routed=bank, shared=replace(bank, storage="s"))
    check("MOE-LOAD-06", load(ask, manifest.text()), loads(manifest))


@clause("MOE-LOAD-07")
@cases(nothing=NAME, nothing_in_no_folder=f"absent/{NAME}")
def test_no_manifest_is_missing(ask: Ask, case: str) -> None:
    """A path without a manifest is missing-file, naming it as it was given."""
    legal = ask("moe.load", path=ask.file("legal.json", SIMPLE.text()))
    check("MOE-LOAD-07", legal, loads(SIMPLE))
    path = str(ask.folder / case)
    check("MOE-LOAD-07", ask("moe.load", path=path), refuses("missing-file", path=path))
