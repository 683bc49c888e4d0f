"""The verbs of WASTE containers (waste.md, section 16)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vindex3_reference.waste.container import Container
from vindex3_reference.waste.observation import opened
from vindex3_reference.waste.request import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__: list[str] = []

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
