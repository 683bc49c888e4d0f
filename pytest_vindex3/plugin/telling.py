"""Telling of a failure: its facts, its bytes and its kept inputs, on the row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.excerpt import excerpt
from pytest_vindex3.plugin.facts import facts, stderr
from pytest_vindex3.plugin.inputs import Inputs
from pytest_vindex3.plugin.kept import Kept
from pytest_vindex3.report.row import Row
from pytest_vindex3.report.shown import cut


@dataclass(frozen=True, slots=True)
class Telling:
    """How failures are told of in one process.

    Attributes:
        kept: where inputs are kept.
        directory: the user's working directory, from which they are named.
    """

    kept: Kept
    directory: Path

    def tell(self, row: Row, failure: Failure, inputs: Inputs) -> None:
        """Add the facts of a failure to its row, and keep the inputs that showed it.

        Args:
            row: of the test that failed.
            failure: what its check found.
            inputs: of the test.
        """
        inputs.restore()
        place = inputs.place
        row.failure = facts(failure, place)
        if inputs.deeds:
            row.failure["blame"] = cut(f"the implementation: it {inputs.told()} while it was asked", 95)
        row.failure["bytes"] = excerpt(failure, place)
        row.stderr = stderr(failure)
        kept = self.kept.keep(place, f"{place.parent.name}/{place.name}") if place.is_dir() else None
        if kept:
            near = kept.is_relative_to(self.directory)
            row.inputs = str(kept.relative_to(self.directory) if near else kept)
