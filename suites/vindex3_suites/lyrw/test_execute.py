"""Executing a bank under a programme: role sets that are complete, and roles that are not there."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.lyrw import LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.programmes import APART as APART_ROLES
from vindex3_fixtures.lyrw.programmes import FUSED as FUSED_ROLES
from vindex3_fixtures.lyrw.programmes import PROGRAMMES, RoleSet, closest
from vindex3_suites.lyrw.operations import (
    FORMATS,
    PACKINGS,
    but,
    covered,
    forbidden,
    judged,
    judged_paths,
    permitted,
    reason,
    supporting,
    unsupported,
)
from vindex3_suites.lyrw.role_banks import APART, FUSED, layer_of, schema, slice_of
from vindex3_suites.lyrw.samples import scales, values

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers

GATED = "gated-mlp-v1"
ROLES = ("gate_up_fused", "gate", "up", "down", "bias")


def executed(
    ask: Ask, file: LyrwFile, programme: str = GATED, /, bank_id: int = 0, **options: object
) -> Reply:
    """Ask for execute over a bank of one file."""
    return judged(ask, file, "execute", bank_id, programme=programme, **options)


def missing(operand: str, why: str, bank_id: int = 0, **names: object) -> dict[str, Any]:
    """One operand that a role set lacks."""
    return reason("missing-operand", object=bank_id, operand=operand, reason=why, **names)


def _states(*states: tuple[RoleSet, str]) -> list[dict[str, Any]]:
    return [{"roles": list(roles), "state": state} for roles, state in states]


def _runs(*states: tuple[RoleSet, str]) -> Answers:
    return permitted("execute", role_sets=_states(*states))


RUNNING: dict[str, tuple[LyrwFile, str, Answers]] = {
    "fused": (FUSED, GATED, _runs((FUSED_ROLES, "executable"), (APART_ROLES, "blocked"))),
    "apart": (APART, GATED, _runs((FUSED_ROLES, "blocked"), (APART_ROLES, "executable"))),
    "both_sets": (
        layer_of("gate", "up", "gate_up_fused", "down"),
        GATED,
        _runs((FUSED_ROLES, "executable"), (APART_ROLES, "executable")),
    ),
    "more_roles": (
        layer_of("latent_in", "gate_up_fused", 300, "bias", "down"),
        GATED,
        _runs((FUSED_ROLES, "executable"), (APART_ROLES, "blocked")),
    ),
    "fused_fc1": (FUSED, "gated-mlp-fused-fc1-v1", _runs((FUSED_ROLES, "executable"))),
    "gpt_oss": (
        layer_of("gate_up_fused", "down", "bias"),
        "gpt-oss-expert-v1",
        _runs(((*FUSED_ROLES, "bias"), "executable"), ((*APART_ROLES, "bias"), "blocked")),
    ),
    "latent": (APART, "latent-moe-v1", _runs((FUSED_ROLES, "blocked"), (APART_ROLES, "executable"))),
    "shared": (FUSED, "shared-routed-mlp-v1", _runs((FUSED_ROLES, "executable"), (APART_ROLES, "blocked"))),
    "values_and_scales": (
        layer_of(replace(values(1, v.GATE_UP_FUSED), layout=v.INTERLEAVED), scales(1), "down"),
        GATED,
        _runs((FUSED_ROLES, "executable"), (APART_ROLES, "blocked")),
    ),
}


@clause("CAPABILITY-EXEC-01")
@cases(RUNNING)
def test_a_complete_role_set_is_executed(ask: Ask, case: tuple[LyrwFile, str, Answers]) -> None:
    """One complete set is enough; every complete one is listed as executable, in the programme's order."""
    file, programme, expected = case
    check("CAPABILITY-EXEC-01", executed(ask, file, programme), expected)


