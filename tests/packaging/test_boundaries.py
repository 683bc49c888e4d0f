"""Who may import whom: the boundaries that keep the oracle, the data and the suites apart."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import pytest_vindex3

CHECKOUT = Path(__file__).parents[2]
OURS = re.compile(r"(pytest_vindex3|vindex3_\w+)(\.\w+)*")
MUTANTS = "vindex3_fixtures.mutants"


@dataclass(frozen=True)
class Room:
    """A package, what of ours it may import besides itself, and what of that it still may not."""

    package: str
    folder: str
    may: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


ROOMS = [
    Room("pytest_vindex3.contract", "."),
    Room("pytest_vindex3.law", "."),
    Room("vindex3_reference", "reference"),
    Room("vindex3_golden", "golden"),
    Room("vindex3_fixtures", "fixtures", ("pytest_vindex3.contract", "vindex3_golden"), (MUTANTS,)),
    Room(MUTANTS, "fixtures", ("pytest_vindex3.contract", "vindex3_fixtures", "vindex3_reference")),
    Room(
        "vindex3_suites",
        "suites",
        (
            "pytest_vindex3.contract",
            "pytest_vindex3.law",
            "pytest_vindex3.plugin",
            "pytest_vindex3.strategies",
            "vindex3_golden",
            "vindex3_fixtures",
        ),
        (MUTANTS,),
    ),
]


def modules(room: Room) -> Iterator[tuple[str, bool, ast.Module]]:
    """Dotted name, whether it is a package, and tree of every module of a room and of no inner room."""
    root = CHECKOUT / room.folder
    inner = [other.package for other in ROOMS if other.package.startswith(f"{room.package}.")]
    for path in sorted((root / room.package.replace(".", "/")).rglob("*.py")):
        is_package = path.name == "__init__.py"
        parts = (path.parent if is_package else path.with_suffix("")).relative_to(root).parts
        name = ".".join(parts)
        if not any(within(name, other) for other in inner):
            yield name, is_package, ast.parse(path.read_text(encoding="utf-8"), str(path))


def within(name: str, package: str) -> bool:
    """Whether a dotted name is the package or lies in it."""
    return name == package or name.startswith(f"{package}.")


def imported(name: str, is_package: bool, tree: ast.Module) -> Iterator[str]:
    """Every module of ours that a module names: in imports of either form, and as a string to import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if OURS.fullmatch(alias.name))
        elif isinstance(node, ast.ImportFrom):
            yield from from_import(name, is_package, node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and is_module(node.value):
            yield node.value


def is_module(text: str) -> bool:
    """Whether a string is the name of a module of ours that is there: groups and declarations are not."""
    try:
        return OURS.fullmatch(text) is not None and importlib.util.find_spec(text) is not None
    except ModuleNotFoundError:
        return False


def from_import(name: str, is_package: bool, node: ast.ImportFrom) -> Iterator[str]:
    """The full name of each thing that `from ... import ...` takes."""
    base = node.module or ""
    if node.level:
        drop = node.level - 1 if is_package else node.level
        parts = name.split(".")
        base = ".".join([*parts[: len(parts) - drop], *filter(None, [node.module])])
    if not OURS.fullmatch(base):
        return
    homes = pytest_vindex3._HOMES if base == "pytest_vindex3" else {}
    for alias in node.names:
        yield f"pytest_vindex3.{homes[alias.name]}" if alias.name in homes else f"{base}.{alias.name}"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.package)
def test_a_package_imports_only_what_it_may(room: Room) -> None:
    """No module of a package names a module of ours that lies outside what the package may import."""
    trespasses = [
        f"{name} -> {target}"
        for name, is_package, tree in modules(room)
        for target in imported(name, is_package, tree)
        if any(within(target, package) for package in room.never)
        or not any(within(target, package) for package in (room.package, *room.may))
    ]
    assert trespasses == []


def test_the_reader_of_imports_sees_every_form() -> None:
    """Absolute, relative, lazy and spelled-out imports of ours are all seen, others are not."""
    source = """
import os, vindex3_reference.adapter
from vindex3_reference import lyrw
from pytest_vindex3 import check, answers
from . import sibling
declared = "vindex3_name", "pytest_vindex3.implementations"
from ..lyrw.reader import parse
import_module("vindex3_fixtures.mutants")
from json import loads
"""
    assert list(imported("vindex3_suites.lyrw.test_x", False, ast.parse(source))) == [
        "vindex3_reference.adapter",
        "vindex3_reference.lyrw",
        "pytest_vindex3.plugin.check",
        "pytest_vindex3.plugin.expect",
        "vindex3_suites.lyrw.sibling",
        "vindex3_suites.lyrw.reader.parse",
        "vindex3_fixtures.mutants",
    ]


@pytest.mark.parametrize("folder", ["pytest_vindex3/plugin", "suites", "golden", "fixtures", "reference"])
def test_what_judges_asserts_nothing(folder: str) -> None:
    """No module that judges or makes what is judged holds an assert statement: `python -O` drops it."""
    asserting = [
        f"{path.relative_to(CHECKOUT)}:{node.lineno}"
        for path in sorted((CHECKOUT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assert)
    ]
    assert asserting == []


@pytest.mark.parametrize("folder", ["tests", "suites"])
def test_every_test_states_its_claim(folder: str) -> None:
    """Every test function has a docstring, whose first line is the claim that a report shows."""
    silent = [
        f"{path.relative_to(CHECKOUT)}:{node.lineno}"
        for path in sorted((CHECKOUT / folder).rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert silent == []
