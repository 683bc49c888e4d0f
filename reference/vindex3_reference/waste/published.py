"""The container that stands where a write is to be resumed (waste.md, section 13)."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from vindex3_reference import strict_json
from vindex3_reference.document import bytes_of
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot
from vindex3_reference.waste import codebook, folder, layers, manifest
from vindex3_reference.waste.codebook import Codebooks
from vindex3_reference.waste.expert import HEADER
from vindex3_reference.waste.manifest import Manifest
from vindex3_reference.waste.record import Judge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from vindex3_reference.strict_json import Json
    from vindex3_reference.waste.expert import Expert


class Published:
    """What a manifest says and what is really there of it; use it as a context manager.

    Attributes:
        text: the manifest as it is written.
        document: its value.
        manifest: the same, judged.
        config: the configuration in it.
        codebooks: those on the disk; None where there is no such file, or nothing says how long a book is.

    Args:
        path: the folder.
        text: the bytes of its manifest.

    Raises:
        Refusal: what `Manifest` refuses.
    """

    def __init__(self, path: str, text: bytes) -> None:
        self.text = text
        self.manifest = Manifest(text)
        self.document: dict[str, Json] = Slot.root(
            strict_json.parse(text, manifest.NAME), manifest.NAME
        ).object()
        self._path = path
        self.config = Slot(self.document, manifest.NAME, None).required("config")
        self._stack = ExitStack()
        self.codebooks = self._codebooks()

    @classmethod
    def at(cls, path: str) -> Published | None:
        """What stands in a folder; None where no manifest does, since nothing is made up from file names.

        Raises:
            Refusal: as for the class; `io`.
        """
        try:
            with folder.opened(path, manifest.NAME) as source:
                return cls(path, bytes_of(source, 0, source.length))
        except Refusal as refusal:
            if refusal.kind == "missing-file":
                return None
            raise

    @property
    def books(self) -> int:
        """Whole codebooks on the disk."""
        return 0 if self.codebooks is None else self.codebooks.count

    @property
    def has_whole_books(self) -> bool:
        """Whether the file of codebooks has nothing else in it."""
        return self.codebooks is not None and self.codebooks.is_whole

    def fault_of(self, layer: int, expert: Expert) -> Refusal | None:
        """Why a bank is not done; None where its length, first and last header and books fit.

        Args:
            layer: of the bank, one of the manifest's.
            expert: the shapes that it is to have.
        """
        try:
            self._judge(self.manifest.banks[layer], expert)
        except Refusal as refusal:
            return refusal
        return None

    def bank_name(self, layer: int) -> str:
        """What the bank of a layer is called: as it was, else by its number."""
        bank = self.manifest.banks.get(layer)
        return f"experts-L{layer}.bin" if bank is None else bank.file

    def layer_entries(self) -> dict[str, Json]:
        """A copy of the manifest's entries of layers."""
        return dict(Slot(self.document, "", None).required("layers").object())

    def halves(self, first: int, end: int) -> list[bytes]:
        """The halves of the books from one to another, of those on the disk.

        Raises:
            Refusal: `truncated`, `io`.
        """
        if self.codebooks is None:
            return []
        return [self.codebooks.halves(book, 1).tobytes() for book in range(first, end)]

    def whole_books(self) -> Iterator[bytes]:
        """The bytes of all whole books on the disk, piece by piece.

        Raises:
            Refusal: `truncated`, `io`.
        """
        if self.codebooks is not None:
            yield from (self.codebooks.book(number) for number in range(self.codebooks.count))

    def trunk_length(self, name: str) -> int:
        """Bytes of the trunk.

        Raises:
            Refusal: `missing-file`, `path-escape`, `io`.
        """
        with folder.opened(self._path, name) as source:
            return source.length

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _judge(self, bank: layers.Bank, expert: Expert) -> None:
        if self.codebooks is None:
            raise Refusal("missing-file", f"{codebook.NAME} is not there", path=codebook.NAME)
        layers.judge_strides([bank], expert)
        layers.judge_bases([bank], self.codebooks.quant, self.codebooks.count)
        self.codebooks.judge_headers([bank])
        judge = Judge(bank, expert, self.codebooks)
        with folder.opened(self._path, bank.file) as source:
            layers.judge_length(bank, source.length)
            for number in {0, bank.experts - 1}:
                judge.header(memoryview(source.read(number * bank.stride, HEADER)), number)

    def _codebooks(self) -> Codebooks | None:
        if self.manifest.quant is None:
            return None
        try:
            source = folder.opened(self._path, codebook.NAME)
        except Refusal:
            return None
        return Codebooks(self._stack.enter_context(source), self.manifest.quant)
