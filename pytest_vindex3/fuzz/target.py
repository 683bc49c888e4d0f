"""What a target of fuzzing is, and the registry that finds them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from pytest_vindex3.fuzz.demand import Demand
from vindex3_fixtures.container.folder import Folder

Mutate = Callable[[bytes, Random], bytes]
Reduce = Callable[[bytes], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request about an input, without the path.

    Attributes:
        verb: such as "lyrw.parse".
        demand: what the law binds of its verdict.
        arguments: every argument but the path.
    """

    verb: str
    demand: Demand
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """One file that is fuzzed.

    Attributes:
        name: as users call it, such as "lyrw-tables".
        family: the family of the verbs that are asked.
        about: what is fuzzed, in one sentence.
        file: its name in the folder of an input.
        asked: the requests about every input.
        seeds: contents to begin with.
        mutate: gives another content, by numbers that are drawn.
        smaller: gives contents that are simpler, the simplest first.
        around: the other files of the folder.
        alone: whether the path of a request is that of the file and not of its folder.
    """

    name: str
    family: str
    about: str
    file: str
    asked: tuple[Asked, ...]
    seeds: Callable[[], Iterable[bytes]]
    mutate: Mutate
    smaller: Reduce
    around: Callable[[], Folder] = Folder
    alone: bool = False

    @property
    def verbs(self) -> set[str]:
        """The verbs that are asked."""
        return {one.verb for one in self.asked}

    def path(self, folder: Path) -> Path:
        """What a request about the input in this folder is given as its path."""
        return folder / self.file if self.alone else folder


@cache
def targets() -> Mapping[str, Target]:
    """Every target, by name: the attribute `target` of each module of `pytest_vindex3.fuzz.targets`."""
    from pytest_vindex3.fuzz import targets as home

    names = sorted(module.name for module in pkgutil.iter_modules(home.__path__))
    found: list[Target] = [importlib.import_module(f"{home.__name__}.{name}").target for name in names]
    return {target.name: target for target in found}
