"""What is found of one entry of the directory and its segment (container.md, section 7)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from vindex3_reference.container.digest import digests
from vindex3_reference.container.segment import payload_start, table_of
from vindex3_reference.container.table_faults import table_faults
from vindex3_reference.container.tensor import other_representation
from vindex3_reference.defects import LISTED
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vindex3_reference.container.container import Container
    from vindex3_reference.container.entry import Entry
    from vindex3_reference.container.meter import Meter


class Verdict:
    """One entry, judged: everything that can be said of its segment is said, whatever else is wrong.

    Attributes:
        key: the id that the directory has it under.
        entry: what the directory says.
        segment_ok, payload_ok: whether the digests hold.
        found: what is wrong, kind by kind.
        story: how it compares with its sources, where these are known.
    """

    def __init__(self, container: Container, key: str, entry: Entry, meter: Meter) -> None:
        self.key = key
        self.entry = entry
        self.segment_ok = self.payload_ok = False
        self.found: list[Iterable[Refusal]] = []
        self.story: str | None = None
        if entry.id != key:
            self._fault(_misnamed(key, entry))
        try:
            with Source(container.file(entry.segment), entry.segment) as source:
                self._judge(source, meter)
        except Refusal as refusal:
            self._fault(refusal)

    def answer(self) -> dict[str, object]:
        """The entry as the verification answers it."""
        story = {} if self.story is None else {"story": self.story}
        return {
            "representation": self.key,
            "segment_ok": self.segment_ok,
            "payload_ok": self.payload_ok,
            **story,
        }

    def _judge(self, source: Source, meter: Meter) -> None:
        start = self._start(source)
        self._compare(source, start, meter)
        if start is None:
            return
        expected = start + self.entry.payload_bytes
        if source.length != expected:
            self._fault(self._other_length(expected, source.length))
        self._judge_table(source, start)

    def _start(self, source: Source) -> int | None:
        """Where the payload begins; None where nobody can say."""
        try:
            return payload_start(source)
        except Refusal as refusal:
            self._fault(refusal)
            return None

    def _compare(self, source: Source, start: int | None, meter: Meter) -> None:
        """Compare both digests as text, each with its own record (VERIFY-HASH-03 and 04)."""
        there = digests(source, start, meter)
        self.segment_ok = there.segment == self.entry.segment_sha256
        self.payload_ok = there.payload == self.entry.payload_sha256
        if not self.segment_ok:
            self._fault(self._other_digest("segment", self.entry.segment_sha256, there.segment))
        if there.payload is not None and not self.payload_ok:
            self._fault(self._other_digest("payload", self.entry.payload_sha256, there.payload))

    def _judge_table(self, source: Source, start: int) -> None:
        representation, rows = table_of(source, start)
        if representation != self.key:
            self._fault(other_representation(self.key, representation))
        if len(rows) != self.entry.tensor_count:
            self._fault(self._other_count(len(rows)))
        for found in table_faults(rows, self.entry.payload_bytes, source.name):
            # Taken here, so that the rows of this table go before the next one is read.
            self.found.append(list(islice(found, LISTED + 1)))

    def _fault(self, refusal: Refusal) -> None:
        self.found.append([refusal])

    def _other_digest(self, digest: str, recorded: str, found: str) -> Refusal:
        return Refusal(
            "hash-mismatch",
            f"{self.key}: the {digest} digest is {found}, and {recorded!r} is recorded",
            subject=self.key,
            digest=digest,
            expected=recorded,
            found=found,
        )

    def _other_length(self, expected: int, found: int) -> Refusal:
        message = f"{self.entry.segment} has {found} bytes, and the directory gives {expected}"
        return Refusal("length-mismatch", message, subject=self.key, expected=expected, found=found)

    def _other_count(self, rows: int) -> Refusal:
        return Refusal(
            "count-mismatch",
            f"{self.entry.segment} has {rows} tensors, and the directory gives {self.entry.tensor_count}",
            subject=self.key,
            expected=self.entry.tensor_count,
            found=rows,
        )


def _misnamed(key: str, entry: Entry) -> Refusal:
    """A directory key that is not what object and encoding give when they are joined (VERIFY-ID-02)."""
    return Refusal(
        "id-mismatch",
        f"the directory has {entry.id!r} under {key!r}",
        subject=key,
        expected=entry.id,
        found=key,
    )
