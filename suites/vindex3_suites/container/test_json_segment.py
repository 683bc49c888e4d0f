"""The header of a segment as a JSON document: the rules of the index hold for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import element, field
from vindex3_fixtures.container.segment import Tensor
from vindex3_fixtures.json_faults import cuts, faults
from vindex3_fixtures.json_text import Raw, Way, changed
from vindex3_fixtures.json_twins import twins
from vindex3_suites.container.repeating import escaped, with_twice
from vindex3_suites.container.tensors import (
    FILE,
    PAIR,
    STACK,
    check_delivered,
    check_refused,
    holding,
    stack,
    tensor,
)

if TYPE_CHECKING:
    from pytest_vindex3.contract.patterns import FieldName
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin

LEGAL = stack(*PAIR, Tensor("c", "F32", (2, 3)))
DOCUMENT: Any = LEGAL.header
TEXT = LEGAL.header_text
GRAMMAR = ("JSON-GRAMMAR-01", "JSON-GRAMMAR-03", "JSON-GRAMMAR-04", "JSON-GRAMMAR-05", "JSON-GRAMMAR-06")
MALFORMED = refuses("malformed-json", path=FILE)


@clause("JSON-SEGMENT-01")
@cases({law.lower(): faults(law) for law in (*GRAMMAR, "JSON-TEXT-01")})
def test_what_no_document_may_be_is_refused(ask: Ask, case: dict[str, JsonFault]) -> None:
    """Grammar, trailing data, control characters and UTF-8 are judged as in the index."""
    check_delivered(ask, "JSON-SEGMENT-01", LEGAL)
    for fault in case.values():
        wrong = stack(*LEGAL.tensors, stored_text=fault.edit(TEXT))
        check("JSON-SEGMENT-01", tensor(ask, holding(wrong), "a"), MALFORMED)


@clause("JSON-SEGMENT-01")
@cases(
    nul=b"\x00",
    nuls=b"\x00" * 16,
    nuls_behind_a_space=b" \x00\x00",
    a_space_behind_a_nul=b"\x00 ",
    ones=b"\xff" * 8,
    text=b"pad",
    comma=b",      ",
    another_header=TEXT,
    form_feeds=b"\x0c" * 4,
)
def test_nothing_but_blanks_is_padding(ask: Ask, case: bytes) -> None:
    """What lies between the header's end and the payload is blanks alone."""
    wrong = stack(*LEGAL.tensors, stored_padding=case)
    check_refused(ask, "JSON-SEGMENT-01", LEGAL, wrong, "b", MALFORMED)


@clause("JSON-SEGMENT-01")
@cases(none=b"", space=b" ", many=b" " * 1000, lines=b"\r\n\t \n")
def test_blanks_are_padding(ask: Ask, case: bytes) -> None:
    """Any number of blanks may follow the header, none among them."""
    check_delivered(ask, "JSON-SEGMENT-01", stack(*LEGAL.tensors, stored_padding=case))


@clause("JSON-SEGMENT-01")
def test_every_cut_is_malformed(ask: Ask) -> None:
    """Wherever the text of a header stops before its last brace, it is malformed-json."""
    for text in list(cuts(TEXT))[::9]:
        wrong = stack(*LEGAL.tensors, stored_text=text)
        check("JSON-SEGMENT-01", tensor(ask, holding(wrong), "a"), MALFORMED)
    check_delivered(ask, "JSON-SEGMENT-01", LEGAL)