@clause("CAPABILITY-EXEC-01")
def test_an_executable_set_covers_what_is_required(ask: Ask) -> None:
    """Its covered entries are the whole of those required."""
    file = layer_of("gate_up_fused", "down", entries=5)
    whole = {"roles": list(FUSED_ROLES), "state": "executable", "covered": covered((0, 5))}
    check("CAPABILITY-EXEC-01", executed(ask, file), permitted("execute", role_sets=[whole, {}]))
    some = {**whole, "covered": covered((1, 4))}
    reply = executed(ask, file, first_entry=1, entry_count=3)
    check("CAPABILITY-EXEC-01", reply, permitted("execute", role_sets=[some, {}]))


@clause("CAPABILITY-EXEC-01")
def test_all_files_of_a_split_layer_are_executed_together(ask: Ask) -> None:
    """Over both files every required entry has its roles; over one, its own entries do."""
    whole = layer_of("gate_up_fused", "down", bank_id=6, entries=4)
    halves = [slice_of(whole, (0, 2)), slice_of(whole, (2, 4), index=1)]
    sets = _states((FUSED_ROLES, "executable"), (APART_ROLES, "blocked"))
    expected = permitted("execute", role_sets=sets)
    check("CAPABILITY-EXEC-01", judged(ask, halves, "execute", 6, programme=GATED), expected)
    own = executed(ask, halves[1], GATED, 6, first_entry=2, entry_count=2)
    check("CAPABILITY-EXEC-01", own, expected)


@clause("CAPABILITY-EXEC-01")
def test_what_is_not_needed_need_not_be_supported(ask: Ask) -> None:
    """Unknown tags of roles outside the set, and formats that it does not use, refuse nothing."""
    file = layer_of(schema("gate", format=77), "gate_up_fused", schema("bias", packing=9), "down")
    expected = _runs((FUSED_ROLES, "executable"), (APART_ROLES, "blocked"))
    check("CAPABILITY-EXEC-01", executed(ask, file), expected)
    supports = supporting(formats=["f32"], packings=["row_major"], layouts=["interleaved"])
    check("CAPABILITY-EXEC-01", executed(ask, file, supports=supports), expected)


@clause("CAPABILITY-EXEC-01")
def test_a_missing_layout_refuses_no_other_set(ask: Ask) -> None:
    """Beside a fused region of unspecified layout, gate, up and down are executed."""
    file = layer_of(schema("gate_up_fused", layout=v.UNSPECIFIED), "gate", "up", "down")
    check("CAPABILITY-EXEC-01", executed(ask, file), permitted("execute"))


LACKING: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "down": (("gate_up_fused",), GATED, ("down",)),
    "fused": (("down",), GATED, ("gate_up_fused",)),
    "fused_on_a_tie_with_up": (("gate", "down"), GATED, ("gate_up_fused",)),
    "down_on_a_tie_with_down": (("gate_up_fused", "gate", "up"), GATED, ("down",)),
    "of_the_second_set": (("gate", "up"), GATED, ("down",)),
    "fused_and_down": (("gate",), GATED, ("gate_up_fused", "down")),
    "fused_alone_accepted": (("gate", "up", "down"), "gated-mlp-fused-fc1-v1", ("gate_up_fused",)),
    "bias": (("gate", "up", "down"), "gpt-oss-expert-v1", ("bias",)),
    "everything": (("latent_in",), "gpt-oss-expert-v1", ("gate_up_fused", "down", "bias")),
}


@clause("CAPABILITY-EXEC-02")
@cases(LACKING)
def test_an_absent_role_is_a_missing_operand(
    ask: Ask, case: tuple[tuple[str, ...], str, tuple[str, ...]]
) -> None:
    """Of the closest set each missing role is named once, with bank, layer, file and reason."""
    roles, programme, lacks = case
    legal = replace(layer_of(*PROGRAMMES[programme][0], bank_id=6), logical_layer=3)
    check("CAPABILITY-EXEC-02", executed(ask, legal, programme, 6), permitted("execute"))
    path = ask.file("wrong.lyrw", replace(layer_of(*roles, bank_id=6), logical_layer=3))
    where = {"layer": 3, "segment": one_of(None, path)}
    expected = forbidden("execute", *(missing(role, "absent", 6, **where) for role in lacks))
    reply = judged_paths(ask, [path], "execute", 6, programme=programme)
    check("CAPABILITY-EXEC-02", reply, expected)


