"""The version of a manifest: the integer 0, judged before everything else in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, clause
from pytest_vindex3.contract.patterns import Present
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.json_text import Raw, Way, json_text
from vindex3_fixtures.waste import MANIFEST, Waste
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import DENSE, EMBEDDING, FULL, HEAD, PACKED, SHAPES, TINY

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

VERSION: Way = ("format_version",)


def _check_unknown(ask: Ask, clause_id: str, wrong: Waste, found: object) -> None:
    check_refused(ask, clause_id, wrong, "unknown-version", found=found, supported=Present())


@clause("WASTE-VERSION-01")
@cases(SHAPES)
def test_version_0_opens_wherever_it_stands(ask: Ask, case: Waste) -> None:
    """Whichever member of the root comes first, the last or in the middle, 0 is the version."""
    others = [key for key in case.manifest if key != "format_version"]
    for place in (0, len(others) // 2, len(others)):
        keys = [*others[:place], "format_version", *others[place:]]
        turned = json_text({key: case.manifest[key] for key in keys})
        check_opened(ask, "WASTE-VERSION-01", case, spelt=case.folder.with_file(MANIFEST, turned))


@clause("WASTE-VERSION-01")
def test_only_the_root_has_a_version(ask: Ask) -> None:
    """The same key in another object is unknown there, and says nothing."""
    for way in (("config", "format_version"), ("trunk", 0, "format_version"), ("x", "format_version")):
        model = TINY.with_manifest(("x",), {}).with_manifest(way, 1)
        check_opened(ask, "WASTE-VERSION-01", TINY, spelt=model)


FOREIGN: dict[str, Any] = {
    "null": None,
    "one": 1,
    "minus_one": -1,
    "two": 2,
    "999": 999,
    "256": 256,
    "65536": 65536,
    "two_to_the_32": 1 << 32,
    "minus_two_to_the_32": -(1 << 32),
    "two_to_the_63": 1 << 63,
    "two_to_the_64": 1 << 64,
    "false": False,
    "true": True,
    "empty_string": "",
    "zero_in_a_string": "0",
    "number_in_a_string": "0.0.0",
    "word": "v0",
    "empty_array": [],
    "zero_in_an_array": [0],
    "empty_object": {},
    "object": {"major": 0},
}


@clause("WASTE-VERSION-02")
@cases(FOREIGN)
def test_any_other_version_is_unknown(ask: Ask, case: Any) -> None:
    """Everything but 0 is unknown-version, with what was found, word by word, and what is supported."""
    for model in (TINY, DENSE):
        check_opened(ask, "WASTE-VERSION-02", model)
        _check_unknown(ask, "WASTE-VERSION-02", model.with_manifest(VERSION, case), case)


@clause("WASTE-VERSION-02")
@cases({**SHAPES, "full": FULL})
def test_no_version_is_unknown(ask: Ask, case: Waste) -> None:
    """Without a version a manifest is unknown-version, with the word absent for what was found."""
    check_opened(ask, "WASTE-VERSION-02", case)
    _check_unknown(ask, "WASTE-VERSION-02", case.without_manifest(VERSION), "absent")


@clause("WASTE-VERSION-02")
@cases(
    capital="Format_version",
    capitals="FORMAT_VERSION",
    short="version",
    spelt_together="formatVersion",
    blank_behind="format_version ",
    of_the_config="config",
)
def test_no_other_key_is_the_version(ask: Ask, case: str) -> None:
    """A 0 under any other key is no version."""
    check_opened(ask, "WASTE-VERSION-02", TINY)
    without = TINY.without_manifest(VERSION)
    way: Way = ("config", "format_version") if case == "config" else (case,)
    _check_unknown(ask, "WASTE-VERSION-02", without.with_manifest(way, 0), "absent")


@clause("WASTE-VERSION-03")
@cases({"0.4": 0.4, "0.5": 0.5, "0.999": 0.999, "1e-9": 1e-09, "minus_0.5": -0.5, "least": 5e-324})
def test_no_version_is_rounded(ask: Ask, case: float) -> None:
    """What would become 0 when it is cut or rounded is another number."""
    for model in (TINY, DENSE):
        check_opened(ask, "WASTE-VERSION-03", model)
        _check_unknown(ask, "WASTE-VERSION-03", model.with_manifest(VERSION, case), case)


@clause("WASTE-VERSION-04")
@cases(
    {"0.0": "0.0", "0e0": "0e0", "minus_0": "-0", "0E+5": "0E+5", "minus_0.0": "-0.0", "0.00e-1": "0.00e-1"}
)
def test_zero_is_spelt_as_an_integer(ask: Ask, case: str) -> None:
    """Other spellings of zero are unknown-version too."""
    for model in (TINY, DENSE):
        check_opened(ask, "WASTE-VERSION-04", model)
        _check_unknown(ask, "WASTE-VERSION-04", model.with_manifest(VERSION, Raw(case)), Present())


@clause("WASTE-VERSION-05")
@cases({key: key for key in TINY.manifest if key != "format_version"})
def test_the_version_is_judged_before_absent_keys(ask: Ask, case: str) -> None:
    """Of another version it does not matter which keys of this one are there, nor of what type they are."""
    check_opened(ask, "WASTE-VERSION-05", TINY)
    foreign = TINY.with_manifest(VERSION, 1)
    _check_unknown(ask, "WASTE-VERSION-05", foreign.without_manifest((case,)), 1)
    for value in (None, 7, "x", [7], {"x": 7}):
        _check_unknown(ask, "WASTE-VERSION-05", foreign.with_manifest((case,), value), 1)


ODD: dict[str, tuple[Way, object]] = {
    "layers_beyond": (("config", "num_hidden_layers"), 129),
    "negative_size": (("config", "hidden_size"), -1),
    "text_for_a_number": (("config", "vocab_size"), "ten"),
    "fraction": (("expert_quant", "stages"), 3.9),
    "stages": (("expert_quant", "stages"), 99),
    "bits": (("expert_quant", "index_bits"), 7),
    "no_bank": (("layers", "1", "file"), "absent.bin"),
    "name_outside": (("layers", "1", "file"), "../experts-L1.bin"),
    "length": (("layers", "1", "bytes"), 1 << 62),
    "base": (("layers", "2", "codebook_base"), 1 << 40),
    "trunk_format": (("trunk", 0, "fmt"), 99),
    "offset": (("trunk", 0, "off"), 1 << 62),
    "name": (("trunk", 0, "name"), HEAD),
    "shape": (("trunk", 0, "shape"), [1 << 40] * 9),
}


@clause("WASTE-VERSION-05")
@cases(ODD)
def test_the_version_is_judged_before_values(ask: Ask, case: tuple[Way, object]) -> None:
    """Numbers, names and files that this version refuses say nothing in another."""
    way, value = case
    check_opened(ask, "WASTE-VERSION-05", TINY)
    _check_unknown(ask, "WASTE-VERSION-05", TINY.with_manifest(VERSION, 1).with_manifest(way, value), 1)


@clause("WASTE-VERSION-05")
def test_the_version_may_be_all_there_is(ask: Ask) -> None:
    """An object with nothing but another version is judged by that, and so is one without any file."""
    check_opened(ask, "WASTE-VERSION-05", PACKED)
    clause_id = "WASTE-VERSION-05"
    for version in (1, 7, "1", None):
        text = json_text({"format_version": version})
        for files in ({}, PACKED.files):
            wrong = Folder({**files, MANIFEST: text})
            check_refused(ask, clause_id, wrong, "unknown-version", found=version, supported=Present())
    unknown = {"unknown_root": [1], "config": EMBEDDING, "format_version": 1}
    wrong = Folder({MANIFEST: json_text(unknown)})
    check_refused(ask, clause_id, wrong, "unknown-version", found=1, supported=Present())
