"""What writers put into segments: framing, order, table, bytes, and what the directory records of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.difference import MISSING, Stored
from vindex3_fixtures.container.segment import WIDTHS
from vindex3_fixtures.container.sources import Writing, source
from vindex3_fixtures.container.writings import TOWER, text_model, tower, towers, whole_model
from vindex3_suites.container.on_disk import member, sha256, shows
from vindex3_suites.container.writing import write_and_look

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

EMPTIES = tower(
    tensors=[
        source("tower.empty", "F32", (0, 3)),
        source("tower.full", "U8", (5,)),
        source("tower.scalar", "F64", ()),
    ],
    stored={"empty": "tower.empty", "full": "tower.full", "scalar": "tower.scalar"},
)
"""A tensor without values, and one without dimensions."""
EVERY_LENGTH = towers(*("n" * length for length in range(1, 17)))
"""Headers of many lengths."""


@clause("SEGMENT-FRAME-04")
@cases(text_model=text_model(), every_length=EVERY_LENGTH, no_values=EMPTIES)
def test_headers_are_padded_to_sixteen(ask: Ask, case: Writing) -> None:
    """The payload starts at a multiple of 16, behind spaces that the header length counts."""
    reply, written = write_and_look(ask, "SEGMENT-FRAME-04", case)
    for object_id, representation in case.representations.items():
        segment = written.segment(representation)
        beyond = (8 + segment.header_length) % 16 if segment.header_length is not MISSING else MISSING
        check("SEGMENT-FRAME-04", reply, shows(f"{object_id}: 8 + header length, modulo 16", 0, beyond))
        closed = segment.header_text.rstrip(b" ")[-1:]
        check("SEGMENT-FRAME-04", reply, shows(f"{object_id}: end of the header's text", b"}", closed))
        check(
            "SEGMENT-FRAME-04",
            reply,
            shows(f"{object_id}: payload", case.payload(object_id), segment.payload),
        )


def _tower_of(*names: str) -> Writing:
    """A tower whose table has these names in this order, given to the writer the other way round."""
    tensors = [source(f"tower.{name}", "U8", (1 + at,)) for at, name in enumerate(names)]
    return tower(tensors=tensors[::-1], stored={name: f"tower.{name}" for name in names})


ORDERS = {
    "ten_before_two": _tower_of("0.a", "1.a", "10.a", "11.a", "2.a"),
    "capitals_before_small": _tower_of("A.w", "B.w", "_.w", "a.w", "b.w"),
    "shorter_before_longer": _tower_of("0", "0-w", "0.w", "0.w.b", "00", "0_w"),
    "bytes_not_letters": _tower_of("e.w", "z.w", "\u00e9.w", "\u0436.w", "\u4e00.w"),
    "utf_8_not_utf_16": _tower_of("a.w", "\ud7ff.w", "\ue000.w", "\uffee.w", "\U00010000.w", "\U0001f600.w"),
    "decomposed_before_composed": _tower_of("e\u0301.w", "f.w", "\u00e9.w"),
}


@clause("SEGMENT-TABLE-01")
@cases(ORDERS)
def test_rows_and_payload_ascend_by_bytes(ask: Ask, case: Writing) -> None:
    """Rows ascend by the bytes of their names whatever order the sources have, and the payload follows."""
    reply, written = write_and_look(ask, "SEGMENT-TABLE-01", case)
    segment = written.segment(case.representations[TOWER])
    check("SEGMENT-TABLE-01", reply, shows("names of the table", list(case.stored[TOWER]), segment.names))
    check("SEGMENT-TABLE-01", reply, shows("payload", case.payload(TOWER), segment.payload))


ODD_LENGTHS = tower(
    tensors=[
        source("tower.a", "U8", (1,)),
        source("tower.b", "F64", (3,)),
        source("tower.c", "I16", (1,)),
        source("tower.d", "BOOL", (7,)),
        source("tower.e", "Q9_Z", (2,), b"\x01\x02\x03\x04\x05"),
        source("tower.f", "F32", (1, 1, 1, 1)),
    ],
    stored={name: f"tower.{name}" for name in "abcdef"},
)
"""Lengths that are no multiple of any alignment."""


@clause("SEGMENT-TABLE-02")
@cases(text_model=text_model(), whole_model=whole_model(), odd_lengths=ODD_LENGTHS, **ORDERS)
def test_rows_are_contiguous(ask: Ask, case: Writing) -> None:
    """Every row begins where the one before ends, the first at 0, and the last ends with the payload."""
    reply, written = write_and_look(ask, "SEGMENT-TABLE-02", case)
    for object_id, representation in case.representations.items():
        segment = written.segment(representation)
        check("SEGMENT-TABLE-02", reply, shows(f"{object_id}: tensors", case.rows(object_id), segment.rows))
        end = member(written.entry(representation), "payload_bytes")
        check(
            "SEGMENT-TABLE-02", reply, shows(f"{object_id}: payload_bytes", len(case.payload(object_id)), end)
        )
        check(
            "SEGMENT-TABLE-02", reply, shows(f"{object_id}: bytes of the payload", end, len(segment.payload))
        )


@clause("SEGMENT-WRITE-01")
@cases(
    text_model=text_model(),
    whole_model=whole_model(),
    one_object=tower(),
    ordinary_ids=towers("a.b", "c d", "e+f", "g@h", "\u00e9\u4e00"),
    encodings_of_several=tower(encoding="BF16+F32"),
)
def test_each_object_has_its_file(ask: Ask, case: Writing) -> None:
    """Object, encoding, file name, directory key and segments key belong together."""
    reply, written = write_and_look(ask, "SEGMENT-WRITE-01", case)
    entries = {
        key: {"object": one, "encoding": key.removeprefix(f"{one}@"), "segment": f"segments/{one}.bin"}
        for one, key in case.representations.items()
    }
    check("SEGMENT-WRITE-01", reply, shows("representations", entries, written.entries))
    check(
        "SEGMENT-WRITE-01", reply, shows("keys of representations", sorted(entries), sorted(written.entries))
    )
    keys = {f"segments/{one}": 1 for one in case.representations}
    check("SEGMENT-WRITE-01", reply, shows("segments", Stored(keys), member(written.index, "segments")))
    for one, key in case.representations.items():
        header = written.segment(key).header
        check(
            "SEGMENT-WRITE-01", reply, shows(f"{one}: header", {"schema": 1, "representation": key}, header)
        )


@clause("SEGMENT-WRITE-02")
@cases(text_model=text_model(), whole_model=whole_model(), odd_lengths=ODD_LENGTHS)
def test_the_directory_records_the_bytes(ask: Ask, case: Writing) -> None:
    """Counts and both digests are those of the file that stands there."""
    reply, written = write_and_look(ask, "SEGMENT-WRITE-02", case)
    for object_id, representation in case.representations.items():
        payload = case.payload(object_id)
        recorded = {
            "tensor_count": len(case.stored[object_id]),
            "payload_bytes": len(payload),
            "payload_sha256": sha256(payload),
            "segment_sha256": sha256(written.segment(representation).data),
        }
        entry = written.entry(representation)
        check("SEGMENT-WRITE-02", reply, shows(f"representations.{representation}", recorded, entry))


QUANTISED = tower(
    encoding="MXFP4",
    tensors=[
        source("tower.blocks", "U8", (2, 16)),
        source("tower.norm", "BF16", (4,)),
        source("tower.scales", "U8", (2, 1)),
    ],
    stored={"blocks": "tower.blocks", "norm": "tower.norm", "scales": "tower.scales"},
)
STRANGE_BITS = tower(
    encoding="F32",
    tensors=[
        source("tower.a", "F32", (4,), bytes.fromhex("0100807F 0000C0FF 00000080 01000000")),
        source("tower.b", "BF16", (2,), bytes.fromhex("817F 0080")),
        source("tower.c", "BOOL", (3,), b"\x00\x01\xff"),
        source("tower.d", "F64", (1,), bytes.fromhex("010000000000F0FF")),
    ],
    stored={name: f"tower.{name}" for name in "abcd"},
)
"""Signalling NaNs with payloads, negative zeros, denormals, and a truth beyond 0 and 1."""
STRANGE_LABELS = tower(
    encoding="my own",
    tensors=[
        source("tower.a", "F8_E4M3", (3,)),
        source("tower.b", "q4_0 (mine)", (32,), bytes(18)),
        source("tower.c", "\u00e9", (1,)),
        source("tower.d", "F4", (7, 2), b"\x07" * 7),
    ],
    stored={name: f"tower.{name}" for name in "abcd"},
)


@clause("SEGMENT-WRITE-03")
@cases(
    bytes_under_mxfp4=QUANTISED,
    every_width=tower(
        tensors=[source(f"tower.{dtype}", dtype, (2, 3)) for dtype in WIDTHS],
        stored={dtype: f"tower.{dtype}" for dtype in sorted(WIDTHS)},
    ),
    strange_bits=STRANGE_BITS,
    unknown_labels=STRANGE_LABELS,
    large=tower(tensors=[source("tower.weight", "F32", (300, 100))], stored={"weight": "tower.weight"}),
)
def test_labels_and_bytes_are_the_sources(ask: Ask, case: Writing) -> None:
    """No tensor is converted, whatever the label of the representation says."""
    reply, written = write_and_look(ask, "SEGMENT-WRITE-03", case)
    segment = written.segment(case.representations[TOWER])
    check("SEGMENT-WRITE-03", reply, shows("tensors", case.rows(TOWER), segment.rows))
    check("SEGMENT-WRITE-03", reply, shows("payload", case.payload(TOWER), segment.payload))
