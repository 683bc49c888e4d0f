"""The root of a container: index.json itself, and which generation it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, clause
from pytest_vindex3.contract.patterns import Present
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.index import INDEX
from vindex3_fixtures.json_faults import SORTS
from vindex3_fixtures.json_text import Raw, Way, json_text
from vindex3_suites.container.judging import check_legal, check_opened, check_refused
from vindex3_suites.container.models import BANK, BOTH, FULL, SHAPES, SMALLEST, SMALLEST_BANK, TINY
from vindex3_suites.container.slots import INTEGERS, REQUIRED, REQUIRED_BELOW, TYPED

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model

TEXT = json_text(TINY.index)
WHOLE = {"graph": TINY, "bank": BANK, "both": BOTH, "everything": FULL}


@clause("INDEX-FILE-01")
@cases(WHOLE)
def test_without_index_there_is_no_container(ask: Ask, case: Model) -> None:
    """Whatever else is there, a directory without index.json is missing-file, naming it."""
    check_legal(ask, "INDEX-FILE-01", case)
    check_refused(ask, "INDEX-FILE-01", case.folder.without(INDEX), "missing-file")


@clause("INDEX-FILE-01")
@cases(
    backup="index.json.bak",
    temporary=".index.json.tmp",
    without_extension="index",
    with_another="index.jsonl",
    below="segments/index.json",
    named_twice="index.json.json",
    of_another_format="manifest.json",
)
def test_no_other_file_is_the_index(ask: Ask, case: str) -> None:
    """A whole index under any other name is none."""
    check_legal(ask, "INDEX-FILE-01", TINY)
    wrong = TINY.folder.without(INDEX).with_file(case, TEXT)
    check_refused(ask, "INDEX-FILE-01", wrong, "missing-file")


@clause("INDEX-FILE-01")
@cases(
    nothing={}, a_folder_of_that_name={INDEX: Folder()}, in_a_folder_of_that_name={f"{INDEX}/{INDEX}": TEXT}
)
def test_an_index_is_a_file(ask: Ask, case: dict[str, Any]) -> None:
    """An empty directory has none, and a folder is no index."""
    check_legal(ask, "INDEX-FILE-01", TINY)
    rest = {} if not case else TINY.files
    check_refused(ask, "INDEX-FILE-01", Folder({**rest, **case}), "missing-file")


@clause("INDEX-VERSION-01")
@cases({**WHOLE, "smallest": SMALLEST, "smallest_bank": SMALLEST_BANK})
def test_versions_3_and_4_open(ask: Ask, case: Model) -> None:
    """Both are VINDEX3, each under its own number, and have one table of fields."""
    for version in (4, 3):
        check_opened(ask, "INDEX-VERSION-01", case.with_index(("version",), version))


@clause("INDEX-VERSION-01")
def test_an_earlier_version_lacks_no_field(ask: Ask) -> None:
    """Version 3 keeps unknown keys and takes profiles in both forms, like version 4."""
    for version in (3, 4):
        model = FULL.with_index(("version",), version).with_index(("profiles",), ["exact", {"name": "b"}])
        check_opened(ask, "INDEX-VERSION-01", model.with_index(("y",), [version]))


@clause("INDEX-VERSION-02")
@cases(SHAPES)
def test_versions_1_and_2_belong_to_another_generation(ask: Ask, case: Model) -> None:
    """They are wrong-generation, with both generations named."""
    check_legal(ask, "INDEX-VERSION-02", case)
    for version in (1, 2):
        wrong = case.with_index(("version",), version)
        check_refused(ask, "INDEX-VERSION-02", wrong, "wrong-generation", found="VINDEX2", required="VINDEX3")


UNKNOWN = (0, 5, 6, 7, 9, 10, 33, 34, 43, 99, 255, 256, 259, 260, 65539, 65540, 1 << 31, (1 << 32) - 1)


@clause("INDEX-VERSION-03")
@cases(SHAPES)
def test_any_other_version_is_unknown(ask: Ask, case: Model) -> None:
    """Other unsigned numbers are unknown-version, with what was found and what is supported."""
    check_legal(ask, "INDEX-VERSION-03", case)
    for version in UNKNOWN:
        wrong = case.with_index(("version",), version)
        check_refused(ask, "INDEX-VERSION-03", wrong, "unknown-version", found=version, supported=Present())


@clause("INDEX-VERSION-04")
@cases({**WHOLE, "smallest": SMALLEST})
def test_no_version_is_unknown(ask: Ask, case: Model) -> None:
    """Without a version an index is of no generation: unknown-version, with 0 found."""
    check_legal(ask, "INDEX-VERSION-04", case)
    wrong = case.without_index(("version",))
    check_refused(ask, "INDEX-VERSION-04", wrong, "unknown-version", found=0, supported=Present())


@clause("INDEX-VERSION-04")
@cases(
    capital="Version", plural="versions", long="format_version", schema="schema", spec="vindex_spec_version"
)
def test_no_other_key_is_the_version(ask: Ask, case: str) -> None:
    """A number under any other key is no version."""
    check_legal(ask, "INDEX-VERSION-04", TINY)
    wrong = TINY.without_index(("version",)).with_index((case,), 4)
    check_refused(ask, "INDEX-VERSION-04", wrong, "unknown-version", found=0, supported=Present())


FOREIGN: dict[int, tuple[str, object]] = {
    5: ("unknown-version", 5),
    0: ("unknown-version", 0),
    1: ("wrong-generation", "VINDEX2"),
    2: ("wrong-generation", "VINDEX2"),
}


def _check_version_first(ask: Ask, model: Model) -> None:
    for version in (5, 2):
        kind, found = FOREIGN[version]
        wrong = model.with_index(("version",), version)
        check_refused(ask, "INDEX-VERSION-05", wrong, kind, found=found)


@clause("INDEX-VERSION-05")
@cases({**REQUIRED, **REQUIRED_BELOW, "root": ("system_graph",)})
def test_the_version_is_judged_before_absent_keys(ask: Ask, case: Way) -> None:
    """Of another version it does not matter which keys of this one are there."""
    check_legal(ask, "INDEX-VERSION-05", FULL)
    _check_version_first(ask, FULL.without_index(case))


@clause("INDEX-VERSION-05")
@cases({**TYPED, **{name: ("integer", way) for name, (way, _) in INTEGERS.items() if name != "version"}})
def test_the_version_is_judged_before_types(ask: Ask, case: tuple[str, Way]) -> None:
    """Nor does it matter what stands in them."""
    sort, way = case
    check_legal(ask, "INDEX-VERSION-05", FULL)
    spelt = SORTS[sort]["true"]
    _check_version_first(ask, FULL.with_index(way, Raw(spelt)))


ODD: dict[str, tuple[Way, object]] = {
    "authority": (("authority",), "of another sort"),
    "fidelity": (("variants", "target.stack", "variants", "other", "fidelity"), "exact"),
    "root_outside": (("system_graph",), "../system_graph.json"),
    "absent_root": (("system_graph",), "absent.json"),
    "absent_segment": (("representations", "target.embedding@Q8_0", "segment"), "segments/absent.bin"),
    "profile": (("profiles",), [{"name": "p", "selects": {"nothing": "nowhere"}}]),
    "number": (("hidden_size",), -1),
    "null": (("model",), None),
}


@clause("INDEX-VERSION-05")
@cases(ODD)
def test_the_version_is_judged_before_values(ask: Ask, case: tuple[Way, object]) -> None:
    """Words, names, files and profiles of this version say nothing in another."""
    way, value = case
    check_legal(ask, "INDEX-VERSION-05", FULL)
    _check_version_first(ask, FULL.with_index(way, value))


@clause("INDEX-VERSION-05")
def test_the_version_may_be_all_there_is(ask: Ask) -> None:
    """An object with nothing but another version is judged by that; an empty one has none, which is 0."""
    check_legal(ask, "INDEX-VERSION-05", SMALLEST)
    for version, (kind, found) in FOREIGN.items():
        wrong = Folder({INDEX: json_text({"version": version})})
        check_refused(ask, "INDEX-VERSION-05", wrong, kind, found=found)
    check_refused(ask, "INDEX-VERSION-05", Folder({INDEX: b"{}"}), "unknown-version", found=0)
    last = json_text({"x": [1], "model": 7, "profiles": {}, "version": 2})
    check_refused(ask, "INDEX-VERSION-05", Folder({INDEX: last}), "wrong-generation", found="VINDEX2")
