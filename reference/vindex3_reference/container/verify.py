"""Everything that is wrong with a container (container.md, section 7)."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vindex3_reference.container.bank_faults import take_bank_faults
from vindex3_reference.container.container import Container
from vindex3_reference.container.copies import repeated_payloads, repeated_storages
from vindex3_reference.container.graph_faults import graph_faults
from vindex3_reference.container.map_faults import map_of, mismatches
from vindex3_reference.container.meter import Meter
from vindex3_reference.container.story import tell
from vindex3_reference.container.verdict import Verdict
from vindex3_reference.defects import Defects
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future

    from vindex3_reference.container.sources import Sources
    from vindex3_reference.graph.model import Graph

    Progress = Callable[[int, int], None]

PERIOD = 0.1
"""Seconds between two words to the one who watches."""


def verified(
    path: str, sources: Sources | None = None, progress: Progress | None = None, threads: int | None = None
) -> dict[str, object]:
    """The answer of container.verify: each representation with its flags, and all defects.

    Every byte of every segment is read once. Nothing is written.

    Args:
        path: the container.
        sources: the tensors of its artifacts, to tell a changed source from a changed container.
        progress: called in this thread while segments are read, with the bytes that are done and the bytes
            that there are; what it raises ends the run.
        threads: how many segments are read at a time; by default one for each processor that is free to use.

    Raises:
        Refusal: what opening the container refuses, missing segments apart.
    """
    container = Container(path, whole=False)
    verdicts = _judged(container, progress, threads or processors())
    defects = Defects()
    for verdict in verdicts.values():
        for found in verdict.found:
            defects.take(found)
    graph = _graph(container, defects)
    if graph is not None:
        for found in graph_faults(graph, container.index.representations):
            defects.take(found)
        _take_map_faults(container, graph, defects)
        if sources is not None:
            defects.take(list(tell(verdicts, graph, sources)))
    defects.take(repeated_payloads(container.index.representations))
    defects.take(repeated_storages(container.index.catalogue))
    take_bank_faults(container, defects)
    return _answer(verdicts, defects)


def _answer(verdicts: dict[str, Verdict], defects: Defects) -> dict[str, object]:
    sound = all(verdict.segment_ok and verdict.payload_ok for verdict in verdicts.values())
    return {
        "verified": sound and not defects.listed,
        "examined": len(verdicts),
        "entries": [verdict.answer() for verdict in verdicts.values()],
        **defects.answer(),
    }


def _judged(container: Container, progress: Progress | None, threads: int) -> dict[str, Verdict]:
    """The verdict of each entry, sorted by id; the largest segments are begun first."""
    entries = container.index.representations
    order = sorted(entries, key=lambda key: entries[key].payload_bytes, reverse=True)
    meter = Meter()
    with ThreadPoolExecutor(threads) as pool:
        try:
            begun = {key: pool.submit(Verdict, container, key, entries[key], meter) for key in order}
            _await(begun.values(), meter, progress, container)
        finally:  # who gives up waits for no segment: its threads end where they count next
            meter.stop()
            pool.shutdown(cancel_futures=True)
    return {key: begun[key].result() for key in sorted(entries)}


def _await(
    begun: Iterable[Future[Verdict]], meter: Meter, progress: Progress | None, container: Container
) -> None:
    """Wait until all is done, and tell meanwhile how much is."""
    total = 0 if progress is None else _bytes_of(container)
    waiting = set(begun)
    while waiting:
        done, waiting = wait(waiting, PERIOD if progress else None, FIRST_EXCEPTION)
        for each in done:
            each.result()
        if progress is not None:
            progress(meter.done, total)


def _bytes_of(container: Container) -> int:
    """Bytes of all segment files of the directory, as far as they are there."""
    total = 0
    for entry in container.index.representations.values():
        with suppress(OSError, ValueError):
            total += Path(container.file(entry.segment)).stat().st_size
    return total


def _graph(container: Container, defects: Defects) -> Graph | None:
    """The system graph; what makes it unreadable is a defect."""
    if container.index.system_graph is None:
        return None
    try:
        return container.graph()
    except Refusal as refusal:
        defects.take([refusal])
        return None


def _take_map_faults(container: Container, graph: Graph, defects: Defects) -> None:
    """Take what disagrees with the precision map; one that cannot be read is a defect, where it is needed."""
    try:
        policy = map_of(container)
    except Refusal as refusal:
        defects.take([refusal])
    else:
        if policy is not None:
            defects.take(mismatches(policy, container, graph))


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
