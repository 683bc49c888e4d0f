"""container.tensor: the frame, the header and the rows of a segment, typed by hand, and what is refused."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.large import BEHIND, LARGE, large
from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import bank, tiny
from vindex3_reference.container.segment import LARGEST_HEADER, encode_header
from vindex3_reference.container.table import Row
from vindex3_reference.container.verbs import container_tensor
from vindex3_reference.source import Source

KEY, FILE = "target.embedding@BF16", "segments/target.embedding.bin"
HEADER = (
    b'{"schema":1,"representation":"target.embedding@BF16","tensors":['
    b'{"name":"b","dtype":"U8","shape":[2,1],"offset":3,"len":2},'
    b'{"name":"a","dtype":"odd","shape":[],"offset":1,"len":3},'
    b'{"name":"","dtype":"F32","shape":[7,0],"offset":5,"len":0}]} \n'
)
# The law's example of a segment: 18 rows over 9344 bytes, of which byte i is i mod 251.
STACK = [
    ("input_layernorm.weight", [16]), ("mlp.down_proj.weight", [16, 32]), ("mlp.gate_proj.weight", [32, 16]),
    ("mlp.up_proj.weight", [32, 16]), ("post_attention_layernorm.weight", [16]),
    ("self_attn.k_proj.weight", [8, 16]), ("self_attn.o_proj.weight", [16, 16]),
    ("self_attn.q_proj.weight", [16, 16]), ("self_attn.v_proj.weight", [8, 16]),
]  # fmt: skip
OFFSETS = [
    0, 32, 1056, 2080, 3104, 3136, 3392, 3904, 4416,
    4672, 4704, 5728, 6752, 7776, 7808, 8064, 8576, 9088,
]  # fmt: skip


def stored(data: bytes) -> Model:
    """The tiny container with these bytes as its embedding's segment."""
    return tiny().with_file(FILE, data)


def framed(header: bytes, payload: bytes = b"", length: int | None = None) -> Model:
    """The tiny container with this header in its embedding's segment."""
    return stored((len(header) if length is None else length).to_bytes(8, "little") + header + payload)


def test_a_header_is_written_as_the_law_shows_it():
    """The worked example has the recorded digests: compact, padded with spaces, payload behind it."""
    rows = [
        Row(f"{layer}.{name}", "BF16", shape, OFFSETS[9 * layer + at], 2 * shape[0] * (shape[1:] or [1])[0])
        for layer in range(2)
        for at, (name, shape) in enumerate(STACK)
    ]
    payload = bytes(at % 251 for at in range(9344))
    head = encode_header("target.decoder_stack@BF16", rows)
    assert len(head) % 16 == 0
    assert hashlib.sha256(payload).hexdigest() == (
        "a263024edfab9af7fcdd8da22d49a8da02aed7143d10b90a14fc37343454b358"
    )
    assert hashlib.sha256(head + payload).hexdigest() == (
        "56355bc2e988dd7fbfca6e7fbe5c2dc2ac0a9c7990a1f2d05e1187cc1a762967"
    )


def test_a_tensor_is_the_bytes_that_its_row_says(written):
    """Offsets count from the end of the header, in any order and over each other; labels are verbatim."""
    path = written(framed(HEADER, b"\x10\x11\x12\x13\x14\x15"))
    assert container_tensor(path=path, representation=KEY, tensor="b") == {
        "representation": KEY,
        "dtype": "U8",
        "shape": [2, 1],
        "data": b"\x13\x14",
    }
    odd = container_tensor(path=path, representation=KEY, tensor="a")
    assert (odd["dtype"], odd["shape"], odd["data"]) == ("odd", [], b"\x11\x12\x13")
    empty = container_tensor(path=path, representation=KEY, tensor="")
    assert (empty["shape"], empty["data"]) == ([7, 0], b"")


def test_a_name_is_matched_exactly(written, refusal):
    """No case, space or prefix is forgiven, and what is not there is named with its representation."""
    path = written(tiny())
    assert container_tensor(path=path, representation=KEY, tensor="weight")["shape"] == [6, 4]
    for name in ("Weight", "weight ", "weigh", "embed.weight", ""):
        facts = {"representation": KEY, "tensor": name}
        assert refusal(container_tensor, path=path, representation=KEY, tensor=name) == (
            "missing-tensor",
            facts,
        )


