"""A segment file of a container, read from its bytes: for `container_reader.py`, of which it is a part."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import free_judge
from strict_reader import No

WIDTH = {
    label: width
    for width, labels in {
        8: "F64 I64 U64",
        4: "F32 I32 U32",
        2: "F16 BF16 I16 U16",
        1: "I8 U8 BOOL",
    }.items()
    for label in labels.split()
}
MOST = 256 << 20


class Text(free_judge.Document):
    """A document by its bytes; its refusals name it as the container does."""

    def __init__(self, data: bytes, name: str) -> None:
        self.path = name
        if data.startswith(b"\xef\xbb\xbf"):
            raise self.no("malformed-json")
        self.root = self.parse(data)
        self.typed(self.root, "", dict)


class File:
    """A segment file: mapped, so that nothing is taken for what it claims."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        path = folder / name
        if not path.is_file():
            raise No("missing-file", path=name)
        self.size = path.stat().st_size
        with path.open("rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self.size else b""

    @property
    def start(self) -> int:
        """Where the payload begins."""
        if self.size < 8:
            raise No("truncated", path=self.name)
        claimed = int.from_bytes(self.bytes[:8], "little")
        if claimed > MOST:
            raise No("header-too-large", claimed=claimed, limit=MOST)
        if claimed > self.size - 8:
            raise No("truncated", path=self.name, claimed=claimed)
        return 8 + claimed

    def header(self) -> tuple[str, int, list[dict[str, Any]]]:
        """Representation, schema and rows, every one of them judged."""
        text = Text(self.bytes[8 : self.start], self.name)
        rows = text.need(text.root, "tensors", list)
        for place, row in enumerate(rows):
            text.typed(row, f"tensors[{place}]", dict)
            for key, kind in (("len", int), ("offset", int), ("shape", list), ("dtype", str), ("name", str)):
                text.need(row, key, kind)
            for axis, side in enumerate(row["shape"]):
                text.typed(side, f"shape[{axis}]", int)
        return text.need(text.root, "representation", str), text.need(text.root, "schema", int), rows


def volume(row: dict[str, Any]) -> int:
    """Bytes that dtype and shape give; those of the row itself where the dtype has no width."""
    count = WIDTH.get(row["dtype"])
    if count is None:
        return int(row["len"])
    for side in row["shape"]:
        count *= side
    return count


def served(key: str, file: File, tensor: str) -> dict[str, Any]:
    """The row of a tensor, in a table that is sound from its last row to its first."""
    named, schema, rows = file.header()
    if schema != 1:
        raise No("unknown-version", found=schema, supported=[1])
    if named != key:
        raise No("id-mismatch", expected=key, found=named)
    names = [row["name"] for row in rows]
    twice = [name for place, name in enumerate(names) if names.index(name) < place]
    if twice:
        raise No("duplicate-id", id=twice[-1])
    for row in reversed(rows):
        if volume(row) != row["len"]:
            raise No("shape-mismatch", tensor=row["name"], expected=volume(row), found=row["len"])
    for row in reversed(rows):
        if file.start + row["offset"] + row["len"] > file.size:
            raise No("length-mismatch", subject=key, tensor=row["name"])
    if tensor not in names:
        raise No("missing-tensor", representation=key, tensor=tensor)
    return rows[names.index(tensor)]
