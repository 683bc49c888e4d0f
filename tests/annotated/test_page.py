"""The page about goldens says what the assembler and the dump do."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_vindex3.formats import annotate
from vindex3_fixtures import notation
from vindex3_fixtures.annotated import assemble
from vindex3_fixtures.goldens import goldens

PAGE = (Path(__file__).parents[2] / "docs" / "goldens.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def test_the_first_example_assembles() -> None:
    """The example at the top of the page gives the bytes that it describes."""
    payload = bytes.fromhex("0000803f 000000bf 0000803e")
    assert assemble(BLOCKS[0]) == b"LYRW" + b"\x02\0\0\0" + bytes(56) + payload


def test_the_dump_example_is_a_dump() -> None:
    """The lines shown of a cut file are those that a dump of it has."""
    golden = goldens()["lyrw/cut_in_schemas"]
    assert BLOCKS[1].splitlines() == annotate(golden.path, 92, 95)


def test_every_word_is_explained() -> None:
    """Each word of the notation stands in the page's table."""
    table = PAGE.partition("| a line has |")[2].partition("\n\n")[0]
    assert {word for word in notation._WORDS if not re.search(rf"\b{word}\b", table)} == set()
