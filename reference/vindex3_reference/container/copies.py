"""The same bytes, stored as two alternatives of one thing (representation.md, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vindex3_reference.container.entry import Entry
    from vindex3_reference.representation.variants import Catalogue


def repeated_payloads(entries: Mapping[str, Entry]) -> Iterator[Refusal]:
    """Each representation with the payload of an earlier one of its object, by id (SELECT-SINGLE-01).

    Equal payloads of two objects are no such case.
    """
    first: dict[tuple[str, str], str] = {}
    for key, entry in sorted(entries.items()):
        other = first.setdefault((entry.object, entry.payload_sha256), key)
        if other != key:
            message = f"{other} and {key} have one payload"
            yield Refusal("duplicate-bytes", message, subject=key, other=other)


def repeated_storages(catalogue: Catalogue) -> Iterator[Refusal]:
    """Each variant with the storage of an earlier one of its region set, by names (SELECT-SINGLE-01).

    Two region sets may share a storage key: one file holds several regions (SELECT-SINGLE-02).
    """
    for name, region_set in sorted(catalogue.sets.items()):
        first: dict[str, str] = {}
        for variant, stored in sorted(region_set.variants.items()):
            other = first.setdefault(stored.storage, variant)
            if other != variant:
                message = f"{name}: {other} and {variant} have one storage"
                yield Refusal("duplicate-bytes", message, subject=variant, other=other, region_set=name)