@clause("CAPABILITY-EXEC-02")
def test_a_blocked_set_covers_nothing(ask: Ask) -> None:
    """Where all roles but down are there, both sets are blocked and cover no entry."""
    check("CAPABILITY-EXEC-02", executed(ask, FUSED), permitted("execute"))
    sets = [{"roles": list(roles), "state": "blocked", "covered": []} for roles in (FUSED_ROLES, APART_ROLES)]
    expected = forbidden("execute", missing("down", "absent"), role_sets=sets)
    check("CAPABILITY-EXEC-02", executed(ask, layer_of("gate_up_fused", "gate", "up")), expected)


@clause("CAPABILITY-EXEC-02")
@cases({programme: programme for programme in PROGRAMMES})
def test_every_choice_of_roles_is_judged(ask: Ask, case: str) -> None:
    """For each of the 31 choices of roles every set has its state, and the closest one is reported."""
    for count in range(1, len(ROLES) + 1):
        for roles in combinations(ROLES, count):
            _, lacks = closest(case, roles)
            states = [
                (each, "executable" if set(each) <= set(roles) else "blocked") for each in PROGRAMMES[case]
            ]
            sets = _states(*states)
            reasons = [missing(role, "absent") for role in lacks]
            expected = forbidden("execute", *reasons, role_sets=sets) if lacks else _runs(*states)
            check("CAPABILITY-EXEC-02", executed(ask, layer_of(*roles), case), expected)


UNSUPPORTED: dict[str, tuple[Schema, str, str | int]] = {
    "unknown_format": (schema("down", format=77), "unsupported-format", 77),
    "largest_format": (schema("down", format=65535), "unsupported-format", 65535),
    "unknown_packing": (schema("down", packing=9), "unsupported-packing", 9),
}


@clause("CAPABILITY-EXEC-03")
@cases(UNSUPPORTED)
def test_an_unknown_tag_blocks_its_set(ask: Ask, case: tuple[Schema, str, str | int]) -> None:
    """A role in an unknown format or packing is a missing operand, and names the value."""
    wrong, why, value = case
    check("CAPABILITY-EXEC-03", executed(ask, FUSED), permitted("execute"))
    expected = forbidden(
        "execute",
        missing("down", why, value=value),
        role_sets=_states((FUSED_ROLES, "blocked"), (APART_ROLES, "blocked")),
    )
    check("CAPABILITY-EXEC-03", executed(ask, layer_of("gate_up_fused", wrong)), expected)


INLINE = schema("down", format=v.MXFP4, packing=v.BLOCKS_WITH_SCALES_INLINE, cols=32)


@clause("CAPABILITY-EXEC-03")
@cases(
    format=(supporting(formats=but(FORMATS, "mxfp4")), "unsupported-format", "mxfp4"),
    packing=(
        supporting(packings=but(PACKINGS, "blocks_with_scales_inline")),
        "unsupported-packing",
        "blocks_with_scales_inline",
    ),
)
def test_an_unsupported_tag_blocks_its_set(ask: Ask, case: tuple[dict[str, list[str]], str, str]) -> None:
    """A known tag that supports leaves out is a missing operand, and names its word."""
    supports, why, value = case
    file = layer_of("gate", "up", INLINE)
    check("CAPABILITY-EXEC-03", executed(ask, file, supports=supporting()), permitted("execute"))
    check("CAPABILITY-EXEC-03", executed(ask, file), permitted("execute"))
    expected = forbidden("execute", missing("down", why, value=value))
    for wrong in (file, layer_of("gate", "up", "gate_up_fused", INLINE)):
        check("CAPABILITY-EXEC-03", executed(ask, wrong, supports=supports), expected)


