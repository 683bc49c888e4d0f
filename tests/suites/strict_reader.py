"""A reader that shares nothing with the reference and uses every liberty that the clauses leave.

It maps the file, judges every row, pad and end at open, refuses whatever it may refuse, lists the
reserved word, turns the order of `unknown` round, and says more than it is asked for.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

ROLES = ["gate", "up", "gate_up_fused", "down", "bias", "scales", "latent_in", "latent_out"]
FORMATS = ["f32", "f16", "bf16", "q4_0", "q4_k", "q6_k", "q8_0", "fp4_larql", "mxfp4", "nvfp4", "mxfp8"]
PACKINGS = ["row_major", "blocks_with_scales_inline", "blocks_values", "blocks_scales"]
LAYOUTS = ["unspecified", "contiguous_halves", "interleaved"]
KINDS = ["dense", "routed", "shared"]


class No(Exception):  # noqa: N818 -- a refusal is no error
    """A refusal by shape alone: kind and names, and more facts than anybody asked for."""

    def __init__(self, kind: str, **names: object) -> None:
        super().__init__(kind)
        self.kind = kind
        self.names = {**names, "hint": "see the format's text"}


def word(words: list[str], tag: int) -> Any:
    """A known tag's word, an unknown one's integer."""
    return words[tag] if tag < len(words) else tag


class Layer:
    """A mapped layer file, judged whole, by the functions of `order`."""

    order: ClassVar[list[Callable[[Layer], None]]]

    def __init__(self, path: str) -> None:
        if not Path(path).is_file():
            raise No("missing-file", path=path)
        self.size = Path(path).stat().st_size
        if self.size < 24:
            raise No("truncated", what="header", at=0, need=24, have=self.size)
        with Path(path).open("rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.read_header()
        self.read_tables()
        for judge in self.order:
            judge(self)

    def read_header(self) -> None:
        magic, self.version, self.layer, self.banks_n, self.segments_n, self.flags, self.reserved = (
            struct.unpack_from("<4s2I2H2I", self.bytes)
        )
        if magic != b"LYRW":
            raise No("bad-magic", found=magic.hex(), expected=b"LYRW".hex())
        if self.version != 2:
            generation = "VINDEX2" if self.version == 1 else None
            raise No("wrong-generation", found=self.version, required=2, generation=generation)

    def table(self, what: str, at: int, form: str, count: int) -> list[tuple[int, ...]]:
        self.whole(what, at, form, count)
        return list(struct.iter_unpack(form, self.bytes[at : at + count * struct.calcsize(form)]))

    def whole(self, what: str, at: int, form: str, count: int) -> None:
        size = struct.calcsize(form)
        if at + count * size > self.size:
            cut = at + (self.size - at) // size * size
            raise No("truncated", what=what, at=cut, need=size, have=self.size - cut)

    def read_tables(self) -> None:
        at = 24
        self.banks = self.table("bank descriptor table", at, "<4H4I", self.banks_n)
        at += 24 * self.banks_n
        self.segments = self.table("segment descriptor table", at, "<2H2I", self.segments_n)
        at += 12 * self.segments_n
        self.schemas = []
        flat = self.table("region schema table", at, "<6H2I", sum(bank[2] for bank in self.banks))
        at += 20 * len(flat)
        for bank in self.banks:
            self.schemas.append(flat[: bank[2]])
            flat = flat[bank[2] :]
        self.entry_table = at

    def judge_schemas(self) -> None:
        for bank, schemas in zip(self.banks, self.schemas, strict=True):
            for k, (index, role, _, packing, pair, layout, _, _) in enumerate(schemas):
                names = {"bank_id": bank[0], "schema_index": k}
                if (packing in (2, 3)) == (pair == 0xFFFF):
                    raise No("inconsistent-pairing", **names, packing=word(PACKINGS, packing), pair_id=pair)
                if layout and role != 2:
                    shown = {"role": word(ROLES, role), "layout": word(LAYOUTS, layout)}
                    raise No("layout-on-non-fused", **names, **shown)
                if index != k:
                    raise No("schema-index-mismatch", bank_id=bank[0], expected=k, found=index)

    def judge_segments(self) -> None:
        population = {bank[0]: bank[4] for bank in reversed(self.banks)}
        for bank_id, index, first, count in self.segments:
            if bank_id not in population:
                raise No("unknown-bank", segment_index=index, bank_id=bank_id)
            if first + count > population[bank_id]:
                names = {"bank_id": bank_id, "segment_index": index, "first_entry": first}
                whole = population[bank_id]
                raise No("segment-out-of-bounds", **names, end_entry=first + count, num_entries=whole)

    def judge_banks(self) -> None:
        if not self.segments:
            raise No("no-segments", num_segments=0)
        for position, bank in enumerate(self.banks):
            if bank[0] in [other[0] for other in self.banks[:position]]:
                raise No("duplicate-bank-id", bank_id=bank[0])
            self.judge_cover(bank[0], bank[4])

    def judge_cover(self, bank_id: int, population: int) -> None:
        at = 0
        for _, index, first, count in sorted(
            (one for one in self.segments if one[0] == bank_id and one[3]), key=lambda one: one[2]
        ):
            if first < at:
                raise No("segment-overlap", bank_id=bank_id, segment_index=index)
            if first > at and not self.flags & 1:
                raise No("segment-gap", bank_id=bank_id, first_entry=at, end_entry=first)
            at = first + count
        if at < population and not self.flags & 1:
            raise No("segment-gap", bank_id=bank_id, first_entry=at, end_entry=population)

    def width(self, bank_id: int) -> int:
        """The number of schemas of a bank."""
        return next(bank[2] for bank in self.banks if bank[0] == bank_id)

    def judge_rows(self) -> None:
        """Judge every row and what lies around the regions; without its bank a segment has no rows."""
        if not {one[0] for one in self.segments} <= {bank[0] for bank in self.banks}:
            return
        count = sum(one[3] * self.width(one[0]) for one in self.segments)
        self.table_bytes = self.entry_table + 16 * count
        self.payload = -(-self.table_bytes // 64) * 64
        self.whole("entry table", self.entry_table, "<2Q", count)
        if self.size > self.table_bytes and any(self.bytes[self.table_bytes : self.payload]):
            raise No("non-zero-padding", offset=self.table_bytes)
        for offset, _, names in self.spans():
            if offset % 64:
                raise No("misaligned", **names)
            if offset < self.table_bytes:
                raise No("region-in-tables", **names)
        end = self.payload
        spans = list(self.spans())
        for offset, length, names in sorted(spans, key=lambda span: span[:2]):
            if length and offset < end:
                raise No("overlap", **names)
            end = max(end, offset + length) if length else end
        last = max((offset + length for offset, length, _ in spans), default=self.payload)
        if self.size > last:
            raise No("trailing-bytes", offset=last, length=self.size - last)

    def spans(self) -> Iterator[tuple[int, int, dict[str, int]]]:
        """Offset and length of every row, with what it belongs to."""
        row = 0
        for bank_id, _, first, entries in self.segments:
            if not self.width(bank_id):
                continue
            for entry in range(first, first + entries):
                for schema in range(self.width(bank_id)):
                    offset, length = self.row(row)
                    row += 1
                    names = {"bank_id": bank_id, "entry": entry, "schema_index": schema, "offset": offset}
                    yield offset, length, names

    def row(self, number: int) -> tuple[int, int]:
        """Offset and length as the row of this number, counted over all entry tables, has them."""
        offset, length = struct.unpack_from("<2Q", self.bytes, self.entry_table + 16 * number)
        return offset, length

    def find(self, bank_id: int, entry: int) -> tuple[int, list[tuple[int, ...]]] | None:
        """The number of the first row of an entry, and the schemas of its bank."""
        row = 0
        for owner, _, first, count in self.segments:
            if owner == bank_id and first <= entry < first + count:
                position = [bank[0] for bank in self.banks].index(bank_id)
                return row + (entry - first) * self.width(owner), self.schemas[position]
            row += count * self.width(owner)
        return None

    def describe(self) -> dict[str, Any]:
        self.unknown: list[dict[str, Any]] = []
        if self.flags & ~1:
            self.note("header", "flags", self.flags & ~1)
        if self.reserved:
            self.note("header", "reserved", self.reserved)
        keys = ("bank_id", "segment_index", "first_entry", "entry_count")
        return {
            "file_length": self.size,
            "header": {"logical_layer": self.layer, "flags": self.flags, "version": 2},
            "banks": [self.describe_bank(position) for position in range(self.banks_n)],
            "segments": [dict(zip(keys, one, strict=True)) for one in self.segments],
            "table_bytes": self.table_bytes,
            "payload_start": self.payload,
            "unknown": self.unknown[::-1],
        }

    def note(self, where: str, field: str, value: int) -> None:
        self.unknown.append({"where": where, "field": field, "value": value, "since": "unknown"})

    def describe_bank(self, position: int) -> dict[str, Any]:
        bank_id, kind, _, flags, entries, input_dim, intermediate_dim, output_dim = self.banks[position]
        where = f"banks[{position}]"
        if kind > 2:
            self.note(where, "kind", kind)
        if flags & 3 == 3:
            self.note(where, "browse", 3)
        if flags >> 2:
            self.note(where, "flags", flags & ~3)
        schemas = [
            self.describe_schema(f"{where}.schemas[{k}]", schema)
            for k, schema in enumerate(self.schemas[position])
        ]
        browse = ("none", "direct", "strided", "none")[flags & 3]
        dims = {"input_dim": input_dim, "intermediate_dim": intermediate_dim, "output_dim": output_dim}
        numbers = {"bank_id": bank_id, "num_entries": entries, "flags": flags, **dims}
        return {**numbers, "kind": word(KINDS, kind), "browse": browse, "schemas": schemas}

    def describe_schema(self, where: str, schema: tuple[int, ...]) -> dict[str, Any]:
        index, role, form, packing, pair, layout, rows, cols = schema
        tags = {"role": (ROLES, role), "format": (FORMATS, form)}
        tags |= {"packing": (PACKINGS, packing), "layout": (LAYOUTS, layout)}
        for field, (words, tag) in tags.items():
            if tag >= len(words):
                self.note(where, field, tag)
        shown = {field: word(words, tag) for field, (words, tag) in tags.items()}
        pair_id = None if pair == 0xFFFF else pair
        return {**shown, "schema_index": index, "pair_id": pair_id, "rows": rows, "cols": cols}


Layer.order = [Layer.judge_schemas, Layer.judge_segments, Layer.judge_banks, Layer.judge_rows]


def lyrw_parse(path: str) -> dict[str, Any]:
    """See the format's text."""
    return Layer(path).describe()


