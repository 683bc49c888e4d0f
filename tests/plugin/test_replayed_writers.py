"""A failing request of a writer is replayed from what was kept: its graph, its sources, its folders."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from vindex3_fixtures.container.writings import text_model

if TYPE_CHECKING:
    from conftest import Project

LOSSY = """
import pathlib
import vindex3_reference.adapter as oracle

def container_write(out, graph, sources, **more):
    answer = oracle.container_write(out=out, graph=graph, sources=sources, **more)
    if "capability_dir" in more:
        (pathlib.Path(out) / "tokenizer.json").write_bytes(b"lost")
    return answer
"""
NAME = "container/test_publish_capability.py::test_capability_files_are_stored_verbatim[all_five]"


def test_a_container_is_written_again_from_what_was_kept(project: Project) -> None:
    """The printed line gives the implementation the same graph, the same bytes and the same folder."""
    project.write(lossy=LOSSY)
    done = project.bare("--vindex3-impl=lossy", f"--vindex3-only={NAME}")
    (line,) = re.findall(r"(vindex3 call lossy container\.write .*)", done.out)
    arguments = dict(one.split("=", 1) for one in shlex.split(line)[4:])
    kept = project.folder / arguments["capability_dir"]
    assert len(list(kept.iterdir())) == 5
    assert json.loads((project.folder / arguments["graph"][1:]).read_bytes()) == text_model().graph
    out = project.folder / "again"
    again = [one if not one.startswith("out=") else f"out={out}" for one in shlex.split(line)[1:]]
    replayed = subprocess.run(
        [sys.executable, "-m", "pytest_vindex3.command", *again],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert replayed.returncode == 0, replayed.stderr
    segment = (out / "segments/target.embedding.bin").read_bytes()
    assert segment.endswith(text_model().payload("target.embedding"))
    assert (out / "tokenizer.json").read_bytes() == b"lost"
    assert (out / "chat_template.jinja").read_bytes() == (kept / "chat_template.jinja").read_bytes()