@clause("CAPABILITY-EXEC-03")
def test_another_set_is_executed_in_its_stead(ask: Ask) -> None:
    """A set that an unknown format blocks does not refuse one that is complete."""
    file = layer_of(schema("gate_up_fused", format=77), "gate", "up", "down")
    expected = _runs((FUSED_ROLES, "blocked"), (APART_ROLES, "executable"))
    check("CAPABILITY-EXEC-03", executed(ask, file), expected)
    alone = layer_of(schema("gate_up_fused", format=77), "down")
    wrong = missing("gate_up_fused", "unsupported-format", value=77)
    check("CAPABILITY-EXEC-03", executed(ask, alone), forbidden("execute", wrong))


@clause("CAPABILITY-EXEC-04")
@cases(down=("down",), fused=("gate_up_fused",), both=("gate_up_fused", "down"), twice=("down", "down"))
def test_an_omitted_role_blocks_its_set(ask: Ask, case: tuple[str, ...]) -> None:
    """A role that is left out counts as missing although the file has it."""
    fused_alone = "gated-mlp-fused-fc1-v1"
    check("CAPABILITY-EXEC-04", executed(ask, FUSED, fused_alone, omit=[]), permitted("execute"))
    expected = forbidden(
        "execute",
        *(missing(role, "omitted") for role in sorted(set(case))),
        role_sets=_states((FUSED_ROLES, "blocked")),
    )
    check("CAPABILITY-EXEC-04", executed(ask, FUSED, fused_alone, omit=list(case)), expected)


@clause("CAPABILITY-EXEC-04")
def test_what_is_omitted_need_not_be_needed(ask: Ask) -> None:
    """Omitting a role of one set leaves the other to be executed."""
    file = layer_of("gate", "up", "gate_up_fused", "down")
    expected = _runs((FUSED_ROLES, "blocked"), (APART_ROLES, "executable"))
    check("CAPABILITY-EXEC-04", executed(ask, file, omit=["gate_up_fused", "bias"]), expected)
    lost = forbidden("execute", missing("down", "omitted"))
    check("CAPABILITY-EXEC-04", executed(ask, file, omit=["down"]), lost)


@clause("CAPABILITY-EXEC-08")
@cases(
    unknown="mystery-v1",
    number="0",
    capitals="Gated-MLP-v1",
    underscores="gated_mlp_v1",
    space_behind="gated-mlp-v1 ",
    empty="",
)
def test_an_unknown_programme_is_not_executed(ask: Ask, case: str) -> None:
    """A string outside the table is refused as unknown-programme, whatever the file holds."""
    file = layer_of("gate", "up", "gate_up_fused", "down", "bias")
    check("CAPABILITY-EXEC-08", executed(ask, file), permitted("execute"))
    expected = forbidden("execute", reason("unknown-programme", programme=case))
    check("CAPABILITY-EXEC-08", executed(ask, file, case), expected)


@clause("CAPABILITY-EXEC-09")
@cases(unspecified=(0, "unspecified"), unknown=(9, 9), largest=(65535, 65535))
def test_a_layout_that_is_not_said_should_not_be_executed(ask: Ask, case: tuple[int, str | int]) -> None:
    """A fused set of unspecified or unknown layout is refused for its layout, unless another set will do."""
    layout, value = case
    fused = schema("gate_up_fused", layout=layout)
    check("CAPABILITY-EXEC-09", executed(ask, FUSED), permitted("execute"))
    check("CAPABILITY-EXEC-09", executed(ask, layer_of(fused, "gate", "up", "down")), permitted("execute"))
    refused = unsupported("execute", field="layout", value=value)
    for programme in (GATED, "gated-mlp-fused-fc1-v1"):
        reply = executed(ask, layer_of(fused, "down"), programme)
        check("CAPABILITY-EXEC-09", reply, forbidden("execute", refused))
