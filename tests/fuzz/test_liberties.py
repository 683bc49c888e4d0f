"""Nothing is found in right readers of other make, which take the liberties that the law leaves."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.fuzz.target import targets
from pytest_vindex3.fuzz.worker import Fuzzer

READERS = Path(__file__).parents[1] / "suites"
EDITS = 80
FREE = [
    ("lyrw-tables", "strict_reader.py"),
    ("lyrw-tables", "backward_reader.py"),
    ("container-index", "tolerant_index.py"),
    ("system-graph", "refusing_graph.py"),
    ("system-graph", "reporting_graph.py"),
    ("waste-manifest", "free_waste.py"),
    ("waste-manifest", "late_waste.py"),
    ("waste-record", "free_waste.py"),
    ("waste-record", "late_waste.py"),
    ("waste-usage", "free_waste.py"),
]


@pytest.mark.parametrize(("name", "reader"), FREE, ids=[f"{name}-{reader[:-3]}" for name, reader in FREE])
def test_a_liberty_is_no_finding(name: str, reader: str, tmp_path: Path) -> None:
    """Edited inputs on which a reader and the reference may differ are not held against it."""
    target = targets()[name]
    seeds = list(target.seeds())
    doors = [open_door(spec, in_process=True) for spec in (str(READERS / reader), "vindex3_reference")]
    fuzzer = Fuzzer(target, *doors, tmp_path)
    inputs = [target.mutate(seeds[number % len(seeds)], Random(number)) for number in range(EDITS)]
    assert [finding for data in inputs for finding in fuzzer.findings(data)] == []
