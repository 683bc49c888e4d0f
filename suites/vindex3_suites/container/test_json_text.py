"""index.json as a JSON document: its encoding, its strings, its depth and its root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, clause
from vindex3_fixtures.container.index import INDEX
from vindex3_fixtures.json_faults import NO_UTF8, faults
from vindex3_fixtures.json_text import Raw, Way, json_text
from vindex3_fixtures.json_twins import twins
from vindex3_suites.container.judging import check_fault, check_opened, check_refused, check_twin
from vindex3_suites.container.models import BANK, FULL, PACKED, SMALLEST, STACK_SET, TINY

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin

STRINGS: dict[str, Way] = {
    "model": ("model",),
    "family": ("family",),
    "derived_from_model": ("derived_from_model",),
    "profile": ("profiles", 0, "name"),
    "unknown_key": ("x-text",),
    "below_an_unknown_key": ("x-note", "by", 0),
}


@clause("JSON-TEXT-01")
@cases(faults("JSON-TEXT-01"))
def test_the_encoding_is_utf8(ask: Ask, case: JsonFault) -> None:
    """A document in another encoding, or with one bad sequence, is malformed-json."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-TEXT-01")
@cases(STRINGS)
def test_bad_bytes_are_never_replaced(ask: Ask, case: Way) -> None:
    """A sequence that is no UTF-8 is malformed in every string, whatever could be read in its place."""
    for name, good in (("latin_1", "café"), ("byte_ff", "\ufffd"), ("overlong_slash", "/")):
        model = FULL.with_index(case, good)
        check_opened(ask, "JSON-TEXT-01", model)
        text = json_text(model.index).replace(f'"{good}"'.encode(), b'"' + NO_UTF8[name] + b'"')
        check_refused(ask, "JSON-TEXT-01", model.folder.with_file(INDEX, text), "malformed-json")


@clause("JSON-TEXT-01")
@cases(twins("JSON-TEXT-01"))
def test_utf8_of_every_length_is_read(ask: Ask, case: JsonTwin) -> None:
    """Characters of two, three and four bytes are read."""
    check_twin(ask, case, SMALLEST)


@clause("JSON-TEXT-02")
@cases(faults("JSON-TEXT-02"))
def test_marks_and_halves_are_refused(ask: Ask, case: JsonFault) -> None:
    """A byte-order mark in front, and an escape that leaves half a character, is malformed-json."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-TEXT-02")
@cases(twins("JSON-TEXT-02"))
def test_a_pair_is_one_character(ask: Ask, case: JsonTwin) -> None:
    """Two escapes that are a pair are the character that they stand for."""
    check_twin(ask, case, SMALLEST)


@clause("JSON-TEXT-02")
@cases(STRINGS)
def test_a_pair_is_one_character_in_any_string(ask: Ask, case: Way) -> None:
    """In every string a pair is one character, and half of it is malformed-json."""
    escaped = FULL.with_index(case, Raw('"\\ud83D\\uDE00 \\uFEFF"'))
    plain = FULL.with_index(case, "\U0001f600 \ufeff")
    check_opened(ask, "JSON-TEXT-02", plain, spelt=escaped)
    for half in ("\\ud83d", "\\ude00", "\\ud83d\\\\ude00", "\\ud83d \\ude00", "\\udfff\\udbff"):
        wrong = FULL.with_index(case, Raw(f'"{half}"'))
        check_refused(ask, "JSON-TEXT-02", wrong, "malformed-json")


TEXTS = {
    "composed": "caf\u00e9",
    "decomposed": "cafe\u0301",
    "capitals": "TINY tiny Tiny",
    "blanks_around": "  tiny\t\n ",
    "no_break_spaces": "\u00a0tiny\u3000",
    "special_casing": "\u00df\u1e9e \u0130\u0131 \u03c3\u03c2 \u01c5",
    "compatibility_forms": "\ufb01 \uff21 \u2460 \u212b",
    "marks_inside": "a\ufeffb\u200b\u2028",
    "beyond_the_first_plane": "\U0001f600 \U00020000 \U0010ffff",
    "noncharacters": "\ufffe\uffff \ufdd0",
    "right_to_left": "\u05d0\u0627 \u202eabc",
    "empty": "",
    "escapes_as_text": '\\u0041 \\n " / &amp; %41 $HOME',
    "like_other_values": "null",
    "like_a_number": "1e999",
    "nul": "a\x00b",
}


@clause("JSON-TEXT-03")
@cases(TEXTS)
def test_text_is_kept_as_it_is(ask: Ask, case: str) -> None:
    """Strings come out character by character as they were written, wherever they stand."""
    model = FULL
    for way in STRINGS.values():
        model = model.with_index(way, case)
    check_opened(ask, "JSON-TEXT-03", model)


@clause("JSON-TEXT-03")
def test_spellings_stay_apart(ask: Ask) -> None:
    """Profiles, region sets, variants and unknown keys that look alike are as many as are written."""
    alike = ["\u00e9", "e\u0301", "\u00c9", " \u00e9", "\u00e9 "]
    whole = FULL.index["variants"][STACK_SET]
    sets: dict[str, Any] = dict.fromkeys(alike, whole)
    one = {"storage": "segments/target.embedding", "fidelity": "source-exact"}
    keys = [f"segments/target.{name}" for name in ("embedding", "output_head", "final_norm")]
    several = {name: {**one, "storage": key} for name, key in zip(alike, keys, strict=False)}
    sets["a set"] = {"baseline": alike[1], "variants": several}
    model = TINY.with_index(("variants",), sets).with_index(("profiles",), [{"name": name} for name in alike])
    for number, name in enumerate(alike):
        model = model.with_index((f"x-{name}",), number)
    check_opened(ask, "JSON-TEXT-03", model)


@clause("JSON-DEPTH-01")
@cases(faults("JSON-DEPTH-01"))
def test_depth_is_bounded(ask: Ask, case: JsonFault) -> None:
    """Ten thousand levels and more are refused, and neither crash nor hang."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-DEPTH-01")
