"""A request for one record after others, through one handle (waste.md, section 16, waste.record)."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vindex3_reference.container import names
from vindex3_reference.disk import refusing
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot
from vindex3_reference.waste.container import Container
from vindex3_reference.waste.memory import room
from vindex3_reference.waste.record import Header
from vindex3_reference.waste.records import DEFAULT_RECORDS, Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Patch = dict[str, Any]


class Request:
    """What is asked of one handle.

    Attributes:
        path: the container.
        layer, expert: the record that is answered.
        source: auto, direct or buffered.
        verify: whether checksums are compared.
        before: records that are read first.
        cache_records: how many the cache keeps; None for the usual number.
        hold: the position in `before` of the record that stays held, or None.
        patch: changes of files, each after so many reads of `before`.
        address: where the bytes are delivered, modulo the page; None for anywhere.

    Raises:
        Refusal: `bad-type`, `missing-field` for what is no record or no change.
    """

    def __init__(
        self,
        path: str,
        layer: int,
        expert: int,
        *,
        source: str,
        verify: bool,
        before: Sequence[Sequence[int]],
        cache_records: int | None,
        hold: int | None,
        patch: Iterable[Patch],
        address: int | None,
    ) -> None:
        self._path = path
        self._asked = (layer, expert)
        self._source = source
        self._verify = verify
        self._before = [_pair(one, f"before[{place}]") for place, one in enumerate(before)]
        self._capacity = DEFAULT_RECORDS if cache_records is None else cache_records
        self._hold = hold
        self._patch = [_judged(one, f"patch[{place}]") for place, one in enumerate(patch)]
        self._address = address

    def answer(self) -> dict[str, object]:
        """The record that was asked for.

        Raises:
            Refusal: what opening the container refuses, and what `Records` does for the record and for the
                held one; `out-of-range` for a hold beyond `before`.
        """
        if self._hold is not None and not 0 <= self._hold < len(self._before):
            message = f"no read {self._hold} comes before"
            raise Refusal("out-of-range", message, field="hold", value=self._hold)
        with ExitStack() as stack:
            container = stack.enter_context(Container(self._path))
            records = stack.enter_context(
                Records(container, self._source, verify=self._verify, capacity=self._capacity)
            )
            held = self._read_before(records, stack)
            container.require(*self._asked)
            view = room(container.manifest.banks[self._asked[0]].stride, self._address or 0)
            mode = records.deliver(*self._asked, view)
            header = Header.read(view)
            return {
                "header": header.answer(),
                "mode": mode,
                "payload_sha256": _digest(container.judges[self._asked[0]].payload(header, view)),
                "data": view,
                "held_sha256": None if held is None else _digest(held),
            }

    def _read_before(self, records: Records, stack: ExitStack) -> memoryview | None:
        """Read what comes before, between the changes; gives the bytes that stay held."""
        held = None
        for number, (layer, expert) in enumerate(self._before):
            self._change(number)
            if number == self._hold:
                held = stack.enter_context(records.hold(layer, expert)).view
                continue
            with suppress(Refusal), records.hold(layer, expert):
                pass
        self._change(len(self._before))
        return held

    def _change(self, reads: int) -> None:
        for patch in self._patch:
            if patch["after"] == reads:
                change(self._path, patch)


def _pair(given: object, field: str) -> tuple[int, int]:
    """Layer and expert of a record.

    Raises:
        Refusal: `bad-type` for anything else than two integers.
    """
    match given:
        case [int(layer), int(expert)]:
            return layer, expert
    raise Refusal("bad-type", f"{field} is no layer and expert", path="request", field=field)


def _judged(patch: Patch, field: str) -> Patch:
    """A change that says what is changed, and when.

    Raises:
        Refusal: `missing-field`, `bad-type`.
    """
    slot = Slot(patch, field, None)
    slot.required("after").whole()
    slot.required("file").text()
    if patch.get("data") is not None:
        slot.required("offset").whole()
    if patch.get("length") is not None:
        slot.required("length").whole()
    return patch


def change(path: str, patch: Patch) -> None:
    """Put bytes into a file of a container, or give it another length.

    Raises:
        Refusal: `path-escape`, `io`.
    """
    name = names.checked(patch["file"])
    with refusing(name), Path(path, name).open("r+b", buffering=0) as file:
        if patch.get("data") is not None:
            file.seek(patch["offset"])
            file.write(patch["data"])
        if patch.get("length") is not None:
            file.truncate(patch["length"])


def _digest(data: memoryview) -> str:
    return hashlib.sha256(data).hexdigest()
