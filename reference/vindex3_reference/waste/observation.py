"""What is said of a container that opens (waste.md, section 16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.waste.manifest import VERSION

if TYPE_CHECKING:
    from vindex3_reference.waste.container import Container
    from vindex3_reference.waste.layers import Bank
    from vindex3_reference.waste.trunk_index import Entry


def opened(container: Container) -> dict[str, object]:
    """The answer of waste.open."""
    manifest, books = container.manifest, container.codebooks
    return {
        "format_version": VERSION,
        "arch": manifest.arch,
        "tensor_prefix": manifest.tensor_prefix,
        "expert_quant": None if manifest.quant is None else manifest.quant._asdict(),
        "layers": {str(layer): _bank(bank) for layer, bank in manifest.banks.items()},
        "trunk": [_tensor(entry) for entry in manifest.trunk],
        "codebooks": {
            "count": 0 if books is None else books.count,
            "book_bytes": None if manifest.quant is None else manifest.quant.book_bytes,
        },
    }


def _bank(bank: Bank) -> dict[str, object]:
    return {
        "file": bank.file,
        "experts": bank.experts,
        "bytes": bank.bytes,
        "record_bytes": bank.stride,
        "codebook_base": bank.codebook_base,
    }


def _tensor(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "fmt": entry.fmt,
        "shape": entry.shape,
        "group": entry.group,
        "off": entry.offset,
        "scale_off": entry.scale_offset,
        "bytes": entry.payload_bytes + entry.scale_bytes,
    }
