"""Everything that is wrong with a container (waste.md, section 9.3)."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container.verify import processors
from vindex3_reference.defects import Defects
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.container import Container
from vindex3_reference.waste.contents import (
    header_faults,
    record_faults,
    scale_faults,
    shape_faults,
    value_faults,
)
from vindex3_reference.waste.memory import room
from vindex3_reference.waste.parallel import in_order
from vindex3_reference.waste.record import Header
from vindex3_reference.waste.records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Progress(NamedTuple):
    """How far a verification is: records and bytes of records, done and in all."""

    records: int
    bytes: int
    all_records: int
    all_bytes: int


class Finding(NamedTuple):
    """What became of a record: its length, whether its checksum was computed, and what is wrong with it."""

    length: int
    checked: bool
    faults: list[Refusal]


def verified(
    path: str, progress: Callable[[Progress], object] | None = None, jobs: int | None = None
) -> dict[str, object]:
    """The answer of waste.verify: how many checksums were computed, and all defects.

    Every record is read once. Nothing is written.

    Args:
        path: the container.
        progress: called in this thread after each record; what it raises ends the run.
        jobs: how many records are read at a time; by default one for each processor that is free to use.

    Raises:
        Refusal: what opening the container refuses; `truncated` or `io` of trunk and codebooks.
    """
    defects, checked = Defects(), 0
    with Container(path) as container:
        for faults in (shape_faults, header_faults, value_faults, scale_faults):
            defects.take(faults(container))
        done, size = 0, 0
        banks = container.manifest.banks.values()
        all_records, all_bytes = sum(bank.experts for bank in banks), sum(bank.bytes for bank in banks)
        with (
            Records(container, capacity=0) as records,
            closing(
                in_order(_Examiner(container, records), _all(container), jobs or processors())
            ) as findings,
        ):
            for finding in findings:
                for fault in finding.faults:
                    defects.take([fault])
                done, size = done + 1, size + finding.length
                checked += finding.checked
                if progress is not None:
                    progress(Progress(done, size, all_records, all_bytes))
    return {"records_checked": checked, **defects.answer()}


def _all(container: Container) -> Iterator[tuple[int, int]]:
    """Layer and expert of every record."""
    for layer, bank in container.manifest.banks.items():
        yield from ((layer, number) for number in range(bank.experts))


class _Examiner:
    """Examines records, each thread in memory of its own."""

    def __init__(self, container: Container, records: Records) -> None:
        self._judges = container.judges
        self._records = records
        self._longest = max((judge.bank.stride for judge in self._judges.values()), default=0)
        self._memory = threading.local()

    def __call__(self, which: tuple[int, int]) -> Finding:
        """Read a record, and say what is wrong with it; a payload of another checksum is not looked into."""
        layer, number = which
        judge = self._judges[layer]
        view = self._view()[: judge.bank.stride]
        checked = False
        faults: list[Refusal] = []
        try:
            self._records.deliver(layer, number, view)
            header = Header.read(view)
            faults += judge.gaps(header, number)
            checked = True
            judge.judge_checksum(header, view, number)
            faults += record_faults(judge, header, view, number)
        except Refusal as refusal:
            faults.append(refusal)
        return Finding(judge.bank.stride, checked, faults)

    def _view(self) -> memoryview:
        view: memoryview | None = getattr(self._memory, "view", None)
        if view is None:
            view = self._memory.view = room(self._longest)
        return view
