"""The tensors of the trunk, as the manifest lists them (waste.md, sections 2.5 and 8)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.kernels.grouped import Q3G, Q4G, Q8G, Groups
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.about import about
from vindex3_reference.waste.quant import LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vindex3_reference.slot import Slot

F32 = 0
FORMATS = (F32, Q8G, Q4G, Q3G)
"""What tensors are stored in; 1 names two formats and is not read (open point 13)."""
MOST_AXES = 4
MOST_EXTENT = 1 << 26


class Entry(NamedTuple):
    """A tensor of the trunk; nothing of it was compared with the file yet.

    Attributes:
        field: the entry's place in the manifest.
        name: of any length, as written.
        fmt: one of `FORMATS`.
        shape: one to four extents, the slowest first.
        groups: its codes and their scales; None for F32.
        offset: where the payload begins.
        scale_offset: where the scales begin; None for F32.
        bytes: the length that the manifest gives, or None.
    """

    field: str
    name: str
    fmt: int
    shape: list[int]
    groups: Groups | None
    offset: int
    scale_offset: int | None
    bytes: int | None

    @property
    def columns(self) -> int:
        """Values of a row."""
        return self.shape[-1]

    @property
    def rows(self) -> int:
        """Rows, of which a vector is one."""
        return prod(self.shape[:-1])

    @property
    def group(self) -> int | None:
        """Columns that share a scale; None for F32."""
        return None if self.groups is None else self.groups.group

    @property
    def row_bytes(self) -> int:
        """Bytes of payload of a row."""
        return 4 * self.columns if self.groups is None else self.groups.row_bytes

    @property
    def payload_bytes(self) -> int:
        """Bytes of payload."""
        return self.rows * self.row_bytes

    @property
    def row_scale_bytes(self) -> int:
        """Bytes of scales of a row."""
        return 0 if self.groups is None else 2 * self.groups.per_row

    @property
    def scale_bytes(self) -> int:
        """Bytes of scales."""
        return self.rows * self.row_scale_bytes

    def ranges(self) -> Iterator[tuple[str, int, int]]:
        """The parts of the file that are the tensor's: the key that places it, where it begins and ends."""
        yield "off", self.offset, self.offset + self.payload_bytes
        if self.scale_offset is not None:
            yield "scale_off", self.scale_offset, self.scale_offset + self.scale_bytes


def entries_of(given: Slot) -> list[Entry]:
    """The tensors in the order of the manifest.

    Raises:
        Refusal: `bad-type`, `missing-field`, `out-of-range`, `unknown-format` of an entry, which names its
            tensor where it has a name; `duplicate-id`.
    """
    entries = []
    names: set[str] = set()
    for slot in given.elements():
        entry = _entry(slot)
        if entry.name in names:
            message = f"{slot.path}: two tensors are {entry.name!r}"
            raise Refusal("duplicate-id", message, id=entry.name, field=f"{slot.field}.name")
        names.add(entry.name)
        entries.append(entry)
    return entries


def judge_extents(entries: Iterable[Entry], length: int) -> None:
    """See that all payloads and scales lie in a trunk of this length, are as long as said, and share no byte.

    Raises:
        Refusal: `extent-out-of-file`, `shape-mismatch`, `overlap`.
    """
    ranges = []
    for entry in entries:
        for key, begin, end in entry.ranges():
            if end > length:
                field = f"{entry.field}.{key}"
                message = f"{entry.name!r} ends at {end} of {length} bytes of the trunk"
                raise Refusal(
                    "extent-out-of-file", message, tensor=entry.name, field=field, need=end, have=length
                )
            ranges.append((begin, end, entry.name))
        _judge_length(entry)
    _judge_overlaps(sorted(ranges))


def _judge_length(entry: Entry) -> None:
    expected = entry.payload_bytes + entry.scale_bytes
    if entry.bytes not in (None, expected):
        message = f"{entry.name!r} takes {expected} bytes, not {entry.bytes}"
        raise Refusal("shape-mismatch", message, tensor=entry.name, expected=expected, found=entry.bytes)


def _judge_overlaps(ranges: list[tuple[int, int, str]]) -> None:
    reached, holder = 0, ""
    for begin, end, name in ranges:
        if begin < reached:
            message = f"{holder!r} and {name!r} share bytes of the trunk"
            raise Refusal("overlap", message, tensor=name, other=holder, offset=begin)
        reached, holder = end, name


def _entry(given: Slot) -> Entry:
    name = given.required("name").text()
    with about(tensor=name):
        fmt = _format(given.required("fmt"), name)
        shape = _shape(given.required("shape"))
        groups = scale_offset = None
        offset = given.required("off").integer(LARGEST)
        if fmt != F32:
            group = _group(given.required("group"), fmt)
            groups = Groups(fmt, prod(shape[:-1]), shape[-1], group)
            scale_offset = given.required("scale_off").integer(LARGEST)
        size = given.optional("bytes")
        length = None if size is None else size.integer(LARGEST)
        return Entry(given.field, name, fmt, shape, groups, offset, scale_offset, length)


def _format(given: Slot, name: str) -> int:
    fmt = given.whole()
    if fmt not in FORMATS:
        message = f"{name!r} has format {fmt}; tensors have {FORMATS}"
        raise Refusal("unknown-format", message, found=fmt, supported=list(FORMATS))
    return fmt


def _shape(given: Slot) -> list[int]:
    count = len(given.array())
    if not 1 <= count <= MOST_AXES:
        message = f"{given.field} has {count} dimensions"
        raise Refusal("out-of-range", message, path=given.path, field=given.field, value=count)
    return [extent.integer(MOST_EXTENT, 1) for extent in given.elements()]


def _group(given: Slot, fmt: int) -> int:
    group = given.integer(LARGEST, 1)
    if fmt == Q4G and group % 2:
        message = f"{given.field} {group} would begin a group inside a byte"
        raise Refusal("out-of-range", message, path=given.path, field=given.field, value=group)
    return group