@cases(
    precision_map=("precision_map", "x"),
    codec=("representations", PACKED, "codec", "x"),
    entry=("representations", PACKED, "x"),
    profile=("profiles", 0, "x"),
)
def test_depth_is_bounded_below_every_key(ask: Ask, case: Way) -> None:
    """Ten thousand levels are refused in every object that may hold what nobody defined."""
    check_opened(ask, "JSON-DEPTH-01", FULL)
    for deep in ("[" * 10_000 + "]" * 10_000, '{"y":' * 10_000 + "1" + "}" * 10_000):
        wrong = FULL.with_index(case, Raw(deep))
        check_refused(ask, "JSON-DEPTH-01", wrong, ("nesting-too-deep", "malformed-json"))


def _nested(levels: int) -> dict[str, object]:
    """Values of so many levels each: arrays, objects, and both in turn."""
    arrays: object = []
    objects: object = {}
    turns: object = {"end": None} if levels % 2 else [None]
    for level in range(levels - 1):
        arrays, objects = [arrays], {"y": objects}
        turns = {"y": turns} if (level + levels) % 2 else [turns, level]
    return {"arrays": arrays, "objects": objects, "turns": turns}


@clause("JSON-DEPTH-02")
@cases({name: name for name in _nested(1)})
def test_64_levels_are_kept(ask: Ask, case: str) -> None:
    """A value of up to 64 levels below an unknown key is observed verbatim."""
    for levels in (1, 2, 32, 63, 64):
        check_opened(ask, "JSON-DEPTH-02", TINY.with_index(("x-deep",), _nested(levels)[case]))


@clause("JSON-DEPTH-02")
@cases(twins("JSON-DEPTH-02"))
def test_64_levels_open(ask: Ask, case: JsonTwin) -> None:
    """64 levels open, and brackets within a string are none."""
    check_twin(ask, case, BANK)


@clause("JSON-ROOT-01")
@cases(faults("JSON-ROOT-01"))
def test_the_root_is_an_object(ask: Ask, case: JsonFault) -> None:
    """Any other root is bad-type, naming index.json, whatever stands in it."""
    for model in (SMALLEST, BANK):
        check_fault(ask, case, model)
