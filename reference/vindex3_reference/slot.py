"""A value of a JSON document that knows where it stands, for readers that must name what is wrong.

    root = Slot.root(strict_json.parse(document, "index.json"), "index.json")
    version = root.required("version").u32()
    rows = [row.required("name").text() for row in root.required("tensors").elements()]

Each asking method gives a value of exactly one JSON type, or a refusal with `path` and `field`: a dotted
path from the root, with the position of an element in brackets. The root is field "".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vindex3_reference.strict_json import Json

U32 = 2**32 - 1
U64 = 2**64 - 1


def all_integers(values: Iterable[object], largest: int) -> bool:
    """Whether every value is an integer from 0 to `largest`, for thousands of them at once."""
    return all(type(value) is int and 0 <= value <= largest for value in values)


class Slot:
    """One value, with the slot above that it was taken from; only a refusal follows that way back.

    Attributes:
        value: the plain value; None is JSON's null.
    """

    __slots__ = ("_above", "_step", "value")

    def __init__(self, value: Json, step: str | int, above: Slot | None) -> None:
        self.value = value
        self._step = step
        self._above = above

    @classmethod
    def root(cls, value: Json, path: str) -> Slot:
        """The root of a document, which must be an object (JSON-ROOT-01).

        Raises:
            Refusal: `bad-type`, as from every method that asks for a type.
        """
        slot = cls(value, path, None)
        slot.object()
        return slot

    @property
    def path(self) -> str:
        """The file that refusals name."""
        return str(self._way()[0])

    @property
    def field(self) -> str:
        """The way from the root to this slot, such as `banks[2].rows`."""
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self._way()[1:])
        return "".join(steps).removeprefix(".")

    def object(self) -> dict[str, Json]:
        """An object, as it is."""
        if type(self.value) is dict:
            return self.value
        raise self._bad_type("an object")

    def required(self, key: str) -> Slot:
        """The member of that name in an object; a null is there, and no method takes it for a value.

        Raises:
            Refusal: `missing-field` where there is none: no default is invented.
        """
        members = self.object()
        if key in members:
            return Slot(members[key], key, self)
        field = Slot(None, key, self).field
        raise Refusal("missing-field", f"{self.path} has no {field}", path=self.path, field=field)

    def optional(self, key: str) -> Slot | None:
        """The member of that name in an object; None where it is absent or null (JSON-NULL-01)."""
        value = self.object().get(key)
        return None if value is None else Slot(value, key, self)

    def members(self) -> Iterator[tuple[str, Slot]]:
        """The members of an object that is open to any key, in file order."""
        return ((key, Slot(value, key, self)) for key, value in self.object().items())

    def array(self) -> list[Json]:
        """An array, as it is."""
        if type(self.value) is list:
            return self.value
        raise self._bad_type("an array")

    def elements(self) -> Iterator[Slot]:
        """The elements of an array."""
        return (Slot(value, index, self) for index, value in enumerate(self.array()))

    def given(self) -> Json:
        """Any value but null, which stands for none."""
        if self.value is None:
            raise self._bad_type("a value")
        return self.value

    def text(self) -> str:
        """A string, as written."""
        if type(self.value) is str:
            return self.value
        raise self._bad_type("a string")

    def word(self, words: frozenset[str] | tuple[str, ...]) -> str:
        """A string of a closed vocabulary.

        Raises:
            Refusal: `unknown-value` for another string.
        """
        text = self.text()
        if text in words:
            return text
        raise Refusal(
            "unknown-value",
            f"{self.path}: {self.field} is {text!r}, none of {', '.join(sorted(words))}",
            path=self.path,
            field=self.field,
            value=text,
        )

    def flag(self) -> bool:
        """A boolean."""
        if type(self.value) is bool:
            return self.value
        raise self._bad_type("a boolean")

    def real(self) -> int | float:
        """Any number; an integer literal stays an integer (JSON-NUMBER-06)."""
        if type(self.value) is int or type(self.value) is float:
            return self.value
        raise self._bad_type("a number")

    def u32(self) -> int:
        """An integer literal of 32 bits, unsigned; a boolean or 4.0 is none (JSON-NUMBER-01 to 03)."""
        return self.integer(U32)

    def u64(self) -> int:
        """An integer literal of 64 bits, unsigned."""
        return self.integer(U64)

    def whole(self) -> int:
        """An integer literal of any size."""
        if type(self.value) is int:
            return self.value
        raise self._bad_type("an integer")

    def integer(self, largest: int, least: int = 0) -> int:
        """An integer literal from `least` to `largest`.

        Raises:
            Refusal: `bad-type`, or `out-of-range` with the value.
        """
        value = self.whole()
        if least <= value <= largest:
            return value
        raise Refusal(
            "out-of-range",
            f"{self.path}: {self.field} is not between {least} and {largest}",
            path=self.path,
            field=self.field,
            value=value,
        )

    def _way(self) -> list[str | int]:
        """The path of the document, then the keys and positions that lead to this slot."""
        steps: list[str | int] = []
        slot: Slot | None = self
        while slot is not None:
            steps.append(slot._step)
            slot = slot._above
        return steps[::-1]

    def _bad_type(self, wanted: str) -> Refusal:
        field = self.field
        message = f"{self.path}: {field or 'the root'} is {_type_of(self.value)}, not {wanted}"
        return Refusal("bad-type", message, path=self.path, field=field)


def _type_of(value: Json) -> str:
    words = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return words.get(type(value)) or f"the number {value}"
