"""Texts of others, fit to be printed."""

from __future__ import annotations

import pytest

from pytest_vindex3.command._values import for_people
from pytest_vindex3.contract.door import Description, NotLoaded
from pytest_vindex3.contract.texts import LONGEST_WORD, printable, printable_lines
from pytest_vindex3.contract.wire import from_line
from pytest_vindex3.report.shown import cut, shown

EVIL = "\x1b[2J\x1b[31mred\r\n\nverdict: conformant\x07\x9b\u202e\x00\udc80"


@pytest.mark.parametrize("made", [printable, cut, shown])
def test_a_text_is_one_line_that_can_be_seen(made: object) -> None:
    """Escape sequences, line ends, overrides of direction and lone surrogates are escaped."""
    assert callable(made)
    assert made(EVIL).isprintable()
    assert "\\x1b[31mred" in made(EVIL)


def test_letters_of_any_language_stay() -> None:
    """What can be seen is left as it is."""
    assert printable("Schicht é 層") == "Schicht é 層"


def test_a_text_has_an_end() -> None:
    """Ten million characters become as many as one may have."""
    assert len(printable("x" * 10_000_000)) == LONGEST_WORD
    assert len(printable("\x1b" * 10_000_000)) == LONGEST_WORD
    assert len(cut("x" * 10_000_000)) < 200


def test_lines_stay_lines() -> None:
    """Of a text of many lines those at its ends are left, without control characters."""
    text = printable_lines("\n".join(f"  {number}\x1b" for number in range(1000)))
    lines = text.split("\n")
    assert lines[0] == "  0\\x1b"
    assert lines[-1] == "  999\\x1b"
    assert len(lines) < 100


def test_a_description_can_be_printed_whatever_is_in_it() -> None:
    """Name, version, language and origin hold no control characters and no end of text."""
    said = Description(EVIL, EVIL, "y" * 10_000_000, (), {}, origin=EVIL)
    assert all(text.isprintable() for text in (said.name, said.version, said.language, said.origin))
    assert len(said.language) == LONGEST_WORD


def test_why_nothing_was_loaded_can_be_printed() -> None:
    """The text of what went wrong keeps its lines and nothing that moves a cursor."""
    text = str(NotLoaded(f"first\n  second {EVIL}"))
    assert text.startswith("first\n  second \\x1b")
    assert all(line.isprintable() for line in text.split("\n"))


def test_an_answer_for_people_can_be_printed() -> None:
    """Keys and texts of an answer hold no control characters, also those that JSON leaves alone."""
    text = for_people({f"key{EVIL[:-1]}": [EVIL[:-1], "\x7f"]})
    assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": 1, "answer": 2, "id": 3}',
        b'{"id": 1, "answer": [{"a": 1, "a": 1}]}',
        b'{"a": 1, "\\u0061": 2}',
    ],
)
def test_a_key_occurs_once(line: bytes) -> None:
    """An object that names a key twice is no message: it can be read in two ways."""
    with pytest.raises(ValueError, match="occurs twice"):
        from_line(line)
