"""Programmes of expert banks: their names, the roles that each accepts, and who binds them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.manifest import ExpertBank, Manifest, MoeLayer, Router
from vindex3_fixtures.lyrw.programmes import LATENT, PROGRAMMES, closest
from vindex3_suites.lyrw.manifests import SIMPLE, defect, examine, reports, with_layer
from vindex3_suites.lyrw.role_banks import APART, FUSED, layer_of

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.lyrw import LyrwFile

ROLES = ("gate_up_fused", "gate", "up", "down", "bias")


def _bound(programme: str) -> Manifest:
    """A manifest of one layer of one expert under this programme."""
    latent = programme in LATENT
    layer = MoeLayer(
        input_space="latent" if latent else "residual",
        transforms=latent,
        router=Router(k=1),
        routed=ExpertBank(experts=1, programme=programme),
    )
    return Manifest((layer,))


def _examine(ask: Ask, programme: str, file: LyrwFile) -> Reply:
    return examine(ask, _bound(programme), experts=[ask.file("experts.lyrw", file)])


def _unsatisfied(programme: str, *missing: str) -> dict[str, object]:
    return defect("unsatisfied-programme", layer=0, programme=programme, missing=sorted(missing))


TABLE: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "gated_fused": ("gated-mlp-v1", ("gate_up_fused", "down"), ()),
    "gated_apart": ("gated-mlp-v1", ("gate", "up", "down"), ()),
    "gated_without_up": ("gated-mlp-v1", ("gate", "down"), ("gate_up_fused",)),
    "gated_without_down": ("gated-mlp-v1", ("gate", "up"), ("down",)),
    "gated_down_alone": ("gated-mlp-v1", ("down",), ("gate_up_fused",)),
    "fused_fc1_fused": ("gated-mlp-fused-fc1-v1", ("gate_up_fused", "down"), ()),
    "fused_fc1_apart": ("gated-mlp-fused-fc1-v1", ("gate", "up", "down"), ("gate_up_fused",)),
    "fused_fc1_nothing": ("gated-mlp-fused-fc1-v1", ("bias",), ("down", "gate_up_fused")),
    "gpt_oss_fused": ("gpt-oss-expert-v1", ("gate_up_fused", "down", "bias"), ()),
    "gpt_oss_apart": ("gpt-oss-expert-v1", ("gate", "up", "down", "bias"), ()),
    "gpt_oss_fused_without_bias": ("gpt-oss-expert-v1", ("gate_up_fused", "down"), ("bias",)),
    "gpt_oss_apart_without_bias": ("gpt-oss-expert-v1", ("gate", "up", "down"), ("bias",)),
    "gpt_oss_without_down": ("gpt-oss-expert-v1", ("gate", "up", "bias"), ("down",)),
    "gpt_oss_up_and_bias": ("gpt-oss-expert-v1", ("up", "bias"), ("down", "gate_up_fused")),
    "shared_fused": ("shared-routed-mlp-v1", ("gate_up_fused", "down"), ()),
    "shared_apart": ("shared-routed-mlp-v1", ("gate", "up", "down"), ()),
    "shared_without_down": ("shared-routed-mlp-v1", ("gate", "up"), ("down",)),
    "latent_fused": ("latent-moe-v1", ("gate_up_fused", "down"), ()),
    "latent_apart": ("latent-moe-v1", ("gate", "up", "down"), ()),
    "latent_without_gate": ("latent-moe-v1", ("up", "down"), ("gate_up_fused",)),
}


@clause("MOE-PROGRAMME-01")
@cases(TABLE)
def test_a_programme_accepts_its_role_sets(
    ask: Ask, case: tuple[str, tuple[str, ...], tuple[str, ...]]
) -> None:
    """A bank with a whole set satisfies its programme; of any other the missing roles are reported."""
    programme, roles, missing = case
    legal = layer_of(*PROGRAMMES[programme][0])
    check("MOE-PROGRAMME-01", _examine(ask, programme, legal), reports())
    expected = [_unsatisfied(programme, *missing)] if missing else []
    check("MOE-PROGRAMME-01", _examine(ask, programme, layer_of(*roles)), reports(*expected))


@clause("MOE-PROGRAMME-01")
@cases({programme: programme for programme in PROGRAMMES})
def test_every_choice_of_roles_is_judged(ask: Ask, case: str) -> None:
    """For each of the 31 choices of roles the programme is satisfied or the closest set's rest is missing."""
    for count in range(1, len(ROLES) + 1):
        for roles in combinations(ROLES, count):
            _, missing = closest(case, roles)
            expected = [_unsatisfied(case, *missing)] if missing else []
            check("MOE-PROGRAMME-01", _examine(ask, case, layer_of(*roles)), reports(*expected))


