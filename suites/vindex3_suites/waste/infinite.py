"""Halves that are no finite numbers, and the ways in which a refusal may say which one was found."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Final

from pytest_vindex3.contract.difference import Difference

INFINITE: Final = {
    "infinity": 0x7C00,
    "minus_infinity": 0xFC00,
    "nan": 0x7E00,
    "signalling_nan": 0x7C01,
    "negative_nan": 0xFFFF,
}
"""Patterns by name."""

_WORDS: Final = {
    0x7C00: {"inf", "+inf", "infinity", "+infinity"},
    0xFC00: {"-inf", "-infinity"},
}


@dataclass(frozen=True, slots=True)
class Half:
    """The fact `found` of a half: its pattern as a number or in hexadecimal digits, or its value."""

    pattern: int

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference unless `found` is this half in one of these forms."""
        fits = (
            self._is_value(found)
            if isinstance(found, float)
            else self._is_word(found.lower())
            if isinstance(found, str)
            else type(found) is int and found == self.pattern
        )
        return None if fits else Difference(path, f"{self._words()[0]} or {self.pattern:04x}", found)

    def _words(self) -> list[str]:
        return sorted(_WORDS.get(self.pattern, {"nan", "-nan", "+nan"}), key=len)

    def _is_word(self, word: str) -> bool:
        digits = (f"{self.pattern:04x}", f"0x{self.pattern:04x}", self.pattern.to_bytes(2, "little").hex())
        return word in self._words() or word in digits

    def _is_value(self, value: float) -> bool:
        return isnan(value) if self.pattern not in _WORDS else str(value) in _WORDS[self.pattern]
