"""The id of a test: path inside the suites, name, case; no implementation, machine or running number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from pytest_vindex3.law.registry import Clause, clauses

CLAUSE_MARK = "vindex3_clause"
NEEDS_MARK = "vindex3_needs"
GENERATED_MARK = "vindex3_generated"
DISK_MARK = "vindex3_on_disk"
IMPLEMENTATION = "vindex3_implementation"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a conformance test is.

    Attributes:
        id: its stable id.
        function: the id without the case, the same for all cases of one function.
        family: the folder of the suites it stands in, or the family of its clauses.
        clauses: the clauses it names, by id.
        verbs: the verbs it asks.
        options: the options it asks, as (verb, option).
        generated: whether its inputs are drawn.
        implementation: the label of the implementation it runs for, "" where there is only one.
        canary: whether it reports the canary of its family.
        on_disk: whether its files must lie on a disk.
    """

    id: str
    function: str
    family: str
    clauses: dict[str, Clause]
    verbs: frozenset[str]
    options: frozenset[tuple[str, str]]
    generated: bool
    implementation: str
    canary: bool
    on_disk: bool = False

    @property
    def level(self) -> str:
        """The level of its clauses, of which there is one."""
        return next((clause.level for clause in self.clauses.values()), "must")


_DIRECT = frozenset({"waste.record", "waste.matrix", "waste.verify"})
"""Verbs that may read past the page cache, for which memory and disks have rules of their own."""
_key = pytest.StashKey[Identity]()


def of(item: pytest.Item) -> Identity | None:
    """The identity of a conformance test, None for any other test."""
    known = item.stash.get(_key, None)
    if known is None:
        marks: dict[str, tuple[str, ...]] = {}
        for mark in item.iter_markers():
            marks[mark.name] = (*marks.get(mark.name, ()), *mark.args)
        if CLAUSE_MARK not in marks:
            return None
        known = item.stash[_key] = _identify(item, marks)
    return known


def _identify(item: pytest.Item, marks: Mapping[str, tuple[str, ...]]) -> Identity:
    named, verbs, options = _asked(marks[CLAUSE_MARK], marks.get(NEEDS_MARK, ()))
    implementation, case = _parameters(item)
    path = _shown(item.path, item.config.rootpath)
    function = f"{path}::{_dotted(item)}"
    folder = path.partition("/")[0] if "/" in path else ""
    return Identity(
        id=f"{function}[{case}]" if case else function,
        function=function,
        family=folder if in_suites(item) else next(iter(named.values())).family,
        clauses=named,
        verbs=verbs,
        options=options,
        generated=GENERATED_MARK in marks,
        implementation=implementation,
        canary=item.path.name == "test_canary.py",
        on_disk=DISK_MARK in marks or not verbs.isdisjoint(_DIRECT),
    )


@cache
def _asked(
    ids: tuple[str, ...], needs: tuple[str, ...]
) -> tuple[dict[str, Clause], frozenset[str], frozenset[tuple[str, str]]]:
    """The clauses, verbs and options of the tests that name these clauses and needs."""
    named = {name: clauses()[name] for name in ids}
    verbs = {clause.verb for clause in named.values()} | {name.partition(":")[0] for name in needs}
    return named, frozenset(verbs), frozenset(_option(name) for name in needs if ":" in name)


def in_suites(item: pytest.Item) -> bool:
    """Whether the test belongs to the installed suites."""
    return _is_in_suites(item.path)


@cache
def suites() -> Path:
    """The folder of the installed suites."""
    import vindex3_suites

    return Path(vindex3_suites.__path__[0]).resolve()


@cache
def _is_in_suites(path: Path) -> bool:
    return path.resolve().is_relative_to(suites())


@cache
def _shown(path: Path, rootpath: Path) -> str:
    """The path of a module as ids show it; thousands of tests have few."""
    path = path.resolve()
    for root in (suites(), rootpath.resolve()):
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return path.name


def _dotted(item: pytest.Item) -> str:
    name = getattr(item, "originalname", None) or item.name
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return "::".join([*classes, name])


def _parameters(item: pytest.Item) -> tuple[str, str]:
    """The label of the implementation and the name of the case; the label is applied last."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return "", ""
    label = str(callspec.params.get(IMPLEMENTATION, ""))
    case = str(callspec.id)
    if label:
        case = "" if case == label else case.removesuffix(f"-{label}")
    return label, case


def _option(name: str) -> tuple[str, str]:
    verb, _, option = name.partition(":")
    return verb, option