def test_a_representation_that_is_not_there_is_refused_with_those_that_are(written, refusal):
    """The ids of the directory are listed, sorted."""
    path = written(tiny())
    kind, names = refusal(
        container_tensor, path=path, representation="target.embedding@bf16", tensor="weight"
    )
    assert kind == "unknown-representation"
    assert names["present"] == sorted(tiny().segments)
    assert names["representation"] == "target.embedding@bf16"


def test_an_object_answers_in_the_encoding_that_is_asked(written, refusal):
    """An object's first representation answers unasked; another encoding must be in graph and directory."""
    packed = Segment("target.embedding@Q8_0", (Tensor("weight", "Q8_0", (6, 4), b"packed"),))
    listed = [{"encoding": each, "fidelity": "approximate"} for each in ("BF16", "Q8_0", "lost", "F32")]
    model = (
        tiny()
        .with_added(packed, "segments/target.embedding@Q8_0.bin")
        .with_graph(("objects", 1, "representations"), listed)
    )
    path = written(model)

    def asked(**more: Any) -> Any:
        return container_tensor(path=path, object="target.embedding", tensor="weight", **more)

    assert asked()["representation"] == KEY
    assert asked(encoding="Q8_0")["data"] == b"packed"
    for encoding in ("lost", "q8_0", "F16", ""):
        facts = {"region_set": "target.embedding", "requested": encoding, "present": ["BF16", "Q8_0"]}
        assert refusal(asked, encoding=encoding) == ("absent-variant", facts)
    Path(path, FILE).unlink()
    assert asked(encoding="Q8_0")["data"] == b"packed"
    assert refusal(asked) == ("missing-file", {"path": FILE})


def test_an_object_needs_a_graph_that_has_it(written, refusal):
    """Objects unknown, without representations, or of a bank are refused, and so is no question at all."""
    path = written(tiny())
    assert refusal(container_tensor, path=path, object="target.embed", tensor="weight") == (
        "dangling-reference",
        {"missing": "target.embed"},
    )
    bare = written(tiny().with_graph(("objects", 1, "representations"), []))
    assert refusal(container_tensor, path=bare, object="target.embedding", tensor="weight") == (
        "missing-representation",
        {"object": "target.embedding"},
    )
    assert refusal(container_tensor, path=written(bank()), object="o", tensor="t") == (
        "missing-root",
        {"path": "index.json"},
    )
    assert refusal(container_tensor, path=path, tensor="weight") == (
        "missing-field",
        {"field": "representation"},
    )


def test_a_representation_decides_over_an_object(written):
    """Asked both ways, the representation answers."""
    found = container_tensor(
        path=written(tiny()), representation=KEY, object="target.final_norm", encoding="F32", tensor="weight"
    )
    assert found["representation"] == KEY


@pytest.mark.parametrize(
    ("length", "body", "kind", "facts"),
    [
        (None, b"", "truncated", {"path": FILE, "need": 8, "have": 0}),
        (None, b"\x01\0\0\0\0\0\0", "truncated", {"path": FILE, "need": 8, "have": 7}),
        (0, b"{}", "malformed-json", {"path": FILE}),
        (3, b"{}", "truncated", {"path": FILE, "need": 11, "have": 10}),
        (LARGEST_HEADER, b"{}", "truncated", {"path": FILE, "need": LARGEST_HEADER + 8, "have": 10}),
        (LARGEST_HEADER + 1, b"{}", "header-too-large", {"claimed": 2**28 + 1, "limit": 2**28}),
        (2**64 - 1, b"{}", "header-too-large", {"claimed": 2**64 - 1, "path": FILE}),
        (2, b"[]", "bad-type", {"path": FILE, "field": ""}),
        (3, b"{}\0", "malformed-json", {"path": FILE}),
        (3, b"{}x", "malformed-json", {"path": FILE}),
        (6, b"\xef\xbb\xbf{} ", "malformed-json", {"path": FILE}),
        (13, b'{"a":1,"a":1}', "duplicate-key", {"path": FILE, "key": "a"}),
    ],
)
def test_a_frame_that_does_not_hold_is_refused(length, body, kind, facts, written, refusal):
    """A length is compared with the limit and the file before it is believed; a header is one object."""
    model = stored(body) if length is None else framed(body, length=length)
    found, names = refusal(container_tensor, path=written(model), representation=KEY, tensor="weight")
    assert found == kind
    assert names.items() >= facts.items()


