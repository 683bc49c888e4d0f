"""Without the option the plugin says nothing, does nothing and loads nothing."""

from __future__ import annotations

import json
import pkgutil
import re
from typing import TYPE_CHECKING

from pytest_vindex3 import plugin

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

LOADED = """
import json, sys

def test_of_the_project(pytestconfig):
    modules = [name for name in sys.modules if name.startswith("pytest_vindex3")]
    heavy = [name for name in ("numpy", "msgspec", "hypothesis", "rich", "click") if name in sys.modules]
    plugins = [name for name, _ in pytestconfig.pluginmanager.list_name_plugin() if "vindex3" in name]
    with open("loaded.json", "w") as file:
        json.dump([modules, heavy, plugins], file)
"""


def test_without_the_option_there_is_no_trace(project: Project) -> None:
    """A project's own run has no line of ours and none of our modules beyond the table of options."""
    run = project.write(test_own=LOADED).bare("-v", "--strict-markers")
    assert run.code == 0
    assert "vindex3" not in run.out.replace("plugins: vindex3", "")
    modules, heavy, plugins = json.loads((project.folder / "loaded.json").read_text(encoding="ascii"))
    assert sorted(modules) == ["pytest_vindex3", "pytest_vindex3.plugin", "pytest_vindex3.plugin.options"]
    assert heavy == []
    assert plugins == ["vindex3"]


def test_the_marks_are_known_without_the_option(project: Project) -> None:
    """A module that imports the kit's marks is collected under strict markers in any session."""
    body = "@clause('LYRW-MAGIC-01')\n@needs('lyrw.region')\ndef test_marked():\n    pass\n"
    run = project.suite("test_own", body).bare("--strict-markers", "-W", "error")
    assert run.code == 0
    assert "1 passed" in run.lines[-1]


def test_every_option_has_an_ini_twin_and_a_help_text(project: Project) -> None:
    """The help lists nine options of one group and nine settings of the same names."""
    out = project.bare("--help").out
    names = [
        "impl",
        "only",
        "profile",
        "strict",
        "report",
        "in-process",
        "time-scale",
        "seed",
        "known-failures",
    ]
    assert all(f"--vindex3-{name}" in out for name in names)
    assert all(f"vindex3_{name.replace('-', '_')} (" in out for name in names)


def test_the_reading_order_names_every_module() -> None:
    """The package's own text has a line for each of its modules, and for nothing that is not there."""
    named = re.findall(r"^    (\w+) {2,}\S", plugin.__doc__ or "", re.MULTILINE)
    assert sorted(named) == sorted(module.name for module in pkgutil.iter_modules(plugin.__path__))
