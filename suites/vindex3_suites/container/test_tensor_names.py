"""Names that lead nowhere: tensors that a table lacks, representations that the directory lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.container import Segment, Tensor, tiny
from vindex3_suites.container.tensors import STACK, check_refused, delivers, holding, stack, tensor, with_pack
from vindex3_suites.container.test_verify_structure import SIGNS, with_signs

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

THERE = "1.mlp.up_proj.weight"


@clause("SEGMENT-TENSOR-02")
@cases(
    another="1.mlp.side_proj.weight",
    empty="",
    other_case="1.MLP.up_proj.weight",
    prefix="1.mlp.up_proj",
    longer="1.mlp.up_proj.weight.0",
    suffix="mlp.up_proj.weight",
    trailing_dot="1.mlp.up_proj.weight.",
    leading_dot=".1.mlp.up_proj.weight",
    trailing_space="1.mlp.up_proj.weight ",
    trailing_nul="1.mlp.up_proj.weight\0",
    source_name="model.layers.1.mlp.up_proj.weight",
    with_its_object="target.decoder_stack.1.mlp.up_proj.weight",
    layer_beyond="2.mlp.up_proj.weight",
    padded_layer="01.mlp.up_proj.weight",
    other_separator="1/mlp/up_proj/weight",
    position="3",
    pattern="1.*",
    tensor_of_another_object="weight",
    word_of_the_header="tensors",
)
def test_a_tensor_that_is_not_there_is_missing(ask: Ask, case: str) -> None:
    """A name that no row has, however near, is missing-tensor: nothing else answers."""
    path = ask.file("model", tiny().folder)
    legal = ask("container.tensor", path=path, representation=STACK, tensor=THERE)
    check("SEGMENT-TENSOR-02", legal, delivers(tiny().segments[STACK], THERE))
    wrong = ask("container.tensor", path=path, representation=STACK, tensor=case)
    check("SEGMENT-TENSOR-02", wrong, refuses("missing-tensor", representation=STACK, tensor=case))


@clause("SEGMENT-TENSOR-02")
@cases(
    composed=("\u00e9", "e\u0301"), decomposed=("e\u0301", "\u00e9"), folded=("ß", "ss"), wide=("1", "\uff11")
)
def test_names_are_not_made_alike(ask: Ask, case: tuple[str, str]) -> None:
    """A name that only some folding or composition would make equal is missing."""
    there, asked = case
    model = holding(stack(Tensor(there, "U8", (3,))))
    legal = tensor(ask, model, there)
    check("SEGMENT-TENSOR-02", legal, delivers(model.segments[STACK], there))
    wrong = tensor(ask, model, asked)
    check("SEGMENT-TENSOR-02", wrong, refuses("missing-tensor", representation=STACK, tensor=asked))


@clause("SEGMENT-TENSOR-02")
def test_an_empty_table_lacks_every_tensor(ask: Ask) -> None:
    """A segment of no tensors has none to give, also where its object is asked for."""
    refused = refuses("missing-tensor", representation=STACK, tensor="weight")
    check_refused(ask, "SEGMENT-TENSOR-02", stack(Tensor("weight")), stack(), "weight", refused)
    path = ask.file("model", holding(stack()).folder)
    reply = ask("container.tensor", path=path, object="target.decoder_stack", tensor="weight")
    check("SEGMENT-TENSOR-02", reply, refused)


@clause("SEGMENT-TENSOR-03")
@cases(
    another="target.expert_bank@BF16",
    empty="",
    object_alone="target.decoder_stack",
    encoding_alone="BF16",
    other_encoding="target.decoder_stack@F32",
    other_case="Target.decoder_stack@BF16",
    other_case_of_the_encoding="target.decoder_stack@bf16",
    no_encoding="target.decoder_stack@",
    trailing_space="target.decoder_stack@BF16 ",
    trailing_nul="target.decoder_stack@BF16\0",
    two_encodings="target.decoder_stack@BF16@BF16",
    file="segments/target.decoder_stack.bin",
    segments_key="segments/target.decoder_stack",
    shorter="target.decoder_stack@BF1",
    object_of_another="target.embedding@F32",
)
def test_a_representation_that_is_not_there_is_unknown(ask: Ask, case: str) -> None:
    """An id that the directory lacks, however near, is refused, naming it and those that are there."""
    path = ask.file("model", tiny().folder)
    legal = ask("container.tensor", path=path, representation=STACK, tensor=THERE)
    check("SEGMENT-TENSOR-03", legal, delivers(tiny().segments[STACK], THERE))
    present = sorted(tiny().index["representations"])
    wrong = ask("container.tensor", path=path, representation=case, tensor="weight")
    check("SEGMENT-TENSOR-03", wrong, refuses("unknown-representation", representation=case, present=present))


@clause("SEGMENT-TENSOR-03")
@cases(
    case_of_letters=("Z", "a", "_"),
    digits=("10", "2", "1"),
    prefixes=("BF16+F32", "BF16.", "BF1"),
    beyond_the_basic_plane=("\U0001f600", "\ufb00", "é"),
)
def test_those_present_are_sorted_by_bytes(ask: Ask, case: tuple[str, ...]) -> None:
    """Ids are listed by the bytes of their UTF-8, in whatever order the directory has them."""
    model = tiny()
    for position, encoding in enumerate(case):
        packed = Segment(f"target.embedding@{encoding}", (Tensor("weight", "U8", (position + 1,)),))
        model = with_pack(model, packed)
    entries = model.index["representations"]
    model = model.with_index(("representations",), {key: entries[key] for key in reversed(entries)})
    present = sorted(entries, key=str.encode)
    legal = tensor(ask, model, "weight", "target.embedding@BF16")
    check("SEGMENT-TENSOR-03", legal, delivers(model.segments["target.embedding@BF16"], "weight"))
    wrong = tensor(ask, model, "weight", "ghost@BF16")
    expected = refuses("unknown-representation", representation="ghost@BF16", present=present)
    check("SEGMENT-TENSOR-03", wrong, expected)


@clause("SEGMENT-TENSOR-03")
@cases(SIGNS)
def test_an_id_is_compared_and_never_split(ask: Ask, case: tuple[str, str]) -> None:
    """An id with an `@` in its object or its encoding is there as a whole, and one more `@` is another id."""
    component, encoding = case
    key = f"{component}.embedding@{encoding}"
    model = with_signs(component, encoding)
    check("SEGMENT-TENSOR-03", tensor(ask, model, "weight", key), delivers(model.segments[key], "weight"))
    first = f"{component}.embedding@BF16"
    check("SEGMENT-TENSOR-03", tensor(ask, model, "weight", first), delivers(model.segments[first], "weight"))
    for near in (f"{key}@", f"{key}@{encoding}"):
        expected = refuses(
            "unknown-representation", representation=near, present=sorted(model.segments, key=str.encode)
        )
        check("SEGMENT-TENSOR-03", tensor(ask, model, "weight", near), expected)


@clause("SEGMENT-TENSOR-03")
def test_a_file_that_no_entry_names_is_no_representation(ask: Ask) -> None:
    """A segment that lies in the folder without an entry is not found by its name or its header."""
    segment = Segment("target.embedding@F32", (Tensor("weight", "F32", (2,)),))
    model = tiny().with_file("segments/target.embedding@F32.bin", segment)
    legal = tensor(ask, model, THERE)
    check("SEGMENT-TENSOR-03", legal, delivers(tiny().segments[STACK], THERE))
    present = sorted(tiny().index["representations"])
    wrong = tensor(ask, model, "weight", segment.representation)
    expected = refuses("unknown-representation", representation=segment.representation, present=present)
    check("SEGMENT-TENSOR-03", wrong, expected)
