"""index.json, the one root of a container, field by field (container.md, section 3)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from vindex3_reference.container import generation, names
from vindex3_reference.container.entry import entries_of
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.profile import profiles_of
from vindex3_reference.representation.variants import Catalogue
from vindex3_reference.slot import U32, all_integers

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json

KNOWN = frozenset(
    {
        "version", "model", "family", "hidden_size", "num_layers", "moe_manifest", "system_graph",
        "representations", "profiles", "variants", "segments", "authority", "precision_map",
        "derived_from_model",
    }
)  # fmt: skip
"""The keys of an index; every other one is extra."""
AUTHORITIES = ("canonical", "derived")
CANONICAL = AUTHORITIES[0]


class Index:
    """An index whose keys, types, words and names are in order.

    Attributes:
        document: the index as it is written.
        version: 3 or 4.
        model, family, hidden_size, num_layers: what the container says of its model.
        system_graph, moe_manifest: the names of the roots; at least one is there.
        authority, derived_from_model: canonical or derived, and from what.
        precision_map: as it is written; not judged.
        profiles: the declared profiles, in their order.
        representations: the directory, an `Entry` by each id, in file order.
        catalogue: the variants of each region set.
        segments: the count of each segment key, as it is written.
        extra: the keys that are none of the format's, verbatim.

    Args:
        root: the root of the document.

    Raises:
        Refusal: what `generation` refuses; then `missing-field`, `bad-type`, `out-of-range`,
            `unknown-value` or `path-escape`; then `missing-root` (INDEX-SHAPE-01).
    """

    def __init__(self, root: Slot) -> None:
        self.document = root.object()
        self.version = generation.version_of(root)
        self.model = root.required("model").text()
        self.family = root.required("family").text()
        self.hidden_size = root.required("hidden_size").u64()
        self.num_layers = root.required("num_layers").u64()
        self.system_graph = _name(root.optional("system_graph"))
        self.moe_manifest = _name(root.optional("moe_manifest"))
        self.authority = _authority(root.optional("authority"))
        self.derived_from_model = _text(root.optional("derived_from_model"))
        self.precision_map = _object(root.optional("precision_map"))
        self.profiles = profiles_of(root.required("profiles"))
        self.representations = entries_of(root.optional("representations"))
        self.catalogue = Catalogue.read(root.optional("variants"))
        self.segments = _segments(root.required("segments"))
        self.extra = {key: value for key, value in self.document.items() if key not in KNOWN}
        if self.system_graph is None and self.moe_manifest is None:
            raise Refusal("missing-root", f"{root.path} names neither root", path=root.path)

    @property
    def roots(self) -> list[str]:
        """The names of the root documents, the graph first."""
        return [name for name in (self.system_graph, self.moe_manifest) if name is not None]

    @property
    def shapes(self) -> list[str]:
        """`graph`, `bank` or both (INDEX-SHAPE-02, INDEX-SHAPE-03)."""
        return [
            shape
            for shape, name in (("graph", self.system_graph), ("bank", self.moe_manifest))
            if name is not None
        ]

    def bank_files(self) -> dict[str, str]:
        """The file that each segment key means in a container with a manifest; none in another one.

        A key that is an entry's segment without its extension means that file, and any other key K means
        `K.lyrw`.
        """
        if self.moe_manifest is None:
            return {}
        entries = {entry.key: entry.segment for entry in self.representations.values()}
        return {key: entries.get(key, f"{key}.lyrw") for key in self.segments}

    @cached_property
    def segment_files(self) -> frozenset[str]:
        """Every segment file that the index names."""
        files = {entry.segment for entry in self.representations.values()}
        return frozenset(files.union(self.bank_files().values()))


def _name(slot: Slot | None) -> str | None:
    return None if slot is None else names.checked(slot.text())


def _text(slot: Slot | None) -> str | None:
    return None if slot is None else slot.text()


def _object(slot: Slot | None) -> dict[str, Json] | None:
    return None if slot is None else slot.object()


def _authority(slot: Slot | None) -> str:
    return CANONICAL if slot is None else slot.word(AUTHORITIES)


def _segments(slot: Slot) -> dict[str, int]:
    """The counts by key; none of them means more than that it is there (INDEX-SEG-01)."""
    counts = slot.object()
    if all_integers(counts.values(), U32) and names.all_plain(counts):
        return cast("dict[str, int]", counts)
    return {names.checked(key): count.u32() for key, count in slot.members()}
