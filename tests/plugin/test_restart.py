"""The certifying run: the same tests and verdicts, whatever project it is started from."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.plugin.conftest import Project, Run

PART = "--vindex3-only=LYRW-HEADER-03"
HOSTILE = """
import pytest

@pytest.fixture(autouse=True)
def database():
    raise RuntimeError("no database")

def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "swapped" not in item.nodeid]
"""
OWN_TEST = """
def test_of_the_project():
    pass
"""
RANDOM = """
import random

def pytest_collection_modifyitems(items):
    random.Random(7).shuffle(items)
"""


@pytest.fixture(scope="module")
def plain(shared: Project) -> Run:
    """The run from an empty directory that every other run is compared with."""
    return shared.run("--vindex3-impl=wrong", PART)


def test_the_suites_run_from_an_empty_directory(plain: Run) -> None:
    """Without a path and without a project, the installed suites run, and ids name no machine."""
    assert plain.code == 1
    assert set(plain.verdicts.values()) >= {"pass", "fail"}
    assert all(name.startswith("lyrw/test_") and "::" in name for name in plain.verdicts)
    assert plain.report.header["certifying"] is True


def test_the_header_says_what_was_loaded(plain: Run) -> None:
    """Suite, goldens, profile, seed; then name, file, door and number of verbs of the implementation."""
    first, second = [line for line in plain.lines if line.startswith("vindex3: ")]
    assert "profile certify, seed 0" in first
    assert "goldens " in first
    assert second.startswith("vindex3: wrong (./wrong.py), door: child, verbs 3 of ")


def venv_in_tree(project: Project) -> None:
    """A folder that looks like the environment, with tests in it."""
    folder = project.folder / ".venv/lib/site-packages/vindex3_suites/lyrw"
    folder.mkdir(parents=True)
    (folder / "test_trap.py").write_text("raise RuntimeError\n", encoding="utf-8")


def ini(*lines: str) -> dict[str, str]:
    """A pytest.ini."""
    return {"pytest_ini": "\n".join(["[pytest]", *lines])}


TESTS_ELSEWHERE = ini(
    "testpaths = tests",
    "python_files = check_*.py",
    "python_functions = check_*",
    "addopts = test_own.py -q --maxfail=1 --vindex3-profile=quick --vindex3-only=nothing",
)
STRICT = ini("addopts = --strict-markers --strict-config", "filterwarnings = error", "timeout = 1")


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        ({**TESTS_ELSEWHERE, "conftest": HOSTILE}, []),
        (STRICT, ["-p", "pytest_timeout", "-W", "error"]),
        ({"shuffled": RANDOM}, ["-p", "shuffled", "-p", "no:cacheprovider"]),
        ({}, ["-p", "xdist", "-n", "2"]),
    ],
    ids=["tests_elsewhere_and_broken_fixtures", "strict_and_timed", "random_order", "distributed"],
)
def test_a_project_changes_no_verdict(
    project: Project, plain: Run, files: dict[str, str], arguments: list[str]
) -> None:
    """Settings, fixtures and hooks of the project around it change neither ids nor verdicts."""
    venv_in_tree(project)
    project.write(test_own=OWN_TEST, **files)
    run = project.run("--vindex3-impl=wrong", PART, *arguments, PYTHONPATH=str(project.folder))
    assert run.verdicts == plain.verdicts
    assert run.report.rows == tuple(plain_like(plain, run))
    assert run.code == 1


def plain_like(plain: Run, run: Run) -> Iterator[object]:
    """The rows of `plain`, with what may differ from run to run taken from `run`."""
    for row, other in zip(plain.report.rows, run.report.rows, strict=True):
        yield replace(row, seconds=other.seconds, inputs=other.inputs, stderr=other.stderr)


def test_pytest_addopts_takes_no_part(project: Project, plain: Run) -> None:
    """The environment's options neither add a path nor filter."""
    run = project.run("--vindex3-impl=wrong", PART, PYTEST_ADDOPTS="-k nothing --maxfail=1 test_own.py")
    assert run.verdicts == plain.verdicts


@pytest.mark.parametrize("arguments", [[], ["-p", "xdist", "-n", "2"]], ids=["alone", "distributed"])
def test_a_test_of_a_distributed_run_may_start_a_run(
    project: Project, plain: Run, arguments: list[str]
) -> None:
    """Inside a worker of pytest-xdist the suites run as anywhere else, with workers of their own too."""
    marks = {"PYTEST_XDIST_WORKER": "gw0", "PYTEST_XDIST_WORKER_COUNT": "2", "PYTEST_XDIST_TESTRUNUID": "x"}
    run = project.run("--vindex3-impl=wrong", PART, *arguments, **marks)
    assert run.verdicts == plain.verdicts
    assert run.code == 1


def test_ini_twins_take_part(project: Project) -> None:
    """Options in the project's ini hold where the command line does not say otherwise."""
    project.write(**ini("vindex3_only = LYRW-HEADER-03", "vindex3_profile = quick", "vindex3_seed = 7"))
    run = project.run("--vindex3-impl=wrong", "--vindex3-seed=8")
    assert run.report.header["profile"] == "quick"
    assert run.report.header["seed"] == 8
    assert run.report.header["only"] == ["LYRW-HEADER-03"]
    assert len({name.partition("[")[0] for name in run.verdicts}) == len(run.verdicts)


