"""A container made of finished indices, codebooks and codes (waste.md, section 13)."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from vindex3_reference.container.publish import Publication
from vindex3_reference.disk import Disk
from vindex3_reference.slot import Slot
from vindex3_reference.waste import codebook, manifest
from vindex3_reference.waste.container import TRUNK
from vindex3_reference.waste.encode import encoded_book, encoded_record
from vindex3_reference.waste.parallel import in_order
from vindex3_reference.waste.plan import Plan
from vindex3_reference.waste.published import Published

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from vindex3_reference.strict_json import Json
    from vindex3_reference.waste.bank_plan import PlannedBank

    Piece = bytes | memoryview


class Writer:
    """A container that can be written at a path, where one may stand that is resumed.

    Args:
        model: the description, as waste.write takes it.
        path: the folder.

    Raises:
        Refusal: what `Plan` refuses, and of a resumed container what `Published` does. No file was made.
    """

    def __init__(self, model: Json, path: str) -> None:
        given = Slot.root(model, "")
        resume = given.optional("resume")
        with ExitStack() as stack:
            self._old = Published.at(path) if resume is not None and resume.flag() else None
            if self._old is not None:
                stack.enter_context(self._old)
            self._plan = Plan(given, self._old)
            self._stack = stack.pop_all()
        self._path = path

    def write(self, disk: Disk, workers: int = 1) -> dict[str, object]:
        """Write what is not there yet, the manifest last (RESUME-LAST-01).

        Args:
            disk: what makes the calls of the system.
            workers: how many records are encoded at a time; they never show in the bytes.

        Raises:
            Refusal: `io`.
        """
        with self._stack, Publication(self._path, manifest.NAME, disk) as publication:
            publication.exclude()
            changed = {}
            for name, pieces in self._files(workers):
                with publication.stage(name) as part, closing(pieces):
                    for piece in pieces:
                        part.write(piece)
                changed[name] = part.changed
            publication.publish()
        return {
            "written": [name for name, written in changed.items() if written],
            "unchanged": [*self._kept(), *(name for name, written in changed.items() if not written)],
        }

    def _files(self, workers: int) -> Iterator[tuple[str, Generator[Piece, None, None]]]:
        """Every file that is written, in the order of publishing, with its bytes in pieces."""
        plan = self._plan
        for bank in plan.experts.banks:
            yield bank.file, self._records(bank, workers)
        if plan.settings.expert is not None and not self._keeps_books:
            yield codebook.NAME, self._books()
        if plan.tensors is not None:
            yield TRUNK, (piece for tensor in plan.tensors for piece in tensor.encoded())
        for name, data in plan.sidecars.items():
            yield name, (piece for piece in (data,))
        yield manifest.NAME, (piece for piece in (plan.text,))

    def _kept(self) -> list[str]:
        """The files that stay as they are and are not even read."""
        kept = list(self._plan.experts.kept)
        if self._keeps_books:
            kept.append(codebook.NAME)
        if self._plan.tensors is None:
            kept.append(TRUNK)
        return kept

    @property
    def _keeps_books(self) -> bool:
        return self._old is not None and self._old.has_whole_books and not self._plan.experts.books

    def _records(self, bank: PlannedBank, workers: int) -> Generator[Piece, None, None]:
        quant, expert = self._plan.settings.quant, self._plan.settings.expert
        if quant is None or expert is None:
            return

        def encode(number: int) -> memoryview:
            parts = bank.contents.experts[number]
            return encoded_record(expert, quant, bank.layer, number, bank.base, parts)

        yield from in_order(encode, range(len(bank.contents.experts)), workers)

    def _books(self) -> Generator[Piece, None, None]:
        experts, quant = self._plan.experts, self._plan.settings.quant
        if self._old is not None:
            yield from self._old.whole_books()
        if quant is not None:
            for number, halves in enumerate(experts.books, experts.first):
                yield encoded_book(quant, number, halves)
