"""Which instruction-set variants an implementation has, and how they are gone through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import check, refuses
from pytest_vindex3.contract.difference import Difference
from pytest_vindex3.contract.outcome import Refused
from vindex3_suites.waste.kernels import ISAS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask

NO_VARIANT = "none-such"


@dataclass(frozen=True, slots=True)
class Names:
    """A list of at least one variant, in any order, each with one of the format's names, none twice."""

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference where something else is listed."""
        listed = found if isinstance(found, list) else []
        known = all(isinstance(name, str) and name in ISAS for name in listed)
        fits = bool(listed) and known and len(set(listed)) == len(listed)
        return None if fits else Difference(path, f"some of {', '.join(ISAS)}", found)


@dataclass(frozen=True, slots=True)
class Same:
    """The same variants, in any order."""

    names: frozenset[str]

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference where others are listed."""
        fits = isinstance(found, list) and len(found) == len(self.names) and set(found) == self.names
        return None if fits else Difference(path, sorted(self.names), found)


def available(ask: Ask, clause_id: str, verb: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The variants that there are, as the refusal of a name that no variant has tells them.

    The refusal is judged by the clause. Where the request is answered instead, the check raises.
    """
    reply = ask(verb, **arguments, isa=NO_VARIANT)
    check(clause_id, reply, refuses("isa-unavailable", isa=NO_VARIANT, available=Names()))
    outcome = reply.outcome
    listed: Any = outcome.names["available"] if isinstance(outcome, Refused) else ()
    return tuple(listed)
