"""`vindex3 serve` by hand: what an implementer sees of the protocol."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PARSED

HELLO = {"id": 0, "verb": "describe", "arguments": {"protocol": 1, "scratch": "."}}


def served(spec: str, *lines: object) -> subprocess.CompletedProcess[str]:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    command = [sys.executable, "-c", "from pytest_vindex3.command import main; main()", "serve", spec]
    return subprocess.run(
        command, input="".join(f"{text}\n" for text in texts), text=True, capture_output=True
    )


def test_conversation(misbehaving: Path) -> None:
    """Each request is answered by one line in the published form; the end of input is a good end."""
    found = served(
        f"mine={misbehaving}",
        HELLO,
        {"id": 1, "verb": "lyrw.parse", "arguments": {"path": "prints"}},
        {"id": 2, "verb": "lyrw.parse", "arguments": {"path": "refusal"}},
        {"id": 3, "verb": "lyrw.region", "arguments": {"path": "x", "bank_id": 0, "entry": 3}},
    )
    described, parsed, refused, region = map(json.loads, found.stdout.splitlines())
    assert described["answer"]["name"] == "mine"
    assert described["answer"]["protocol"] == 1
    assert described["answer"]["verbs"] == ["lyrw.parse", "lyrw.region", "lyrw.partner"]
    assert parsed == {"id": 1, "answer": PARSED}
    names = {"declared": 2**70, "found": [1, "a"]}
    assert refused == {"id": 2, "refused": {"kind": "truncated", "message": "short", "names": names}}
    assert region == {"id": 3, "answer": {"offset": 0, "length": 3, "data": {"base64": "AAEC"}}}
    assert (found.returncode, "by Python" in found.stderr) == (0, True)


@pytest.mark.parametrize("line", ["not JSON", "[]", '{"id": 1}', '{"id": "1", "verb": "x", "arguments": {}}'])
def test_not_a_request(misbehaving: Path, line: str) -> None:
    """A line that is no request ends the conversation with one sentence on stderr."""
    found = served(str(misbehaving), line)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith("a request ")
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize("lines", [[], [HELLO]], ids=["never_asked", "asked"])
def test_what_cannot_be_loaded_is_said(lines: list[object]) -> None:
    """Without an implementation of that name it ends with 2 and says on stderr what was tried."""
    found = served("no_such_implementation", *lines)
    assert (found.returncode, len(found.stdout.splitlines())) == (2, len(lines))
    assert "no_such_implementation" in found.stderr
    assert "Traceback" not in found.stderr


def test_asked_before_describe(misbehaving: Path) -> None:
    """A request before `describe` is answered by a fault that says so."""
    found = served(str(misbehaving), {"id": 1, "verb": "lyrw.parse", "arguments": {"path": "well"}})
    assert "describe comes before" in json.loads(found.stdout)["fault"]["detail"]
