"""The stages of CI: what they are, what each may take, and that the document says the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
STAGES = sorted((CHECKOUT / ".ci/stages").iterdir())
MOST_SECONDS = 15 * 60


def budget(stage: Path) -> int:
    """The seconds that a stage gives itself."""
    return int(re.findall(r"^# budget: (\d+) s$", stage.read_text(encoding="utf-8"), re.MULTILINE)[0])


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_says_what_it_does_and_may_take(stage: Path) -> None:
    """A stage is a program whose second line says what it does, and which stops at the first failure."""
    lines = stage.read_text(encoding="utf-8").splitlines()
    assert os.access(stage, os.X_OK)
    assert lines[0] == "#!/usr/bin/env bash"
    assert lines[1].startswith("# ")
    assert "set -euo pipefail" in lines
    assert budget(stage) > 0


def test_the_table_of_stages_is_what_is_run() -> None:
    """CONTRIBUTING.md lists every stage with its budget, and all together stay under fifteen minutes."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\d\d-[\w-]+)` \|.*\| (\d+) s \|$", text, re.MULTILINE)
    assert listed == [(stage.name, str(budget(stage))) for stage in STAGES]
    assert sum(budget(stage) for stage in STAGES) <= MOST_SECONDS
