"""The integer slots of manifest.json: where each stands in the fullest container, and what it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_vindex3.contract.patterns import FieldName, element, field
from vindex3_suites.waste.models import OPTIONAL_SIZES

if TYPE_CHECKING:
    from vindex3_fixtures.json_text import Way

LARGEST: Final = (1 << 63) - 1
"""The largest integer of an integer slot."""

_SHAPED: Final = {f"shape_{position}": ("trunk", 0, "shape", position) for position in (0, 1)}

REQUIRED: Final[dict[str, Way]] = {
    **{key: ("expert_quant", key) for key in ("stages", "vec_dim", "entries")},
    **{key: ("layers", "1", key) for key in ("experts", "bytes", "codebook_base")},
    "bytes_of_the_last_layer": ("layers", "2", "bytes"),
    **{key: ("trunk", 0, key) for key in ("fmt", "off", "group", "scale_off")},
    "off_of_the_last_tensor": ("trunk", 3, "off"),
    **_SHAPED,
}
"""Integer slots that have to be there, config apart."""

DEFAULTED: Final[dict[str, Way]] = {key: ("expert_quant", key) for key in ("index_bits", "index_block")}
"""Integer slots that may be left out and are never null."""

REQUIRED_OF_CONFIG: Final[dict[str, Way]] = {
    key: ("config", key)
    for key in (
        "num_hidden_layers",
        "hidden_size",
        "vocab_size",
        "num_attention_heads",
        "num_experts_per_token",
        "moe_intermediate_size",
    )
}
"""Integer keys that the config of a model with experts must have."""

OPTIONAL_OF_CONFIG: Final[dict[str, Way]] = {
    **{
        key: ("config", key)
        for key in (
            *OPTIONAL_SIZES,
            "num_experts",
            "first_k_dense_replace",
            "num_shared_experts",
            "attn_res_block_size",
        )
    },
    **{
        key: ("config", "linear_attn_config", key)
        for key in ("num_heads", "head_dim", "short_conv_kernel_size")
    },
}
"""Integer keys of config whose absence, and null, means something."""

INTEGERS: Final[dict[str, Way]] = {**REQUIRED, **DEFAULTED, **REQUIRED_OF_CONFIG, **OPTIONAL_OF_CONFIG}
"""All integer slots."""


def named(way: Way) -> FieldName:
    """The fact `field` of a fault in this slot."""
    *_, home, key = ("", *way)
    return element(str(home), key) if home == "shape" else field(str(key))
