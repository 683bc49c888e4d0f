"""A reader of system graphs that shares nothing with the reference and refuses whatever it may refuse.

It judges from the last component to the first and from the last invariant to the first, names fields by
their whole path, says more than it is asked for, and refuses every defect and all that the law leaves
open: late words, lone keys of a geometry, unfixed keys of conv_qkv, groups that nobody runs, towers
without an execution, two edges into one projector.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

U64 = (1 << 64) - 1
Check = Callable[[Any, str], None]


class No(Exception):  # noqa: N818 -- a refusal is no error
    """A refusal by shape alone: kind and names, and more facts than anybody asked for."""

    def __init__(self, kind: str, **names: object) -> None:
        super().__init__(kind)
        self.kind = kind
        self.names = {**names, "hint": "see the chapter on graphs"}


def parse(data: bytes) -> Any:
    """A strict JSON document whose root is an object."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                raise No("duplicate-key", key=key)
        return dict(pairs)

    def constant(_: str) -> Any:
        raise ValueError

    def finite(text: str) -> float:
        if float(text) in (float("inf"), float("-inf")):
            raise ValueError
        return float(text)

    try:
        root = json.loads(
            data.decode(), object_pairs_hook=unique, parse_constant=constant, parse_float=finite
        )
        json.dumps(root, ensure_ascii=False).encode()
    except RecursionError:
        raise No("nesting-too-deep") from None
    except ValueError:
        raise No("malformed-json") from None
    if not isinstance(root, dict):
        raise No("bad-type", field="")
    return root


def typed(*kinds: type) -> Check:
    def check(value: Any, where: str) -> None:
        if type(value) not in kinds:
            raise No("bad-type", field=where)

    return check


def whole(value: Any, where: str) -> None:
    typed(int)(value, where)
    if not 0 <= value <= U64:
        raise No("out-of-range", field=where, value=value)


def word(*words: str) -> Check:
    def check(value: Any, where: str) -> None:
        typed(str)(value, where)
        if value not in words:
            raise No("unknown-value", field=where, value=value)

    return check


def given(value: Any, where: str) -> None:
    if value is None:
        raise No("bad-type", field=where)


def many(one: Check, count: int | None = None) -> Check:
    def check(value: Any, where: str) -> None:
        typed(list)(value, where)
        for at in reversed(range(len(value))):
            one(value[at], f"{where}[{at}]")
        if count not in (None, len(value)):
            raise No("bad-type", field=where)

    return check


def struct(**keys: Check) -> Check:
    """An object; an underscore behind a key's name says that it may be absent."""

    def check(value: Any, where: str) -> None:
        typed(dict)(value, where)
        for name in sorted(keys, reverse=True):
            key = name.rstrip("_")
            if key in value:
                keys[name](value[key], f"{where}.{key}".lstrip("."))
            elif not name.endswith("_"):
                raise No("missing-field", field=f"{where}.{key}".lstrip("."))

    return check


TEXT, FLAG, REAL = typed(str), typed(bool), typed(int, float)
ROTATION = {"theta": REAL}
PART = {**ROTATION, "rotary_fraction": REAL, "basis": word("rotary_width", "head_width")}
SCALING = struct(
    factor=REAL,
    beta_fast=REAL,
    beta_slow=REAL,
    original_max_position_embeddings=whole,
    truncate=FLAG,
    mscale_=REAL,
    mscale_all_dim_=REAL,
)
POSITIONS = {
    "none": struct(),
    "rope": struct(**ROTATION),
    "yarn": struct(**ROTATION, scaling=SCALING),
    "partial_rope": struct(**PART),
    "m_rope": struct(**PART, section=many(whole, 3), interleaved=FLAG),
}


def position(value: Any, where: str) -> None:
    struct(kind=word(*POSITIONS))(value, where)
    POSITIONS[value["kind"]](value, where)


ATTENDING = ["softmax", "mla", "conv_qkv_attention"]
SPANLESS = ["gated_delta", "kda", "mamba2", "recurrent"]
POLICY = struct(
    operator=word(*ATTENDING, *SPANLESS),
    span_=word("sliding", "full", "windowed"),
    window_=whole,
    position=position,
    geometry_=struct(head_dim=whole, num_kv_heads=whole),
    v_from_k_=FLAG,
    declared_span_=TEXT,
)
NORM = struct(kind=word("rms_norm", "layer_norm"), eps=REAL, weight_offset=given)
ACTIVATION = word("silu", "gelu", "gelu_tanh", "relu")


