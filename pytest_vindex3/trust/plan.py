"""The plan of one process of trials, as it travels in the environment."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

PLAN = "PYTEST_VINDEX3_TRIAL"


class Plan(msgspec.Struct):
    """Whom the processes of one run try, and what each of them has for its own.

    Attributes:
        mutants, nulls: by id; the processes take one after the other, each the next that is left.
        perturbed: globs of the verbs whose answers and refusals are perturbed.
        brief: whether a mutant is done with once it is killed.
        recorded: whether the processes first watch the oracle in all tests and share what they saw.
        part, parts: the number of this process, from 0, and of them all.
        folder: where they meet.
    """

    mutants: list[str]
    nulls: list[str]
    perturbed: list[str]
    brief: bool
    recorded: bool
    part: int
    parts: int
    folder: str

    def perturbs(self, verb: str) -> bool:
        """Whether what a verb says is perturbed."""
        return any(fnmatchcase(verb, glob) for glob in self.perturbed)

    @property
    def results(self) -> Path:
        """The file that takes the results of this process."""
        return Path(self.folder, f"results-{self.part}.json")

    @property
    def record(self) -> Path:
        """The file that takes what this process saw of the oracle."""
        return self.record_of(self.part)

    def record_of(self, part: int) -> Path:
        """The file that takes what one of the processes saw."""
        return Path(self.folder, f"record-{part}.json")

    def takes(self, what: str) -> bool:
        """Whether this process is the first to ask for a piece of work."""
        try:
            Path(self.folder, f"taken-{what}").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
