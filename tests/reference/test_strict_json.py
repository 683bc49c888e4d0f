"""The hardened JSON reader: literal documents with literal verdicts, and documents made to hurt."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vindex3_reference.refusal import Refusal
from vindex3_reference.strict_json import MAX_DEPTH, parse

LEGAL = [
    ("{}", {}),
    (' \t\r\n{ \t\r\n"a" \t\r\n: \t\r\n[ \t\r\n1 \t\r\n, 2 ] \t\r\n} \t\r\n', {"a": [1, 2]}),
    ('{"a":0,"b":-0,"c":-7,"d":10}', {"a": 0, "b": 0, "c": -7, "d": 10}),
    ('{"a":18446744073709551615,"b":9007199254740993}', {"a": 2**64 - 1, "b": 2**53 + 1}),
    ('{"a":1.5,"b":4.0,"c":4e0,"d":-1E+2,"e":1e-999}', {"a": 1.5, "b": 4.0, "c": 4.0, "d": -100.0, "e": 0.0}),
    ('{"a":true,"b":false,"c":null}', {"a": True, "b": False, "c": None}),
    (r'{"a":"\"\\\/\b\f\n\r\t\u0000\u001f\u00e9"}', {"a": '"\\/\b\f\n\r\t\0\x1f\xe9'}),
    (r'{"a":"\ud83d\ude00","b":"\uD83D\uDE00"}', {"a": "\U0001f600", "b": "\U0001f600"}),
    (r'{"a":"\\ud800","b":"\\\\ud800 \\udc00"}', {"a": "\\ud800", "b": "\\\\ud800 \\udc00"}),
    ('{"\u00e9":"\u00e9","e\u0301":" E\u0301 "}', {"\u00e9": "\u00e9", "e\u0301": " E\u0301 "}),
    ('{"__class__":1,"open":{},"NaN":"Infinity"}', {"__class__": 1, "open": {}, "NaN": "Infinity"}),
    ('{"a":{"k":1},"b":{"k":1}}', {"a": {"k": 1}, "b": {"k": 1}}),
    ('{"Model":1,"model":2}', {"Model": 1, "model": 2}),
    ('{"\x7f":"\x7f\u2028\ufeff\uffff"}', {"\x7f": "\x7f\u2028\ufeff\uffff"}),
    ("[]", []),
    ('"text"', "text"),
    ("null", None),
    ("12", 12),
]

# Each with the byte offset and the line of its fault.
MALFORMED = [
    (b"", 0, 1),
    (b"   ", 3, 1),
    (b'{"a":[1 2]}', 8, 1),
    (b'{"a" 1}', 5, 1),
    (b'{"a":1 "b":2}', 7, 1),
    (b"{a:1}", 1, 1),
    (b"{1:1}", 1, 1),
    (b"{'a':1}", 1, 1),
    (b'{"a":1}//x', 7, 1),
    (b'/*x*/{"a":1}', 0, 1),
    (b'{"a":1', 6, 1),
    (b'{"a":[1}', 7, 1),
    (b'{"a":04}', 6, 1),
    (b'{"a":+4}', 5, 1),
    (b'{"a":.5}', 5, 1),
    (b'{"a":4.}', 6, 1),
    (b'{"a":4e}', 6, 1),
    (b'{"a":-}', 5, 1),
    (b'{"a":0x10}', 6, 1),
    (b'{"a":1_0}', 6, 1),
    (b'{"a":True}', 5, 1),
    (b'{"a":tru}', 5, 1),
    (b'{"a":1}{"b":2}', 7, 1),
    (b'{"a":1}x', 7, 1),
    (b'{"a":1}\x00', 7, 1),
    (b'{"a":1}\x0c', 7, 1),
    (b'{"a":\xc2\xa01}', 5, 1),
    (b'{"a":\x001}', 5, 1),
    (b'{"a":"b\x00c"}', 7, 1),
    (b'{"a":"b\x1fc"}', 7, 1),
    (b'{\n"a":"b\nc"}', 8, 2),
    (b'{"a\tb":1}', 3, 1),
    (b'{\r\n "a": 1,\r\n "b": ]\r\n}', 19, 3),
    (b'{"\xc3\xa9":\n]}', 7, 2),
    (b'{"a":NaN}', 5, 1),
    (b'{"NaN":"NaN",\n"a\\"":[Infinity]}', 21, 2),
    (b'{"a":1, "b":-Infinity}', 12, 1),
    (b'{"a":"\\ud800"}', 6, 1),
    (b'{"a":"\\udc00\\ud800"}', 6, 1),
    (b'{"a":"\\ud83d\\ude00\\uDBFF\\u0041"}', 18, 1),
    (b'{"a":1,"\\uDfFf":1}', 8, 1),
    (b'{"a":"\\ud800\\\\udc00"}', 6, 1),
    (b'{"a":"\\x41"}', 6, 1),
    (b'{"a":"\xc0\xaf"}', 6, 1),
    (b'{"a":"\x80"}', 6, 1),
    (b'{\n"a":"\xed\xa0\x80"}', 7, 2),
    (b'{"a":"\xf4\x90\x80\x80"}', 6, 1),
    (b'\xef\xbb\xbf{"a":1}', 0, 1),
    (b"\xff\xfe{\x00}\x00", 0, 1),
    ('{"a":1}'.encode("utf-16-be"), 0, 1),
    ('{"a":1}'.encode("utf-32-be"), 0, 1),
    ('{"a":\uff11}'.encode(), 5, 1),
]


@pytest.mark.parametrize(("text", "value"), LEGAL)
def test_a_legal_document_is_its_value(text, value):
    """Integers are exact, strings as written, keys compared after their escapes; types are what JSON says."""
    result = parse(text.encode(), "index.json")
    assert result == value
    assert json.dumps(result) == json.dumps(value)


@pytest.mark.parametrize(("document", "offset", "line"), MALFORMED)
def test_a_broken_document_is_malformed(refusal, document, offset, line):
    """What RFC 8259 does not have is malformed-json, with the place of the fault in bytes and lines."""
    expected = {"path": "a/index.json", "offset": offset, "line": line}
    assert refusal(parse, document, "a/index.json") == ("malformed-json", expected)


@pytest.mark.parametrize(("document", "comma"), [(b'{"a":1,}', 6), (b'{"a":[1,]}', 7)])
def test_a_dangling_comma_is_malformed(refusal, document, comma):
    """A comma before a closing bracket is placed at itself or right behind it, as the interpreter counts."""
    kind, names = refusal(parse, document, "x")
    assert kind == "malformed-json"
    assert names["offset"] in (comma, comma + 1)


WHOLE = '{"version":3,"é":[true,false,null,-1.5e+3,{"k\\u00e9\\"}":"v\\\\"}],"s":{"":""},"n":[[],{}]}'


def test_every_proper_prefix_is_malformed(refusal):
    """A document that stops before its last brace is malformed wherever it stops, within a character too."""
    document = WHOLE.encode()
    assert parse(document, "x") == json.loads(WHOLE)
    for length in range(len(document)):
        assert refusal(parse, document[:length], "x")[0] == "malformed-json"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"a":1,"a":1}', "a"),
        ('{"a":1,"\\u0061":2}', "a"),
        ('{"x":[{"y":{"b":1,"c":2,"b":3}}]}', "b"),
        ('{"":0,"":0}', ""),
        ('{"\\ud83d\\ude00":0,"\U0001f600":0}', "\U0001f600"),
        ('{"a/b":0,"a\\/b":0}', "a/b"),
    ],
)
def test_a_repeated_key_is_named(refusal, text, key):
    """One key twice in one object is refused at any depth, however it is spelt."""
    assert refusal(parse, text.encode(), "x") == ("duplicate-key", {"path": "x", "key": key})


def test_grammar_comes_before_repeated_keys(refusal):
    """A document that is no JSON is malformed, whatever else is wrong in it."""
    assert refusal(parse, b'{"a":1,"a":2,}', "x")[0] == "malformed-json"
    assert refusal(parse, b'{"a":1e999,"a":NaN}', "x")[0] == "malformed-json"


LARGEST = int(math.ldexp(1 - 2**-53, 1024))


@pytest.mark.parametrize(
    ("literal", "shown"),
    [
        ("1e999", "1e999"),
        ("-1.0E+309", "-1.0E+309"),
        ("1e99999999999999999999", "1e99999999999999999999"),
        ("9" * 309, 10**309 - 1),
        ("-" + "9" * 309, 1 - 10**309),
        ("1" + "0" * 639, 10**639),
        ("7" * 641, "7" * 640 + "..."),
        (str(LARGEST + 2**970), LARGEST + 2**970),
    ],
)
@pytest.mark.parametrize(
    ("before", "after", "field"),
    [("", "", ""), ('{"u":{"k":[0,', "]}}", "u.k[1]"), ('{"a b":', "}", "a b")],
)
def test_a_number_beyond_binary64_is_out_of_range(refusal, literal, shown, before, after, field):
    """No number becomes infinity: one that binary64 cannot hold is refused where it stands."""
    expected = {"path": "x", "field": field, "value": shown}
    assert refusal(parse, f"{before}{literal}{after}".encode(), "x") == ("out-of-range", expected)


@pytest.mark.parametrize(
    "number", [LARGEST, -LARGEST, LARGEST + 2**969, 10**308, -(10**308) + 1, 10**307 + 1]
)
def test_an_integer_within_binary64_is_exact(number):
    """Integers that binary64 can hold keep every digit, the longest included."""
    result = parse(b'{"n":[%d,1]}' % number, "x")
    assert result == {"n": [number, 1]}


def _nested(levels: int, opening: str, closing: str) -> str:
    return opening * levels + "1" + closing * levels


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"k":', "}"), ('[{"k[{\\"":', "}]")])
def test_depth_is_limited(refusal, opening, closing):
    """64 levels below a key are read, as many as the limit says too; one more is too deep."""
    width = opening.replace("k[{", "").count("[") + opening.replace("k[{", "").count("{")
    for levels in (64 // width, (MAX_DEPTH - 1) // width):
        text = f'{{"u":{_nested(levels, opening, closing)}}}'
        assert parse(text.encode(), "x") == json.loads(text)
    text = f'{{"u":{_nested(MAX_DEPTH // width, opening, closing)}}}'
    assert refusal(parse, text.encode(), "x") == ("nesting-too-deep", {"path": "x"})


def test_brackets_in_strings_are_no_depth():
    """Any number of brackets within strings, and side by side, is flat."""
    value = {"[{" * 1000 + '"\\': ["[" * 1000, "\\" * 3 + '"[{' * 500], "flat": [[]] * 1000}
    assert parse(json.dumps(value).encode(), "x") == value


def test_a_cut_string_of_brackets_is_malformed(refusal):
    """What stands in a string that never ends is no nesting."""
    assert refusal(parse, b'{"a":"' + b"[" * 1000, "x")[0] == "malformed-json"


_PARSE = "from vindex3_reference.refusal import Refusal\nfrom vindex3_reference.strict_json import parse\n"
_SHOW = """
try:
    value = parse(document, "x")
    print("read", type(value).__name__, len(value))
