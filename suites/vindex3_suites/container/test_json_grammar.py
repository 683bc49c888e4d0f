"""index.json as a JSON document: grammar, ends, encoding, depth and the root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.container.index import INDEX
from vindex3_fixtures.json_faults import cuts, faults
from vindex3_fixtures.json_text import Raw, Way, json_text
from vindex3_fixtures.json_twins import twins
from vindex3_suites.container.judging import check_fault, check_legal, check_opened, check_refused, check_twin
from vindex3_suites.container.models import BANK, EMBEDDING, FULL, SMALLEST, TINY, open_text, opens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.json_faults import JsonFault
    from vindex3_fixtures.json_twins import JsonTwin


@clause("JSON-GRAMMAR-01")
@cases(faults("JSON-GRAMMAR-01"))
def test_the_grammar_is_kept(ask: Ask, case: JsonFault) -> None:
    """What RFC 8259 does not have is malformed-json, naming index.json."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-GRAMMAR-01")
@cases(bank=BANK, everything=FULL)
def test_the_grammar_holds_for_every_shape(ask: Ask, case: object) -> None:
    """A comma before the last brace is malformed in an index of any shape and length."""
    check_fault(ask, faults("JSON-GRAMMAR-01")["comma_before_the_end"], BANK if case is BANK else FULL)


NUMBERS: dict[str, Way] = {
    "hidden_size": ("hidden_size",),
    "num_layers": ("num_layers",),
    "count": ("segments", "segments/target.embedding"),
    "tensor_count": ("representations", EMBEDDING, "tensor_count"),
    "payload_bytes": ("representations", EMBEDDING, "payload_bytes"),
}


@clause("JSON-GRAMMAR-01")
@cases(NUMBERS)
def test_a_number_is_spelt_in_one_way(ask: Ask, case: Way) -> None:
    """In a slot of the format, too, what is no number of the grammar is malformed, and not repaired."""
    check_legal(ask, "JSON-GRAMMAR-01", TINY)
    for spelt in ("04", "00", "+4", ".5", "4.", "4.e0", "0x4", "4_0", "4e", "-", "--4", "1 2"):
        wrong = TINY.with_index(case, Raw(spelt))
        check_refused(ask, "JSON-GRAMMAR-01", wrong, "malformed-json")


@clause("JSON-GRAMMAR-01")
@cases(twins("JSON-GRAMMAR-01"))
def test_every_spelling_of_the_grammar_is_read(ask: Ask, case: JsonTwin) -> None:
    """Numbers in every legal form below an unknown key are read as what they are."""
    check_twin(ask, case, SMALLEST)


@clause("JSON-GRAMMAR-02")
@cases(twins("JSON-GRAMMAR-02"))
def test_whitespace_changes_nothing(ask: Ask, case: JsonTwin) -> None:
    """With blanks of all four sorts wherever they may stand, the observation is the same."""
    for model in (SMALLEST, BANK, FULL):
        check_twin(ask, case, model)


@clause("JSON-GRAMMAR-02")
@cases(space=b" ", tab=b"\t", line_feed=b"\n", carriage_return=b"\r")
def test_each_blank_is_one(ask: Ask, case: bytes) -> None:
    """Every sort of whitespace may stand before and behind the root value, any number of times."""
    text = json_text(TINY.index)
    for blanks in (case, 5000 * case):
        check("JSON-GRAMMAR-02", open_text(ask, TINY, blanks + text + blanks), opens(TINY))


@clause("JSON-GRAMMAR-03")
@cases(faults("JSON-GRAMMAR-03"))
def test_nothing_follows_the_root(ask: Ask, case: JsonFault) -> None:
    """Anything but whitespace behind the root value is malformed-json."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-GRAMMAR-04")
@cases(faults("JSON-GRAMMAR-04"))
def test_an_index_is_a_whole_document(ask: Ask, case: JsonFault) -> None:
    """An empty document, and one that stops too early, is malformed-json: neither open nor missing."""
    for model in (SMALLEST, BANK, FULL):
        check_fault(ask, case, model)


@clause("JSON-GRAMMAR-04")
@cases(a_few=20, all=1)
def test_every_cut_is_malformed(ask: Ask, case: int) -> None:
    """Wherever an index is cut before its last brace, it is malformed-json."""
    check_legal(ask, "JSON-GRAMMAR-04", SMALLEST)
    expected = refuses("malformed-json", path=INDEX)
    for text in cuts(json_text(SMALLEST.index), case):
        check("JSON-GRAMMAR-04", open_text(ask, SMALLEST, text), expected)


@clause("JSON-GRAMMAR-04")
@cases(a_few=70, more=7)
def test_a_long_index_is_malformed_when_it_is_cut(ask: Ask, case: int) -> None:
    """Cut after a brace, a bracket, a comma, a colon or a quote of any depth, it is malformed-json."""
    check_legal(ask, "JSON-GRAMMAR-04", FULL)
    text = json_text(FULL.index)
    ends = [at for at, byte in enumerate(text[:-1]) if byte in b'{}[],:"'][::case]
    for end in ends:
        check(
            "JSON-GRAMMAR-04",
            open_text(ask, FULL, text[: end + 1]),
            refuses("malformed-json", path=INDEX),
        )


@clause("JSON-GRAMMAR-05")
@cases(faults("JSON-GRAMMAR-05"))
def test_a_control_character_is_escaped(ask: Ask, case: JsonFault) -> None:
    """A raw control character in a string or a key is malformed-json."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-GRAMMAR-05")
@cases(twins("JSON-GRAMMAR-05"))
def test_an_escaped_control_character_is_read(ask: Ask, case: JsonTwin) -> None:
    """Written as an escape, it is the character itself, and DEL needs no escape."""
    check_twin(ask, case, SMALLEST)


@clause("JSON-GRAMMAR-05")
@cases(a_few=(0, 10, 31), all=range(32))
def test_every_control_character_is_escaped(ask: Ask, case: Iterable[int]) -> None:
    """Each of the 32, in the name of a model: raw it is malformed, escaped it is part of the name."""
    for code in case:
        model = SMALLEST.with_index(("model",), f"a{chr(code)}b")
        check_opened(ask, "JSON-GRAMMAR-05", model)
        raw = SMALLEST.with_index(("model",), Raw(f'"a{chr(code)}b"'))
        check_refused(ask, "JSON-GRAMMAR-05", raw, "malformed-json")


@clause("JSON-GRAMMAR-06")
@cases(faults("JSON-GRAMMAR-06"))
def test_no_number_is_a_word(ask: Ask, case: JsonFault) -> None:
    """NaN and the infinities are malformed-json, below an unknown key as well."""
    check_fault(ask, case, SMALLEST)


@clause("JSON-GRAMMAR-06")
@cases(not_a_number="NaN", infinity="Infinity", minus_infinity="-Infinity")
def test_no_number_is_a_word_in_any_slot(ask: Ask, case: str) -> None:
    """In a slot of an integer, of a string and of an object they are malformed-json as well."""
    check_legal(ask, "JSON-GRAMMAR-06", FULL)
    ways: list[Way] = [*NUMBERS.values(), ("model",), ("authority",), ("precision_map",), ("profiles", 0)]
    for way in ways:
        check_refused(ask, "JSON-GRAMMAR-06", FULL.with_index(way, Raw(case)), "malformed-json")


@clause("JSON-GRAMMAR-06")
@cases(twins("JSON-GRAMMAR-06"))
def test_a_word_in_a_string_is_text(ask: Ask, case: JsonTwin) -> None:
    """The same letters within quotes are a string like any other."""
    check_twin(ask, case, SMALLEST)
