"""Keys of index.json: how they are compared, that none stands twice, and what null means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container.index import INDEX
from vindex3_fixtures.json_faults import faults
from vindex3_fixtures.json_text import Way, at, json_text
from vindex3_fixtures.json_twins import twins
from vindex3_suites.container.judging import check_fault, check_legal, check_opened, check_refused, check_twin
from vindex3_suites.container.models import BANK, FULL, PACKED, SMALLEST, STACK_SET, TINY, open_text, opens
from vindex3_suites.container.repeating import escaped, with_twice
from vindex3_suites.container.slots import INTEGERS, NULLABLE, REQUIRED, REQUIRED_BELOW, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin


@clause("JSON-KEY-01")
@cases(faults("JSON-KEY-01"))
def test_no_key_stands_twice(ask: Ask, case: JsonFault) -> None:
    """A key that an object has twice is refused as duplicate-key, at any depth and with any values."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-KEY-01")
@cases(twins("JSON-KEY-01"))
def test_keys_that_are_alike_are_not_equal(ask: Ask, case: JsonTwin) -> None:
    """One key in two objects, and two keys that differ in case or composition, stand once each."""
    check_twin(ask, case, SMALLEST)


MEMBERS: dict[str, Way] = {
    "root": ("model",),
    "representations": ("representations", PACKED),
    "entry": ("representations", PACKED, "segment"),
    "codec": ("representations", PACKED, "codec", "family"),
    "profile": ("profiles", 1, "name"),
    "selects": ("profiles", 1, "selects", STACK_SET),
    "variants": ("variants", STACK_SET),
    "set": ("variants", STACK_SET, "baseline"),
    "variants_of_a_set": ("variants", STACK_SET, "variants", "other"),
    "variant": ("variants", STACK_SET, "variants", "other", "storage"),
    "segments": ("segments", "segments/target.embedding"),
    "precision_map": ("precision_map", "encoding"),
    "exception": ("precision_map", "exceptions", 1, "projection"),
    "unknown_key": ("x-note",),
    "below_an_unknown_key": ("x-note", "by"),
}


@clause("JSON-KEY-01")
@cases(MEMBERS)
def test_no_known_key_stands_twice(ask: Ask, case: Way) -> None:
    """In every object of the format a repeated key is refused, even with one value."""
    check_legal(ask, "JSON-KEY-01", FULL)
    folder = FULL.folder.with_file(INDEX, with_twice(FULL.index, case))
    check_refused(ask, "JSON-KEY-01", folder, "duplicate-key", key=case[-1])


@clause("JSON-KEY-02")
@cases(MEMBERS)
def test_an_escape_makes_no_other_key(ask: Ask, case: Way) -> None:
    """A key that is spelt in two ways stands twice."""
    check_legal(ask, "JSON-KEY-02", FULL)
    folder = FULL.folder.with_file(INDEX, with_twice(FULL.index, case, escaped))
    check_refused(ask, "JSON-KEY-02", folder, "duplicate-key", key=case[-1])


@clause("JSON-KEY-02")
@cases(twins("JSON-KEY-02"))
def test_an_escaped_key_is_that_key(ask: Ask, case: JsonTwin) -> None:
    """With a letter of every key escaped the observation is the same."""
    for model in (SMALLEST, TINY, BANK, FULL):
        check_twin(ask, case, model)


@clause("JSON-KEY-02")
@cases(MEMBERS)
def test_a_wholly_escaped_key_is_that_key(ask: Ask, case: Way) -> None:
    """So it is with every letter of one key escaped, ids and names among them."""
    key = str(case[-1])
    text = json_text(FULL.index).replace(f'"{key}":'.encode(), f"{escaped(key)}:".encode())
    check("JSON-KEY-02", open_text(ask, FULL, text), opens(FULL))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "capital": str.capitalize,
    "capitals": str.upper,
    "inner_capital": lambda key: key[0] + key[1].upper() + key[2:],
    "blank_behind": lambda key: f"{key} ",
    "blank_before": lambda key: f" {key}",
    "no_underscore": lambda key: key.replace("_", "-") if "_" in key else f"{key}_",
    "long_s": lambda key: key.replace("s", "\u017f") if "s" in key else f"{key}\u0301",
    "zero_width": lambda key: f"{key}\u200b",
    "nul_behind": lambda key: f"{key}\x00",
}


@clause("JSON-KEY-03")
@cases({**REQUIRED, **REQUIRED_BELOW, "profile_name": ("profiles", 1, "name")})
def test_a_key_has_its_case(ask: Ask, case: Way) -> None:
    """Whatever looks like a required key is another one, and the required one is missed."""
    check_legal(ask, "JSON-KEY-03", FULL)
    *home, key = case
    for spell in SPELLINGS.values():
        wrong = FULL.without_index(case).with_index((*home, spell(str(key))), at(FULL.index, case))
        check_refused(ask, "JSON-KEY-03", wrong, "missing-field", field=named(case))


