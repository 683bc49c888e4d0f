"""Modules that are not collected, since nothing in them is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.plugin.identity import suites
from pytest_vindex3.plugin.narrowing import is_passed_over, may_hold, narrowed
from pytest_vindex3.plugin.settings import Settings

if TYPE_CHECKING:
    from pytest_vindex3.plugin.settings import Profile
    from tests.plugin.conftest import Project

BROWSE, CANARY = "lyrw/test_browse.py", "lyrw/test_canary.py"


@pytest.mark.parametrize(
    ("glob", "held"),
    [
        (BROWSE, True),
        (f"{BROWSE}::test_a", True),
        (f"{BROWSE}::test_a[one*]", True),
        ("lyrw/test_b*", True),
        ("lyrw/test_browse*s_a*", True),
        ("lyrw/test_browse.py::*", True),
        ("lyrw/*", True),
        ("lyrw/?est_browse.py::test_a", True),
        ("*", True),
        ("lyrw/test_bro", False),
        ("lyrw/test_browse.py2::test_a", False),
        ("lyrw/test_banks.py::test_a", False),
        ("graph/*", False),
        ("lyrw/canary", False),
    ],
)
def test_a_module_may_hold_what_a_glob_means(glob: str, held: bool) -> None:
    """The part in front of the first sign for others decides, on both sides of the name's end."""
    assert may_hold(BROWSE, glob) is held


def test_a_canary_has_a_name_of_its_own() -> None:
    """FAMILY/canary means the module of the canary."""
    assert may_hold(CANARY, "lyrw/canary")


@pytest.mark.parametrize(
    ("only", "profile", "wanted"),
    [
        ((f"{BROWSE}::test_a", "lyrw/canary"), "certify", {BROWSE, CANARY}),
        ((f"{BROWSE}::test_a", "LYRW-MAGIC-01"), "certify", None),
        ((f"{BROWSE}::test_a", "lyrw"), "certify", None),
        ((f"{BROWSE}::test_a", "lyrw/test_brows.py::test_a"), "certify", None),
        ((f"{BROWSE}::test_a",), "quick", None),
        ((), "certify", None),
    ],
)
def test_modules_are_wanted_where_their_names_tell(
    only: tuple[str, ...], profile: Profile, wanted: set[str] | None
) -> None:
    """Clauses, families, names that mean nothing and the profile *quick* need all tests."""
    assert narrowed(Settings(("x",), only=only, profile=profile)) == wanted


def test_only_modules_of_the_suites_are_passed_over(tmp_path: Path) -> None:
    """Files of others, and what is no module with tests, are left to pytest."""
    wanted = frozenset({BROWSE})
    assert is_passed_over(suites() / CANARY, wanted)
    assert not is_passed_over(suites() / BROWSE, wanted)
    assert not is_passed_over(suites() / "lyrw", wanted)
    assert not is_passed_over(tmp_path / CANARY, wanted)


def test_a_replay_collects_its_module_alone(project: Project) -> None:
    """A test that is named by its id runs, and the verdict says how much was left out."""
    run = project.run("--vindex3-impl=vindex3_reference", f"--vindex3-only={CANARY}")
    assert run.code == 0, run.out
    assert "all but 1 module left out by --vindex3-only" in run.out
    assert "deselected" not in run.out
