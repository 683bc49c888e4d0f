"""A JSON text as the readers of containers see it that share nothing with the reference, slot by slot."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No

__all__ = ["Slots", "parsed"]

TOP = (1 << 63) - 1


class Minus(int):
    """The number zero, spelt with a sign."""


def parsed(raw: bytes, name: str, strict: bool) -> dict[str, Any]:
    """The object that a text holds; a strict reader has a word of its own for depth and for great numbers."""
    try:
        root = json.loads(raw.decode(), **hooks(name, strict))
        judge_text(root)
    except RecursionError:
        raise No("nesting-too-deep" if strict else "malformed-json", path=name) from None
    except ValueError as problem:
        raise No("malformed-json", path=name, reason=str(problem)) from None
    if not isinstance(root, dict):
        raise No("bad-type", path=name, field="")
    return root


def hooks(name: str, strict: bool) -> dict[str, Any]:
    """What is made of pairs, numbers and words."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        home = dict(items)
        if len(home) < len(items):
            keys = [key for key, _ in items]
            raise No("duplicate-key", path=name, key=max(keys, key=keys.count))
        return home

    def real(spelt: str) -> float:
        if abs(float(spelt)) == float("inf"):
            raise No("out-of-range" if strict else "malformed-json", path=name, value=spelt)
        return float(spelt)

    def whole(spelt: str) -> int:
        if len(spelt) > 310:
            raise No("out-of-range" if strict else "malformed-json", path=name, value=spelt)
        return Minus(0) if spelt == "-0" else int(spelt)

    def word(spelt: str) -> Any:
        raise No("malformed-json", path=name, reason=spelt)

    return {"object_pairs_hook": pairs, "parse_float": real, "parse_int": whole, "parse_constant": word}


def judge_text(root: Any) -> None:
    """Fail with a ValueError at text that no UTF-8 can have."""
    rest = [root]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            one.encode()
        elif isinstance(one, list):
            rest.extend(one)
        elif isinstance(one, dict):
            rest.extend([*one, *one.values()])


class Slots:
    """The keys of an object at the path `where`; `null_is_absence` concerns required keys."""

    def __init__(self, home: Any, where: str, name: str, null_is_absence: bool = False) -> None:
        self.where, self.name, self.null_is_absence = where, name, null_is_absence
        if not isinstance(home, dict):
            raise No("bad-type", path=name, field=where)
        self.home = home

    def field(self, key: str) -> str:
        """The path of a key."""
        return f"{self.where}.{key}" if self.where else key

    def has(self, key: str) -> bool:
        """True where an optional key is there and not null."""
        return self.home.get(key) is not None

    def typed(self, key: str, sort: type) -> Any:
        """The value of a required key."""
        value = self.home.get(key)
        if key not in self.home or (value is None and self.null_is_absence):
            raise No("missing-field", path=self.name, field=self.field(key))
        if not isinstance(value, sort) or isinstance(value, bool):
            raise No("bad-type", path=self.name, field=self.field(key))
        return value

    def integer(self, key: str, least: int = 0, most: int = TOP, **facts: object) -> int:
        """An integer of a required key; one out of range is told of with these facts."""
        value = self.typed(key, int)
        if not least <= value <= most:
            told: dict[str, Any] = {"path": self.name, "field": self.field(key), "value": value, **facts}
            raise No("out-of-range", **told)
        return int(value)

    def optional(self, key: str, default: int, least: int, most: int) -> int:
        """An integer of a key that may be absent or null."""
        return self.integer(key, least, most) if self.has(key) else default
