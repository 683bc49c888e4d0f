"""`ask`: the one way in which a test reaches the implementation, and the mark for what else it asks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

import pytest

from pytest_vindex3.contract.outcome import Fault, Limits, Reply
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.plugin.check import SuiteError
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.settings import Settings

_Test = TypeVar("_Test", bound=Callable[..., object])


@runtime_checkable
class Writable(Protocol):
    """Content that writes itself, such as a sparse file."""

    def write_to(self, path: Path) -> object:
        """Write the content to this path."""
        ...


class NotClaimed(Exception):  # noqa: N818 -- the state of a request
    """A verb is asked that the implementation does not have."""


def needs(*names: str) -> Callable[[_Test], _Test]:
    """Name verbs (`"lyrw.region"`) and options (`"waste.record:before"`) a test asks beyond its clauses'.

    An implementation that lacks one does not claim the test.

    Raises:
        SuiteError: a verb that the contract does not have, or an option it does not give that verb.
    """
    for name in names:
        verb, _, option = name.partition(":")
        if verb not in verbs():
            raise SuiteError(f"no such verb: {verb}")
        if option and option not in verbs()[verb].options:
            raise SuiteError(f"{verb} has no option {option!r}")
    return pytest.mark.vindex3_needs(*names)


@dataclass(slots=True)
class Ask:
    """The implementation as one test sees it.

    Attributes:
        implementation: whom it asks.
        settings: the settings of the run.
        place: the test's own folder, made on first use of `folder`.
        name: what seeds generated data: the id of the test.
        verbs: what the test may ask; None for everything that is claimed.
        options: the optional arguments the test may give, as (verb, option).
    """

    implementation: Implementation
    settings: Settings
    place: Path
    name: str
    verbs: frozenset[str] | None = None
    options: frozenset[tuple[str, str]] = frozenset()
    _made: bool = field(default=False, init=False)

    def __call__(self, verb: str, /, *, limits: Limits | None = None, **arguments: object) -> Reply:
        """Put one request.

        Raises:
            SuiteError: the test asks a verb or gives an option that it did not name.
        """
        self._may(verb, arguments)
        bounds = limits or Limits()
        scaled = replace(bounds, seconds=bounds.seconds * self.settings.time_scale)
        return _bounded(self.implementation.door.ask(verb, arguments, scaled), scaled)

    def file(self, name: str, content: bytes | Writable) -> str:
        """Write an input into the test's folder, before the implementation sees it; gives its path."""
        if Path(name).name != name:
            raise SuiteError(f"the name of an input is a plain file name, not {name!r}")
        path = self.folder / name
        if isinstance(content, Writable):
            content.write_to(path)
        else:
            path.write_bytes(content)
        return str(path)

    @property
    def folder(self) -> Path:
        """The test's own folder."""
        if not self._made:
            self.place.mkdir(parents=True, exist_ok=True)
            self._made = True
        return self.place

    def claims(self, verb: str) -> bool:
        """Whether the implementation has this verb."""
        return verb in self.implementation.description.verbs

    @property
    def time_scale(self) -> float:
        """The factor by which a time clause multiplies its bound."""
        return self.settings.time_scale

    @property
    def seed(self) -> int:
        """The seed of the test's generated data: SHA-256 of its id and the seed of the run."""
        text = f"{self.name}\n{self.settings.seed}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")

    def _may(self, verb: str, arguments: dict[str, object]) -> None:
        if self.verbs is not None and verb not in self.verbs:
            raise SuiteError(f"{self.name} asks {verb}, which neither its clauses nor needs() name")
        if not self.claims(verb):
            raise NotClaimed(verb)
        known = verbs().get(verb)
        for name in arguments:
            optional = known is not None and name in known.options
            if optional and self.verbs is not None and (verb, name) not in self.options:
                raise SuiteError(f"{self.name} gives {verb} the option {name!r}, which needs() does not name")


def _bounded(reply: Reply, limits: Limits) -> Reply:
    """The reply; where memory ran out, with the bound that was exceeded."""
    fault, most = reply.outcome, limits.memory
    if most is None or not (isinstance(fault, Fault) and fault.what == "memory") or str(most) in fault.detail:
        return reply
    detail = f"more than {most} bytes of data memory, the bound of this request\n{fault.detail}"
    return replace(reply, outcome=Fault("memory", detail))
