"""What index, graph and segments say of one another: files, lengths, counts, ids, objects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.container import Segment, Tensor, entry, tiny
from vindex3_fixtures.container.index import key_of
from vindex3_fixtures.json_text import at
from vindex3_suites.container.tensors import PAIR, STACK, holding, stack, with_pack
from vindex3_suites.container.test_verify_digests import EMBEDDING, HEAD, NORM
from vindex3_suites.container.verifying import (
    SPOILT,
    check_found,
    defect,
    finds,
    intact,
    unsound,
    verify,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

TINY = tiny()
IDS = {name.partition("@")[0]: name for name in TINY.segments}


@clause("VERIFY-FILE-01")
@cases(IDS)
def test_a_missing_file_is_found(ask: Ask, case: str) -> None:
    """A segment that is not there fails both digests and is named, or the run is refused for it."""
    file = TINY.file_of(case)
    check("VERIFY-FILE-01", verify(ask, TINY, "legal"), intact(TINY))
    wrong = TINY.without_file(file)
    found = unsound(wrong, defect("missing-file", path=file), flags={case: SPOILT})
    check("VERIFY-FILE-01", verify(ask, wrong, "wrong"), either(found, refuses("missing-file", path=file)))


@clause("VERIFY-FILE-01")
@cases(
    no_extension=lambda name: name.removesuffix(".bin"),
    at_the_root=lambda name: name.rpartition("/")[2],
    beside_it=lambda name: f"{name}.bak",
)
def test_no_other_file_is_taken_for_it(ask: Ask, case: Any) -> None:
    """The right bytes under another name are not found by a search."""
    file = TINY.file_of(NORM)
    check("VERIFY-FILE-01", verify(ask, TINY, "legal"), intact(TINY))
    wrong = TINY.without_file(file).with_file(case(file), TINY.segments[NORM])
    found = unsound(wrong, defect("missing-file", path=file), flags={NORM: SPOILT})
    check("VERIFY-FILE-01", verify(ask, wrong, "wrong"), either(found, refuses("missing-file", path=file)))


def _ending(behind: bytes) -> tuple[Model, int]:
    """The container with these bytes behind a segment, and the length of that file."""
    content = TINY.segments[NORM].bytes() + behind
    return TINY.with_file(TINY.file_of(NORM), content), len(content)


def _cut(length: int) -> tuple[Model, int]:
    """The container with so many bytes cut from the end of a segment, and the length of that file."""
    content = TINY.segments[NORM].bytes()[:-length]
    return TINY.with_file(TINY.file_of(NORM), content), len(content)


def _length(expected: int, found: int) -> Any:
    return defect("length-mismatch", subject=NORM, expected=expected, found=found)


LENGTH = len(TINY.segments[NORM].bytes())
START = TINY.segments[NORM].payload_start


@clause("VERIFY-LENGTH-01")
@cases(
    one_byte_more=_ending(b"\0"),
    sixteen_more=_ending(bytes(16)),
    another_segment_more=_ending(TINY.segments[HEAD].bytes()),
    one_byte_less=_cut(1),
    half_the_payload=_cut(8),
    no_payload=_cut(16),
)
def test_a_file_of_another_length_is_found(ask: Ask, case: tuple[Model, int]) -> None:
    """Bytes behind a payload or missing from it fail both digests, and the length is named."""
    wrong, found = case
    check_found(ask, "VERIFY-LENGTH-01", TINY, wrong, _length(LENGTH, found), flags={NORM: SPOILT})


def _recorded(payload: bytes) -> Model:
    """The container whose norm has this payload under its own table, with both digests recorded over it."""
    odd = replace(TINY.segments[NORM], stored_payload=payload)
    return TINY.with_segment(odd).with_entry(NORM, "payload_bytes", 16)


@clause("VERIFY-LENGTH-01")
@cases(one_byte_more=17, twice=32, one_byte_less=15, nothing=0)
def test_right_digests_of_an_odd_file_hide_nothing(ask: Ask, case: int) -> None:
    """Where both digests were recorded over the odd file, its length is found all the same."""
    wrong = _recorded(bytes(case))
    check_found(ask, "VERIFY-LENGTH-01", TINY, wrong, _length(LENGTH, START + case))


@clause("VERIFY-LENGTH-01")
@cases(
    one_less=15,
    one_more=17,
    zero=0,
    beyond_32_bits=(1 << 32) + 16,
    beyond_binary64=(1 << 53) + 1,
    top_bit=(1 << 63) + 16,
)
def test_a_wrong_record_of_a_length_is_found(ask: Ask, case: int) -> None:
    """A payload_bytes that is not the payload's length is found though both digests hold."""
    wrong = TINY.with_entry(NORM, "payload_bytes", case)
    check_found(ask, "VERIFY-LENGTH-01", TINY, wrong, _length(START + case, LENGTH))