except Refusal as refused:
    print(refused.kind)
"""


@pytest.mark.parametrize(
    ("document", "verdict"),
    [
        ('b"[" * 100_000', "nesting-too-deep"),
        ("b'{\"a\":' * 100_000", "nesting-too-deep"),
        ("b'{\"u\":' + b'[' * 100_000 + b']' * 100_000 + b'}'", "nesting-too-deep"),
        ("b'{\"n\":' + b'9' * 5_000_000 + b'}'", "out-of-range"),
        ("b'{\"n\":-' + b'9' * 5_000_000 + b'.5}'", "out-of-range"),
        ("b'{\"n\":0.' + b'9' * 5_000_000 + b'}'", "read dict 1"),
        ("b'[' + b'12345678,' * 500_000 + b'0]'", "read list 500001"),
        ("b'[\"' + b'\\\\n' * 2_500_000 + b'\"]'", "read list 1"),
        ("b'[NaN,\"' + b'\\\\\\\\' * 2_500_000 + b'\"]'", "malformed-json"),
        ("b'[\"' + b'\\\\ud83d\\\\ude00' * 400_000 + b'\"]'", "read list 1"),
        ("b'\"' * 5_000_000", "malformed-json"),
        ("b'[' + b'[],' * 300_000 + b'[]]'", "read list 300001"),
        ("b'{\"k\":{' + b'\"a\":0,' * 500_000 + b'\"a\":0}}'", "duplicate-key"),
        ("b' ' * 5_000_000 + b'{}'", "read dict 0"),
    ],
    ids=[
        "brackets", "braces", "deep below a key", "digits", "digits with a fraction", "fraction", "numbers",
        "escapes", "escapes and NaN", "pairs", "quotes", "flat", "one key", "spaces",
    ],
)  # fmt: skip
def test_documents_made_to_hurt_are_cheap(bounded, document, verdict):
    """Each is answered within memory in proportion to the document, whatever the interpreter's limits."""
    body = f"document = {document}\n{_SHOW}"
    assert bounded(_PARSE, body, allowance=96 << 20) == verdict


