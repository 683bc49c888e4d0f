"""One run of fuzzing: a worker is started, and what it found is taken from it."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_vindex3.contract.process import environment
from pytest_vindex3.fuzz.target import Target
from vindex3_fixtures.fuzz import dictionary

MISSING: Final = 'atheris is not installed: pip install "pytest-vindex3[fuzz]", on x86-64 Linux'
MOST_BYTES: Final = 1 << 16
_MOST_EDITS: Final = 3
_HANG_SECONDS: Final = 200
"""More than three requests may take that are waited for (`worker.REQUEST_SECONDS`)."""
_GRACE_SECONDS: Final = 240.0
_MOST_MEGABYTES: Final = 4096
_LAST_LINES: Final = 8
INPUT: Final = "input"
"""The folder of the worker in which the input lies that was asked about last."""
ASKED: Final = "asked"
"""The file of the worker with one byte: which of the target's requests was made last."""
EXIT_BROKEN: Final = 113
"""With this the worker ends where an error is the kit's own."""
ENDLESS: Final = "did not end by itself"
INTERRUPTED: Final = "interrupted"
_EXIT_INTERRUPTED: Final = 72
"""The exit code of libFuzzer that was told to end by a signal."""
_DONE: Final = re.compile(r"stat::number_of_executed_units:\s*(\d+)|^#(\d+)\s", re.MULTILINE)
_WHY: Final = {
    "crash": "",
    "timeout": f"hang: no answer within {_HANG_SECONDS} s",
    "oom": f"memory: more than {_MOST_MEGABYTES} MB",
}
"""By the name of an input that libFuzzer left, why it did; a crash has a story of its own."""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, with the input that shows it.

    Attributes:
        verb: that was asked.
        arguments: every argument but the path.
        text: what is wrong.
        fault: whether it is a fault.
        data: the content of the target's file.
    """

    verb: str
    arguments: Mapping[str, Any]
    text: str
    fault: bool
    data: bytes


@dataclass(frozen=True, slots=True)
class Result:
    """What one run gave.

    Attributes:
        target: its name.
        runs: inputs that were tried.
        seconds: what it took, the start of the process included.
        found: in the order in which they were found, one for each cause.
        problem: why it was not run, or broke off; empty where all is well.
        interrupted: whether the user broke it off.
    """

    target: str
    runs: int
    seconds: float
    found: tuple[Found, ...] = ()
    problem: str = ""
    interrupted: bool = False

    @property
    def per_second(self) -> float:
        """Inputs a second."""
        return self.runs / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is tried: so many inputs, or for so many seconds; `seed` begins the numbers that are drawn."""

    runs: int | None = None
    seconds: int | None = None
    seed: int = 0

    def flags(self) -> Iterator[str]:
        """The flags of libFuzzer; its seed 0 would be the time of day."""
        yield f"-seed={self.seed % ((1 << 32) - 1) + 1}"
        if self.runs is not None:
            yield f"-runs={self.runs}"
        if self.seconds is not None:
            yield f"-max_total_time={self.seconds}"


def available() -> bool:
    """Whether atheris is installed."""
    return importlib.util.find_spec("atheris") is not None


