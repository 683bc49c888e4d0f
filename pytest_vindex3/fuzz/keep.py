"""Findings on the disk: the input as it was handed out, its bytes annotated, and a line to replay it."""

from __future__ import annotations

import hashlib
import json
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_vindex3.contract import fresh
from pytest_vindex3.formats import dump_text
from pytest_vindex3.fuzz.run import Found
from pytest_vindex3.fuzz.target import Target

FOLDER: Final = Path(".vindex3", "fuzz")
INPUT: Final = "input"
DUMP: Final = "dump.txt"
STORY: Final = "finding.txt"


@dataclass(frozen=True, slots=True)
class Kept:
    """A finding that was written down.

    Attributes:
        folder: where it is, as seen from the working directory.
        path: what a request about it is given as its path.
        replay: a line that asks the same again.
    """

    folder: Path
    path: Path
    replay: str


def keep(target: Target, found: Found, spec: str, directory: Path) -> Kept:
    """Write a finding into `.vindex3/fuzz` of a directory, or a temporary folder where that cannot be.

    The folder is named by the target and the input, so that the same finding has the same place.

    Raises:
        OSError: neither can be written.
    """
    digest = hashlib.sha256(f"{found.verb}\0".encode() + found.data).hexdigest()[:12]
    folder = _base(directory) / f"{target.name}-{digest}"
    fresh.remove(folder)
    folder.mkdir(parents=True)
    around = folder / INPUT
    target.around().write_to(around)
    fresh.write(around / target.file, found.data)
    near = folder.relative_to(directory) if folder.is_relative_to(directory) else folder
    path = target.path(near / INPUT)
    replay = _replay(found, spec, path)
    (folder / DUMP).write_text(dump_text(around / target.file), encoding="utf-8")
    (folder / STORY).write_text(f"{found.text}\n\n{replay}\n", encoding="utf-8")
    return Kept(near, path, replay)


def _base(directory: Path) -> Path:
    base = directory / FOLDER
    try:
        base.mkdir(parents=True, exist_ok=True)
        fresh.write(base.parent / ".gitignore", b"*\n")
    except OSError:
        return Path(tempfile.mkdtemp(prefix="vindex3-fuzz-"))
    return base


def _replay(found: Found, spec: str, path: Path) -> str:
    """The request as `vindex3 call` puts it."""
    arguments: dict[str, Any] = {"path": str(path), **found.arguments}
    words = [
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in arguments.items()
    ]
    return " ".join(["vindex3 call", shlex.quote(spec), found.verb, *map(shlex.quote, words)])
