"""The compiled kernels and the assembler of annotated bytes, where there is neither numpy nor pytest.

usage: python driver.py KERNELS GOLDEN

KERNELS is the folder that holds the compiled module, GOLDEN that of the goldens. Expected values are
literals, the standard library's, or computed here in float32 steps: of two numbers of 24 bits a sum, product
or quotient that is rounded to 53 bits first is rounded to 24 as if at once. Prints what was compared; any
difference ends with an error.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
import sys
import zlib
from pathlib import Path

from vindex3_fixtures.annotated import assemble, assemble_files

NUMBERS = random.Random(7)
MOST = 1 << 20
"""Bytes of the largest golden that is assembled."""


def single(value: float) -> float:
    """A number rounded to float32."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def same(found, expected, what):
    """End where two lists of floats differ in a bit, zeros by their sign."""
    bits = [struct.pack("<f", value) for value in found], [struct.pack("<f", value) for value in expected]
    if bits[0] != bits[1]:
        raise SystemExit(f"{what}: found {found}, expected {expected}")


def halves(count, most=4.0):
    """Halves of either sign, and their bytes."""
    values = [(NUMBERS.randrange(4096) - 2048) / 2048 * most for _ in range(count)]
    data = struct.pack(f"<{count}e", *values)
    return list(struct.unpack(f"<{count}e", data)), data


def sums(lib):
    """Checksums of every length, at every address, as zlib has them."""
    data = NUMBERS.randbytes(5000)
    if lib.crc32_of(0, 0, b"123456789", 9) != 0xCBF43926:
        raise SystemExit("crc32 of the nine digits")
    for length in range(1200):
        start, value = length % 61, NUMBERS.randrange(1 << 32)
        part = data[start : start + length]
        if lib.crc32_of(0, value, part, length) != zlib.crc32(part, value):
            raise SystemExit(f"crc32 of {length} bytes")
    return "crc32: 1200 lengths"


def widened(ffi, lib):
    """Every half that is a number."""
    patterns = struct.pack("<65536H", *range(65536))
    out = ffi.new("float[]", 65536)
    lib.half_to_float(0, patterns, 65536, out)
    expected = [value for (value,) in struct.iter_unpack("<e", patterns)]
    numbers = [place for place, value in enumerate(expected) if value == value]
    same([out[place] for place in numbers], [expected[place] for place in numbers], "half_to_float")
    return f"half_to_float: {len(numbers)} halves"


