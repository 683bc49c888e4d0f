"""The entries of an index's directory: one per stored representation (container.md, section 3)."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from vindex3_reference.container import names
from vindex3_reference.slot import U64, all_integers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json

    Column = tuple[Any, ...]

REQUIRED = (
    "object", "encoding", "segment", "tensor_count", "payload_bytes", "payload_sha256", "segment_sha256",
)  # fmt: skip
OPTIONAL_TEXTS = ("compiled_from", "source_representation_digest")
OPTIONAL = (*OPTIONAL_TEXTS, "codec", "encoder")

_values = itemgetter(*REQUIRED)


class Entry(NamedTuple):
    """One stored representation of an object; digests are hexadecimal, and compared as text."""

    object: str
    encoding: str
    segment: str
    tensor_count: int
    payload_bytes: int
    payload_sha256: str
    segment_sha256: str
    document: dict[str, Json]
    """The entry as it is written."""

    @property
    def id(self) -> str:
        """The id that the directory should have it under: object, `@` and encoding joined, never split."""
        return f"{self.object}@{self.encoding}"

    @property
    def key(self) -> str:
        """The key of `segments` that means its file."""
        return names.without_extension(self.segment)

    @property
    def is_compiled(self) -> bool:
        """Whether it was made from another representation, and not from the source."""
        return self.document.get("compiled_from") is not None

    def answer(self) -> dict[str, Json]:
        """The entry as it is written, without optional keys that are null (JSON-NULL-01)."""
        if len(self.document) == len(REQUIRED):
            return self.document
        return {
            key: value for key, value in self.document.items() if value is not None or key not in OPTIONAL
        }


def entries_of(representations: Slot | None) -> dict[str, Entry]:
    """The entries of a `representations` slot by their id, in file order; an absent one has none.

    Raises:
        Refusal: `missing-field`, `bad-type` or `out-of-range`, `path-escape` for the name of a segment
            (INDEX-REP-02, INDEX-PATH-01).
    """
    if representations is None:
        return {}
    members = representations.object()
    plain = _plain(members)
    if len(plain) == len(members):
        return plain
    return {key: plain.get(key) or _read(representations.required(key)) for key in members}


def _plain(members: Mapping[str, Json]) -> dict[str, Entry]:
    """The entries with required keys alone, where it can be seen at once that nothing is wrong with any."""
    bare = {
        key: value for key, value in members.items() if type(value) is dict and len(value) == len(REQUIRED)
    }
    try:
        columns = [*zip(*map(_values, bare.values()), strict=True)]
    except KeyError:
        return {}
    if not columns or not _are_sound(*columns):
        return {}
    return dict(zip(bare, map(Entry._make, zip(*columns, bare.values(), strict=True)), strict=True))


def _are_sound(
    objects: Column, encodings: Column, segments: Column, counts: Column, sizes: Column, *digests: Column
) -> bool:
    """Whether all values of each key are of its type, in its range, and plain names."""
    return (
        all({*map(type, column)} == {str} for column in (objects, encodings, segments, *digests))
        and all_integers(counts, U64)
        and all_integers(sizes, U64)
        and names.all_plain(segments)
    )


def _read(slot: Slot) -> Entry:
    """The entry, or what is wrong with it."""
    for key in OPTIONAL_TEXTS:
        text = slot.optional(key)
        if text is not None:
            text.text()
    return Entry(
        object=slot.required("object").text(),
        encoding=slot.required("encoding").text(),
        segment=names.checked(slot.required("segment").text()),
        tensor_count=slot.required("tensor_count").u64(),
        payload_bytes=slot.required("payload_bytes").u64(),
        payload_sha256=slot.required("payload_sha256").text(),
        segment_sha256=slot.required("segment_sha256").text(),
        document=slot.object(),
    )
