"""`vindex3 call`, `vindex3 schema` and `vindex3 new-adapter`."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_vindex3.command import vindex3
from pytest_vindex3.contract.verb import verbs

Write = Callable[..., Path]
SOURCE = """
    import pytest_vindex3

    def lyrw_parse(path):
        print("noise")
        raise pytest_vindex3.Refusal("bad-magic", "not ours", found=path, expected=["4C", 1])

    def lyrw_partner(path, bank_id, entry, schema_index):
        return {}[entry] if entry else {"offset": True}

    def lyrw_region(path, bank_id, entry, schema_index=None, role=None):
        text = f"{path} {bank_id} {entry} {schema_index!r} {role!r}"
        return {"offset": bank_id, "data": text.encode()}
"""


def run(*arguments: str) -> Result:
    """The command line, in this process."""
    return CliRunner().invoke(vindex3, arguments)


@pytest.fixture
def spec(write: Write) -> str:
    """An adapter with every outcome."""
    return str(write("subject.py", SOURCE))


def test_an_answer(spec: str) -> None:
    """An answer is shown as JSON with bytes in hexadecimal, and the status is 0."""
    result = run("call", spec, "lyrw.region", "path=p", "bank_id=0x1F", "entry=2", "role=down")
    assert result.exit_code == 0
    assert '"offset": 31' in result.stdout
    shown = b"p 31 2 None 'down'"
    assert f"<{len(shown)} bytes: {shown.hex(' ').upper()}>" in result.stdout


def test_long_bytes_are_cut(spec: str) -> None:
    """Only the first bytes of a long answer are shown, with the whole length."""
    result = run("call", spec, "lyrw.region", f"path={'p' * 1000}", "bank_id=1", "entry=2")
    assert f"<{1000 + len(' 1 2 None None')} bytes: {b'p'.hex().upper()} " in result.stdout
    assert "...>" in result.stdout
    assert len(result.stdout) < 400


VALUES = {
    "a tag by its number": (["role=256"], "None 256"),
    "a tag by its word": (["role=x256"], "None 'x256'"),
    "null": (["schema_index=null"], "None None"),
    "an integer beyond u64": (["schema_index=36893488147419103232"], "36893488147419103232 None"),
}


@pytest.mark.parametrize(("arguments", "seen"), VALUES.values(), ids=VALUES)
def test_values_are_read_by_type(spec: str, arguments: list[str], seen: str) -> None:
    """A value is read by the type that the verb gives its key."""
    result = run("call", spec, "lyrw.region", "path=p", "bank_id=1", "entry=2", *arguments, "--json")
    data = json.loads(result.stdout)["answer"]["data"]["base64"]
    assert base64.b64decode(data).decode() == f"p 1 2 {seen}"


def test_a_path_is_text_as_it_stands(spec: str) -> None:
    """Text is never taken for a number, null or a file, and may hold `=`."""
    for path in ("7", "null", "@x", "a=b", ""):
        result = run("call", spec, "lyrw.parse", f"path={path}", "--json")
        assert json.loads(result.stdout)["refused"]["names"]["found"] == path


def test_a_refusal(spec: str) -> None:
    """A refusal is shown with its facts, and the status is 3; prints of the adapter stay out of it."""
    result = run("call", spec, "lyrw.parse", "path=x")
    assert result.exit_code == 3
    assert result.stdout == 'refused as bad-magic\n  found = "x"\n  expected = [\n  "4C",\n  1\n]\nnot ours\n'
    assert "noise" in result.stderr
    as_json = run("call", spec, "lyrw.parse", "path=x", "--json")
    assert json.loads(as_json.stdout) == {
        "refused": {
            "kind": "bad-magic",
            "message": "not ours",
            "names": {"found": "x", "expected": ["4C", 1]},
        }
    }


def test_a_misfit_and_a_fault(spec: str) -> None:
    """A wrong type has status 1, a fault 4 with the adapter's own frame."""
    misfit = run("call", spec, "lyrw.partner", "path=p", "bank_id=0", "entry=0", "schema_index=0")
    assert (misfit.exit_code, misfit.stdout) == (1, "misfit: offset is boolean, not integer\n")
    fault = run("call", spec, "lyrw.partner", "path=p", "bank_id=0", "entry=1", "schema_index=0")
    assert fault.exit_code == 4
    assert fault.stdout.startswith("fault (exception): KeyError: 1\n")
    assert "subject.py:" in fault.stdout


USAGE = {
    "verb": (["lyrw.prase"], "no verb 'lyrw.prase'; nearest: lyrw.parse"),
    "key": (["lyrw.parse", "pat=1"], "lyrw.parse takes no argument 'pat'; it takes path"),
    "no value": (["lyrw.parse", "path"], "'path' is no key=value"),
    "missing": (["lyrw.parse"], "lyrw.parse needs path"),
    "integer": (["lyrw.region", "entry=1.0"], "entry of lyrw.region takes integer, not '1.0'"),
}


@pytest.mark.parametrize(("arguments", "text"), USAGE.values(), ids=USAGE)
def test_usage(spec: str, arguments: list[str], text: str) -> None:
    """A request that cannot be put is told in a line, with status 2."""
    result = run("call", spec, *arguments)
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stdout == ""


