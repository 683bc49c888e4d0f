"""Opening a WASTE container: how much payload lies behind its manifest makes no difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pytest_vindex3.bench.row import Place, Row, Unmeasured
from vindex3_fixtures.waste.make import made
from vindex3_fixtures.waste.model import MANIFEST, TRUNK, Waste
from vindex3_fixtures.waste.sparse import Sparse
from vindex3_reference.waste.verbs import waste_open

LAYERS = 64
INNER, WIDTH, STRIDE = 112, 120, 16 << 10
"""The shape of an expert, and bytes of its record."""
SMALL, LARGE = 64 << 20, 64 << 30
"""Bytes of payload."""
TEXT = 8192
"""Bytes of every manifest, filled up with spaces: the larger numbers have more digits."""
GOAL, CALLS = 0.9, 5
COUNTERS = Path("/proc/self/io")


def bench_rows(place: Place) -> Iterator[Row]:
    """Once with the payload in the banks of experts, once in the trunk."""
    for kind, made_of in (("banks", _with_banks), ("a trunk", _with_trunk)):
        small, large = (
            Opening(place.folder / f"{kind}-{size}.waste", made_of, size) for size in (SMALL, LARGE)
        )
        yield Row(
            f"WASTE open, {LAYERS} layers, {kind} of {LARGE >> 30} GiB, sparse",
            f"the same manifest over {SMALL >> 20} MiB",
            GOAL,
            large.open,
            small.open,
            partial(_alike, large, small),
            CALLS,
        )


class Opening:
    """A container that is made when it is first opened.

    Args:
        path: where.
        made_of: what makes it, from the bytes of its payload.
        size: that many.
    """

    def __init__(self, path: Path, made_of: Callable[[int], Waste], size: int) -> None:
        self._path = path
        self._made_of = made_of
        self._size = size

    def open(self) -> dict[str, object]:
        """The answer of waste.open.

        Raises:
            Unmeasured: the file system has no files so long.
        """
        return waste_open(path=self._written)

    def read(self) -> int | None:
        """Bytes that opening reads; None where the system does not count them."""
        self.open()
        try:
            before = COUNTERS.read_bytes()
            self.open()
            after = COUNTERS.read_bytes()
        except OSError:
            return None
        return _all_read(after) - _all_read(before) - len(before)

    @cached_property
    def _written(self) -> str:
        model = self._made_of(self._size)
        folder = model.folder.with_file(MANIFEST, model.text.ljust(TEXT))
        try:
            folder.write_to(self._path)
        except OSError as error:
            raise Unmeasured(f"no file of {self._size} bytes can be made: {error}") from None
        return str(self._path)


def _model() -> Waste:
    return made(inner=INNER, width=WIDTH, experts=1, layers=LAYERS, dense=0)


def _with_banks(size: int) -> Waste:
    model, length = _model(), size // LAYERS
    files = {model.bank_file(layer): Sparse(length) for layer in model.banks}
    entries = {
        layer: {**entry, "experts": length // STRIDE, "bytes": length}
        for layer, entry in model.manifest["layers"].items()
    }
    listed = model.with_manifest(("layers",), entries).with_config("num_experts", length // STRIDE)
    return replace(listed, files={**model.files, **files})


def _with_trunk(size: int) -> Waste:
    """Nothing but the length of the file differs."""
    return _model().with_file(TRUNK, Sparse(size))


def _all_read(counters: bytes) -> int:
    """What the process had read when it began to read the counters."""
    return int(counters.split()[1])


def _alike(large: Opening, small: Opening, own: Any, other: Any) -> bool:
    """Judges that both answers are the same but for the sizes of banks, and read as many bytes."""
    return _without_sizes(own) == _without_sizes(other) and large.read() == small.read()


def _without_sizes(answer: dict[str, Any]) -> dict[str, Any]:
    layers = {
        layer: {key: value for key, value in bank.items() if key not in ("experts", "bytes")}
        for layer, bank in answer["layers"].items()
    }
    return {**answer, "layers": layers}