ROW = {"name": "a", "dtype": "U8", "shape": [1], "offset": 0, "len": 1}
HEADER_FAULTS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "schema": (
        {"stored_header": {"representation": KEY, "tensors": []}},
        "missing-field",
        {"field": "schema"},
    ),
    "representation": (
        {"stored_header": {"schema": 1, "tensors": []}},
        "missing-field",
        {"field": "representation"},
    ),
    "tensors": (
        {"stored_header": {"schema": 1, "representation": KEY}},
        "missing-field",
        {"field": "tensors"},
    ),
    "schema 2": ({"schema": 2}, "unknown-version", {"found": 2, "supported": 1}),
    "schema text": ({"schema": "1"}, "bad-type", {"field": "schema"}),
    "tensors no array": (
        {"stored_header": {"schema": 1, "representation": KEY, "tensors": {}}},
        "bad-type",
        {"field": "tensors"},
    ),
    "row no object": ({"stored_rows": [ROW, []]}, "bad-type", {"field": "tensors[1]"}),
    **{
        f"no {key}": (
            {"stored_rows": [ROW, {other: value for other, value in ROW.items() if other != key}]},
            "missing-field",
            {"field": f"tensors[1].{key}"},
        )
        for key in ROW
    },
    "name": ({"stored_rows": [ROW | {"name": 1}]}, "bad-type", {"field": "tensors[0].name"}),
    "dtype": ({"stored_rows": [ROW | {"dtype": None}]}, "bad-type", {"field": "tensors[0].dtype"}),
    "shape": ({"stored_rows": [ROW | {"shape": 1}]}, "bad-type", {"field": "tensors[0].shape"}),
    "extent": ({"stored_rows": [ROW | {"shape": [True]}]}, "bad-type", {"field": "tensors[0].shape[0]"}),
    "extent below": ({"stored_rows": [ROW | {"shape": [1, -1]}]}, "out-of-range", {"value": -1}),
    "offset": ({"stored_rows": [ROW | {"offset": 0.0}]}, "bad-type", {"field": "tensors[0].offset"}),
    "offset above": ({"stored_rows": [ROW | {"offset": 2**64}]}, "out-of-range", {"value": 2**64}),
    "len": ({"stored_rows": [ROW | {"len": "1"}]}, "bad-type", {"field": "tensors[0].len"}),
    "len below": ({"stored_rows": [ROW | {"len": -1}]}, "out-of-range", {"value": -1}),
    "name twice": ({"stored_rows": [ROW, ROW | {"name": "b"}, ROW]}, "duplicate-id", {"id": "a"}),
}


@pytest.mark.parametrize(("changes", "kind", "facts"), HEADER_FAULTS.values(), ids=HEADER_FAULTS)
def test_a_fault_of_the_header_is_refused(changes, kind, facts, written, refusal):
    """A missing or ill-typed key is named whichever row has it, also where another row is asked for."""
    tensors = (Tensor("a", "U8", (1,)),)
    legal = written(tiny().with_segment(Segment(KEY, tensors)))
    assert container_tensor(path=legal, representation=KEY, tensor="a")["data"] == b"\0"
    path = written(tiny().with_segment(Segment(KEY, tensors, **changes)))
    found, names = refusal(container_tensor, path=path, representation=KEY, tensor="a")
    assert found == kind
    assert names.items() >= facts.items()


def test_another_representation_is_not_served(written, refusal):
    """A segment that says it is another representation than the directory has it under is refused."""
    model = tiny().with_segment(Segment("target.embedding@F16", (Tensor("weight"),)), KEY)
    kind, names = refusal(container_tensor, path=written(model), representation=KEY, tensor="weight")
    assert kind == "id-mismatch"
    assert (names["expected"], names["found"]) == (KEY, "target.embedding@F16")