def test_the_interpreter_has_no_say_about_digits(bounded):
    """The longest integers are read and shown alike when the limit of digits is at its lowest or off."""
    for limit in (640, 0):
        prepare = f"{_PARSE}sys.set_int_max_str_digits({limit})"
        body = """
print(parse(b"%d" % 10**308, "x") == 10**308)
try:
    parse(b"9" * 640, "x")
except Refusal as refused:
    print(refused.names["value"] == 10**640 - 1)
"""
        assert bounded(prepare, body, allowance=16 << 20) == "True\nTrue"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
JSON_LIKE = st.text('{}[]",:\\ \n0123456789.eE+-truefalsn', max_size=30)
FIXED = settings(max_examples=100, derandomize=True, database=None, deadline=None)


@FIXED
@given(PLAIN, st.booleans(), st.sampled_from([None, 1]))
def test_what_a_plain_writer_writes_is_read_alike(value, ascii_only, indent):
    """On documents without lone surrogates the strict reader and the standard library's agree."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert repr(parse(text.encode(), "x")) == repr(json.loads(text))


@FIXED
@given(
    st.text('{}[]",:\\ \n0123456789.eE+-truefalsn', max_size=30) | st.text(max_size=10), st.binary(max_size=8)
)
def test_nothing_leaks_and_nothing_is_read_that_the_standard_refuses(text, noise):
    """Any bytes are a value or a refusal, and a value is the one that the standard library reads."""
    for document in (text.encode(), noise, text.encode() + noise):
        try:
            value = parse(document, "x")
        except Refusal:
            continue
        assert repr(value) == repr(json.loads(document.decode()))