@clause("MOE-PROGRAMME-01")
def test_the_order_of_roles_says_nothing(ask: Ask) -> None:
    """A set is there in whatever order its schemas stand."""
    for roles in (("down", "gate_up_fused"), ("up", "down", "gate"), ("down", "up", "gate")):
        check("MOE-PROGRAMME-01", _examine(ask, "gated-mlp-v1", layer_of(*roles)), reports())


@clause("MOE-PROGRAMME-02")
@cases(
    number="0",
    other_number="4",
    capitals="Gated-MLP-v1",
    upper_case="GATED-MLP-V1",
    underscores="gated_mlp_v1",
    space_behind="gated-mlp-v1 ",
    space_in_front=" gated-mlp-v1",
    no_version="gated-mlp",
    next_version="gated-mlp-v2",
    longer="gated-mlp-v10",
    empty="",
    other_hyphens="gated\u2011mlp\u2011v1",
    nul_behind="gated-mlp-v1\0",
)
def test_a_programme_has_one_spelling(ask: Ask, case: str) -> None:
    """Anything but the exact string is unknown-programme, for either bank."""
    check("MOE-PROGRAMME-02", examine(ask, SIMPLE), reports())
    routed = with_layer(SIMPLE, layer=3, routed=ExpertBank(programme=case))
    named = defect("unknown-programme", layer=3, programme=case)
    check("MOE-PROGRAMME-02", examine(ask, routed), reports(named))
    shared = with_layer(SIMPLE, layer=3, shared=ExpertBank(programme=case, storage="s"))
    check("MOE-PROGRAMME-02", examine(ask, shared), reports(named))


@clause("MOE-PROGRAMME-03")
@cases(
    {name: kind for kind, name in enumerate(("dense", "routed", "shared"))},
    unknown=9,
    largest=65535,
)
def test_the_manifest_alone_binds_a_programme(ask: Ask, case: int) -> None:
    """One file passes under two programmes, and fails under both, whatever the kind of its bank says."""
    for programme in ("gated-mlp-v1", "latent-moe-v1", "shared-routed-mlp-v1"):
        for file in (APART, FUSED):
            of_kind = replace(file, banks=(replace(file.banks[0], kind=case),))
            check("MOE-PROGRAMME-03", _examine(ask, programme, of_kind), reports())
        wrong = layer_of("gate", "up", kind=case)
        check("MOE-PROGRAMME-03", _examine(ask, programme, wrong), reports(_unsatisfied(programme, "down")))


@clause("MOE-PROGRAMME-03")
def test_browse_and_dimensions_bind_nothing(ask: Ask) -> None:
    """Neither browse bits nor a bank number have a say in the programme."""
    other = {"bank_id": 4, "flags": v.STRIDED, "input_dim": 9, "output_dim": 11}
    for programme in ("gated-mlp-v1", "latent-moe-v1"):
        file = layer_of("gate", "up", "down", **other)
        check("MOE-PROGRAMME-03", _examine(ask, programme, file), reports())
        wrong = layer_of("gate", "up", **other)
        check("MOE-PROGRAMME-03", _examine(ask, programme, wrong), reports(_unsatisfied(programme, "down")))