@pytest.mark.parametrize(
    ("change", "kind", "facts"),
    [
        ({"offset": 1}, "length-mismatch", {"subject": KEY}),
        ({"offset": 2**64 - 1}, "length-mismatch", {"subject": KEY}),
        ({"len": 2**64 - 1, "shape": [2**64 - 1]}, "length-mismatch", {"subject": KEY}),
        ({"len": 7}, "shape-mismatch", {"tensor": "a", "expected": 8, "found": 7}),
        ({"shape": [2, 2]}, "shape-mismatch", {"tensor": "a", "expected": 4, "found": 8}),
        ({"shape": []}, "shape-mismatch", {"tensor": "a", "expected": 1, "found": 8}),
        ({"dtype": "F64"}, "shape-mismatch", {"tensor": "a", "expected": 64, "found": 8}),
        ({"dtype": "BOOL", "shape": [8, 0]}, "shape-mismatch", {"expected": 0, "found": 8}),
        ({"shape": [2**32, 2**32, 8]}, "shape-mismatch", {"tensor": "a", "found": 8}),
    ],
)
def test_a_row_that_cannot_be_served_is_refused(change, kind, facts, written, refusal):
    """A row beyond the payload, or of another length than its shape, is refused when it is asked for."""
    tensors = (Tensor("a", "U8", (8,)),)
    row = {"name": "a", "dtype": "U8", "shape": [8], "offset": 0, "len": 8}
    legal = written(tiny().with_segment(Segment(KEY, tensors, stored_rows=[row])))
    assert container_tensor(path=legal, representation=KEY, tensor="a")["data"] == bytes(range(8))
    wrong = Segment(KEY, tensors, stored_rows=[row | change, row | {"name": "b"}])
    path = written(tiny().with_segment(wrong))
    found, names = refusal(container_tensor, path=path, representation=KEY, tensor="a")
    assert found == kind
    assert names.items() >= facts.items()
    assert container_tensor(path=path, representation=KEY, tensor="b")["data"] == bytes(range(8))


def test_an_endless_shape_is_multiplied_no_further_than_it_can_matter(written, refusal):
    """A shape of a hundred thousand large extents is judged at once, and a zero in it makes it nothing."""
    row = {"name": "a", "dtype": "F64", "shape": [2**64 - 1] * 100_000, "offset": 0, "len": 8}
    nothing = row | {"name": "b", "shape": [*row["shape"], 0], "len": 0}
    path = written(tiny().with_segment(Segment(KEY, (Tensor("a", "U8", (8,)),), stored_rows=[row, nothing])))
    kind, names = refusal(container_tensor, path=path, representation=KEY, tensor="a")
    assert (kind, names["expected"]) == ("shape-mismatch", "more than 18446744073709551615")
    assert container_tensor(path=path, representation=KEY, tensor="b")["data"] == b""


def test_a_claim_takes_no_memory(written, bounded):
    """Headers that are claimed or made of holes, and tensors beyond the file, are refused in 8 MiB."""
    hole = written(framed(b""))
    Path(hole, FILE).write_bytes(LARGEST_HEADER.to_bytes(8, "little"))
    os.truncate(f"{hole}/{FILE}", 1 << 30)
    claim = written(framed(b"{}", length=LARGEST_HEADER))
    prepare = """
from vindex3_reference.container.verbs import container_tensor
from vindex3_reference.refusal import Refusal
"""
    body = """
for path in sys.argv[1:]:
    try: container_tensor(path=path, representation="target.embedding@BF16", tensor="weight")
    except Refusal as refusal: print(refusal.kind)
"""
    assert bounded(prepare, body, hole, claim, allowance=1 << 23).split() == ["malformed-json", "truncated"]


def test_a_tensor_behind_4_gib_is_read_and_nothing_else(written, monkeypatch):
    """Of a segment of more than 4 GiB the header is read, and the range of the asked row."""
    behind = bytes(range(48))
    path = written(large((1 << 32) + 5, behind))
    size = Path(path, FILE).stat().st_size
    asked = []
    read = Source.read

    def counted(source: Source, offset: int, length: int) -> bytes:
        if source.name == FILE:
            asked.append((offset, length))
        return read(source, offset, length)

    monkeypatch.setattr(Source, "read", counted)
    assert container_tensor(path=path, representation=LARGE, tensor=BEHIND)["data"] == behind
    frame, header, tensor = asked
    assert (frame, header[0], tensor) == ((0, 8), 8, (size - 48, 48))
    assert sum(header) == size - 48 - ((1 << 32) + 5)


def test_a_segment_that_shrinks_meanwhile_is_truncated(written, refusal, monkeypatch):
    """Fewer bytes than the row has, since the file was cut after it was opened, are not served."""
    path = written(tiny())
    read = Source.read
    monkeypatch.setattr(
        Source, "read", lambda *asked: read(*asked)[: -1 if asked[0].name == FILE and asked[1] > 8 else None]
    )
    kind, names = refusal(container_tensor, path=path, representation=KEY, tensor="weight")
    assert (kind, names["path"]) == ("truncated", FILE)


def test_thousands_of_rows_are_read(written):
    """A table of thousands of rows gives each of them."""
    tensors = tuple(Tensor(f"{number:05}", "U8", (1,)) for number in range(3000))
    path = written(tiny().with_segment(Segment(KEY, tensors)))
    assert container_tensor(path=path, representation=KEY, tensor="02999")["data"] == bytes([2999 % 251])