def lyrw_region(
    path: str, bank_id: int, entry: int, schema_index: int | None = None, role: Any = None
) -> dict[str, Any]:
    """See the format's text."""
    layer = Layer(path)
    found = layer.find(bank_id, entry)
    if found is None:
        return {"absent": True}
    row, schemas = found
    if schema_index is None:
        carriers = [k for k, schema in enumerate(schemas) if word(ROLES, schema[1]) == role]
        if len(carriers) > 1:
            raise No("ambiguous-role", bank_id=bank_id, role=role, count=len(carriers))
        schema_index = carriers[0] if carriers else len(schemas)
    if schema_index >= len(schemas):
        return {"absent": True}
    offset, length = layer.row(row + schema_index)
    if offset + length > layer.size:
        shown = word(ROLES, schemas[schema_index][1])
        names = {"bank_id": bank_id, "entry": entry, "schema_index": schema_index, "role": shown}
        raise No("region-out-of-bounds", **names, offset=offset, length=length, file_length=layer.size)
    return {"offset": offset, "length": length, "data": layer.bytes[offset : offset + length]}


def lyrw_partner(
    path: str, bank_id: int, entry: int, schema_index: int, partner_role: str = "scales"
) -> dict[str, Any]:
    """See the format's text."""
    layer = Layer(path)
    found = layer.find(bank_id, entry)
    if found is None:
        return {"absent": True}
    row, schemas = found
    pair_id = schemas[schema_index][4]
    if pair_id == 0xFFFF:
        raise No("not-paired", bank_id=bank_id, schema_index=schema_index)
    asked = ROLES.index(partner_role)
    fitting = [
        k for k, one in enumerate(schemas) if k != schema_index and (one[1], one[4]) == (asked, pair_id)
    ]
    names = {"bank_id": bank_id, "pair_id": pair_id, "partner_role": partner_role}
    if not fitting:
        raise No("missing-partner", schema_index=schema_index, **names)
    if len(fitting) > 1:
        raise No("ambiguous-partner", count=len(fitting), **names)
    offset, length = layer.row(row + fitting[0])
    return {"schema_index": fitting[0], "pair_id": pair_id, "offset": offset, "length": length}
