"""Profiles of an index as they are declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container.tiny import GATE_UP
from vindex3_fixtures.json_text import Raw
from vindex3_suites.container.judging import check_legal, check_opened, check_refused
from vindex3_suites.container.models import BANK, FULL, HEAD_SET, SMALLEST, STACK_SET, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

DECLARED: dict[str, list[dict[str, Any]]] = {
    "one": [{"name": "exact"}],
    "one_of_another_name": [{"name": "served"}],
    "not_sorted": [{"name": name} for name in ("z", "a", "exact", "B", "10", "9")],
    "selecting": [{"name": "b", "selects": {STACK_SET: "other"}}, {"name": "a"}],
    "selecting_the_baseline": [{"name": "a", "selects": {STACK_SET: "stored", HEAD_SET: "stored"}}],
    "selecting_nothing": [{"name": "a", "selects": {}}, {"name": "b"}],
    "alike_but_for_case": [{"name": "exact"}, {"name": "Exact"}, {"name": " exact"}],
    "selects_first": [{"selects": {STACK_SET: "other"}, "name": "a"}],
    "many": [{"name": f"profile {number}"} for number in range(200, 0, -1)],
}


@clause("INDEX-PROFILE-01")
@cases(DECLARED)
def test_profiles_are_observed_as_declared(ask: Ask, case: list[dict[str, Any]]) -> None:
    """In declared order, each with what it selects, which is nothing where it does not say."""
    expected = [{"name": one["name"], "selects": one.get("selects", {})} for one in case]
    model = FULL.with_index(("profiles",), case)
    check("INDEX-PROFILE-01", open_(ask, model), opens(FULL, profiles=expected))


@clause("INDEX-PROFILE-01")
def test_profiles_of_a_bank_are_observed(ask: Ask) -> None:
    """In a bank container it is alike, in either order."""
    for profiles in (BANK.index["profiles"], BANK.index["profiles"][::-1]):
        check_opened(ask, "INDEX-PROFILE-01", BANK.with_index(("profiles",), profiles))


@clause("INDEX-PROFILE-02")
@cases(
    alone=["exact"],
    several=["b", "a"],
    before_an_object=["a", {"name": "b", "selects": {STACK_SET: "other"}}],
    behind_an_object=[{"name": "b", "selects": {STACK_SET: "other"}}, "a"],
    of_any_text=["A profile: {}", " null ", "\u00e9", "e\u0301", "4"],
)
def test_a_profile_may_be_a_string(ask: Ask, case: list[Any]) -> None:
    """A string is a profile of that name, which selects nothing."""
    expected = [
        {"name": one, "selects": {}}
        if isinstance(one, str)
        else {"name": "b", "selects": {STACK_SET: "other"}}
        for one in case
    ]
    check(
        "INDEX-PROFILE-02", open_(ask, FULL.with_index(("profiles",), case)), opens(FULL, profiles=expected)
    )


@clause("INDEX-PROFILE-03")
@cases(number="4", fraction="1.5", true="true", false="false", null="null", array='["exact"]', empty="[]")
def test_a_profile_is_a_string_or_an_object(ask: Ask, case: str) -> None:
    """Anything else is bad-type, alone, before a sound profile and behind one."""
    check_legal(ask, "INDEX-PROFILE-03", TINY)
    for profiles in ([Raw(case)], [Raw(case), "exact"], [{"name": "exact"}, Raw(case)]):
        check_refused(ask, "INDEX-PROFILE-03", TINY.with_index(("profiles",), profiles), "bad-type")


@clause("INDEX-PROFILE-03")
@cases(
    nothing={},
    selects={"selects": {}},
    selects_something={"selects": {GATE_UP: "native-mxfp4"}},
    capital={"Name": "exact"},
    other_keys={"id": "exact", "profile": "exact"},
)
def test_a_profile_has_a_name(ask: Ask, case: dict[str, Any]) -> None:
    """An object without one is missing-field; none is made up."""
    check_legal(ask, "INDEX-PROFILE-03", BANK)
    for profiles in ([case], ["exact", case], [case, {"name": "exact"}]):
        check_refused(ask, "INDEX-PROFILE-03", BANK.with_index(("profiles",), profiles), "missing-field")


@clause("INDEX-PROFILE-04")
@cases(graph=TINY, bank=BANK, everything=FULL, smallest=SMALLEST)
def test_no_profile_need_be_declared(ask: Ask, case: Any) -> None:
    """An index without any profile opens, and none is added."""
    check("INDEX-PROFILE-04", open_(ask, case.with_index(("profiles",), [])), opens(case, profiles=[]))
