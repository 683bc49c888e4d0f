"""Precision maps: which tensors are to be compiled, and to what (representation.md, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal, joined
from vindex3_reference.representation.encodings import ENCODINGS
from vindex3_reference.representation.layers import layers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vindex3_reference.representation.layers import Layers
    from vindex3_reference.slot import Slot


class Rule(NamedTuple):
    """An exception of a map.

    Attributes:
        projection: the second-to-last part of the names that it is about; None is any.
        layers: the depths that it is about, both ends included; None is any, or none at all.
        encoding: what it gives; None is the precision of the source.
    """

    projection: str | None
    layers: Layers | None
    encoding: str | None

    @property
    def selects_all(self) -> bool:
        """Whether it has no selector."""
        return self.projection is None and self.layers is None

    @classmethod
    def read(cls, rule: Slot) -> Rule:
        """One element of `exceptions`."""
        layers = rule.optional("layers")
        return cls(
            projection=_text(rule.optional("projection")),
            layers=None if layers is None else layers_of(layers),
            encoding=_text(rule.optional("encoding")),
        )


class Decision(NamedTuple):
    """What a map says of one tensor.

    Attributes:
        encoding: None is the precision of the source.
        reason: role, exception, default or shape.
        exception: the position of the exception that decided, or None.
    """

    encoding: str | None
    reason: str
    exception: int | None


@dataclass(frozen=True, slots=True)
class PrecisionMap:
    """A map as it is declared.

    Attributes:
        encoding: what an eligible tensor gets where no exception is about it.
        roles: the roles that are eligible; a word that names no role matches nothing (PRECISION-ROLE-02).
        rules: the exceptions in declared order.
    """

    name: str
    encoding: str
    roles: frozenset[str]
    rules: tuple[Rule, ...]

    @classmethod
    def read(cls, root: Slot) -> PrecisionMap:
        """The map of a document.

        Raises:
            Refusal: `missing-field` or `bad-type` (PRECISION-FIELD-01), `out-of-range`.
        """
        rules = root.optional("exceptions")
        return cls(
            name=root.required("name").text(),
            encoding=root.required("encoding").text(),
            roles=frozenset(role.text() for role in root.required("roles").elements()),
            rules=() if rules is None else tuple(map(Rule.read, rules.elements())),
        )

    def unknown(self) -> Iterator[str]:
        """The encodings of the map that the compiler does not know, as they are named."""
        for encoding in (self.encoding, *(rule.encoding for rule in self.rules)):
            if encoding is not None and encoding not in ENCODINGS:
                yield encoding

    def refuse_unknown(self) -> None:
        """See that the compiler knows every encoding.

        Raises:
            Refusal: `unknown-encoding` (PRECISION-WORD-01).
        """
        known = sorted(ENCODINGS)
        found = [
            Refusal("unknown-encoding", f"no encoding {encoding!r} is known", encoding=encoding, known=known)
            for encoding in self.unknown()
        ]
        if found:
            raise joined(found)

    def decide(self, role: str, exception: int | None, shape: Sequence[int]) -> Decision:
        """What becomes of one tensor, in a map without unknown encodings.

        Args:
            role: of the tensor.
            exception: the position of the first exception that is about it; None where none is.
            shape: extent of each axis.
        """
        if role not in self.roles:
            return Decision(None, "role", None)
        encoding = self.encoding if exception is None else self.rules[exception].encoding
        if encoding is not None and not ENCODINGS[encoding].fits(shape):
            return Decision(None, "shape", exception)
        return Decision(encoding, "default" if exception is None else "exception", exception)


def _text(slot: Slot | None) -> str | None:
    return None if slot is None else slot.text()
