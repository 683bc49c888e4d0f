"""What writers are asked and what they leave behind: plans with one fault, answers, bytes on disk."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3 import answers, check
from pytest_vindex3.contract.difference import Difference
from pytest_vindex3.contract.outcome import Limits
from pytest_vindex3.plugin.expect import Answers, Side
from vindex3_fixtures.lyrw import LyrwFile
from vindex3_fixtures.lyrw.plan import Plan, layout, payload, plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_vindex3.contract.outcome import Outcome, Reply
    from pytest_vindex3.plugin.ask import Ask

REMOVED: Final = object()
"""In place of a value: the key is left out."""

BOUNDED: Final = Limits(seconds=10, memory=1 << 30)
"""For plans of millions of entries: who spreads them out is stopped before the machine is."""

_SHOWN = 8


def edited(document: Any, *way: str | int, to: Any) -> Any:
    """A copy of a document with another value, or none, at the end of a way of keys and positions."""
    copy = deepcopy(document)
    if not way:
        return to
    home = copy
    for step in way[:-1]:
        home = home[step]
    if to is REMOVED:
        del home[way[-1]]
    else:
        home[way[-1]] = to
    return copy


def lay(ask: Ask, document: Any) -> Reply:
    """Ask where everything lies in the file of a plan."""
    return ask("lyrw.layout", plan=document)


def write(
    ask: Ask, name: str, document: Any, pieces: Sequence[dict[str, Any]], limits: Limits | None = None
) -> Reply:
    """Ask for a file of this name, in the test's own folder."""
    path = str(ask.folder / name)
    return ask("lyrw.write", limits=limits, plan=document, payload=list(pieces), path=path)


def write_file(ask: Ask, name: str, file: LyrwFile, document: Plan | None = None) -> Reply:
    """Ask for a described file, by its own plan unless another is given, and with its own regions."""
    return write(ask, name, plan(file) if document is None else document, payload(file))


def laid(file: LyrwFile) -> Answers:
    """The whole layout of a described file."""
    return answers(layout(file))


def written(file: LyrwFile) -> Answers:
    """What a writer says of a described file."""
    return answers(
        file_length=file.file_length, table_bytes=file.table_bytes, payload_start=file.payload_start
    )


@dataclass(frozen=True, slots=True)
class OnDisk:
    """The bytes of a file after a request, whatever was answered; None is no file."""

    path: Path
    data: bytes | None
    sides: frozenset[Side] = frozenset({"legal"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """The first byte that differs, else the length that does."""
        del outcome
        found = self.path.read_bytes() if self.path.is_file() else None
        if found == self.data:
            return None
        if found is None or self.data is None:
            return Difference(self.path.name, _size(self.data), _size(found))
        pairs = zip(self.data, found, strict=False)
        place = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
        if place is None:
            return Difference(f"length of {self.path.name}", len(self.data), len(found))
        shown = slice(place, place + _SHOWN)
        return Difference(f"{self.path.name} from byte {place}", self.data[shown], found[shown])


def _size(data: bytes | None) -> str:
    return "no file" if data is None else f"{len(data)} bytes"


def on_disk(ask: Ask, name: str, data: bytes) -> OnDisk:
    """Expect a file that was written."""
    return OnDisk(ask.folder / name, data)


def untouched(ask: Ask, name: str, data: bytes | None) -> OnDisk:
    """Expect a target to be as it was before a request that had to be refused."""
    return OnDisk(ask.folder / name, data, frozenset({"wrong"}))


def write_faulty(
    ask: Ask, document: Any, legal: LyrwFile | None = None, limits: Limits | None = None
) -> Reply:
    """Ask for the file of a faulty plan, with the regions of a legal one or with none."""
    return write(ask, "wrong.lyrw", document, payload(legal) if legal else [], limits)


def check_twin(ask: Ask, clause_id: str, legal: LyrwFile) -> None:
    """The legal file is written, to the byte."""
    reply = write_file(ask, "legal.lyrw", legal)
    check(clause_id, reply, written(legal))
    check(clause_id, reply, on_disk(ask, "legal.lyrw", legal.data()))
