"""The examples of the documents are run as they stand, and print what the documents show."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import vindex3_golden

CHECKOUT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(CHECKOUT).as_posix() for path in [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md")]
)
C_ADAPTER = CHECKOUT / "pytest_vindex3/command/templates/c/adapter.c"
USAGE = (2, 126, 127)


def blocks(document: str, language: str) -> list[str]:
    """The code blocks of a document that are marked with a language."""
    text = (CHECKOUT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Each command of a console block, with the output that is shown for it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def shows(expected: list[str], printed: str) -> bool:
    """Whether output is what is shown; `...` stands for lines, and at the end of a line for more of them."""
    pattern = ""
    for line in expected:
        start = line.removesuffix("...").rstrip()
        if line != "...":
            pattern += re.escape(start)
        pattern += r"(?:.*\n)*?" if line.endswith("...") else r"\n"
    return re.fullmatch(pattern, printed) is not None


@dataclass(frozen=True)
class Desk:
    """A folder with the commands of this environment at hand."""

    folder: Path

    def run(self, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run one command line as a user types it."""
        dropped = ("PYTEST_", "COLUMNS")  # of the tests' own run
        environment = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            input=typed,
            check=False,
            capture_output=True,
            text=True,
        )

    def follow(self, document: str) -> None:
        """Run every command of the console blocks, and compare what is printed with what is shown."""
        for block in blocks(document, "console"):
            for command, expected in commands(block):
                done = self.run(command)
                told = f"$ {command}\n{done.stdout}{done.stderr}"
                assert done.returncode not in USAGE, told
                assert shows(expected, done.stdout) if expected else done.returncode == 0, told


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A folder with what the documents speak of, in which the suites run quickly."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nvindex3_profile = quick\n", encoding="utf-8")
    shutil.copy(Path(__file__).with_name("mylayers.py"), tmp_path)
    shutil.copy(C_ADAPTER, tmp_path)
    [source] = blocks("docs/adapter.md", "python")
    (tmp_path / "adapter.py").write_text(source, encoding="utf-8")
    forgetful = source.replace('"flags": bank.flags}', '"flags": bank.flags & 3}')
    assert forgetful != source
    (tmp_path / "forgetful.py").write_text(forgetful, encoding="utf-8")
    return Desk(tmp_path)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_examples_print_what_is_shown(desk: Desk, document: str) -> None:
    """Every command of a document runs, and prints what the document shows."""
    desk.follow(document)


def test_the_conversation_is_what_is_said(desk: Desk) -> None:
    """The adapter in C answers each line of the conversation in docs/adapter.md with the line below it."""
    [talk] = [block for block in blocks("docs/adapter.md", "text") if block.startswith("> ")]
    said = re.sub(r"\n< (?!\{\"id)", " ", talk).splitlines()
    questions = [line.removeprefix("> ") for line in said if line.startswith("> ")]
    answers = [json.loads(line.removeprefix("< ")) for line in said if line.startswith("< ")]
    for name in ("wrong_magic", "split_second_worked"):
        shutil.copy(Path(vindex3_golden.__path__[0]) / "lyrw" / name / f"{name}.lyrw", desk.folder)
    assert desk.run("cc -O2 -Wall -Wextra -Werror -o adapter adapter.c").returncode == 0
    done = desk.run("./adapter", typed="".join(f"{line}\n" for line in questions))
    assert [json.loads(line) for line in done.stdout.splitlines()] == answers


def test_the_test_that_is_shown_judges(desk: Desk) -> None:
    """The test in CONTRIBUTING.md runs as it is printed: the reference passes it, its mutant does not."""
    [source] = blocks("CONTRIBUTING.md", "python")
    (desk.folder / "test_magic.py").write_text(source, encoding="utf-8")
    right = desk.run("pytest --vindex3-profile=certify --vindex3-impl=vindex3_reference test_magic.py")
    assert "lyrw  2 pass" in right.stdout, right.stdout
    mutant = "vindex3_fixtures.mutants.adapter:magic-unchecked"
    wrong = desk.run(f"pytest --vindex3-profile=certify --vindex3-impl={mutant} test_magic.py")
    assert "lyrw  2 fail" in wrong.stdout, wrong.stdout


def test_known_failures_are_lived_with(desk: Desk) -> None:
    """The known failure that README.md lists is no failure of the run, and stays out of a certificate."""
    [listed] = blocks("README.md", "toml")
    (desk.folder / "known.toml").write_text(listed, encoding="utf-8")
    known = "--vindex3-known-failures=known.toml"
    done = desk.run(f"pytest --vindex3-impl=forgetful.py {known} --vindex3-only=BROWSE-BITS-03")
    assert done.returncode == 0, done.stdout
    assert "known failure" in done.stdout


def test_the_suites_run_in_a_session_with_paths(desk: Desk) -> None:
    """The arguments that README.md gives to an IDE run the suites, and certify nothing."""
    [row] = [line for line in (CHECKOUT / "README.md").read_text().splitlines() if "from an IDE" in line]
    arguments = row.split("`")[1].replace("mypkg", "adapter.py")
    done = desk.run(f"pytest {arguments} --vindex3-only=LYRW-MAGIC-02")
    assert done.returncode == 0, done.stdout
    assert "verdict: partial" in done.stdout


def test_the_adapter_in_python_is_as_short_as_is_said() -> None:
    """The adapter that the document shows has forty lines of code and answers the verb it names."""
    [source] = blocks("docs/adapter.md", "python")
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 42


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    """Every relative link of a document leads to a file of the repository."""
    text = (CHECKOUT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert [link for link in links if not (CHECKOUT / document).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (["a", "...", "z"], "a\nb\nc\nz\n", True),
        (["a", "...", "z"], "a\nz\n", True),
        (["a", "b ...", "z"], "a\nb c\nd\nz\n", True),
        (["a", "z"], "a\nb\nz\n", False),
        (["a", "...", "z"], "a\nb\n", False),
        (["a.c"], "abc\n", False),
    ],
)
def test_output_is_compared_line_by_line(expected: list[str], printed: str, same: bool) -> None:
    """Shown output is the printed one, save where three points stand."""
    assert shows(expected, printed) is same
