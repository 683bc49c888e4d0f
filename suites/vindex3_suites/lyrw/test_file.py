"""The file as such: what is no file, and that nothing but its own bytes takes part."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.outcome import Limits
from pytest_vindex3.plugin.ask import needs
from pytest_vindex3.plugin.check import NotRun
from vindex3_suites.lyrw.asking import partner, region
from vindex3_suites.lyrw.expected import delivers, parses, partners
from vindex3_suites.lyrw.limits import MIB
from vindex3_suites.lyrw.samples import DENSE, SMALLEST, bank_of, scales, values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask

# A reader that opens a FIFO waits for ever: only a door that can end it carries the request.
WATCHED = Limits(seconds=10, memory=1024 * MIB)


def _nothing(folder: Path) -> Path:
    return folder / "absent.lyrw"


def _no_folder(folder: Path) -> Path:
    return folder / "absent" / "layer.lyrw"


def _folder(folder: Path) -> Path:
    path = folder / "folder.lyrw"
    path.mkdir()
    return path


def _fifo(folder: Path) -> Path:
    if not hasattr(os, "mkfifo"):
        raise NotRun("this platform makes no FIFO")
    path = folder / "fifo.lyrw"
    os.mkfifo(path)
    return path


NO_FILES = {"nothing": _nothing, "nothing_in_no_folder": _no_folder, "folder": _folder}


@clause("LYRW-FILE-01")
@cases(NO_FILES)
def test_no_file_is_missing(ask: Ask, case: Callable[[Path], Path]) -> None:
    """A path without a regular file is missing-file, naming the path as it was given."""
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-FILE-01", legal, parses(SMALLEST))
    path = str(case(ask.folder))
    check("LYRW-FILE-01", ask("lyrw.parse", path=path), refuses("missing-file", path=path))


@clause("LYRW-FILE-01")
def test_a_fifo_is_missing(ask: Ask) -> None:
    """A FIFO is no regular file: it is refused instead of being waited for."""
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST), limits=WATCHED)
    check("LYRW-FILE-01", legal, parses(SMALLEST))
    path = str(_fifo(ask.folder))
    check("LYRW-FILE-01", ask("lyrw.parse", path=path, limits=WATCHED), refuses("missing-file", path=path))


@needs("lyrw.region")
@clause("LYRW-FILE-01")
@cases(NO_FILES)
def test_no_file_has_no_region(ask: Ask, case: Callable[[Path], Path]) -> None:
    """A region of a path without a regular file is missing-file too."""
    legal = region(ask, ask.file("legal.lyrw", SMALLEST))
    check("LYRW-FILE-01", legal, delivers(SMALLEST))
    path = str(case(ask.folder))
    wrong = region(ask, path)
    check("LYRW-FILE-01", wrong, refuses("missing-file", path=path))


@needs("lyrw.partner")
@clause("LYRW-FILE-01")
@cases(NO_FILES)
def test_no_file_has_no_partner(ask: Ask, case: Callable[[Path], Path]) -> None:
    """A partner in a path without a regular file is missing-file too."""
    paired = bank_of(values(1), scales(1))
    legal = partner(ask, ask.file("legal.lyrw", paired))
    check("LYRW-FILE-01", legal, partners(paired, 0, 0, 1))
    path = str(case(ask.folder))
    wrong = partner(ask, path)
    check("LYRW-FILE-01", wrong, refuses("missing-file", path=path))


@clause("LYRW-SELF-01")
@cases(
    no_suffix="layer",
    another_suffix="layer.bin",
    another_layer_number="layer_000.lyrw",
    the_index_of_a_container="index.json",
    spaces="a layer of experts.lyrw",
)
def test_the_name_says_nothing(ask: Ask, case: str) -> None:
    """Under any name a file is described from its own bytes."""
    check("LYRW-SELF-01", ask("lyrw.parse", path=ask.file(case, DENSE)), parses(DENSE))


@clause("LYRW-SELF-01")
def test_the_directory_says_nothing(ask: Ask) -> None:
    """In another directory, alone, a file is described as before."""
    folder = ask.folder / "elsewhere"
    folder.mkdir()
    DENSE.write_to(folder / "layer.lyrw")
    check("LYRW-SELF-01", ask("lyrw.parse", path=str(folder / "layer.lyrw")), parses(DENSE))


@clause("LYRW-SELF-01")
@cases(
    broken_index={"index.json": b"{"},
    index_of_another_container={
        "index.json": b'{"version": 3, "layers": [{"file": "layer.lyrw", "banks": 9}]}'
    },
    broken_manifest={"moe_manifest.json": b"\x00"},
    sibling_file={"layer_1.lyrw": replace(DENSE, logical_layer=77).data()},
)
def test_neighbours_say_nothing(ask: Ask, case: dict[str, bytes]) -> None:
    """Documents and files beside it change nothing of a file's description."""
    for name, content in case.items():
        ask.file(name, content)
    check("LYRW-SELF-01", ask("lyrw.parse", path=ask.file("layer.lyrw", DENSE)), parses(DENSE))
