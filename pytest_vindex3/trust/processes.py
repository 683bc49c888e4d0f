"""The processes of one run of trials: how they are started, watched, and what they found together."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pytest_vindex3.plugin.identity import GENERATED_MARK
from pytest_vindex3.plugin.memory import memory
from pytest_vindex3.trust.plan import PLAN, Plan
from pytest_vindex3.trust.result import Results

REFERENCE = "vindex3_reference"
MANY = 12
"""So many trials a process at least, or it takes longer to watch the oracle than not to."""
_TICK = 0.2
_ROOM = 2 << 30


class EndedEarly(Exception):  # noqa: N818 -- the state of a run
    """A process of trials ended before it was through; the text is what it said."""


@dataclass(frozen=True, slots=True)
class Trials:
    """Whom a run tries.

    Attributes:
        mutants, nulls: by id.
        perturbed: globs of the verbs that are perturbed.
        brief: whether a mutant is done with once it is killed.
    """

    mutants: list[str]
    nulls: list[str]
    perturbed: list[str]
    brief: bool = False

    def run(self, jobs: int, progress: Callable[[int], None]) -> Results:
        """Share the trials out over processes and gather what they found.

        Files are kept in memory, where there is room: a trial writes and removes thousands of small ones.
        Memory does not show everything (which pages of a file were read, for one), so that a mutant which
        survives there is tried again on the disk.

        Args:
            jobs: how many processes.
            progress: called now and then with the number of mutants and nulls that are done.

        Raises:
            EndedEarly: a process did.
        """
        home = memory(_ROOM)
        results = self._run(jobs, progress, home)
        survivors = [one.id for one in results.mutants if not one.killed]
        if home and survivors:
            killed = [one for one in results.mutants if one.killed]
            again = Trials(survivors, [], [], self.brief)._run(
                jobs, lambda done: progress(len(killed) + done), None
            )
            results.mutants = sorted([*killed, *again.mutants], key=lambda one: one.id)
        return results

    def _run(self, jobs: int, progress: Callable[[int], None], home: Path | None) -> Results:
        count = len(self.mutants) + len(self.nulls)
        jobs = jobs if self.perturbed else min(jobs, count)
        with tempfile.TemporaryDirectory(prefix="vindex3-trials-", dir=home) as folder:
            plans = [self._plan(part, jobs, folder) for part in range(jobs)]
            processes = [_Process(plan) for plan in plans]
            try:
                _wait(processes, progress)
                return Results.together(process.results() for process in processes)
            finally:
                for process in processes:
                    process.kill()

    def _plan(self, part: int, jobs: int, folder: str) -> Plan:
        recorded = bool(self.perturbed) or len(self.mutants) >= MANY * jobs
        return Plan(self.mutants, self.nulls, self.perturbed, self.brief, recorded, part, jobs, folder)


class _Process:
    """One process of a run."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._log = Path(plan.folder, f"log-{plan.part}.txt")
        dropped = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
        environment = {key: value for key, value in os.environ.items() if key not in dropped}
        environment |= {
            PLAN: msgspec.json.encode(plan).decode(),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(Path(plan.folder, "hypothesis")),
            "TMPDIR": plan.folder,
        }
        with self._log.open("wb") as log:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", "pytest", *_arguments()],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def runs(self) -> bool:
        """Whether it is not through.

        Raises:
            EndedEarly: it ended before it was; others may wait for what it saw.
        """
        if self._popen.poll() is None:
            return True
        if not self.results().through:
            raise EndedEarly(self._log.read_text(errors="replace"))
        return False

    def done(self) -> int:
        """How many mutants and nulls it has tried."""
        try:
            found = self.results()
        except EndedEarly:
            return 0
        return len(found.mutants) + len(found.nulls)

    def results(self) -> Results:
        """What it has found.

        Raises:
            EndedEarly: nothing that can be read.
        """
        try:
            return msgspec.json.decode(self._plan.results.read_bytes(), type=Results)
        except (OSError, msgspec.DecodeError):
            raise EndedEarly(self._log.read_text(errors="replace")) from None

    def kill(self) -> None:
        """End it, if it runs."""
        self._popen.kill()
        self._popen.wait()


def _wait(processes: Sequence[_Process], progress: Callable[[int], None]) -> None:
    while sum(process.runs() for process in processes):  # each of them is looked at
        time.sleep(_TICK)
        progress(sum(process.done() for process in processes))


def _arguments() -> list[str]:
    import vindex3_suites

    suites = Path(vindex3_suites.__path__[0])
    return [
        *("-p", "vindex3", "-p", "pytest_vindex3.trust.trial", "-p", "no:cacheprovider", "-q"),
        *("-m", f"not {GENERATED_MARK}", "-c", str(suites / "pytest.ini"), "--rootdir", str(suites)),
        *(f"--vindex3-impl={REFERENCE}", str(suites)),
    ]
