"""The process that fuzzes, from within: what it asks and writes down."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.fuzz.target import targets
from pytest_vindex3.fuzz.worker import Fuzzer

MEASURING = """
from pathlib import Path

def lyrw_parse(path):
    raise LookupError

def lyrw_verify(path):
    raise ValueError(len(Path(path).read_bytes()))
"""


def test_every_request_is_about_the_same_input(tmp_path: Path) -> None:
    """That a finding was made small is over when the next request is made."""
    adapter = tmp_path / "measuring.py"
    adapter.write_text(MEASURING, encoding="utf-8")
    fuzzer = Fuzzer(targets()["lyrw-tables"], open_door(str(adapter), in_process=True), None, tmp_path)
    fuzzer(b"a" * 100)
    parsed, verified = (json.loads((tmp_path / f"finding-{n}.json").read_text()) for n in (1, 2))
    assert parsed["text"].startswith("exception: LookupError")
    assert verified["text"].startswith("exception: ValueError: 100\n")
    assert [(tmp_path / f"finding-{n}.input").read_bytes() for n in (1, 2)] == [b"", b""]
