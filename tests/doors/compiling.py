"""Programs and libraries in C that tests build for themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def compiled(source: Path, target: Path, *flags: str) -> Path:
    """What a C compiler makes of a source; without one the test is skipped."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    subprocess.run([compiler, "-O1", *flags, str(source), "-o", str(target)], check=True, capture_output=True)
    return target