@clause("VERIFY-COUNT-01")
@cases(
    one_less=17,
    one_more=19,
    zero=0,
    beyond_16_bits=65536 + 18,
    beyond_32_bits=(1 << 32) + 18,
    largest=(1 << 64) - 1,
)
def test_a_wrong_count_is_found(ask: Ask, case: int) -> None:
    """A tensor_count that is not the number of rows is found though both digests hold."""
    found = defect("count-mismatch", subject=STACK, expected=case, found=18)
    check_found(ask, "VERIFY-COUNT-01", TINY, TINY.with_entry(STACK, "tensor_count", case), found)


@clause("VERIFY-COUNT-01")
@cases(
    none=(stack(), 1),
    one=(stack(PAIR[0]), 0),
    empty_tensors=(stack(Tensor("a", "U8", (0,)), Tensor("b", "U8", (0,))), 0),
)
def test_rows_are_counted_and_not_bytes(ask: Ask, case: tuple[Segment, int]) -> None:
    """Tables of no row and rows of no byte are counted like any other."""
    segment, count = case
    found = defect("count-mismatch", subject=STACK, expected=count, found=len(segment.rows))
    legal = holding(segment)
    check_found(ask, "VERIFY-COUNT-01", legal, legal.with_entry(STACK, "tensor_count", count), found)


@clause("VERIFY-ID-01")
@cases(
    another_object=EMBEDDING,
    another_encoding="target.decoder_stack@F32",
    other_case="target.decoder_stack@bf16",
    object_alone="target.decoder_stack",
    trailing_space=f"{STACK} ",
    nothing="",
)
def test_a_header_of_another_representation_is_found(ask: Ask, case: str) -> None:
    """A header that names another id is found though both digests were recorded over it."""
    wrong = TINY.with_segment(Segment(case, TINY.segments[STACK].tensors), STACK)
    check_found(ask, "VERIFY-ID-01", TINY, wrong, defect("id-mismatch", expected=STACK, found=case))


@clause("VERIFY-ID-01")
def test_two_exchanged_files_are_found(ask: Ask) -> None:
    """Two segments in each other's file, recorded there, are both found by their headers."""
    segments = TINY.segments
    wrong = TINY.with_segment(segments[HEAD], EMBEDDING).with_segment(segments[EMBEDDING], HEAD)
    found = (
        defect("id-mismatch", expected=EMBEDDING, found=HEAD),
        defect("id-mismatch", expected=HEAD, found=EMBEDDING),
    )
    check_found(ask, "VERIFY-ID-01", TINY, wrong, *found)


def _renamed(key: str) -> Model:
    """The container whose norm stands in the directory, and in its header, under another key."""
    segment = Segment(key, TINY.segments[NORM].tensors)
    entries = {name: one for name, one in TINY.index["representations"].items() if name != NORM}
    file = TINY.file_of(NORM)
    told = entry(segment, file, object="target.final_norm", encoding="F32")
    return TINY.with_index(("representations",), {**entries, key: told}).with_file(file, segment)


@clause("VERIFY-ID-02")
@cases(
    other_encoding="target.final_norm@BF16",
    other_object="target.last_norm@F32",
    other_case="target.final_norm@f32",
    other_separator="target.final_norm/F32",
    no_separator="target.final_normF32",
    two_separators="target.final_norm@@F32",
    object_alone="target.final_norm",
    exchanged="F32@target.final_norm",
    trailing_space="target.final_norm@F32 ",
    anything="ghost",
)
def test_a_key_that_is_not_joined_is_found(ask: Ask, case: str) -> None:
    """A directory key that is not object, `@` and encoding is found, naming the joined id and the key."""
    check("VERIFY-ID-02", verify(ask, TINY, "legal"), intact(TINY))
    wrong = _renamed(case)
    found = finds(wrong, defect("id-mismatch", expected=NORM, found=case))
    check("VERIFY-ID-02", verify(ask, wrong, "wrong"), found)


def with_signs(component: str, encoding: str) -> Model:
    """The tiny container with another component id, and its embedding in one more encoding."""
    model = TINY
    for place, one in enumerate(TINY.graph["objects"]):
        model = model.with_graph(("objects", place, "id"), f"{component}.{one['kind']}")
        model = model.with_graph(("objects", place, "component"), component)
    model = model.with_graph(("components", 0, "id"), component)
    for key, segment in TINY.segments.items():
        model = _moved(model, key, f"{component}.{key.removeprefix('target.')}", segment)
    packed = Segment(f"{component}.embedding@{encoding}", (Tensor("weight", "U8", (5,)),))
    return _listed(model, packed, f"{component}.embedding", encoding)


def _moved(model: Model, old: str, new: str, segment: Segment) -> Model:
    """The container with a representation under another id, in the file where it was."""
    object_id, encoding = new.rpartition("@")[::2]
    renamed = replace(segment, representation=new)
    told = entry(renamed, model.file_of(old), object=object_id, encoding=encoding)
    entries = {name: one for name, one in model.index["representations"].items() if name != old}
    segments = {name: one for name, one in model.segments.items() if name != old}
    placed = model.with_index(("representations",), {**entries, new: told})
    return replace(placed.with_file(model.file_of(old), renamed), segments={**segments, new: renamed})


