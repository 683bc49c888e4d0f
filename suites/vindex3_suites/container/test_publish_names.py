"""File names that writers refuse to make: those of another folder, and two that may be taken for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.container.writings import tower, towers
from vindex3_suites.container.on_disk import paths, spares
from vindex3_suites.container.writing import check_refused, holds_nothing, said_written, write

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.sources import Writing


def _segment(component: str) -> str:
    return f"segments/{component}.perception_tower.bin"


@clause("PUBLISH-NAMES-01")
@cases(
    small_and_capital=("vision", "Vision"),
    capitals_within=("aVision", "aviSion"),
    letters_with_marks=("\u00e9t\u00e9", "\u00c9t\u00e9"),
    greek=("\u03b1", "\u0391"),
    composed_and_decomposed=("\u00e9", "e\u0301"),
    two_marks=("\u1ec7", "e\u0323\u0302"),
    both=("\u00c9", "e\u0301"),
    hangul=("\uac00", "\u1100\u1161"),
    among_others=("vision", "VISION", "a", "w"),
)
def test_names_that_collide_are_refused(ask: Ask, case: tuple[str, ...]) -> None:
    """Two ids, the first two, whose files differ in case or composition alone are refused with both files."""
    legal = towers(*(f"{at}{id_}" for at, id_ in enumerate(case)))
    check("PUBLISH-NAMES-01", write(ask, legal), said_written(ask))
    colliding = sorted(map(_segment, case[:2]), key=str.encode)
    reply = check_refused(ask, "PUBLISH-NAMES-01", towers(*case), refuses("path-collision", paths=colliding))
    check("PUBLISH-NAMES-01", reply, holds_nothing(ask.folder / "refused"))


ORDINARY = towers("..a", "a..b", "a.b", "b@c", "c+d", "e f", "g", "~h")
"""Ids with dots, signs and a space inside."""


def _names(writing: Writing) -> list[str]:
    """The ways in which the one name of a tower can be named: as id, as directory key, as file."""
    ((id_, key),) = writing.representations.items()
    encoding = key.removeprefix(f"{id_}@")
    return [id_, encoding, key, f"segments/{id_}.bin", f"segments/{key}.bin"]


@clause("PUBLISH-NAME-01")
@cases(
    slash=tower(id_="a/b"),
    up=tower(id_="../up"),
    up_twice=tower(id_="../../up"),
    up_and_back=tower(id_="../segments/a"),
    at_the_root=tower(id_="/dev/null/a"),
    slash_at_the_end=tower(id_="a/"),
    backslash=tower(id_="a\\b"),
    backslash_up=tower(id_="..\\up"),
    nul=tower(id_="a\0b"),
    encoding_with_a_slash=tower(encoding="a/b"),
    encoding_up=tower(encoding="../up"),
    encoding_of_two_dots=tower(encoding=".."),
    encoding_of_a_dot=tower(encoding="."),
    encoding_with_a_backslash=tower(encoding="a\\b"),
    encoding_with_nul=tower(encoding="BF16\0"),
)
def test_no_name_leads_out_of_segments(ask: Ask, case: Writing) -> None:
    """An id or encoding that would put a file anywhere else is refused before anything is written."""
    check("PUBLISH-NAME-01", write(ask, ORDINARY), said_written(ask))
    before = paths(ask.folder)
    reply = check_refused(ask, "PUBLISH-NAME-01", case, refuses("path-escape", path=one_of(*_names(case))))
    check("PUBLISH-NAME-01", reply, spares("files beside the target", before, paths(ask.folder)))
