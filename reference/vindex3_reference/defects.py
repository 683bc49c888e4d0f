"""The defects of one verification, as plain data and no more of them than memory is allowed for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vindex3_reference.refusal import Refusal

LISTED = 10_000
"""So many defects of one kind are listed. A row takes 16 bytes and a defect of it 500, so that the list
would otherwise outgrow any bound that follows the file."""


class Defects:
    """What is found wrong, in the order of finding.

    Attributes:
        listed: the defects as kind and names.
        more: the kinds of which there are more than are listed.
    """

    def __init__(self) -> None:
        self.listed: list[dict[str, object]] = []
        self.more: set[str] = set()
        self._counts: Counter[str] = Counter()

    def take(self, found: Iterable[Refusal], **facts: object) -> None:
        """Take findings of one kind, up to what is listed; `facts` are added to the names of each."""
        for finding in found:
            if self._counts[finding.kind] == LISTED:
                self.more.add(finding.kind)
                return
            self._counts[finding.kind] += 1
            self.listed.append({"kind": finding.kind, "names": {**finding.names, **facts}})

    def answer(self) -> dict[str, object]:
        """The answer of a verification (LYRW-VERIFY-03); `more` is there where something was left out."""
        if not self.more:
            return {"defects": self.listed}
        return {"defects": self.listed, "more": sorted(self.more)}