class Matrix:
    """A matrix drawn for a shape."""

    def __init__(self, ffi, rows, positions, stages, dim, entries, packed, block):
        self.rows, self.positions, self.stages, self.dim, self.entries = rows, positions, stages, dim, entries
        self.indices = [
            [[NUMBERS.randrange(entries) for _ in range(stages)] for _ in range(positions)]
            for _ in range(rows)
        ]
        books = [halves(entries * dim) for _ in range(stages)]
        self.books = [values for values, _ in books]
        self.scales, scales = halves(rows, 2.0)
        self.held = self.region(packed, block), b"".join(data for _, data in books), scales
        self.x = [
            single((NUMBERS.randrange(1 << 24) - (1 << 23)) / (1 << 22)) for _ in range(positions * dim)
        ]
        self.struct = ffi.new("struct matrix *")
        names = "rows", "positions", "block", "stages", "vec_dim", "entries", "packed"
        numbers = rows, positions, block, stages, dim, entries, packed
        self.pointers = [ffi.from_buffer(data) for data in self.held]
        self.struct.indices, self.struct.books, self.struct.scales = self.pointers
        for name, number in zip(names, numbers, strict=True):
            setattr(self.struct, name, number)

    def take_apart(self, ffi, lib):
        """Go on with the planes of the indices alone."""
        planes = ffi.new("uint8_t[]", -(-self.rows // 64) * 64 * self.positions * 3)
        lib.planes_of(self.struct, planes)
        self.pointers.append(planes)
        self.struct.indices, self.struct.block, self.struct.planar = planes, 64, True

    def region(self, packed, block):
        """The indices as they are stored."""
        run = 3 if packed else self.stages
        stored = bytearray(b"\xff" * (-(-self.rows // block) * block * self.positions * run))
        for row, positions in enumerate(self.indices):
            for position, index in enumerate(positions):
                place = ((row // block * self.positions + position) * block + row % block) * run
                together = sum(value << 6 * stage for stage, value in enumerate(index))
                stored[place : place + run] = together.to_bytes(3, "little") if packed else bytes(index)
        return bytes(stored)

    def weights(self):
        """What it decodes to."""
        for row, positions in enumerate(self.indices):
            for index in positions:
                for d in range(self.dim):
                    total = 0.0
                    for book, entry in zip(self.books, index, strict=True):
                        total = single(total + book[entry * self.dim + d])
                    yield single(total * self.scales[row])

    def tables(self):
        """What each entry gives with each part of x, by position, stage and entry."""
        for position in range(self.positions):
            part = self.x[position * self.dim : (position + 1) * self.dim]
            yield [[self.entry(book, entry, part) for entry in range(self.entries)] for book in self.books]

    def entry(self, book, entry, part):
        """One value of a table."""
        total = 0.0
        for d, value in enumerate(part):
            total = single(total + single(value * book[entry * self.dim + d]))
        return total

    def product(self):
        """Its product with x."""
        tables = list(self.tables())
        for row, positions in enumerate(self.indices):
            total = 0.0
            for table, index in zip(tables, positions, strict=True):
                part = table[0][index[0]]
                for stage in range(1, self.stages):
                    part = single(part + table[stage][index[stage]])
                total = single(total + part)
            yield single(total * self.scales[row])

    def product_int8(self):
        """The same through codes."""
        tables = list(self.tables())
        totals = [0.0] * self.rows
        for begin in range(0, self.positions, 32):
            block = tables[begin : begin + 32]
            largest = max(abs(value) for table in block for stage in table for value in stage)
            unit = single(largest / 127)
            codes = [[[round(single(value / unit)) for value in stage] for stage in table] for table in block]
            for row, positions in enumerate(self.indices):
                index = positions[begin : begin + 32]
                whole = sum(
                    code[s][i] for code, four in zip(codes, index, strict=True) for s, i in enumerate(four)
                )
                totals[row] = single(totals[row] + single(whole * unit))
        return [single(total * scale) for total, scale in zip(totals, self.scales, strict=True)]


def matrices(ffi, lib):
    """Decoding and products of a few shapes."""
    shapes = [
        (2, 1, 3, 2, 2, False, 1),
        (70, 3, 3, 8, 256, False, 64),
        (5, 7, 8, 5, 17, False, 1),
        (66, 35, 4, 8, 64, True, 64),
        (3, 2, 4, 8, 64, True, 1),
    ]
    for shape in shapes:
        matrix = Matrix(ffi, *shape)
        out, found = ffi.new("float[]", matrix.rows * matrix.positions * matrix.dim), ffi.new("size_t[4]")
        x = ffi.new("float[]", matrix.x)
        if lib.first_beyond(matrix.struct, found) or lib.decode_rows(0, matrix.struct, 0, matrix.rows, out):
            raise SystemExit(f"{shape} is not decoded")
        same(list(out), list(matrix.weights()), f"decode {shape}")
        product = ffi.new("float[]", matrix.rows)
        lib.multiply_rows(0, matrix.struct, x, 0, matrix.rows, product)
        same(list(product), list(matrix.product()), f"multiply {shape}")
        if matrix.struct.packed:
            lib.multiply_rows_int8(0, matrix.struct, x, 0, matrix.rows, product, found)
            same(list(product), matrix.product_int8(), f"multiply {shape} int8")
            matrix.take_apart(ffi, lib)
            product[0 : matrix.rows] = [0.0] * matrix.rows
            lib.multiply_rows_int8(0, matrix.struct, x, 0, matrix.rows, product, found)
            same(list(product), matrix.product_int8(), f"multiply {shape} planes")
    return f"matrices: {len(shapes)} shapes"


def codes(ffi, lib):
    """The literal codes of the three trunk formats."""
    out = ffi.new("float[]", 8)
    for fmt, data, expected in (
        (2, b"\x80\x7f", [-64, 63.5]),
        (3, b"\xf0\x08", [-4, 3.5, 0, -4]),
        (7, bytes.fromhex("88C6FAFF"), [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5]),
    ):
        lib.dequantise(0, fmt, data, b"\x00\x38", 1, len(expected), 8, out)
        same(list(out)[: len(expected)], expected, f"format {fmt}")
    return "dequantised: 3 formats"


def assembled(golden):
    """Every small golden, from its annotated source to its digest."""
    count = 0
    for entry in json.loads((golden / "manifest.json").read_text(encoding="utf-8"))["goldens"]:
        source = golden / entry["name"] / "source.txt"
        if entry["length"] > MOST or not source.is_file():
            continue
        text, path = source.read_text(encoding="utf-8"), entry["path"]
        if path in entry["files"]:
            built = {path: assemble(text)}
        else:
            built = {f"{path}/{name}": data for name, data in assemble_files(text).items()}
        pinned = {
            name: digest for name, digest in entry["files"].items() if f"{name}/".startswith(f"{path}/")
        }
        if {name: hashlib.sha256(data).hexdigest() for name, data in built.items()} != pinned:
            raise SystemExit(f"{path} is not what was pinned")
        count += len(built)
    if not count:
        raise SystemExit("no golden was assembled")
    return f"assembler: {count} files of goldens"


def main(kernels: str, golden: str) -> None:
    """Compare all of it."""
    sys.path.append(kernels)
    from _native import ffi, lib

    names = [ffi.string(lib.isa_name(number)).decode() for number in range(6)]
    there = [name for number, name in enumerate(names) if lib.kernel_has(lib.KERNEL_CRC32, number)]
    print(f"{sys.byteorder}-endian; crc32 variants {there}")
    print(
        sums(lib), widened(ffi, lib), matrices(ffi, lib), codes(ffi, lib), assembled(Path(golden)), sep="\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
