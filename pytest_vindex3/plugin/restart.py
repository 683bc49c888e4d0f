"""The certifying run: pytest started once more, with the suites' ini and root instead of the project's.

No ini file, addopts, conftest or fixture of the project takes part in it, so that a verdict depends on
the implementation alone. Only `--vindex3-impl` on the command line itself, without a path, asks for it.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_vindex3.plugin import settings

FLAG = "PYTEST_VINDEX3_RUN"
_ELSEWHERE = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "cacheshow")
_SIGNALS = ("SIGTERM", "SIGHUP")
_DROPPED = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_", "PYTEST_CURRENT_TEST")
"""What an outer pytest says to its own processes: a worker's mark, inherited, makes nobody a worker."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the run was asked for: the working directory, the project's root, a folder for leavings."""

    directory: str
    root: str
    leavings: str


def origin() -> Origin | None:
    """Where this certifying run was asked for, or None in any other session."""
    text = os.environ.get(FLAG)
    return Origin(**json.loads(text)) if text else None


def suites() -> Path:
    """The folder of the installed suites."""
    import vindex3_suites

    return Path(vindex3_suites.__path__[0])


def hand_over(config: pytest.Config, parser: pytest.Parser) -> None:
    """Run the suites in a pytest of their own and leave with its exit code, if that is what was asked.

    Raises:
        SystemExit: with the exit code of the run.
    """
    if FLAG in os.environ:
        return
    words = [os.fspath(word) for word in config.invocation_params.args]
    given = parser.parse_known_args(words, namespace=copy.copy(config.option))
    if not given.vindex3_impl or given.file_or_dir or any(getattr(given, name, None) for name in _ELSEWHERE):
        return
    leavings = tempfile.mkdtemp(prefix="vindex3-run-")
    try:
        code = _run(config, given, words, leavings)
    finally:
        shutil.rmtree(leavings, ignore_errors=True)
    raise SystemExit(code)


def _run(config: pytest.Config, given: Any, words: Sequence[str], leavings: str) -> int:
    directory = config.invocation_params.dir
    command = [
        sys.executable,
        *_interpreter_flags(),
        *("-m", "pytest", "-p", "vindex3"),
        *settings.twins(config, given),
        *(word for word in words if word != "--"),
        *("-c", str(suites() / "pytest.ini"), "--rootdir", str(suites())),
        *_cache(directory, given, leavings),
        str(suites()),
    ]
    place = Origin(str(directory), str(config.rootpath), leavings)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(_DROPPED)}
    environment[FLAG] = json.dumps(asdict(place))
    environment["HYPOTHESIS_STORAGE_DIRECTORY"] = str(Path(leavings, "hypothesis"))
    return _wait(command, environment)


def _interpreter_flags() -> list[str]:
    """The flags of this interpreter that change what a program does; the child has no cwd on its path."""
    letters = {
        "O": sys.flags.optimize,
        "B": sys.flags.dont_write_bytecode,
        "E": sys.flags.ignore_environment,
        "I": sys.flags.isolated,
        "s": sys.flags.no_user_site,
        "b": sys.flags.bytes_warning,
    }
    flags = ["-P"] + [f"-{letter * int(count)}" for letter, count in letters.items() if count]
    flags += [f"-W{option}" for option in sys.warnoptions]
    for name, value in sys._xoptions.items():
        flags += ["-X", name if value is True else f"{name}={value}"]
    return flags


def _cache(directory: Path, given: Any, leavings: str) -> list[str]:
    """Where `--lf` remembers, apart from the project's own tests; a temporary folder if it must be."""
    if "no:cacheprovider" in given.plugins:
        return []
    place = directory / ".pytest_cache" / "vindex3"
    nearest = next(folder for folder in (place, *place.parents) if folder.exists())
    if not os.access(nearest, os.W_OK):
        name = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
        place = Path(leavings).parent / f"vindex3-cache-{os.getuid() if hasattr(os, 'getuid') else ''}-{name}"
    return ["-o", f"cache_dir={place}"]


def _wait(command: Sequence[str], environment: dict[str, str]) -> int:
    """The exit code of the command; ctrl-C is the child's to answer, other signals are handed on."""
    child: subprocess.Popen[bytes] | None = None

    def hand_on(number: int, frame: object) -> None:
        del frame
        if child and number != signal.SIGINT:
            child.send_signal(number)

    numbers = [signal.SIGINT, *(getattr(signal, name) for name in _SIGNALS if hasattr(signal, name))]
    before = {}
    try:
        for number in numbers:
            before[number] = signal.signal(number, hand_on)
    except ValueError:
        before.clear()  # signals belong to the main thread, and this is another one
    sys.stdout.flush()
    try:
        child = subprocess.Popen(command, env=environment)
        code = child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code