@dataclass(slots=True)
class Run:
    """A run of one target against one implementation.

    Attributes:
        target: what is fuzzed.
        spec: the implementation.
        amount: how much is tried.
        roots: folders in which the implementation is looked for.
        oracle: the implementation that says what is right.
    """

    target: Target
    spec: str
    amount: Amount
    roots: Sequence[Path] = ()
    oracle: str = "vindex3_reference"
    _place: Path = field(init=False)

    def result(self) -> Result:
        """Start the worker, wait for it, and give what it found."""
        with tempfile.TemporaryDirectory(prefix="vindex3-fuzz-") as place:
            self._place = Path(place)
            begun = time.monotonic()
            ending, said = self._worked()
            seconds = time.monotonic() - begun
            found, last = tuple(self._written()), self._last(ending, said)
            runs = max((int(one or other) for one, other in _DONE.findall(said)), default=0)
            problem = "" if last else _problem(ending, runs, said)
            return Result(self.target.name, runs, seconds, found + last, problem, ending == INTERRUPTED)

    def _worked(self) -> tuple[int | str, str]:
        """How the worker ended, by its exit code or in words, and what it said."""
        self._write_corpus()
        settings = {
            "target": self.target.name,
            "spec": self.spec,
            "oracle": self.oracle,
            "roots": [str(root) for root in self.roots],
            "place": str(self._place),
        }
        told = self._place / "settings.json"
        told.write_text(json.dumps(settings), encoding="utf-8")
        command = [sys.executable, "-P", "-m", "pytest_vindex3.fuzz.worker", str(told), *self._flags()]
        log = self._place / "log"
        with log.open("wb") as stream:
            variables = {**environment(), "PYTHONHASHSEED": "0"}
            with subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, env=variables
            ) as process:
                ending = _awaited(process, self.amount)
        return ending, log.read_text(encoding="utf-8", errors="replace")

    def _flags(self) -> Iterator[str]:
        yield from self.amount.flags()
        yield f"-dict={dictionary(self.target.name)}"
        yield f"-max_len={MOST_BYTES}"
        yield f"-mutate_depth={_MOST_EDITS}"
        yield f"-timeout={_HANG_SECONDS}"
        yield f"-rss_limit_mb={_MOST_MEGABYTES}"
        yield f"-artifact_prefix={self._place / 'left'}/"
        yield from (
            "-reload=0",
            "-report_slow_units=100000",
            "-print_final_stats=1",
            str(self._place / "corpus"),
        )

    def _write_corpus(self) -> None:
        for name in ("corpus", "left"):
            (self._place / name).mkdir()
        for number, seed in enumerate(self.target.seeds()):
            (self._place / "corpus" / f"{number:04}").write_bytes(seed)

    def _written(self) -> Iterator[Found]:
        """What the worker wrote down."""
        for path in sorted(self._place.glob("finding-*.json"), key=lambda one: (len(one.name), one.name)):
            told = json.loads(path.read_text(encoding="utf-8"))
            yield Found(**told, data=path.with_suffix(".input").read_bytes())

    def _last(self, ending: int | str, said: str) -> tuple[Found, ...]:
        """The input at which the process ended before its time, if it did."""
        left = [path for path in sorted((self._place / "left").iterdir()) if _sort(path) in _WHY]
        asked = self._place / INPUT / self.target.file
        broken = isinstance(ending, int) and ending not in (0, EXIT_BROKEN)
        if not left and not (asked.is_file() and (broken or ending == ENDLESS)):
            return ()
        path = left[0] if left else asked
        crash = "\n".join([f"crash: the process {_told(ending)}", *_lines(said)])
        text = _WHY.get(_sort(path)) or (f"hang: the process {ENDLESS}" if ending == ENDLESS else crash)
        request = self.target.asked[(self._place / ASKED).read_bytes()[0]]
        return (Found(request.verb, dict(request.arguments), text, True, path.read_bytes()),)


def _sort(artifact: Path) -> str:
    """What libFuzzer left an input for, such as "timeout"."""
    return artifact.name.partition("-")[0]


def _awaited(process: subprocess.Popen[bytes], amount: Amount) -> int | str:
    limit = None if amount.seconds is None else amount.seconds + _GRACE_SECONDS
    try:
        code = process.wait(limit)
        return INTERRUPTED if code == _EXIT_INTERRUPTED else code
    except subprocess.TimeoutExpired:
        process.kill()
        return ENDLESS
    except KeyboardInterrupt:
        process.kill()
        return INTERRUPTED
    except BaseException:
        process.kill()
        raise


def _told(ending: int | str) -> str:
    return ending if isinstance(ending, str) else f"ended with {ending}"


def _lines(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.strip() and not line.startswith(("INFO:", "stat::"))][
        -_LAST_LINES:
    ]


def _problem(ending: int | str, runs: int, said: str) -> str:
    if ending == 0 and runs:
        return ""
    if ending == INTERRUPTED:
        return f"{ending} after {runs} inputs"
    return "\n".join([f"the process that fuzzes {_told(ending)} after {runs} inputs", *_lines(said)])
