"""Programs that speak the pipe by hand, and wrong: the outcome of that one request, and then on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vindex3.contract.door import NotLoaded
from pytest_vindex3.contract.outcome import Answer, Fault, Limits, Misfit, Refused
from pytest_vindex3.contract.pipe import Pipe

from .conftest import PARSED, SPEAKER

Program = Callable[[str], Pipe]
SHORT = Limits(seconds=0.4)
LONG = Limits(seconds=30)


@pytest.mark.parametrize(
    ("act", "what", "text"),
    [
        ("raw(json.dumps({'id': number, 'answer': PARSED}))", "garbage", "a newline is missing"),
        ("raw(json.dumps({'id': number, 'answer': PARSED})); os._exit(0)", "garbage", "a newline is missing"),
        ("raw('{\"id\": '); time.sleep(60)", "hang", "it had begun a line: '{\"id\": '"),
        ("raw('{\"id\": '); os._exit(7)", "crash", "exit code 7"),
        ("raw('not JSON\\n')", "garbage", "no JSON object a line"),
        ("raw('[1]\\n')", "garbage", "a line that is no object"),
        ("raw('\\xff\\n')", "garbage", "no JSON object a line"),
        ("raw('[' * 100000 + '\\n')", "garbage", "nested too deep"),
        ('raw(\'{"id": 1, "answer": NaN}\\n\')', "garbage", "NaN is no JSON"),
        ('raw(\'{"id": 1, "answer": 1e999}\\n\')', "garbage", "1e999"),
        ("say(number - 1, answer=PARSED)", "garbage", "to the request with id"),
        ("say(True, answer=PARSED)", "garbage", "with id True"),
        ("say(str(number), answer=PARSED)", "garbage", "with id '"),
        ("say(number)", "garbage", "there is none"),
        ('raw(f\'{{"id": 999, "id": {number}, "answer": null}}\\n\')', "garbage", "'id' occurs twice"),
        ("say(number, answer=PARSED, refused={'kind': 'x', 'names': {}})", "garbage", "answer and refused"),
        ("raw((json.dumps({'id': number, 'answer': PARSED}) + '\\n') * 2)", "garbage", "more than one line"),
        ("raw('x' * (20 << 20) + '\\n')", "garbage", "a line of more than"),
        ("raw('\\n' * (1 << 20))", "garbage", "more than one line"),
        ("os.close(1); time.sleep(60)", "garbage", "closed its standard output"),
        ("os._exit(0)", "crash", "exit code 0, without an answer"),
        ("os._exit(134)", "crash", "exit code 134, as a shell reports SIGABRT"),
        ("time.sleep(60)", "hang", "no answer within 0.4 s"),
        ("say(number, fault={'what': 'over-claim', 'detail': 'no such verb'})", "over-claim", "no such verb"),
        ("say(number, fault={'what': 'oops', 'detail': 'in C'})", "exception", "in C"),
        ("say(number, fault='oops')", "garbage", "what and detail"),
    ],
)
def test_faults(speaker: Pipe, act: str, what: str, text: str) -> None:
    """Each way to break the pipe is a fault of that request, and the next one is answered."""
    found = speaker.ask("lyrw.parse", {"path": act}, SHORT if what == "hang" else LONG)
    assert isinstance(found.outcome, Fault)
    assert (found.outcome.what, text in found.outcome.detail) == (what, True), found.outcome.detail
    assert speaker.ask("lyrw.parse", {"path": "well"}, LONG).outcome == Answer(PARSED)


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        ("say(number, answer=None)", Misfit("", "object", "null")),
        ("say(number, answer={**PARSED, 'table_bytes': 64.0})", Misfit("table_bytes", "integer", "number")),
        ("say(number, answer={**PARSED, 'table_bytes': True})", Misfit("table_bytes", "integer", "boolean")),
        ("say(number, answer={**PARSED, 'table_bytes': 2**200})", Answer({**PARSED, "table_bytes": 2**200})),
        ("raw(' ' + json.dumps({'answer': PARSED, 'id': number}) + ' \\r\\n')", Answer(PARSED)),
        ("say(number, refused={'kind': 'io', 'names': {'n': 1}})", Refused("io", {"n": 1}, "")),
        ("say(number, refused={'kind': 'io'})", Misfit("refused.names", "there", "missing")),
        ("say(number, refused={'kind': 1, 'names': {}})", Misfit("refused.kind", "string", "integer")),
        ("say(number, refused={'kind': 'io', 'names': []})", Misfit("refused.names", "object", "list")),
        ("say(number, refused='io')", Misfit("refused", "object", "string")),
    ],
)
def test_judged(speaker: Pipe, act: str, expected: object) -> None:
    """What a program answers is judged by the verb's type, as a Python value is."""
    assert speaker.ask("lyrw.parse", {"path": act}, LONG).outcome == expected


