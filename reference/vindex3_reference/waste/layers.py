"""The banks of a model's layers, as the manifest lists them (waste.md, section 2.4)."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container import names
from vindex3_reference.container.plan import collision, folded
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.about import about
from vindex3_reference.waste.expert import PAGE
from vindex3_reference.waste.quant import LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vindex3_reference.slot import Slot
    from vindex3_reference.waste.config import Config
    from vindex3_reference.waste.expert import Expert
    from vindex3_reference.waste.quant import Quant

MOST_RECORDS = 1 << 16
"""Experts that the 16 bits of a record can number."""
MOST_DIGITS = 18
"""Digits that are looked at: any number of more is beyond every model."""
_CANONICAL = re.compile(r"0|[1-9][0-9]*")


class Bank(NamedTuple):
    """The records of one layer.

    Attributes:
        layer: its number.
        file: its name in the container.
        experts: how many records it has.
        bytes: how long it is.
        codebook_base: the number of the layer's first codebook.
    """

    layer: int
    file: str
    experts: int
    bytes: int
    codebook_base: int

    @property
    def stride(self) -> int:
        """Bytes from one record to the next."""
        return self.bytes // self.experts


def banks_of(given: Slot, config: Config) -> dict[int, Bank]:
    """The bank of each layer that has experts, by its number; entries beyond the model are ignored.

    Raises:
        Refusal: `unknown-value` for a key that is no canonical number; `unexpected-layer`, `missing-layer`;
            `missing-field`, `bad-type`, `path-escape`, `count-mismatch`, `out-of-range` of an entry, which
            names its layer; `path-collision`.
    """
    entries = dict(_numbered(given, config.layers))
    for layer in entries:
        if layer not in config.moe_layers:
            raise Refusal("unexpected-layer", f"layer {layer} has no experts", layer=layer)
    for layer in config.moe_layers:
        if layer not in entries:
            raise Refusal("missing-layer", f"layer {layer} has no entry", layer=layer)
    banks = {layer: _bank(layer, entries[layer], config.experts) for layer in config.moe_layers}
    _judge_names(banks.values())
    return banks


def judge_strides(banks: Iterable[Bank], expert: Expert) -> None:
    """See that every record is whole pages and holds what the shapes need.

    Raises:
        Refusal: `bad-stride` (WASTE-LAYER-10).
    """
    for bank in banks:
        if bank.stride % PAGE or bank.stride < expert.payload_end:
            message = f"records of layer {bank.layer} have {bank.stride} bytes"
            raise Refusal("bad-stride", message, layer=bank.layer, stride=bank.stride)


def judge_bases(banks: Iterable[Bank], quant: Quant, books: int) -> None:
    """See that the books of every layer are there.

    Raises:
        Refusal: `out-of-range` (WASTE-LAYER-11).
    """
    for bank in banks:
        base = bank.codebook_base
        if not 0 <= base <= books - quant.books:
            field = f"layers.{bank.layer}.codebook_base"
            message = f"{field} {base} does not name {quant.books} of {books} books"
            raise Refusal("out-of-range", message, layer=bank.layer, field=field, value=base, books=books)


def judge_length(bank: Bank, have: int) -> None:
    """See that the file of a bank is as long as said (WASTE-LAYER-07, WASTE-LAYER-08).

    Raises:
        Refusal: `truncated`, `trailing-bytes`.
    """
    if have < bank.bytes:
        message = f"{bank.file} has {have} of {bank.bytes} bytes"
        raise Refusal("truncated", message, path=bank.file, need=bank.bytes, have=have)
    if have > bank.bytes:
        message = f"{bank.file} goes on after {bank.bytes} bytes"
        raise Refusal("trailing-bytes", message, path=bank.file, offset=bank.bytes, length=have - bank.bytes)


def number_of(given: Slot, key: str) -> int:
    """The layer that a key means; one of more digits than any model has layers stands for the largest.

    Raises:
        Refusal: `unknown-value` for a key that is no canonical decimal number (WASTE-LAYER-13).
    """
    if not _CANONICAL.fullmatch(key):
        message = f"{given.path}: {key!r} is no number of a layer"
        raise Refusal("unknown-value", message, path=given.path, field=given.field, value=key)
    return int(key) if len(key) <= MOST_DIGITS else LARGEST


def _numbered(given: Slot, layers: int) -> Iterable[tuple[int, Slot]]:
    """The entries of layers of the model."""
    for key, entry in given.members():
        number = number_of(given, key)
        if number < layers:
            yield number, entry


def _bank(layer: int, given: Slot, experts: int) -> Bank:
    with about(layer=layer):
        name = names.checked(given.required("file").text())
        found = given.required("experts").whole()
        base = given.required("codebook_base").whole()
        if base > LARGEST:
            given.required("codebook_base").integer(LARGEST)
        _judge_count(given.required("experts"), experts)
        size = given.required("bytes")
        with about(bytes=size.value, experts=experts):
            length = size.integer(LARGEST, 1)
            if length % experts:
                message = f"{size.field} {length} is no whole number of {experts} records"
                raise Refusal("out-of-range", message, path=size.path, field=size.field, value=length)
    return Bank(layer, name, found, length, base)


def _judge_count(given: Slot, experts: int) -> None:
    """See that the count of a bank is that of the model, and one that records can number."""
    found = given.integer(LARGEST, -LARGEST)
    if found != experts:
        message = f"{given.field} is {found}, num_experts {experts}"
        raise Refusal("count-mismatch", message, subject=given.field, expected=experts, found=found)
    with about(expected=MOST_RECORDS, found=found):
        given.integer(MOST_RECORDS, 1)


def _judge_names(banks: Iterable[Bank]) -> None:
    """Refuse names that are one file on some systems (WASTE-PATH-06)."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for bank in banks:
        alike[folded(bank.file)].append(bank.file)
    for files in alike.values():
        if len(files) > 1:
            raise collision(*files)
