"""Expected values whose form is partly free: a field's name, one of several values, a list of alike items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_vindex3.contract.difference import MISSING, Difference, first_difference

_BELOW: Final = (".{}", "[{}]", "['{}']", '["{}"]')


@dataclass(frozen=True, slots=True)
class FieldName:
    """The fact `field`: the key's own name, or a dotted path that ends with it (container.md, section 9).

    Attributes:
        names: the keys that may be meant; "" is the root.
        below: the position or key behind the name, which may be left out: an element of an array and a
            value of an open object have the name of that array or object.
    """

    names: tuple[str, ...]
    below: str | None = None

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference unless `found` names one of the keys."""
        fits = isinstance(found, str) and any(self._ends(found, name) for name in self.names)
        return None if fits else Difference(path, " or ".join(map(repr, self.names)), found)

    def _ends(self, found: str, name: str) -> bool:
        spelt = [name]
        if self.below is not None:
            spelt += [f"{name}{form.format(self.below)}" for form in _BELOW]
        return any(found == one or (one != "" and found.endswith(f".{one}")) for one in spelt)


@dataclass(frozen=True, slots=True)
class Present:
    """Any value, as long as there is one."""

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference where nothing stands there."""
        return Difference(path, "anything", found) if found is MISSING else None


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several values or patterns."""

    choices: tuple[object, ...]

    def difference(self, found: object, path: str) -> Difference | None:
        """The difference from the last choice where none fits."""
        differences = [first_difference(choice, found, path) for choice in self.choices]
        return None if None in differences else Difference(path, list(self.choices), found)


@dataclass(frozen=True, slots=True)
class EachOf:
    """A list with at least one item, every one of which fits one expected item."""

    item: object

    def difference(self, found: object, path: str) -> Difference | None:
        """The first item that does not fit, or the list itself where it is empty or no list."""
        if not isinstance(found, Sequence) or isinstance(found, str) or not found:
            return Difference(path, [self.item], found)
        places = (first_difference(self.item, one, f"{path}[{at}]") for at, one in enumerate(found))
        return next((place for place in places if place), None)


@dataclass(frozen=True, slots=True)
class Exactly:
    """An object that has these keys and no other, for objects whose keys are data: ids and names."""

    members: Mapping[str, object]

    def difference(self, found: object, path: str) -> Difference | None:
        """The first member that is missing, surplus or otherwise."""
        difference = first_difference(dict(self.members), found, path)
        if difference or not isinstance(found, Mapping):
            return difference
        surplus = next((key for key in found if key not in self.members), None)
        if surplus is None:
            return None
        return Difference(f"{path}.{surplus}" if path else surplus, MISSING, found[surplus])


def field(*names: str) -> FieldName:
    """Expect the name of this key, or of one of these."""
    return FieldName(names)


def element(name: str, below: str | int) -> FieldName:
    """Expect the name of this array or object, with or without the position or key of the element."""
    return FieldName((name,), str(below))


def one_of(*choices: object) -> OneOf:
    """Expect one of these values."""
    return OneOf(choices)
