"""Objects by encoding: the bytes that are stored come out, and an encoding that is not there is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container import Segment, Tensor, pattern, tiny
from vindex3_fixtures.graph import representation
from vindex3_suites.container.tensors import delivers
from vindex3_suites.representation.selecting import absent

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

TOKENS, HEAD = "target.embedding", "target.output_head"
PLACE = next(at for at, one in enumerate(tiny().graph["objects"]) if one["id"] == TOKENS)
FIRST = tiny().segments[f"{TOKENS}@BF16"]


def pack(encoding: str, dtype: str | None = None, length: int = 26, start: int = 7) -> Segment:
    """The embedding in another encoding; its bytes are no encoding of anything."""
    data = pattern(length, start)
    return Segment(f"{TOKENS}@{encoding}", (Tensor("weight", dtype or encoding, (6, 4), data),))


def packed(*segments: Segment) -> Model:
    """The tiny container with these encodings of the embedding, in files apart on any file system."""
    model = tiny()
    for place, segment in enumerate(segments):
        model = model.with_added(segment, f"segments/pack_{place}.bin")
    listed = [
        representation("BF16"),
        *(representation(one.encoding, "approximate") for one in segments),
    ]
    return model.with_graph(("objects", PLACE, "representations"), listed)


def tensor(ask: Ask, path: str, encoding: str | None = None, thing: str = TOKENS) -> Reply:
    """Ask for the tensor `weight` of an object."""
    given: dict[str, Any] = {} if encoding is None else {"encoding": encoding}
    return ask("container.tensor", path=path, object=thing, tensor="weight", **given)


ENCODINGS = (
    "Q8_0", "Q6_K", "Q4_K", "NVFP4", "MXFP4", "F32", "F16", "FP8", "BF16+F32", "bf16", "Q8_0 ", "重み",
)  # fmt: skip


@clause("SELECT-OBJECT-01")
@cases({f"encoding_{at}": name for at, name in enumerate(ENCODINGS)})
def test_an_encoding_is_answered_as_it_is_stored(ask: Ask, case: str) -> None:
    """Known and unknown encodings alike come out under their own label with the stored bytes."""
    segment = pack(case, "U8" if case in ("F32", "F16") else case, 24)
    path = ask.file("model", packed(segment).folder)
    check("SELECT-OBJECT-01", tensor(ask, path, case), delivers(segment, "weight"))
    check("SELECT-OBJECT-01", tensor(ask, path, "BF16"), delivers(FIRST, "weight"))


@clause("SELECT-OBJECT-01")
def test_each_of_several_encodings_answers_for_itself(ask: Ask) -> None:
    """Of encodings that differ by case alone, and of some that hold other dtypes, each gives its own."""
    segments = [
        pack("Q8_0", start=1),
        pack("q8_0", "Q8_0", start=2),
        pack("NVFP4", "BF16", 48, 3),
        pack("Q6_K", "I8", 24, 4),
    ]
    path = ask.file("model", packed(*segments).folder)
    for segment in [*segments, FIRST]:
        check("SELECT-OBJECT-01", tensor(ask, path, segment.encoding), delivers(segment, "weight"))


ABSENT = {
    "nowhere": "Q6_K",
    "of_another_object": "F32",
    "small_letters": "bf16",
    "space_behind": "BF16 ",
    "beginning": "BF",
    "ending": "F16",
    "one_more": "BF16_",
    "empty": "",
    "joined": "BF16+Q8_0",
    "representation": f"{TOKENS}@BF16",
    "word": "canonical",
}
PACKED = packed(pack("Q8_0"))


@clause("SELECT-OBJECT-02")
@cases(ABSENT)
def test_an_encoding_that_is_not_there_is_refused(ask: Ask, case: str) -> None:
    """The object is named with the encoding and those that are there; no other one answers."""
    path = ask.file("model", PACKED.folder)
    check("SELECT-OBJECT-02", tensor(ask, path, "Q8_0"), delivers(pack("Q8_0"), "weight"))
    check("SELECT-OBJECT-02", tensor(ask, path, case), absent(TOKENS, case, "BF16", "Q8_0"))
    legal = tensor(ask, path, "BF16", HEAD)
    check("SELECT-OBJECT-02", legal, delivers(tiny().segments[f"{HEAD}@BF16"], "weight"))
    check("SELECT-OBJECT-02", tensor(ask, path, "Q8_0", HEAD), absent(HEAD, "Q8_0", "BF16"))


def _damaged(content: bytes) -> Model:
    model = PACKED
    for encoding in ("BF16", "Q8_0"):
        model = model.with_file(model.file_of(f"{TOKENS}@{encoding}"), content)
    return model


@clause("SELECT-OBJECT-02")
@cases(empty=b"", text=b"no segment at all", huge_header=b"\xff" * 64, zeros=bytes(4096))
def test_no_segment_is_needed_to_refuse(ask: Ask, case: bytes) -> None:
    """Where no segment of the object can be read, the refusal is the same."""
    legal = tensor(ask, ask.file("legal", PACKED.folder))
    check("SELECT-OBJECT-02", legal, delivers(FIRST, "weight"))
    path = ask.file("wrong", _damaged(case).folder)
    check("SELECT-OBJECT-02", tensor(ask, path, "Q6_K"), absent(TOKENS, "Q6_K", "BF16", "Q8_0"))


@clause("SELECT-OBJECT-02")
def test_present_encodings_are_sorted(ask: Ask) -> None:
    """They are told by their bytes, in whatever order graph and index have them."""
    names = ("b", "Q8_0", "10", "9", "a", "B", "é")
    for order in (names, names[::-1]):
        path = ask.file("model", packed(*map(pack, order)).folder)
        check("SELECT-OBJECT-02", tensor(ask, path, "9"), delivers(pack("9"), "weight"))
        expected = absent(TOKENS, "x", "10", "9", "B", "BF16", "Q8_0", "a", "b", "é")
        check("SELECT-OBJECT-02", tensor(ask, path, "x"), expected)


LISTED = [representation("BF16"), representation("Q8_0", "approximate")]
HALF: dict[str, Model] = {
    "listed_and_not_stored": tiny().with_graph(("objects", PLACE, "representations"), LISTED),
    "stored_and_not_listed": PACKED.with_graph(("objects", PLACE, "representations"), LISTED[:1]),
}


@clause("SELECT-OBJECT-02")
@cases(HALF)
def test_an_encoding_stands_in_graph_and_index(ask: Ask, case: Model) -> None:
    """One that only one of the two has is absent, and does not count as present."""
    legal = tensor(ask, ask.file("legal", PACKED.folder), "Q8_0")
    check("SELECT-OBJECT-02", legal, delivers(pack("Q8_0"), "weight"))
    path = ask.file("wrong", case.folder)
    check("SELECT-OBJECT-02", tensor(ask, path, "BF16"), delivers(FIRST, "weight"))
    check("SELECT-OBJECT-02", tensor(ask, path, "Q8_0"), absent(TOKENS, "Q8_0", "BF16"))
    check("SELECT-OBJECT-02", tensor(ask, path, "Q6_K"), absent(TOKENS, "Q6_K", "BF16"))


@clause("SELECT-OBJECT-03")
@cases(stored_first=0, pack_first=1)
def test_the_first_representation_answers_unasked(ask: Ask, case: int) -> None:
    """Without an encoding the order of the graph decides: no label, no fidelity, no order of the index."""
    for encoding in ("Q8_0", "A", "zz"):
        segment = pack(encoding)
        stored = [representation("BF16"), representation(encoding, "approximate")]
        model = packed(segment).with_graph(
            ("objects", PLACE, "representations"), stored[::-1] if case else stored
        )
        for turned in (False, True):
            entries = model.index["representations"]
            listed = dict(reversed(entries.items())) if turned else entries
            path = ask.file("model", model.with_index(("representations",), listed).folder)
            first = segment if case else FIRST
            check("SELECT-OBJECT-03", tensor(ask, path), delivers(first, "weight"))
            check(
                "SELECT-OBJECT-03",
                tensor(ask, path, thing=HEAD),
                delivers(tiny().segments[f"{HEAD}@BF16"], "weight"),
            )


@clause("SELECT-OBJECT-03")
def test_fidelity_decides_nothing(ask: Ask) -> None:
    """The first representation answers, also where another one is called canonical."""
    for words in (("approximate", "canonical"), ("approximate", "approximate")):
        stored = [representation(name, word) for name, word in zip(("Q8_0", "BF16"), words, strict=True)]
        model = PACKED.with_graph(("objects", PLACE, "representations"), stored)
        reply = tensor(ask, ask.file("model", model.folder))
        check("SELECT-OBJECT-03", reply, delivers(pack("Q8_0"), "weight"))