def test_late_second_answer(speaker: Pipe) -> None:
    """A second answer that comes late is never taken for the answer to a later request."""
    twice = "say(number, answer=PARSED); time.sleep(0.1); say(number, answer={**PARSED, 'unknown': None})"
    assert speaker.ask("lyrw.parse", {"path": twice}, LONG).outcome == Answer(PARSED)
    found = speaker.ask("lyrw.parse", {"path": "say(number, answer=PARSED)"}, LONG).outcome
    assert isinstance(found, Fault)
    assert found.what == "garbage"
    assert speaker.ask("lyrw.parse", {"path": "well"}, LONG).outcome == Answer(PARSED)


def test_never_reads(program: Program) -> None:
    """A request longer than a pipe holds, to a program that does not read, is a hang and no deadlock."""
    door = program(SPEAKER.replace("answer=DESCRIPTION)", "answer=DESCRIPTION); time.sleep(60)"))
    door.describe()
    found = door.ask("lyrw.parse", {"path": "x" * (1 << 20)}, Limits(seconds=0.3)).outcome
    assert isinstance(found, Fault)
    assert found.what == "hang"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("print('hello', flush=True); import time; time.sleep(60)", "no JSON object a line"),
        ("import sys; sys.exit(9)", "exit code 9"),
        ("import sys; sys.exit('no model folder')", "no model folder"),
        (SPEAKER.replace('"protocol": 1', '"protocol": 2'), "the protocol is 2, this kit speaks 1"),
        (SPEAKER.replace('"protocol": 1, ', ""), "the protocol is None"),
        (SPEAKER.replace('["lyrw.parse"]', '"lyrw.parse"'), "verbs is a list of strings"),
        (SPEAKER.replace('"version": "1", ', ""), "version is a string"),
        (SPEAKER.replace("answer=DESCRIPTION", "refused={}"), "describe was not answered"),
    ],
)
def test_not_loaded(program: Program, source: str, text: str) -> None:
    """A program that does not describe itself is not loaded, and the text says what it did instead."""
    with pytest.raises(NotLoaded, match=text):
        program(source).describe()


def test_no_temporary_folder(misbehaving: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a place for scratch the implementation is not loaded, and the text says what is missing."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(NotLoaded, match="no scratch folder"):
        Pipe.to_python(str(misbehaving)).describe()


def test_start_hangs(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that never answers `describe` is given up after its time, and asked the likely question."""
    monkeypatch.setattr("pytest_vindex3.contract.exchange.START_SECONDS", 0.3)
    with pytest.raises(NotLoaded, match=r"within 0\.3 s\. Is standard output flushed after each line"):
        program("import time; time.sleep(60)").describe()


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("no-such-program-at-all --x", "no program 'no-such-program-at-all': not on PATH"),
        ("./no/such/program", "no such file in"),
        ("'unclosed", "cannot be split"),
        ("", "the command line is empty"),
    ],
)
def test_no_program(command: str, text: str) -> None:
    """A command line without a program says what was tried."""
    with pytest.raises(NotLoaded, match=text):
        Pipe.to_program(command).describe()


def test_not_executable(tmp_path: Path) -> None:
    """A file that cannot be run is not loaded, and a request to it is a fault that says so."""
    path = tmp_path / "program"
    path.write_text("#!/bin/sh\n")
    door = Pipe.to_program(str(path))
    with pytest.raises(NotLoaded, match="there, but not executable"):
        door.describe()
    found = door.ask("lyrw.parse", {"path": "x"}).outcome
    assert isinstance(found, Fault)
    assert "not executable" in found.detail
    door.close()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("import no_such_module", "No module named 'no_such_module'"),
        ("raise SystemExit(2)", "SystemExit: 2"),
        ("def lyrw_prase(path): ...", "is it meant as lyrw.parse"),
    ],
)
def test_python_not_loaded(tmp_path: Path, source: str, text: str) -> None:
    """A Python implementation that cannot be imported says why through the pipe."""
    path = tmp_path / "broken.py"
    path.write_text(source)
    door = Pipe.to_python(str(path))
    with pytest.raises(NotLoaded, match=text):
        door.describe()
    door.close()
