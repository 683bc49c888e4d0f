"""Which banks are written and which stay, and where the books of a layer come (waste.md, section 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.expert import PAGE
from vindex3_reference.waste.layers import number_of
from vindex3_reference.waste.parts import Layer, layer_of

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json
    from vindex3_reference.waste.expert import Expert
    from vindex3_reference.waste.published import Published
    from vindex3_reference.waste.settings import Settings

MOST_BOOKS = 1 << 16
"""Codebooks that the 16 bits of a record can number."""


class PlannedBank(NamedTuple):
    """A bank that is to be written.

    Attributes:
        layer: its layer.
        file: its name.
        base: the number of the layer's first book.
        contents: its books and experts.
    """

    layer: int
    file: str
    base: int
    contents: Layer


class BankPlan:
    """The banks and codebooks of a container.

    Attributes:
        banks: those that are to be written, by layer.
        kept: the names of those that stay as they are.
        first: the number of the first book that is new.
        books: those that come from there on.
        entries: the manifest's entries of all banks.

    Args:
        given: the layers of the description.
        settings: sizes and packing.
        old: the container that is resumed, or None.

    Raises:
        Refusal: `unknown-value` and `unexpected-layer` for a key; what `layer_of` refuses; why a bank that is
            not given is not done; `out-of-range` for more books than records can number.
    """

    def __init__(self, given: Slot | None, settings: Settings, old: Published | None) -> None:
        self._old = old
        self.banks: list[PlannedBank] = []
        self.kept: list[str] = []
        self.first = 0 if old is None else old.books
        self.books: list[memoryview] = []
        self.entries = {} if old is None else old.layer_entries()
        waiting = {} if given is None else {number_of(given, key): slot for key, slot in given.members()}
        for layer in waiting:
            if layer not in settings.config.moe_layers:
                raise Refusal("unexpected-layer", f"layer {layer} has no experts", layer=layer)
        if settings.expert is None or settings.quant is None:
            return
        for layer in self._done(waiting, settings.expert):
            waiting.pop(layer, None)
        contents = {
            layer: layer_of(slot, layer, settings.expert, settings.quant) for layer, slot in waiting.items()
        }
        self._place(contents)
        self._enter(settings.expert)

    @property
    def book_count(self) -> int:
        """Codebooks, old and new."""
        return self.first + len(self.books)

    def _done(self, given: dict[int, Slot], expert: Expert) -> list[int]:
        """The layers that stay as they are; one that cannot stay must be given."""
        done = []
        for layer, bank in {} if self._old is None else self._old.manifest.banks.items():
            fault = None if self._old is None else self._old.fault_of(layer, expert)
            if fault is None:
                done.append(layer)
                self.kept.append(bank.file)
            elif layer not in given:
                raise fault
        return done

    def _place(self, contents: dict[int, Layer]) -> None:
        """Give the books of each layer a place: the one that they had, or one behind all others.

        They keep their place where nothing else is there, which is so when the file was lost or cut.
        """
        for layer in sorted(contents, key=self._order):
            books = contents[layer].books
            base = self._former_base(layer, books)
            if base is None:
                base = self.book_count
            self.books += books[max(0, self.book_count - base) :]
            if self.book_count > MOST_BOOKS:
                message = f"{self.book_count} codebooks are more than records can number"
                raise Refusal("out-of-range", message, layer=layer, field="codebooks", value=self.book_count)
            file = f"experts-L{layer}.bin" if self._old is None else self._old.bank_name(layer)
            self.banks.append(PlannedBank(layer, file, base, contents[layer]))
        self.banks.sort(key=lambda bank: bank.layer)

    def _order(self, layer: int) -> tuple[int, int]:
        """Layers with a former place by that, then all others."""
        bank = None if self._old is None else self._old.manifest.banks.get(layer)
        return MOST_BOOKS if bank is None else bank.codebook_base, layer

    def _former_base(self, layer: int, books: list[memoryview]) -> int | None:
        """Where the books of a layer were, if they can be there again."""
        bank = None if self._old is None else self._old.manifest.banks.get(layer)
        if self._old is None or bank is None or not 0 <= bank.codebook_base <= self.book_count:
            return None
        base = bank.codebook_base
        there = (
            self._old.halves(base, min(base + len(books), self.first))
            + self.books[max(0, base - self.first) :]
        )
        same = all(bytes(old) == bytes(new) for old, new in zip(there, books, strict=False))
        return base if same else None

    def _enter(self, expert: Expert) -> None:
        stride = -(-expert.payload_end // PAGE) * PAGE
        for bank in self.banks:
            count = len(bank.contents.experts)
            entry: dict[str, Json] = {"file": bank.file, "experts": count, "bytes": stride * count}
            self.entries[str(bank.layer)] = {**entry, "codebook_base": bank.base}
