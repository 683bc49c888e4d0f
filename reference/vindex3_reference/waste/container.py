"""A container that opens: its manifest, and every file that it names (waste.md, section 9.1)."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vindex3_reference.document import bytes_of
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import codebook, folder, manifest
from vindex3_reference.waste.codebook import Codebooks
from vindex3_reference.waste.layers import judge_length
from vindex3_reference.waste.manifest import Manifest
from vindex3_reference.waste.record import Judge

if TYPE_CHECKING:
    from types import TracebackType

    from vindex3_reference.source import Source
    from vindex3_reference.waste.layers import Bank

TRUNK = "trunk.bin"


class Container:
    """A folder whose manifest fits its files; close it, or use it as a context manager.

    Every file is opened once and stays open, so that what is read later is of the same generation. No
    payload of trunk or bank is read (WASTE-LIMIT-02).

    Attributes:
        path: the folder, as it was given.
        manifest: what its manifest says.
        trunk: the file of the trunk.
        codebooks: the codebooks; None for a dense model that has none.
        banks: the file of each bank, by layer.
        judges: what is demanded of the records of each.

    Raises:
        Refusal: `missing-file` with the folder where there is none; what `Manifest` and its `judge_files`
            refuse; `missing-file`, `path-escape` for a link that leads out of the folder; `truncated` and
            `trailing-bytes` of banks; what `Codebooks` refuses.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with ExitStack() as stack:
            self._stack = stack
            self.manifest = Manifest(self._document())
            self.trunk = self._opened(TRUNK)
            self.codebooks = self._codebooks()
            banks = self.manifest.banks
            if self.codebooks is not None and banks:
                self.codebooks.judge_length()
            self.manifest.judge_files(self.trunk.length, self.codebooks.count if self.codebooks else 0)
            if self.codebooks is not None:
                self.codebooks.judge_headers(banks.values())
            self.banks = {layer: self._bank(bank) for layer, bank in banks.items()}
            self.judges = self._judges()
            self._stack = stack.pop_all()

    def file(self, name: str) -> str:
        """Where a file of the container is."""
        return f"{self.path or '.'}/{name}"

    def require(self, layer: int, expert: int) -> None:
        """See that the container has a record.

        Raises:
            Refusal: `no-such-record` (WASTE-ASK-01).
        """
        bank = self.manifest.banks.get(layer)
        if bank is None or not 0 <= expert < bank.experts:
            message = f"there is no expert {expert} of layer {layer}"
            raise Refusal("no-such-record", message, layer=layer, expert=expert)

    def close(self) -> None:
        """Give the descriptors back."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _document(self) -> bytes:
        try:
            with folder.opened(self.path, manifest.NAME) as source:
                return bytes_of(source, 0, source.length)
        except Refusal as refusal:
            if refusal.kind == "missing-file" and not Path(self.path or ".").is_dir():
                message = f"{self.path} is not there as a folder"
                raise Refusal("missing-file", message, path=self.path) from None
            raise

    def _opened(self, name: str) -> Source:
        return self._stack.enter_context(folder.opened(self.path, name))

    def _codebooks(self) -> Codebooks | None:
        """The codebooks, which must be there where a layer has experts."""
        if self.manifest.quant is None:
            return None
        try:
            return Codebooks(self._opened(codebook.NAME), self.manifest.quant)
        except Refusal:
            if self.manifest.banks:
                raise
            return None

    def _judges(self) -> dict[int, Judge]:
        expert, books = self.manifest.expert, self.codebooks
        if expert is None or books is None:
            return {}
        return {layer: Judge(bank, expert, books) for layer, bank in self.manifest.banks.items()}

    def _bank(self, bank: Bank) -> Source:
        source = self._opened(bank.file)
        judge_length(bank, source.length)
        return source