def _listed(model: Model, segment: Segment, object_id: str, encoding: str) -> Model:
    """The container with one more encoding of an object, listed in the graph."""
    file = "segments/one_more.bin"
    added = model.with_added(segment, file, object=object_id, encoding=encoding)
    place = next(at for at, one in enumerate(added.graph["objects"]) if one["id"] == object_id)
    way = ("objects", place, "representations")
    return added.with_graph(way, [*at(added.graph, way), {"encoding": encoding, "fidelity": "approximate"}])


SIGNS = {
    "sign_in_the_encoding": ("target", "BF16@2"),
    "sign_in_the_component": ("t@rget", "Q4_K"),
    "signs_in_both": ("a@b", "c@d"),
    "encoding_of_a_sign": ("target", "@"),
    "component_of_a_sign": ("@", "Q4_K"),
    "component_like_a_whole_id": ("target.embedding@BF16", "Q4_K"),
    "encoding_like_a_whole_id": ("target", "target.embedding@BF16"),
}


@clause("VERIFY-ID-02")
@cases(SIGNS)
def test_ids_are_joined_and_never_split(ask: Ask, case: tuple[str, str]) -> None:
    """Objects and encodings that have an `@` themselves verify; split at the wrong one they would not."""
    component, encoding = case
    legal = with_signs(component, encoding)
    key = f"{component}.embedding@{encoding}"
    check("VERIFY-ID-02", verify(ask, legal, "legal"), intact(legal))
    wrong = legal.with_entry(key, "encoding", f"{encoding}x")
    found = finds(wrong, defect("id-mismatch", expected=f"{key}x", found=key))
    check("VERIFY-ID-02", verify(ask, wrong, "wrong"), found)


def _without_entry(representation: str) -> Model:
    """The container without a representation, its segments key and its file."""
    file = TINY.file_of(representation)
    model = TINY.without_index(("representations", representation))
    return model.without_index(("segments", key_of(file))).without_file(file)


@clause("VERIFY-DIR-01")
@cases(IDS)
def test_an_object_without_an_entry_is_found(ask: Ask, case: str) -> None:
    """An object of the graph that the directory lacks is named, whichever it is."""
    object_id = case.partition("@")[0]
    wrong = _without_entry(case)
    check_found(ask, "VERIFY-DIR-01", TINY, wrong, defect("missing-representation", object=object_id))


@clause("VERIFY-DIR-01")
def test_several_objects_without_an_entry_are_found(ask: Ask) -> None:
    """Each of the objects that the directory lacks is named, up to a directory of none."""
    objects = [one["id"] for one in TINY.graph["objects"]]
    found = [defect("missing-representation", object=one) for one in objects]
    for empty in (TINY.with_index(("representations",), {}), TINY.without_index(("representations",))):
        wrong = empty.with_index(("segments",), {})
        check_found(ask, "VERIFY-DIR-01", TINY, wrong, *found)


@clause("VERIFY-DIR-01")
def test_one_of_several_encodings_is_enough(ask: Ask) -> None:
    """An object with an entry of any encoding is no object without one."""
    packed = Segment("target.final_norm@BF16", (Tensor("weight", "BF16", (4,)),))
    legal = with_pack(TINY, packed)
    check("VERIFY-DIR-01", verify(ask, legal, "legal"), intact(legal))
    file = legal.file_of(packed.representation)
    alone = legal.without_index(("representations", packed.representation)).without_file(file)
    wrong = alone.without_index(("representations", NORM))
    found = finds(wrong, defect("missing-representation", object="target.final_norm"))
    check("VERIFY-DIR-01", verify(ask, wrong, "wrong"), found)


@clause("VERIFY-DIR-02")
@cases(
    another_component="ghost.embedding",
    another_kind="target.expert_bank",
    other_case="Target.embedding",
    component_alone="target",
    kind_alone="embedding",
    trailing_space="target.embedding ",
)
def test_an_entry_without_an_object_is_found(ask: Ask, case: str) -> None:
    """An entry whose object the graph lacks is named with it."""
    segment = Segment(f"{case}@BF16", (Tensor("weight", "BF16", (3,)),))
    wrong = TINY.with_added(segment, "segments/one_more.bin")
    found = defect("dangling-reference", referrer=f"{case}@BF16", missing=case)
    check_found(ask, "VERIFY-DIR-02", TINY, wrong, found)


@clause("VERIFY-DIR-02")
def test_an_object_that_left_the_graph_is_found(ask: Ask) -> None:
    """An entry that stayed behind when its object was taken out of the graph is named."""
    place = next(k for k, one in enumerate(TINY.graph["objects"]) if one["id"] == "target.final_norm")
    wrong = TINY.without_graph(("objects", place))
    found = defect("dangling-reference", referrer=NORM, missing="target.final_norm")
    check_found(ask, "VERIFY-DIR-02", TINY, wrong, found)
