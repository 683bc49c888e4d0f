"""The header of a segment: its keys, its schema, and the representation that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import Present, field
from vindex3_fixtures.container import Segment, Tensor, tiny
from vindex3_fixtures.json_text import Way, at, json_text, removed
from vindex3_suites.container.tensors import FILE, PAIR, STACK, check_refused, delivers, stack, tensor

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

LEGAL = stack(*PAIR, Tensor("c", "U8", (3,)))
DOCUMENT: Any = LEGAL.header

KEYS: dict[str, Way] = {
    **{key: (key,) for key in ("schema", "representation", "tensors")},
    **{
        f"{key}_of_{name}": ("tensors", row, key)
        for row, name in enumerate(("the_first_row", "the_second_row", "the_last_row"))
        for key in ("name", "dtype", "shape", "offset", "len")
    },
}


@clause("SEGMENT-HEAD-01")
@cases(KEYS)
def test_a_required_key_is_missed(ask: Ask, case: Way) -> None:
    """Without a key of the header or of any row no tensor is served, and no default takes its place."""
    wrong = stack(*LEGAL.tensors, stored_header=removed(DOCUMENT, case))
    asked = "a" if case[:2] != ("tensors", 0) else "b"
    expected = refuses("missing-field", path=FILE, field=field(str(case[-1])))
    check_refused(ask, "SEGMENT-HEAD-01", LEGAL, wrong, asked, expected)


@clause("SEGMENT-HEAD-01")
@cases(offset=(0, "offset"), len=(2, "len"), shape=(1, "shape"), dtype=(0, "dtype"))
def test_a_key_of_the_row_that_is_asked_for_is_missed(ask: Ask, case: tuple[int, str]) -> None:
    """Where a tensor's own row lacks a key, it is refused, and not read from the payload's start."""
    row, key = case
    wrong = stack(*LEGAL.tensors, stored_header=removed(DOCUMENT, ("tensors", row, key)))
    expected = refuses("missing-field", path=FILE, field=field(key))
    check_refused(ask, "SEGMENT-HEAD-01", LEGAL, wrong, LEGAL.tensors[row].name, expected)


@clause("SEGMENT-HEAD-01")
@cases(
    schema=("schema", "Schema"),
    representation=("representation", "representation "),
    tensors=("tensors", "tensor"),
    offset=("offset", "Offset"),
    len=("len", "length"),
    name=("name", "NAME"),
)
def test_a_key_that_is_spelt_otherwise_is_missed(ask: Ask, case: tuple[str, str]) -> None:
    """A key in another case or of another word does not stand for the one that is required."""
    key, spelt = case
    text = json_text(DOCUMENT).replace(f'"{key}":'.encode(), f'"{spelt}":'.encode())
    wrong = stack(*LEGAL.tensors, stored_text=text)
    check_refused(
        ask, "SEGMENT-HEAD-01", LEGAL, wrong, "a", refuses("missing-field", path=FILE, field=field(key))
    )


@clause("SEGMENT-HEAD-02")
@cases(zero=0, two=2, ten=10, graph_schema=6, largest=4294967295)
def test_another_schema_is_unknown(ask: Ask, case: int) -> None:
    """A header of another schema than 1 is refused, naming the number and what is supported."""
    wrong = stack(*PAIR, schema=case)
    expected = refuses("unknown-version", found=case, supported=Present())
    check_refused(ask, "SEGMENT-HEAD-02", stack(*PAIR), wrong, "a", expected)


NAMES = {
    "another_object": "target.embedding@BF16",
    "another_encoding": "target.decoder_stack@F32",
    "other_case": "target.decoder_stack@bf16",
    "object_alone": "target.decoder_stack",
    "segments_key": "segments/target.decoder_stack",
    "trailing_space": f"{STACK} ",
    "trailing_nul": f"{STACK}\0",
    "nothing": "",
}


@clause("SEGMENT-HEAD-03")
@cases(NAMES)
def test_a_header_of_another_representation_serves_nothing(ask: Ask, case: str) -> None:
    """A header that names another representation than the directory's key is refused, naming both."""
    expected = refuses("id-mismatch", expected=STACK, found=case)
    check_refused(ask, "SEGMENT-HEAD-03", stack(*PAIR), Segment(case, PAIR), "a", expected)


@clause("SEGMENT-HEAD-03")
def test_two_files_that_were_exchanged_serve_nothing(ask: Ask) -> None:
    """Where two entries of equal tables name each other's file, neither gives the other's bytes."""
    one, other = "target.embedding@BF16", "target.output_head@BF16"
    segments = tiny().segments
    swapped = tiny().with_segment(segments[other], one).with_segment(segments[one], other)
    for key, found in ((one, other), (other, one)):
        check("SEGMENT-HEAD-03", tensor(ask, tiny(), "weight", key), delivers(segments[key], "weight"))
        wrong = tensor(ask, swapped, "weight", key)
        check("SEGMENT-HEAD-03", wrong, refuses("id-mismatch", expected=key, found=found))


@clause("SEGMENT-HEAD-03")
@cases(
    escaped='"\\u0074arget.decoder_stack\\u0040BF16"',
    escaped_throughout='"' + "".join(f"\\u{ord(one):04x}" for one in STACK) + '"',
)
def test_an_escaped_name_is_the_same_name(ask: Ask, case: str) -> None:
    """Names are compared after escapes are resolved."""
    spelt = stack(*PAIR, stored_text=stack(*PAIR).header_text.replace(f'"{STACK}"'.encode(), case.encode()))
    legal = tensor(ask, tiny().with_segment(spelt), "a")
    check("SEGMENT-HEAD-03", legal, delivers(spelt, "a"))
    other = Segment("target.embedding@BF16", PAIR)
    wrong = tensor(ask, tiny().with_segment(other, STACK), "a")
    expected = refuses("id-mismatch", expected=STACK, found=at(other.header, ("representation",)))
    check("SEGMENT-HEAD-03", wrong, expected)
