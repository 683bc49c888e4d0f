"""The closed words of the system graph (graph.md, sections 2 to 6), late spellings included.

A late spelling is one that newer writers use and the law leaves free; this reader takes it.
"""

from __future__ import annotations

PRIMARY_TEXT = "primary_text"
PERCEPTION = "perception"
DRAFTER = "drafter"
ROLES = (PRIMARY_TEXT, PERCEPTION, DRAFTER)
MODALITIES = ("image", "audio")
ENCODER = "encoder"
DIRECT_PROJECTION = "direct_projection"

SOFTMAX = "softmax"
MAMBA2 = "mamba2"
CONV_QKV_ATTENTION = "conv_qkv_attention"
ATTENDING = (SOFTMAX, "mla", CONV_QKV_ATTENTION)
SPANLESS = ("gated_delta", "kda", MAMBA2, "recurrent")
OPERATORS = (*ATTENDING, *SPANLESS)
WITHOUT_FFN = (MAMBA2, CONV_QKV_ATTENTION)

SLIDING = "sliding"
SPANS = (SLIDING, "full", "windowed")
POSITIONS = ("none", "rope", "yarn", "partial_rope", "m_rope")
BASES = ("rotary_width", "head_width")

DECODER_STACK = "decoder_stack"
FEATURE_PROJECTOR = "feature_projector"
HEADED = ("embedding", "output_head")
KINDS = (
    *HEADED, DECODER_STACK, "final_norm", "perception_tower", "perception_adapter", FEATURE_PROJECTOR,
    "expert_bank", "hyper_connection_head",
)  # fmt: skip
CANONICAL = "canonical"
APPROXIMATE = "approximate"
FIDELITIES = (CANONICAL, APPROXIMATE)

ACTIVATIONS = ("silu", "gelu", "gelu_tanh", "relu")
FFN_TYPES = ("gated", "standard")
NORM_KINDS = ("rms_norm", "layer_norm")
QK_NORM_SCOPES = ("per_head", "full_projection")
PLACEMENTS = ("pre_only", "pre_post", "pre_mixer", "post_only")
CLAMPED_GLU = "clamped_glu"
GATE_POLICIES = ("gated", CLAMPED_GLU, "situ_glu", "clamped_gated")
ROUTERS = ("top_k_softmax", "gemma4_top_k_softmax", "gpt_oss_topk_then_softmax", "sigmoid")
ROUTING_POLICIES = ("softmax_then_select", "normalised_over_selected")
EXPERT_FORMATS = ("per_expert", "packed_mxfp4", "packed_b_f16")
GATE_UP_LAYOUTS = ("contiguous_halves", "interleaved")
SINKS = ("softmax_denominator",)