def test_what_is_not_loaded() -> None:
    """A spec that names nothing is usage as well, and what was tried is told."""
    result = run("call", "no_such_implementation", "lyrw.parse", "path=x")
    assert result.exit_code == 2
    assert "no implementation 'no_such_implementation'. Tried:" in result.stderr


def test_the_verbs_are_listed() -> None:
    """Every verb is listed with its summary."""
    lines = run("schema").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(verbs())
    assert all(line.endswith(".") for line in lines)


def test_a_verb_is_described() -> None:
    """Arguments, answer and the function's definition are shown in the words of the kit."""
    text = run("schema", "lyrw.region").stdout
    assert "def lyrw_region(path, bank_id, entry, schema_index=None, role=None):" in text
    assert "  role              string or integer or null, or left out\n" in text
    assert "  data              bytes, or left out\n" in text


def test_words_of_a_field_are_listed() -> None:
    """Of a field that takes words of a vocabulary the words are shown, and where refusals are told."""
    lines = run("schema", "lyrw.parse").stdout.splitlines()
    assert "  layout            string or integer: unspecified, contiguous_halves, interleaved" in lines
    assert lines[-1].endswith("vindex3 clauses --verb lyrw.parse")


def test_schemas_as_json() -> None:
    """One schema, or all by name, can be printed for programmes."""
    every = json.loads(run("schema", "--json").stdout)["verbs"]
    assert list(every) == list(verbs())
    assert json.loads(run("schema", "lyrw.parse", "--json").stdout) == every["lyrw.parse"]
    assert run("schema", "lyrw.prase").exit_code == 2


def test_a_new_adapter_runs(tmp_path: Path) -> None:
    """What is written answers one verb, and refuses what is no LYRW file as the law asks."""
    folder = tmp_path / "made" / "here"
    assert run("new-adapter", "python", str(folder)).exit_code == 0
    adapter = folder / "adapter.py"
    wrong, short, old = folder / "wrong.lyrw", folder / "short.lyrw", folder / "old.lyrw"
    wrong.write_bytes(b"WRYL" + bytes(20))
    short.write_bytes(b"LYRW")
    old.write_bytes(b"LYRW\1\0\0\0" + bytes(16))
    outcomes = {
        path.name: json.loads(run("call", str(adapter), "lyrw.parse", f"path={path}", "--json").stdout)[
            "refused"
        ]
        for path in (wrong, short, old, folder / "none.lyrw")
    }
    assert {name: (one["kind"], one["names"]) for name, one in outcomes.items()} == {
        "wrong.lyrw": ("bad-magic", {"found": "5752594c", "expected": "4c595257"}),
        "short.lyrw": ("truncated", {"what": "header", "at": 0, "need": 24, "have": 4}),
        "old.lyrw": ("wrong-generation", {"found": 1, "required": 2}),
        "none.lyrw": ("missing-file", {"path": str(folder / "none.lyrw")}),
    }


def test_a_new_adapter_sketches_every_verb(tmp_path: Path) -> None:
    """The other verbs stand there as comments, and the adapter claims none of them."""
    run("new-adapter", "python", str(tmp_path))
    text = (tmp_path / "adapter.py").read_text()
    others = [verb for name, verb in verbs().items() if name != "lyrw.parse"]
    assert "waste.record" in {verb.name for verb in others}
    assert all(f"# {verb.signature}" in text for verb in others)
    assert f"vindex3 call {tmp_path}/adapter.py lyrw.parse" in (tmp_path / "README.md").read_text()
    described = run("call", str(tmp_path / "adapter.py"), others[0].name)
    assert "claims lyrw.parse" in described.stderr


def test_a_new_adapter_in_c(tmp_path: Path) -> None:
    """The commands can be pasted, a space in the name of the folder notwithstanding, and give a program."""
    folder = tmp_path / "my adapter"
    done = run("new-adapter", "c", str(folder))
    make, certify = [line.strip() for line in done.stdout.splitlines()[1:]]
    assert sorted(path.name for path in folder.iterdir()) == ["Makefile", "README.md", "adapter.c"]
    assert certify == f"pytest --vindex3-impl=\"cmd:'{folder}'/adapter\""
    assert subprocess.run(["bash", "-c", make], capture_output=True, check=False).returncode == 0
    asked = run("call", f"cmd:'{folder}'/adapter", "lyrw.parse", f"path={folder}/none.lyrw", "--json")
    assert json.loads(asked.stdout)["refused"]["kind"] == "missing-file"


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A folder that has one of the files already is left as it was."""
    kept = tmp_path / "adapter.py"
    kept.write_text("mine")
    result = run("new-adapter", "python", str(tmp_path))
    assert result.exit_code == 2
    assert "has adapter.py already; nothing was written" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["adapter.py"]
    assert kept.read_text() == "mine"


def test_the_written_adapter_is_clean(tmp_path: Path) -> None:
    """What is written compiles without a warning and imports nothing but the kit's convenience."""
    run("new-adapter", "python", str(tmp_path))
    script = "import runpy; runpy.run_path('adapter.py')"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
