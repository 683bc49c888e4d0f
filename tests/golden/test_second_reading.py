"""Every golden read by a second, declarative description of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from construct import ConstructError

from pytest_vindex3.contract.difference import first_difference
from vindex3_fixtures.goldens import goldens, sparse_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

READ = ("lyrw.parse", "lyrw.region", "lyrw.partner")
NAMES = [name for name, one in goldens().items() if any(asked.verb in READ for asked in one.requests)]
REFUSED = [name for name in NAMES if goldens()[name].requests[0].answer is None]
PARSED = [name for name in NAMES if name not in REFUSED]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which each made golden is made once."""
    return tmp_path_factory.mktemp("made")


@pytest.mark.parametrize("name", PARSED)
def test_a_second_reading_agrees(name: str, described: Callable[[Path], Any], made: Path) -> None:
    """Each answer of expected.json is what the declarative description reads from the golden's bytes."""
    golden = goldens()[name]
    if golden.made and not sparse_files(made):
        pytest.skip("the file system has no sparse files")
    reading = described(golden.hand_out(made))
    answered = 0
    for request in golden.requests:
        if request.answer is not None and request.verb in READ:
            verb = getattr(reading, request.verb.removeprefix("lyrw."))
            assert first_difference(request.answer, verb(**request.arguments)) is None, request
            answered += 1
    assert answered


@pytest.mark.parametrize("name", REFUSED)
def test_a_second_reading_refuses(name: str, described: Callable[[Path], Any]) -> None:
    """A golden whose parse must be refused breaks the declarative description, and its twin does not."""
    golden = goldens()[name]
    with pytest.raises(ConstructError):
        described(golden.path)
    assert golden.twin is not None
    described(goldens()[golden.twin].path)


@pytest.mark.parametrize(("name", "entry", "schema"), [("row_beyond_file", 0, 2), ("row_sum_wraps", 0, 2)])
def test_a_bad_row_leaves_the_file(
    name: str, entry: int, schema: int, described: Callable[[Path], Any]
) -> None:
    """The rows that must be refused reach beyond the end of their file."""
    golden = goldens()[f"lyrw/{name}"]
    row = described(golden.path).row(0, entry, schema)
    assert row.offset + row.length > golden.path.stat().st_size
