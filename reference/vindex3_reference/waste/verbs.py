"""The verbs of WASTE containers (waste.md, section 16)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vindex3_reference.disk import Disk
from vindex3_reference.waste.container import Container
from vindex3_reference.waste.decode import matrix_of, tensor_of
from vindex3_reference.waste.observation import opened
from vindex3_reference.waste.request import Request
from vindex3_reference.waste.usage import usage_of
from vindex3_reference.waste.verify import verified
from vindex3_reference.waste.write import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vindex3_reference.kernels.buffers import Floats
    from vindex3_reference.strict_json import Json

__all__ = [
    "usage_read",
    "waste_matrix",
    "waste_open",
    "waste_record",
    "waste_tensor",
    "waste_verify",
    "waste_write",
]

Answer = dict[str, object]


def waste_open(*, path: str) -> Answer:
    """Read the manifest of a container and compare it with the files that it names."""
    with Container(path) as container:
        return opened(container)


def waste_record(
    *,
    path: str,
    layer: int,
    expert: int,
    source: str = "auto",
    verify: bool = False,
    before: Sequence[Sequence[int]] | None = None,
    cache_records: int | None = None,
    hold: int | None = None,
    patch: Sequence[dict[str, Any]] | None = None,
    address: int | None = None,
) -> Answer:
    """Give the record of an expert, after others that are read through the same handle."""
    request = Request(
        path,
        layer,
        expert,
        source=source,
        verify=verify,
        before=before or (),
        cache_records=cache_records,
        hold=hold,
        patch=patch or (),
        address=address,
    )
    return request.answer()


def waste_matrix(*, path: str, layer: int, expert: int, matrix: str) -> Floats:
    """Decode one matrix of an expert, as float32 of [rows, columns]."""
    with Container(path) as container:
        return matrix_of(container, layer, expert, matrix)


def waste_tensor(*, path: str, name: str, row: int | None = None) -> Floats:
    """Decode a tensor of the trunk as float32 in its shape, or one row of it."""
    with Container(path) as container:
        return tensor_of(container, name, row)


def waste_verify(*, path: str) -> Answer:
    """Read every record of a container, and list everything that is wrong with it."""
    return verified(path)


def waste_write(*, model: Json, path: str, workers: int = 1) -> Answer:
    """Write a container from finished indices, codebooks and codes, or resume one."""
    return Writer(model, path).write(Disk(), workers)


def usage_read(*, path: str) -> Answer:
    """Read the statistics that runs have left in a container."""
    with Container(path) as container:
        return usage_of(container)
