"""A container of WASTE as its manifest describes it, by somebody who has read the text alone.

It judges the trunk before the layers and the banks before the codebooks.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No
from waste_document import TOP, Slots, parsed
from waste_numbers import Packing
from waste_trunk import Tensor, judge_trunk

__all__ = ["MATRICES", "Bank", "Container"]

MANIFEST = "manifest.json"
WIDE = 1 << 20
SIZES = ("intermediate_size", "kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim")
FLAGS = ("moe_renormalize", "latent_moe_use_norm", "mla_use_output_gate", "use_full_rank_gate")
LINEAR = {"num_heads": 1 << 16, "head_dim": 1 << 16, "short_conv_kernel_size": 64}
MATRICES = ("gate", "up", "down")


class Bank(NamedTuple):
    """A layer's entry, as it is reported."""

    file: str
    experts: int
    bytes: int
    record_bytes: int
    codebook_base: int


class Container:
    """A directory, judged; with `strict` it refuses at once, and by words of its own, whatever it may."""

    strict: ClassVar[bool] = True

    def __init__(self, path: str) -> None:
        self.folder = path
        if not Path(path).is_dir():
            raise No("missing-file", path=path)
        root = parsed(self.whole(MANIFEST), MANIFEST, self.strict)
        version = root.get("format_version", "absent")
        if type(version) is not int or version:
            raise No("unknown-version", path=MANIFEST, found=version, supported="nothing but 0")
        self.top = Slots(root, "", MANIFEST)
        for key in ("arch", "tensor_prefix"):
            if not isinstance(root.get(key), str | None):
                raise No("bad-type", path=MANIFEST, field=key)
        self.arch, self.prefix = root.get("arch"), root.get("tensor_prefix") or ""
        entries = self.top.typed("trunk", list)
        self.trunk: list[Tensor] = judge_trunk(entries, self.length("trunk.bin"), self.strict)
        self.judge_config()
        self.judge_quant()
        self.layers = self.judge_layers(self.top.typed("layers", dict))
        self.judge_files()

    # -- files

    def locate(self, name: str) -> str:
        """The place of a regular file."""
        place = Path(self.folder, name)
        try:
            mode = place.stat().st_mode
        except (OSError, ValueError):
            raise No("missing-file", path=name) from None
        home = os.path.realpath(self.folder)
        if os.path.commonpath([home, os.path.realpath(place)]) != home:
            raise No("path-escape", path=name)
        if not stat.S_ISREG(mode):
            raise No("missing-file", path=name)
        return str(place)

    def length(self, name: str) -> int:
        """The length of a regular file."""
        return Path(self.locate(name)).stat().st_size

    def whole(self, name: str) -> bytes:
        """The bytes of a regular file."""
        try:
            return Path(self.locate(name)).read_bytes()
        except OSError as problem:
            raise No("io", path=name, reason=str(problem)) from None

    # -- config

    def judge_config(self) -> None:
        """Sizes, and whatever else has a range."""
        config = self.top.typed("config", dict)
        inner = config.get("text_config")
        home, where = (inner, "config.text_config") if isinstance(inner, dict) else (config, "config")
        model = Slots(home, where, MANIFEST, null_is_absence=True)
        self.depth = model.integer("num_hidden_layers", 1, 128)
        self.hidden = model.integer("hidden_size", 1, WIDE)
        self.vocabulary = model.integer("vocab_size", 1, 1 << 24)
        model.integer("num_attention_heads", 1, 1 << 16)
        self.experts = model.optional("num_experts", 0, 0, WIDE)
        if self.experts:
            model.integer("num_experts_per_token", 1, min(self.experts, 64))
            self.inner = model.integer("moe_intermediate_size", 1, WIDE)
        else:
            self.inner = model.optional("moe_intermediate_size", 0, 0, WIDE)
        narrow = model.optional("routed_expert_hidden_size", 0, 0, WIDE)
        self.width = narrow or self.hidden
        self.width_key = "routed_expert_hidden_size" if narrow else "hidden_size"
        self.dense = model.optional("first_k_dense_replace", 0, 0, self.depth)
        model.optional("num_shared_experts", 0, 0, 64)
        model.optional("attn_res_block_size", 0, 0, self.depth)
        for key in (*SIZES, "v_head_dim"):
            model.optional(key, 0, 0, WIDE)
        self.judge_rest(model)
        self.sparse = range(self.dense, self.depth) if self.experts else range(0)

    def judge_rest(self, model: Slots) -> None:
        """What no size depends on."""
        if model.has("linear_attn_config"):
            linear = Slots(model.home["linear_attn_config"], model.field("linear_attn_config"), MANIFEST)
            for key, most in LINEAR.items():
                linear.optional(key, 0, 0, most)
        if model.has("rms_norm_eps"):
            eps = model.home["rms_norm_eps"]
            if isinstance(eps, bool) or not isinstance(eps, int | float):
                raise No("bad-type", path=MANIFEST, field="rms_norm_eps")
            if not 0 < eps < 1:
                raise No("out-of-range", path=MANIFEST, field="rms_norm_eps", value=eps)
        for flag in FLAGS:
            if model.has(flag) and not isinstance(model.home[flag], bool):
                raise No("bad-type", path=MANIFEST, field=flag)

    def rows(self, matrix: str) -> tuple[int, int]:
        """Rows and columns of a matrix of an expert."""
        return (self.width, self.inner) if matrix == "down" else (self.inner, self.width)

    # -- experts

    def judge_quant(self) -> None:
        """How indices are packed; without experts that need be told nowhere."""
        self.packing: Packing | None = None
        self.rate = None
        if not self.sparse and not isinstance(self.top.home.get("expert_quant"), dict):
            return
        quant = Slots(self.top.typed("expert_quant", dict), "expert_quant", MANIFEST)
        stages, dim = quant.integer("stages", 1, 8), quant.integer("vec_dim", 1, 64)
        entries, block = quant.integer("entries", 1, 256), 0
        if "index_block" in quant.home:
            block = quant.integer("index_block")
        if self.strict and block not in (0, 64):
            raise No("unsupported-index-block", value=block, supported="0 or 64")
        for key, columns in {"moe_intermediate_size": self.inner, self.width_key: self.width}.items():
            if self.sparse and columns % dim:
                raise No("partial-block", field=key, columns=columns, vec_dim=dim)
        rate = quant.home.get("bits_per_weight")
        self.rate = rate if isinstance(rate, int | float) and not isinstance(rate, bool) else None
        self.packing = Packing(stages, dim, entries, self.index_bits(quant), block)

    def index_bits(self, quant: Slots) -> int:
        """The width of an index, which must suit the rest."""
        bits = quant.integer("index_bits", 6, 8) if "index_bits" in quant.home else 8
        if bits == 7:
            raise No("out-of-range", path=MANIFEST, field="index_bits", value=7)
        for key, value in {"stages": 4, "entries": 64, "vec_dim": 8}.items():
            if bits == 6 and quant.home[key] != value:
                raise No("unsupported-packing", field=f"expert_quant.{key}", value=quant.home[key])
        return bits

    def regions(self) -> list[int]:
        """The lengths of the three regions of indices."""
        assert self.packing
        return [self.packing.size(*self.rows(matrix)) for matrix in MATRICES]

    @property
    def scale_bytes(self) -> int:
        """The length of a record's scales."""
        return 2 * (2 * self.inner + self.width)

    def judge_layers(self, layers: dict[str, Any]) -> dict[int, Bank]:
        """The banks of the model's layers with experts, the last first."""
        for key in layers:
            if not re.fullmatch(r"0|[1-9][0-9]*", key):
                raise No("unknown-value", path=MANIFEST, field="layers", value=key)
            if len(key) < 4 and int(key) < self.depth and int(key) not in self.sparse:
                raise No("unexpected-layer", layer=int(key))
        banks = {}
        for layer in reversed(self.sparse):
            if str(layer) not in layers:
                raise No("missing-layer", layer=layer)
            banks[layer] = self.judge_bank(layer, layers[str(layer)])
        names: dict[str, str] = {}
        for bank in banks.values():
            key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", bank.file).casefold())
            if key in names:
                raise No("path-collision", paths=sorted({names[key], bank.file}, key=str.encode))
            names[key] = bank.file
        return banks

    def judge_bank(self, layer: int, home: Any) -> Bank:
        """One entry."""
        entry = Slots(home, f"layers.{layer}", MANIFEST)
        name = entry.typed("file", str)
        if self.escapes(name):
            raise No("path-escape", path=name)
        size = entry.typed("bytes", int)
        if not self.strict and size <= TOP:
            self.judge_length(name, size)
        experts = entry.integer("experts", 1, 1 << 16, layer=layer, expected=self.experts)
        if experts != self.experts:
            raise No("count-mismatch", subject="experts", layer=layer, expected=self.experts, found=experts)
        if not 0 < size <= TOP or size % experts:
            told = {"path": MANIFEST, "field": f"layers.{layer}.bytes", "value": size}
            raise No("out-of-range", **told, layer=layer, bytes=size, experts=experts)
        if size // experts % 4096 or size // experts < 48 + sum(self.regions()) + self.scale_bytes:
            raise No("bad-stride", layer=layer, stride=size // experts)
        base = entry.integer("codebook_base", -TOP)
        return Bank(name, experts, size, size // experts, base)

    def judge_length(self, name: str, size: int) -> None:
        """A bank against its length; what is too long is left to verification unless one is strict."""
        have = self.length(name)
        if have < size:
            raise No("truncated", path=name, need=size, have=have)
        if self.strict and have > size:
            raise No("trailing-bytes", path=name, offset=size, length=have - size)

    def escapes(self, name: str) -> bool:
        """True for a name that is no plain relative one."""
        parts = name.split("/")
        plain = not set(parts) & {"", ".", ".."} and not re.search(r"[\\\0]|^[A-Za-z]:", name)
        return not plain or (self.strict and len(parts) > 1)

    # -- books and banks

    def judge_files(self) -> None:
        """Banks and books against what is said of them."""
        for bank in self.layers.values():
            self.judge_length(bank.file, bank.bytes)
        self.books, self.book_bytes = b"", None
        if self.packing:
            self.book_bytes = 16 + 2 * self.packing.entries * self.packing.vec_dim
            self.books = self.whole("codebooks.bin") if self.sparse else b""
            if len(self.books) % self.book_bytes:
                raise No("partial-codebook", have=len(self.books), book_bytes=self.book_bytes)
        self.count = len(self.books) // (self.book_bytes or 1)
        for layer, bank in self.layers.items():
            if not 0 <= bank.codebook_base <= self.count - self.set_size:
                told = {"field": f"layers.{layer}.codebook_base", "value": bank.codebook_base}
                raise No("out-of-range", path=MANIFEST, layer=layer, books=self.count, **told)
        if self.strict:
            for problem in self.book_headers():
                raise problem

    @property
    def set_size(self) -> int:
        """The number of a layer's books."""
        return 3 * self.packing.stages if self.packing else 0

    def named_books(self) -> list[int]:
        """The books that a layer names, the last first."""
        bases = [bank.codebook_base for bank in self.layers.values()]
        return sorted({base + k for base in bases for k in range(self.set_size)}, reverse=True)

    def book(self, number: int) -> bytes:
        """A book with its header."""
        assert self.book_bytes
        return self.books[number * self.book_bytes : (number + 1) * self.book_bytes]

    def book_headers(self) -> Iterator[No]:
        """What is wrong with the headers of named books, as far as it hinders a reader."""
        for number in self.named_books():
            assert self.packing
            magic, _, _, dim, entries, _ = struct.unpack_from("<4sHBBII", self.book(number))
            sizes = {"vec_dim": (dim, self.packing.vec_dim), "entries": (entries, self.packing.entries)}
            for field, (found, expected) in {"magic": (magic.hex(), b"WCBK".hex()), **sizes}.items():
                if found != expected:
                    yield No("codebook-header", book=number, field=field, found=found, expected=expected)

    def describe(self) -> dict[str, Any]:
        """What is known after opening, and more."""
        told = ("stages", "vec_dim", "entries", "index_bits", "index_block")
        quant = {key: getattr(self.packing, key) for key in told} if self.packing else None
        return {
            "codebooks": {"count": self.count, "book_bytes": self.book_bytes, "named": self.named_books()},
            "trunk": [{**one._asdict(), "rows": one.rows} for one in self.trunk],
            "layers": {str(layer): bank._asdict() for layer, bank in self.layers.items()},
            "expert_quant": quant and {**quant, "bits_per_weight": self.rate},
            "tensor_prefix": self.prefix,
            "arch": self.arch if isinstance(self.arch, str) else None,
            "format_version": 0,
        }
