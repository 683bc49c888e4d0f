"""The codebooks of a container, equal in size and one behind the other (waste.md, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.quant import BOOK_HEADER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from vindex3_reference.source import Source
    from vindex3_reference.waste.layers import Bank
    from vindex3_reference.waste.quant import Quant

NAME = "codebooks.bin"
MAGIC = b"WCBK"
WRITTEN_FORMAT = 4
"""The fmt byte that is written for every packing, and compared by nobody."""


class BookHeader(NamedTuple):
    """The 16 bytes before the halves of a book."""

    magic: bytes
    id: int
    fmt: int
    vec_dim: int
    entries: int
    zero: int

    @classmethod
    def read(cls, data: bytes) -> BookHeader:
        """The header in the first bytes of a book."""
        return cls(
            data[:4],
            int.from_bytes(data[4:6], "little"),
            data[6],
            data[7],
            int.from_bytes(data[8:12], "little"),
            int.from_bytes(data[12:16], "little"),
        )

    def encoded(self) -> bytes:
        """The header, ready for a file."""
        fields = ((self.id, 2), (self.fmt, 1), (self.vec_dim, 1), (self.entries, 4), (self.zero, 4))
        return self.magic + b"".join(value.to_bytes(size, "little") for value, size in fields)


class Codebooks:
    """The file of codebooks, opened.

    Attributes:
        quant: the packing, which sizes the books.
        count: how many whole books there are.
        book_bytes: bytes of each.
    """

    def __init__(self, source: Source, quant: Quant) -> None:
        self.quant = quant
        self.book_bytes = quant.book_bytes
        self.count = source.length // self.book_bytes
        self._source = source

    @property
    def is_whole(self) -> bool:
        """Whether the file is a whole number of books."""
        return self._source.length % self.book_bytes == 0

    def judge_length(self) -> None:
        """See that the file is a whole number of books.

        Raises:
            Refusal: `partial-codebook` (CODEBOOK-FILE-02).
        """
        have = self._source.length
        if not self.is_whole:
            message = f"{NAME} has {have} bytes, no whole number of {self.book_bytes}"
            raise Refusal("partial-codebook", message, have=have, book_bytes=self.book_bytes)

    def judge_headers(self, banks: Iterable[Bank]) -> None:
        """Judge the headers of the books that layers name, and of no others.

        Raises:
            Refusal: `codebook-header` with book, field, found and expected; `truncated`, `io`.
        """
        for book in self.named(banks):
            for refusal in header_faults(self.header(book), book, self.quant):
                raise refusal

    def named(self, banks: Iterable[Bank]) -> list[int]:
        """The numbers of the books that layers name, ascending."""
        numbers = (range(bank.codebook_base, bank.codebook_base + self.quant.books) for bank in banks)
        return sorted({number for each in numbers for number in each})

    def header(self, book: int) -> BookHeader:
        """The header of a book.

        Raises:
            Refusal: `truncated`, `io`.
        """
        return BookHeader.read(self._read(book * self.book_bytes, BOOK_HEADER))

    def book(self, book: int) -> bytes:
        """A book with its header.

        Raises:
            Refusal: `truncated`, `io`.
        """
        return self._read(book * self.book_bytes, self.book_bytes)

    def halves(self, book: int, count: int) -> npt.NDArray[np.uint16]:
        """The halves of books in a row, as their bits, of [count, entries, vec_dim].

        Raises:
            Refusal: `truncated`, `io`.
        """
        data = self._read(book * self.book_bytes, count * self.book_bytes)
        bodies = np.frombuffer(data, "<u2").reshape(count, -1)[:, BOOK_HEADER // 2 :]
        return np.ascontiguousarray(bodies).reshape(count, self.quant.entries, self.quant.vec_dim)

    def _read(self, offset: int, length: int) -> bytes:
        data = self._source.read(offset, length)
        if len(data) < length:
            need, have = offset + length, offset + len(data)
            raise Refusal(
                "truncated", f"{NAME} ends at {have}, before {need}", path=NAME, need=need, have=have
            )
        return data


def header_faults(header: BookHeader, book: int, quant: Quant) -> Iterator[Refusal]:
    """What of a header contradicts the manifest (CODEBOOK-HEADER-01)."""
    if header.magic != MAGIC:
        yield header_fault(book, "magic", header.magic.hex(), MAGIC.hex())
    for field in ("vec_dim", "entries"):
        found, expected = getattr(header, field), getattr(quant, field)
        if found != expected:
            yield header_fault(book, field, found, expected)


def header_fault(book: int, field: str, found: object, expected: object) -> Refusal:
    """The refusal, or the defect, of one field of the header of a book."""
    message = f"book {book} has {field} {found}, not {expected}"
    return Refusal("codebook-header", message, book=book, field=field, found=found, expected=expected)
