"""Doors: the ways in which an implementation is reached, all with one face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_vindex3.contract.outcome import Limits, Reply
from pytest_vindex3.contract.texts import LONGEST_PATH, printable, printable_lines

DoorKind = Literal["child", "in process", "cmd"]
PROTOCOL = 1
NO_LIMITS = Limits()


class NotLoaded(Exception):  # noqa: N818 -- the state of an implementation
    """An implementation could not be found or started; the text says what was tried and what to do."""

    def __init__(self, text: str) -> None:
        super().__init__(printable_lines(text))


@dataclass(frozen=True, slots=True)
class Description:
    """What an implementation says of itself: the answer to `describe`.

    Attributes:
        name, version, language: for the header and the report; fit to be printed, whatever was said.
        verbs: the verbs it claims.
        options: per verb, the optional arguments it declares.
        origin: the file that was loaded, where the Python host can tell it.
    """

    name: str
    version: str
    language: str
    verbs: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]
    protocol: int = PROTOCOL
    origin: str = ""

    def __post_init__(self) -> None:
        for key in ("name", "version", "language"):
            object.__setattr__(self, key, printable(getattr(self, key)))
        object.__setattr__(self, "origin", printable(self.origin, LONGEST_PATH))


class Door(Protocol):
    """One implementation behind one door.

    Attributes:
        kind: which door it is.
        origin: the file that was loaded, or the command line.
    """

    kind: DoorKind
    origin: str

    def describe(self) -> Description:
        """Load or start the implementation and ask what it claims.

        Raises:
            NotLoaded: it could not be loaded, started or understood.
        """
        ...

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits = NO_LIMITS) -> Reply:
        """Put one request; never raises for anything the implementation does."""
        ...

    def close(self) -> None:
        """End the implementation and everything it started."""
        ...