@pytest.mark.parametrize(
    "where", [ini("addopts = --vindex3-impl=wrong"), ini("vindex3_impl = wrong")], ids=["addopts", "ini"]
)
def test_settings_do_not_replace_the_projects_own_tests(project: Project, where: dict[str, str]) -> None:
    """An implementation in addopts or in the ini file leaves a bare pytest to the project."""
    project.write(test_own=OWN_TEST, **where)
    run = project.bare("-v")
    assert run.code == 0
    assert "test_own.py::test_of_the_project PASSED" in run.out
    assert "lyrw/" not in run.out


def test_the_environment_never_starts_the_suites(project: Project) -> None:
    """PYTEST_ADDOPTS is not the command line."""
    project.write(test_own=OWN_TEST)
    run = project.bare("-v", PYTEST_ADDOPTS="--vindex3-impl=wrong")
    assert "test_own.py::test_of_the_project PASSED" in run.out
    assert "lyrw/" not in run.out


def test_with_a_path_the_project_runs_its_own_tests(project: Project) -> None:
    """With a path pytest does what it always does, and `ask` is there."""
    project.write(
        test_own="""
def test_of_the_project(ask):
    reply = ask("lyrw.parse", path=ask.file("input.lyrw", b"short"))
    assert reply.outcome.kind == "truncated", reply
    assert ask.claims("lyrw.region") and not ask.claims("lyrw.write")
"""
    )
    run = project.bare("--vindex3-impl=right", "test_own.py")
    assert run.code == 0
    assert "1 passed" in run.lines[-1]


def test_the_suites_inside_a_project_are_no_certificate(project: Project, plain: Run) -> None:
    """With --pyargs the same tests give the same verdicts, and the run is partial."""
    run = project.run("--vindex3-impl=wrong", PART, "--pyargs", "vindex3_suites")
    assert run.verdicts == plain.verdicts
    assert run.report.header["certifying"] is False
    green = project.run("--vindex3-impl=right", PART, "--pyargs", "vindex3_suites.lyrw.test_header")
    assert green.code == 0
    assert green.report.footer["verdict"] == "partial"


def test_without_the_option_the_suites_say_what_they_need(project: Project) -> None:
    """`--pyargs vindex3_suites` alone is a usage error that names the option."""
    run = project.bare("--pyargs", "vindex3_suites.lyrw.test_header")
    assert run.code == 4
    assert "--vindex3-impl" in run.out


def test_interpreter_flags_are_kept(project: Project, plain: Run) -> None:
    """Under -O the same tests fail: no verdict rests on an assert."""
    done = subprocess.run(
        [sys.executable, "-O", "-m", "pytest", "-p", "vindex3", "--vindex3-impl=wrong", PART, "-q"],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    failed = sum(verdict == "fail" for verdict in plain.verdicts.values())
    assert done.returncode == 1
    assert f"{failed} failed" in done.stdout.splitlines()[-1]


def test_nothing_is_left_behind(project: Project) -> None:
    """A green run leaves pytest's cache beside the user, and nothing in the temporary folder."""
    temporary = project.folder / "tmp"
    temporary.mkdir()
    run = project.bare("--vindex3-impl=right", PART, TMPDIR=str(temporary))
    assert run.code == 0
    assert list(temporary.iterdir()) == []
    ours = {"right.py", "wrong.py", "obedient.py", "tmp", ".pytest_cache"}
    assert {path.name for path in project.folder.iterdir()} - {"__pycache__"} == ours


def test_ctrl_c_ends_the_run_in_order(project: Project) -> None:
    """An interrupt ends both processes with pytest's code 2 and what was found so far."""
    project.write(
        slow="""
import time
import vindex3_reference.adapter as oracle

def lyrw_parse(path):
    open("asked", "w").close()
    time.sleep(0.5)
    return oracle.lyrw_parse(path=path)
"""
    )
    child = subprocess.Popen(
        project.command("--vindex3-impl=slow", "--vindex3-profile=quick"),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    begun = time.monotonic()
    while not (project.folder / "asked").exists() and child.poll() is None and time.monotonic() - begun < 60:
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 2, out
    assert "verdict: partial: interrupted" in out
    assert "Traceback" not in out


def test_a_read_only_checkout_is_no_hindrance(project: Project, plain: Run) -> None:
    """Where nothing can be written, verdicts are the same and inputs lie in the temporary folder."""
    checkout, temporary = project.folder / "checkout", project.folder / "tmp"
    for folder in (checkout, temporary):
        folder.mkdir()
    shutil.copy(project.folder / "wrong.py", checkout)
    command = [*unprivileged(checkout), *project.command("--vindex3-impl=wrong", PART, "-W", "error")]
    run = subprocess.run(
        command,
        cwd=checkout,
        env=project.environment(TMPDIR=str(temporary)),
        capture_output=True,
        text=True,
        check=False,
    )
    checkout.chmod(0o755)
    assert run.returncode == 1, run.stdout + run.stderr
    failed = sum(verdict == "fail" for verdict in plain.verdicts.values())
    assert f"{failed} failed" in run.stdout.splitlines()[-1]
    assert f"path={temporary}/vindex3-last-" in run.stdout
    assert [path.name for path in checkout.iterdir()] == ["wrong.py"]


def unprivileged(folder: Path) -> list[str]:
    """Make a folder read-only; what a command begins with so that root is held to it as well."""
    folder.chmod(0o555)
    if os.access(folder, os.W_OK):
        if not shutil.which("setpriv"):
            pytest.skip("root writes everywhere, and there is no setpriv to take that away")
        os.chown(folder, 65534, 65534)
        return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    return []