def all_given(*keys: str, **more: Check) -> Check:
    return struct(**dict.fromkeys(keys, given), **more)


MOE = all_given(
    "experts",
    "top_k",
    "expert_intermediate_size",
    "router_bias",
    "shared_experts",
    "hybrid",
    router_kind=word("top_k_softmax", "gemma4_top_k_softmax", "gpt_oss_topk_then_softmax", "sigmoid"),
    routing_policy=word("softmax_then_select", "normalised_over_selected"),
    expert_format=word("per_expert", "packed_mxfp4"),
    gate_up_layout_=word("contiguous_halves", "interleaved"),
)


def gate(value: Any, where: str) -> None:
    struct(kind=word("gated", "clamped_glu"))(value, where)
    if value["kind"] == "clamped_glu":
        all_given("limit", "alpha")(value, where)


EXECUTION = struct(
    attention_=all_given(
        "num_q_heads",
        "num_kv_heads",
        "head_dim",
        "qk_norm_weight_offset",
        score_scale=REAL,
        qk_norm_scope=word("per_head", "full_projection"),
        sinks_=word("softmax_denominator"),
    ),
    ffn_=struct(activation=ACTIVATION, ffn_type=word("gated", "standard"), gate_policy_=gate, moe_=MOE),
    norm=struct(pre=NORM, final_norm=NORM, post_=NORM, placement_=word("pre_only", "pre_post", "pre_mixer")),
    head_=all_given("vocab_size"),
    linear_attention_=all_given("key_heads", "key_head_dim", "value_heads", "value_head_dim", "conv_kernel"),
    kda_=all_given("num_heads", "head_dim", "conv_kernel"),
    mla_=all_given("num_heads", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"),
    mamba2_=struct(geometry=given, activation=ACTIVATION),
    conv_qkv_=all_given("a_key_that_nobody_has_fixed"),
)
FORMS = {
    "encoder": struct(depth_=whole, width_=whole, num_heads_=whole),
    "direct_projection": struct(output_width_=whole),
}


def transform(value: Any, where: str) -> None:
    typed(dict)(value, where)
    if len(value) != 1:
        raise No("bad-type", field=where)
    [(name, inner)] = value.items()
    if name not in FORMS:
        raise No("unknown-value", field=where, value=name)
    FORMS[name](inner, f"{where}.{name}")


GRAPH = struct(
    edges=many(
        struct(
            producer_component=TEXT,
            producer_layers=many(whole),
            consumer_component=TEXT,
            consumer_object=TEXT,
            block_size_=whole,
        )
    ),
    objects=many(
        struct(
            id=TEXT,
            component=TEXT,
            kind=word(
                "embedding",
                "decoder_stack",
                "final_norm",
                "output_head",
                "perception_tower",
                "perception_adapter",
                "feature_projector",
                "expert_bank",
            ),
            source_bindings=many(struct(artifact=TEXT, tensor_prefix=TEXT, tensors=whole, bytes=whole)),
            representations=many(struct(encoding=TEXT, fidelity=word("canonical", "approximate"))),
        )
    ),
    components=many(
        struct(
            id=TEXT,
            role=word("primary_text", "perception", "drafter"),
            source_artifact=TEXT,
            num_layers=whole,
            hidden_size=whole,
            attention_=many(POLICY),
            execution_=EXECUTION,
            perception_=struct(modality=word("image", "audio"), transform=transform),
        )
    ),
)


def read(root: Any) -> None:
    """Judge the document by itself, its schema first."""
    struct(schema=whole)(root, "")
    if root["schema"] != 6:
        raise No("unknown-version", found=root["schema"], supported="schema 6")
    GRAPH(root, "")


def judge(root: Any) -> Iterator[No]:
    """What is wrong with the parts together, the last invariant first."""
    components = {one["id"]: one for one in root["components"][::-1]}
    for one in root["components"][::-1]:
        yield from policies(one)
        yield from surplus(one)
        yield from missing(one, {each["kind"] for each in root["objects"] if each["component"] == one["id"]})
    primaries = sorted({one["id"] for one in root["components"] if one["role"] == "primary_text"})
    if len(primaries) > 1:
        yield No("ambiguous", subject="primary", candidates=primaries)
    for one in root["edges"][::-1]:
        yield from edge(one, components, [each["id"] for each in root["objects"]])
    for one in root["objects"][::-1]:
        yield from stored(one, components)
    for array in ("objects", "components"):
        ids = [one["id"] for one in root[array]]
        yield from (No("duplicate-id", id=one, field="id") for one in ids if ids.count(one) > 1)


def policies(one: Any) -> Iterator[No]:
    for at, layer in reversed(list(enumerate(one.get("attention", [])))):
        for field in senseless(layer):
            where = f"components.{one['id']}.attention[{at}].{field}"
            yield No("inconsistent-policy", component=one["id"], layer=at, field=where)
    count = len(one.get("attention", []))
    if count and one["role"] != "perception" and count != one["num_layers"]:
        yield No("count-mismatch", subject=one["id"], expected=one["num_layers"], found=count)


def senseless(layer: Any) -> Iterator[str]:
    if layer["position"]["kind"] != "none" and layer["position"]["theta"] <= 0:
        yield "position.theta"
    if "window" in layer and layer.get("span") != "sliding":
        yield "window"
    if ("span" in layer) == (layer["operator"] in SPANLESS) and layer["operator"] not in ATTENDING[1:]:
        yield "span"


def runs(one: Any) -> dict[str, bool]:
    """Which groups the layers of a component call for."""
    operators = [layer["operator"] for layer in one.get("attention", [])]
    return {
        "attention": any(each in ATTENDING for each in operators),
        "ffn": any(each not in ("mamba2", "conv_qkv_attention") for each in operators),
        "mamba2": "mamba2" in operators,
        "conv_qkv": "conv_qkv_attention" in operators,
        "kda": "kda" in operators,
        "mla": "mla" in operators,
        "linear_attention": "gated_delta" in operators,
    }


def surplus(one: Any) -> Iterator[No]:
    if one.get("attention"):
        groups = [
            group for group, needed in runs(one).items() if not needed and group in one.get("execution", {})
        ]
        yield from (No("surplus-surface", component=one["id"], group=group) for group in groups[::-1])


def missing(one: Any, owned: set[str]) -> Iterator[No]:
    def no(group: str) -> No:
        return No("missing-surface", component=one["id"], group=group)

    if "execution" not in one:
        if owned:
            yield no("execution")
        return
    there = one["execution"]
    yield from (
        no(group)
        for group in ("conv_qkv", "mamba2", "ffn", "attention")
        if runs(one)[group] and group not in there
    )
    if "decoder_stack" in owned and "placement" not in there["norm"]:
        yield no("norm.placement")
    if owned & {"embedding", "output_head"} and "head" not in there:
        yield no("head")


def edge(one: Any, components: dict[str, Any], objects: list[str]) -> Iterator[No]:
    producer = one["producer_component"]
    if producer == one["consumer_component"]:
        yield No("self-edge", component=producer)
    layers = components[producer]["num_layers"] if producer in components else U64 + 1
    for tap in one["producer_layers"][::-1]:
        if tap >= layers:
            yield No("edge-depth", component=producer, layer=tap, num_layers=layers)
    known = {"consumer_object": objects, "consumer_component": components, "producer_component": components}
    for key, ids in known.items():
        if one[key] not in ids:
            yield No("dangling-reference", referrer=key, missing=one[key])


def stored(one: Any, components: dict[str, Any]) -> Iterator[No]:
    joined = f"{one['component']}.{one['kind']}"
    if one["id"] != joined:
        yield No("id-mismatch", subject=one["id"], expected=joined, found=one["id"])
    if not one["source_bindings"]:
        yield No("unbound-object", object=one["id"])
    if one["component"] not in components:
        yield No("dangling-reference", referrer=one["id"], missing=one["component"])


def observed(root: Any, defects: list[No]) -> dict[str, Any]:
    """The answer, with every part as it is stored."""
    primaries = {one["id"] for one in root["components"] if one["role"] == "primary_text"}
    canonical = [[one["encoding"] for one in each["representations"]] for each in root["objects"]]
    return {
        **root,
        "objects": [
            {**one, "canonical": labels[0] if labels else None}
            for one, labels in zip(root["objects"], canonical, strict=True)
        ],
        "primary": primaries.pop() if len(primaries) == 1 else None,
        "document": root,
        "defects": [{"kind": one.kind, "names": one.names} for one in defects],
    }


def document(path: str | None, text: str | None) -> Any:
    """The document that is asked for; a container's refusals name its graph's file."""
    if path is None:
        root = parse((text or "").encode())
        read(root)
        return root
    name = json.loads(Path(path, "index.json").read_bytes()).get("system_graph")
    if name is None:
        raise No("missing-root", path="index.json")
    try:
        root = parse(Path(path, name).read_bytes())
        read(root)
    except No as refused:
        refused.names["path"] = name
        raise
    return root


def graph_load(*, path: str | None = None, text: str | None = None) -> dict[str, Any]:
    """graph.load: the graph, or a refusal of the first defect there is."""
    root = document(path, text)
    for found in judge(root):
        raise found
    return observed(root, [])


KNOWN = re.compile(r"layers|norm|embed|head|tower|adapter|encoder|model")


def graph_resolve(*, artifacts: list[Any]) -> dict[str, Any]:
    """graph.resolve: what follows, with entries in the opposite order and a prefix for every name."""
    made: list[dict[str, Any]] = []
    for one in artifacts:
        taps = [
            each
            for each in one.get("interfaces") or []
            if each["path"].rpartition(".")[2] == "target_layer_ids"
        ]
        role, name = ("drafter", "draft") if taps else ("primary_text", "target")
        made.append({"role": role, "name": name, "from": one, "layers": one["num_layers"], "taps": taps})
        for inner in one.get("nested") or []:
            layers = inner["num_layers"]
            made.append(
                {"role": "perception", "name": inner["name"], "from": one, "layers": layers, "taps": []}
            )
    for at, one in enumerate(made):
        before = [each["name"] for each in made[:at]].count(one["name"])
        one["id"] = f"{one['name']}_{before + 1}" if before else one["name"]
    answer: dict[str, Any] = {"edges": [], "unresolved": [], "unplaced": list(unplaced(artifacts))}
    answer["components"] = [
        {"id": one["id"], "role": one["role"], "source_artifact": one["from"]["artifact"], "note": "derived"}
        for one in sorted(made, key=lambda one: str(one["id"]))
    ]
    for one in made:
        for taps in one["taps"]:
            try:
                answer["edges"].append(connect(one, taps, made))
            except No as why:
                entry = {"artifact": one["from"]["artifact"], "component": one["id"]}
                answer["unresolved"].insert(0, {**entry, "kind": why.kind, "names": why.names})
    answer["edges"].sort(key=lambda one: one["consumer_component"])
    return answer


def connect(one: Any, declared: Any, made: list[Any]) -> dict[str, Any]:
    """The edge of an interface.

    Raises:
        No: it stays unresolved.
    """
    source, taps = one["from"], declared["taps"]
    if source.get("tensors") is None:
        raise No("missing-inventory", artifact=source["artifact"])
    shapes = [tuple(each["shape"]) for each in source["tensors"]]
    wide, narrow = source["hidden_size"] * len(taps), source["hidden_size"]
    if (wide, narrow) not in shapes and (narrow, wide) not in shapes:
        raise No("no-projector", consumer=one["id"])
    able = [
        each["id"]
        for each in made
        if each["role"] == "primary_text"
        and each["from"]["artifact"] != source["artifact"]
        and all(each["layers"] > tap for tap in taps)
    ]
    if not able:
        raise No("no-producer", consumer=one["id"], deepest_tap=max(taps))
    if len(able) > 1:
        raise No("ambiguous", subject=one["id"], candidates=sorted(able))
    block = {"block_size": declared["block_size"]} if declared.get("block_size") is not None else {}
    into = {"consumer_component": one["id"], "consumer_object": f"{one['id']}.feature_projector"}
    return {"producer_component": able[0], "producer_layers": taps, **into, **block}


def unplaced(artifacts: list[Any]) -> Iterator[dict[str, str]]:
    found = set()
    for one in artifacts:
        for each in one.get("tensors") or []:
            first = each["name"].split(".")[0]
            if first == "mtp":
                found.add((one["artifact"], "mtp"))
            elif not KNOWN.search(each["name"]):
                found.add((one["artifact"], each["name"]))
    yield from ({"artifact": artifact, "prefix": prefix} for artifact, prefix in sorted(found))
