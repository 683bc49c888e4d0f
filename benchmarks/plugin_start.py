"""What the kit adds to every start of pytest: the plugin itself, and the packages it brings.

usage: python benchmarks/plugin_start.py [ROUNDS]

Three starts take turns in an empty directory: pytest alone in its environment; pytest with the kit
installed; the same with the kit's plugin switched off, so that only its dependencies count.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
DEFAULT_ROUNDS = 15


def environment(folder: Path, *requirements: str) -> Path:
    """Make an environment that holds the requirements; the path of its pytest."""
    venv.create(folder, with_pip=False)
    python = folder / "bin/python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-qq", *requirements]
    subprocess.run(install, check=True)
    return folder / "bin/pytest"


def milliseconds(command: list[str], cwd: Path) -> float:
    """Run a command that finds no test; its CPU time, which other programs on the machine hardly move."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def main(rounds: int) -> None:
    """Print the median of each start, and what the kit and its dependencies add."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        empty = folder / "empty"
        empty.mkdir()
        bare = environment(folder / "bare", "pytest")
        kit = environment(folder / "kit", str(CHECKOUT))
        starts = {
            "pytest alone": [str(bare)],
            "with the kit installed": [str(kit)],
            "the same, plugin switched off": [str(kit), "-p", "no:vindex3"],
        }
        for command in starts.values():
            milliseconds(command, empty)
        taken: dict[str, list[float]] = {what: [] for what in starts}
        for _ in range(rounds):
            for what, command in starts.items():
                taken[what].append(milliseconds(command, empty))
    for what, values in taken.items():
        print(f"{what:32}{statistics.median(values):7.0f} ms  ({min(values):.0f} to {max(values):.0f})")
    alone, with_kit, without_plugin = taken.values()
    print(f"{'the plugin itself adds':32}{added(with_kit, without_plugin):7.0f} ms")
    print(f"{'its dependencies add':32}{added(without_plugin, alone):7.0f} ms")


def added(more: list[float], less: list[float]) -> float:
    """Give the median of what one start took more than another of its round."""
    return statistics.median(one - other for one, other in zip(more, less, strict=True))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_ROUNDS)