@clause("JSON-SEGMENT-01")
def test_the_length_is_that_of_the_header(ask: Ask) -> None:
    """A length that cuts the last brace off, or takes bytes of the payload in, holds no JSON value."""
    for length in (len(TEXT) - 1, len(TEXT) // 2, LEGAL.header_length + 1, LEGAL.header_length + 24):
        wrong = stack(*LEGAL.tensors, stored_length=length)
        check_refused(ask, "JSON-SEGMENT-01", LEGAL, wrong, "c", MALFORMED)


@clause("JSON-SEGMENT-01")
@cases(twins("JSON-GRAMMAR-02", *GRAMMAR, "JSON-TEXT-01"))
def test_what_a_document_may_be_is_read(ask: Ask, case: JsonTwin) -> None:
    """Whitespace between tokens, escapes and every legal spelling of numbers and text change nothing."""
    check_delivered(ask, "JSON-SEGMENT-01", stack(*LEGAL.tensors, stored_text=case.edit(TEXT)))


MEMBERS: dict[str, Way] = {
    "schema": ("schema",),
    "representation": ("representation",),
    "tensors": ("tensors",),
    **{
        f"{key}_of_row_{row}": ("tensors", row, key)
        for row in (0, 2)
        for key in ("name", "dtype", "shape", "offset", "len")
    },
}


@clause("JSON-SEGMENT-02")
@cases(MEMBERS)
def test_no_known_key_stands_twice(ask: Ask, case: Way) -> None:
    """A repeated key of the header, or of the row asked for or another one, is refused in any spelling."""
    expected = refuses("duplicate-key", path=FILE, key=case[-1])
    check_delivered(ask, "JSON-SEGMENT-02", LEGAL)
    for text in (with_twice(DOCUMENT, case), with_twice(DOCUMENT, case, escaped)):
        wrong = stack(*LEGAL.tensors, stored_text=text)
        check("JSON-SEGMENT-02", tensor(ask, holding(wrong), "a"), expected)


@clause("JSON-SEGMENT-02")
def test_no_key_stands_twice(ask: Ask) -> None:
    """An unknown key that an object has twice is refused at any depth."""
    check_delivered(ask, "JSON-SEGMENT-02", LEGAL)
    for fault in faults("JSON-KEY-01").values():
        wrong = stack(*LEGAL.tensors, stored_text=fault.edit(TEXT))
        expected = refuses("duplicate-key", **{"path": FILE, **fault.names})
        check("JSON-SEGMENT-02", tensor(ask, holding(wrong), "b"), expected)


@clause("JSON-SEGMENT-03")
@cases(faults("JSON-ROOT-01"))
def test_the_root_is_an_object(ask: Ask, case: JsonFault) -> None:
    """A header whose root is anything else is bad-type, of the field that is the root."""
    wrong = stack(*LEGAL.tensors, stored_text=case.edit(TEXT))
    check_refused(ask, "JSON-SEGMENT-03", LEGAL, wrong, "a", refuses("bad-type", field=field("")))


@clause("JSON-SEGMENT-03")
@cases(null="null", object="{}", string='"a"', number="3", true="true", rows_by_name='{"a":{"offset":0}}')
def test_the_table_is_an_array(ask: Ask, case: str) -> None:
    """Any other value for tensors is bad-type, naming it."""
    wrong = stack(*LEGAL.tensors, stored_header=changed(DOCUMENT, ("tensors",), Raw(case)))
    check_refused(ask, "JSON-SEGMENT-03", LEGAL, wrong, "a", refuses("bad-type", field=field("tensors")))


SPELT = ("{}.0", "{}e0", "{}.5", "-1", "-1{}", '"{}"', "true", "false", "null", "[{}]", "{{}}")
SLOTS: dict[str, tuple[Way, FieldName]] = {
    f"{key}_of_row_{row}": (("tensors", row, key), field(key)) for key in ("offset", "len") for row in (0, 2)
} | {
    "only_dimension": (("tensors", 0, "shape", 0), element("shape", 0)),
    "first_dimension": (("tensors", 2, "shape", 0), element("shape", 0)),
    "last_dimension": (("tensors", 2, "shape", 1), element("shape", 1)),
}


@clause("JSON-SEGMENT-03")
@cases(SLOTS)
def test_places_are_integers(ask: Ask, case: tuple[Way, FieldName]) -> None:
    """An offset, length or dimension that is no integer from 0 on is bad-type or out-of-range, named."""
    way, named = case
    row: Any = DOCUMENT["tensors"][way[1]]
    value = row["shape"][way[3]] if way[2] == "shape" else row[way[2]]
    expected = refuses("bad-type", "out-of-range", field=named)
    for spelt in SPELT:
        header = changed(DOCUMENT, way, Raw(spelt.format(value)))
        path = ask.file("model", holding(stack(*LEGAL.tensors, stored_header=header)).folder)
        for asked in ("a", "c"):
            reply = ask("container.tensor", path=path, representation=STACK, tensor=asked)
            check("JSON-SEGMENT-03", reply, expected)
    check_delivered(ask, "JSON-SEGMENT-03", LEGAL)


@clause("JSON-SEGMENT-03")
@cases(object="{}", string='"8"', number="8", null="null", true="true")
def test_a_shape_is_an_array(ask: Ask, case: str) -> None:
    """A shape that is no array is bad-type, naming it."""
    for row, asked in ((0, "a"), (2, "c"), (2, "a")):
        header = changed(DOCUMENT, ("tensors", row, "shape"), Raw(case))
        wrong = stack(*LEGAL.tensors, stored_header=header)
        check_refused(ask, "JSON-SEGMENT-03", LEGAL, wrong, asked, refuses("bad-type", field=field("shape")))
