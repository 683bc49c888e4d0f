"""The numbered vocabularies of LYRW v2 (lyrw.md, section 2): a tag is its word's position."""

from __future__ import annotations

ROLES = ("gate", "up", "gate_up_fused", "down", "bias", "scales", "latent_in", "latent_out")
FORMATS = (
    "f32", "f16", "bf16", "q4_0", "q4_k", "q6_k", "q8_0", "fp4_larql", "mxfp4", "nvfp4", "mxfp8",
)  # fmt: skip
PACKINGS = ("row_major", "blocks_with_scales_inline", "blocks_values", "blocks_scales")
LAYOUTS = ("unspecified", "contiguous_halves", "interleaved")
BANK_KINDS = ("dense", "routed", "shared")
BROWSE_MODES = ("none", "direct", "strided")

GATE_UP_FUSED = ROLES.index("gate_up_fused")
BLOCKS_VALUES = PACKINGS.index("blocks_values")
"""From this packing on, values and scales are stored apart and a pair number is needed."""
UNSPECIFIED = LAYOUTS.index("unspecified")


def shown(words: tuple[str, ...], tag: int) -> str | int:
    """A known tag as its word, an unknown one as its integer (LYRW-TAGS-03)."""
    return words[tag] if tag < len(words) else tag


def browse_mode(bits: int) -> str:
    """The browse mode of two bits; bits without a meaning are none (BROWSE-BITS-01 and 02)."""
    return BROWSE_MODES[bits if bits < len(BROWSE_MODES) else 0]


def tag_of(words: tuple[str, ...], asked: str | int) -> int | None:
    """The tag that is asked for by word or by integer; None for a word that the vocabulary lacks."""
    if isinstance(asked, str):
        return words.index(asked) if asked in words else None
    return asked
