"""The slots of index.json: what each takes, where it stands in a container that has them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_vindex3.contract.patterns import FieldName, element, field
from vindex3_suites.container.models import PACKED, STACK_SET

if TYPE_CHECKING:
    from vindex3_fixtures.json_text import Way

COUNTED: Final = "segments/target.embedding"
_ENTRY: Final = ("representations", PACKED)
_SET: Final = ("variants", STACK_SET)
_VARIANT: Final = (*_SET, "variants", "other")

U32, U64 = (1 << 32) - 1, (1 << 64) - 1

INTEGERS: Final[dict[str, tuple[Way, int]]] = {
    "version": (("version",), U32),
    "hidden_size": (("hidden_size",), U64),
    "num_layers": (("num_layers",), U64),
    "count": (("segments", COUNTED), U32),
    "tensor_count": ((*_ENTRY, "tensor_count"), U64),
    "payload_bytes": ((*_ENTRY, "payload_bytes"), U64),
}
"""Integer slots of `FULL`, each with its largest value."""

REQUIRED: Final[dict[str, Way]] = {
    key: (key,) for key in ("model", "family", "hidden_size", "num_layers", "profiles", "segments")
}
"""Required keys of the index besides its version."""

REQUIRED_BELOW: Final[dict[str, Way]] = {
    **{
        f"entry_{key}": (*_ENTRY, key)
        for key in (
            "object",
            "encoding",
            "segment",
            "tensor_count",
            "payload_bytes",
            "payload_sha256",
            "segment_sha256",
        )
    },
    "set_baseline": (*_SET, "baseline"),
    "set_variants": (*_SET, "variants"),
    "variant_storage": (*_VARIANT, "storage"),
    "variant_fidelity": (*_VARIANT, "fidelity"),
}
"""Required keys of entries, region sets and variants."""

TYPED: Final[dict[str, tuple[str, Way]]] = {
    **{key: ("string", (key,)) for key in ("model", "family", "system_graph", "authority")},
    "derived_from_model": ("string", ("derived_from_model",)),
    "precision_map": ("object", ("precision_map",)),
    "representations": ("object", ("representations",)),
    "profiles": ("array", ("profiles",)),
    "variants": ("object", ("variants",)),
    "segments": ("object", ("segments",)),
    "entry": ("object", _ENTRY),
    **{
        f"entry_{key}": ("string", (*_ENTRY, key))
        for key in (
            "object",
            "encoding",
            "segment",
            "payload_sha256",
            "segment_sha256",
            "compiled_from",
            "source_representation_digest",
        )
    },
    "profile_name": ("string", ("profiles", 1, "name")),
    "selects": ("object", ("profiles", 1, "selects")),
    "selection": ("string", ("profiles", 1, "selects", STACK_SET)),
    "set": ("object", _SET),
    "set_baseline": ("string", (*_SET, "baseline")),
    "set_variants": ("object", (*_SET, "variants")),
    "variant": ("object", _VARIANT),
    "variant_storage": ("string", (*_VARIANT, "storage")),
    "variant_fidelity": ("string", (*_VARIANT, "fidelity")),
}
"""Other slots of `FULL`, each with the sort of its value. A codec and an encoder are no reason to refuse."""

NULLABLE: Final[dict[str, Way]] = {
    "moe_manifest": ("moe_manifest",),
    "precision_map": ("precision_map",),
    "derived_from_model": ("derived_from_model",),
    **{
        f"entry_{key}": (*_ENTRY, key)
        for key in ("compiled_from", "source_representation_digest", "codec", "encoder")
    },
}
"""Optional slots of `FULL` in which null is said to be absence."""

_OPEN: Final = ("segments", "representations", "variants", "selects")
"""Objects whose keys are ids or names: a value in them goes by the name of the object."""


def named(way: Way) -> FieldName:
    """The fact `field` of a fault in this slot."""
    *_, home, key = ("", *way)
    return element(home, key) if home in _OPEN else field(str(key))