@clause("JSON-KEY-03")
@cases(SPELLINGS)
def test_an_optional_key_has_its_case(ask: Ask, case: Callable[[str], str]) -> None:
    """Whatever looks like an optional key is unknown, and kept as such."""
    model: Any = TINY
    for key, value in (("authority", "strange"), ("derived_from_model", 1), ("moe_manifest", [])):
        model = model.with_index((case(key),), value)
    check_opened(ask, "JSON-KEY-03", model)
    wrong = model.without_index(("model",)).with_index((case("model"),), "m")
    check_refused(ask, "JSON-KEY-03", wrong, "missing-field", field=named(("model",)))


INTERNALS: dict[str, tuple[str, Any]] = {
    "class": ("__class__", "int"),
    "init": ("__init__", None),
    "dict": ("__dict__", {"model": "other"}),
    "proto": ("__proto__", {"model": "other", "version": 2}),
    "constructor": ("constructor", {"prototype": {"authority": "derived"}}),
    "prototype": ("prototype", []),
    "hasOwnProperty": ("hasOwnProperty", 1),
    "toString": ("toString", "none"),
    "self": ("self", {}),
    "path": ("path", "../elsewhere"),
    "open": ("open", True),
    "read": ("read", False),
    "items": ("items", [["a", 1]]),
    "keys": ("keys", 3),
    "get": ("get", "nothing"),
    "extra": ("extra", {"x": 1}),
    "index": ("index", {"version": 5}),
    "generation": ("generation", "VINDEX2"),
    "schema": ("schema", 99),
    "shapes": ("shapes", ["bank"]),
    "unreferenced_files": ("unreferenced_files", ["index.json"]),
    "fidelity": ("fidelity", "made up"),
    "vindex_spec_version": ("vindex_spec_version", 9),
    "empty": ("", "empty"),
    "reference": ("$ref", "other.json"),
    "tag": ("!!python/object", "os.system"),
}
"""Keys that mean something in a language, in an answer or in other formats, and nothing in an index."""


@clause("JSON-KEY-04")
@cases(INTERNALS)
def test_a_key_is_plain_data(ask: Ask, case: tuple[str, Any]) -> None:
    """An unknown key of whatever name is observed in extra, and changes nothing else."""
    key, value = case
    for model in (TINY, BANK):
        check_opened(ask, "JSON-KEY-04", model.with_index((key,), value))


@clause("JSON-KEY-04")
def test_all_keys_are_plain_data(ask: Ask) -> None:
    """All of them together are as harmless, at the root and in every object of the format."""
    model = below = FULL
    for key, value in INTERNALS.values():
        model = model.with_index((key,), value)
        for home in (("representations", PACKED), ("profiles", 1), ("variants", STACK_SET)):
            below = below.with_index((*home, key), value)
    below = below.with_index(("variants", STACK_SET, "variants", "other", "__class__"), "int")
    check_opened(ask, "JSON-KEY-04", model)
    check_opened(ask, "JSON-KEY-04", FULL, spelt=below)


@clause("JSON-NULL-01")
@cases(NULLABLE)
def test_null_is_absence(ask: Ask, case: Way) -> None:
    """Null in an optional slot is observed like a key that is left out."""
    null = FULL.with_index(case, None)
    absent = null.without_index(case)
    check_opened(ask, "JSON-NULL-01", absent)
    check_opened(ask, "JSON-NULL-01", absent, spelt=null)


@clause("JSON-NULL-01")
def test_null_is_no_root(ask: Ask) -> None:
    """Where one root is named the other may be null, and is then none."""
    for model, other in ((BANK, "system_graph"), (SMALLEST, "moe_manifest")):
        check_opened(ask, "JSON-NULL-01", model, spelt=model.with_index((other,), None))


@clause("JSON-NULL-01")
def test_every_optional_key_may_be_null(ask: Ask) -> None:
    """All of them at once are all absent."""
    null = absent = FULL
    for way in NULLABLE.values():
        null = null.with_index(way, None)
        absent = absent.with_index(way, None).without_index(way)
    check_opened(ask, "JSON-NULL-01", absent, spelt=null)


@clause("JSON-NULL-02")
@cases(
    {
        **REQUIRED,
        **{name: way for name, way in REQUIRED_BELOW.items() if name != "set_variants"},
        "profile_name": ("profiles", 1, "name"),
        "count": INTEGERS["count"][0],
    }
)
def test_null_is_no_value(ask: Ask, case: Way) -> None:
    """Null where a value is required is bad-type, and never a default."""
    check_legal(ask, "JSON-NULL-02", FULL)
    check_refused(ask, "JSON-NULL-02", FULL.with_index(case, None), "bad-type", field=named(case))
