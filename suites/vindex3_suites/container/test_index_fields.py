"""Keys of index.json: which must be there, what they hold, and what their absence means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.json_faults import SORTS
from vindex3_fixtures.json_text import Raw, Way, at
from vindex3_suites.container.judging import check_legal, check_opened, check_refused
from vindex3_suites.container.models import (
    BANK,
    FULL,
    PACKED,
    PRECISION_MAP,
    SHAPES,
    SMALLEST,
    SMALLEST_BANK,
    STACK_SET,
    TINY,
    open_,
    opens,
)
from vindex3_suites.container.slots import REQUIRED, REQUIRED_BELOW, TYPED, named

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model


@clause("INDEX-FIELD-01")
@cases(REQUIRED)
def test_a_required_key_is_missed(ask: Ask, case: Way) -> None:
    """Without one of the required keys an index of any shape is missing-field, naming it."""
    for model in (SMALLEST, BANK, FULL):
        check_legal(ask, "INDEX-FIELD-01", model)
        wrong = model.without_index(case)
        check_refused(ask, "INDEX-FIELD-01", wrong, "missing-field", field=named(case))


@clause("INDEX-FIELD-02")
@cases(graph=SMALLEST, bank=SMALLEST_BANK)
def test_seven_keys_and_a_root_suffice(ask: Ask, case: Model) -> None:
    """What is left out is observed as its default; an empty family is a family."""
    defaults: dict[str, object] = {
        "family": "",
        "authority": "canonical",
        "representations": {},
        "variants": {},
        "precision_map": None,
        "derived_from_model": None,
        "extra": {},
    }
    check("INDEX-FIELD-02", open_(ask, case), opens(case, **defaults))


@clause("INDEX-FIELD-02")
@cases(graph=SMALLEST, bank=SMALLEST_BANK)
def test_an_empty_key_is_like_an_absent_one(ask: Ask, case: Model) -> None:
    """Empty representations and variants are observed like absent ones, numbers of 0 and any text as such."""
    empty: Any = case
    for key in ("representations", "variants"):
        empty = empty.with_index((key,), {})
    check_opened(ask, "INDEX-FIELD-02", case, spelt=empty)
    odd = case.with_index(("hidden_size",), 0).with_index(("num_layers",), 0).with_index(("model",), "")
    check_opened(ask, "INDEX-FIELD-02", odd)


@clause("INDEX-FIELD-02")
def test_the_order_of_keys_says_nothing(ask: Ask) -> None:
    """Members of any object may stand in another order."""
    for model in (SMALLEST, BANK, FULL):
        turned = model
        for key in reversed(list(model.index)):
            turned = turned.without_index((key,)).with_index((key,), _turned(model.index[key]))
        check_opened(ask, "INDEX-FIELD-02", model, spelt=turned)


def _turned(value: Any) -> Any:
    """The value with the members of every object the other way round."""
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(item) for item in value] if isinstance(value, list) else value


@clause("INDEX-FIELD-03")
@cases(TYPED)
def test_a_key_has_its_type(ask: Ask, case: tuple[str, Way]) -> None:
    """A value of another JSON type is bad-type, naming the field."""
    sort, way = case
    check_legal(ask, "INDEX-FIELD-03", FULL)
    for literal in SORTS[sort].values():
        if literal != "null":
            wrong = FULL.with_index(way, Raw(literal))
            check_refused(ask, "INDEX-FIELD-03", wrong, "bad-type", field=named(way))


@clause("INDEX-FIELD-03")
@cases(SORTS["string"])
def test_a_manifest_is_named_by_a_string(ask: Ask, case: str) -> None:
    """The root of a bank is a string too."""
    check_legal(ask, "INDEX-FIELD-03", BANK)
    if case != "null":
        wrong = BANK.with_index(("moe_manifest",), Raw(case))
        check_refused(ask, "INDEX-FIELD-03", wrong, "bad-type", field=named(("moe_manifest",)))


@clause("INDEX-REP-02")
@cases(REQUIRED_BELOW)
def test_a_required_key_below_is_missed(ask: Ask, case: Way) -> None:
    """An entry, a region set or a variant that lacks one of its keys is missing-field, naming it."""
    check_legal(ask, "INDEX-REP-02", FULL)
    wrong = FULL.without_index(case)
    check_refused(ask, "INDEX-REP-02", wrong, "missing-field", field=named(case))


@clause("INDEX-REP-02")
def test_every_entry_is_judged(ask: Ask) -> None:
    """Not only the last entry, set or variant: each of them is missed its keys."""
    entries = [("representations", name) for name in FULL.index["representations"]]
    sets = [("variants", name) for name in FULL.index["variants"]]
    check_legal(ask, "INDEX-REP-02", FULL)
    for way in (*entries, *sets):
        for key in at(FULL.index, way):
            if way[1] != PACKED or key in ("object", "segment_sha256"):
                wrong = FULL.without_index((*way, key))
                check_refused(ask, "INDEX-REP-02", wrong, "missing-field", field=named((*way, key)))


AUTHORITIES: dict[str, dict[str, str]] = {
    "canonical": {"authority": "canonical"},
    "derived": {"authority": "derived", "derived_from_model": "parent"},
    "derived_of_a_name_with_blanks": {"authority": "derived", "derived_from_model": " p/a rent "},
    "absent": {},
}


@clause("INDEX-AUTH-01")
@cases(AUTHORITIES)
def test_authority_is_observed(ask: Ask, case: dict[str, str]) -> None:
    """The word and the model that it is derived from are observed; an absent word is canonical."""
    expected = {"authority": "canonical", "derived_from_model": None, **case}
    for shape in (TINY, BANK):
        model = shape
        for key, value in case.items():
            model = model.with_index((key,), value)
        check("INDEX-AUTH-01", open_(ask, model), opens(shape, **expected))


LEVELS = (
    "analysis-only",
    "structurally-approximate",
    "numerically-approximate",
    "source-equivalent",
    "source-exact",
)
FIDELITY: Way = ("variants", STACK_SET, "variants", "other", "fidelity")


def _misspelt(word: str) -> list[str]:
    return ["", "mystery", word.upper(), word.capitalize(), f"{word} ", f" {word}", f"{word}s", word[:-1]]


@clause("INDEX-AUTH-02")
@cases(canonical="canonical", derived="derived")
def test_authority_is_a_word(ask: Ask, case: str) -> None:
    """Any other spelling, and any word of another vocabulary, is unknown-value."""
    check_opened(ask, "INDEX-AUTH-02", FULL.with_index(("authority",), case))
    for word in (*_misspelt(case), "source-exact", "approximate", "true", "null"):
        wrong = FULL.with_index(("authority",), word)
        check_refused(ask, "INDEX-AUTH-02", wrong, "unknown-value", field=named(("authority",)), value=word)


@clause("INDEX-AUTH-02")
@cases({level: level for level in LEVELS})
def test_fidelity_is_a_level(ask: Ask, case: str) -> None:
    """Each of the five levels is observed; any other word is unknown-value."""
    check_opened(ask, "INDEX-AUTH-02", FULL.with_index(FIDELITY, case))
    for word in (*_misspelt(case), case.replace("-", "_"), "canonical", "approximate", "exact"):
        wrong = FULL.with_index(FIDELITY, word)
        check_refused(ask, "INDEX-AUTH-02", wrong, "unknown-value", field=named(FIDELITY), value=word)


def _map(**changes: object) -> dict[str, object]:
    return {**PRECISION_MAP, **changes}


MAPS: dict[str, dict[str, object]] = {
    "as_it_is": PRECISION_MAP,
    "exceptions_in_another_order": _map(exceptions=PRECISION_MAP["exceptions"][::-1]),
    "no_exceptions": {key: value for key, value in PRECISION_MAP.items() if key != "exceptions"},
    "empty_exceptions": _map(exceptions=[]),
    "another_encoding": _map(encoding="MXFP4"),
    "roles_in_another_order": _map(roles=["expert-weight", "decoder-linear"]),
    "unknown_keys": _map(**{"x-by": {"who": [1, None]}, "Name": "other"}),
    "large_numbers": _map(exceptions=[{"projection": "v_proj", "layers": [0, 1], "x": (1 << 64) - 1}]),
}


@clause("INDEX-MAP-01")
@cases(MAPS)
def test_a_precision_map_is_observed_as_it_is_written(ask: Ask, case: dict[str, object]) -> None:
    """Every key and every exception, in their order, and nothing else of the container changes."""
    for model in (*SHAPES.values(), FULL):
        check_opened(ask, "INDEX-MAP-01", model.with_index(("precision_map",), case))
