"""What every start of pytest pays once the kit is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import pytest

import pytest_vindex3

HEAVY = {"numpy", "msgspec", "hypothesis", "rich", "click", "cffi"}


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after one statement, beyond those of pytest itself."""
    program = (
        "import json, sys, pytest, _pytest.config, _pytest.pytester\n"
        "before = set(sys.modules)\n"
        f"{statement}\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout))


def test_loading_the_plugin_imports_nothing_heavy() -> None:
    """The module that pytest loads at every start brings no third-party package along."""
    loaded = loaded_by("import pytest_vindex3.plugin")
    assert "pytest_vindex3.plugin" in loaded
    assert loaded & HEAVY == set()


def test_importing_the_package_imports_no_module_of_it() -> None:
    """The package loads its parts when they are asked for, not before."""
    assert loaded_by("import pytest_vindex3") == {"pytest_vindex3"}


@pytest.mark.parametrize("name", sorted(pytest_vindex3._HOMES))
def test_the_public_names_are_there(name: str) -> None:
    """Each name that the package promises is found in the module that is said to hold it."""
    home = import_module(f"pytest_vindex3.{pytest_vindex3._HOMES[name]}")
    assert getattr(pytest_vindex3, name) is getattr(home, name)
