"""`vindex3 select`: what profiles would execute."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.tiny import bank, tiny


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[Model], Path]:
    """A container as a folder named model."""

    def put(model: Model) -> Path:
        model.folder.write_to(tmp_path / "model")
        return tmp_path / "model"

    return put


def test_every_declared_profile_is_told(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """Without --profile each declared one is a page: its authority, and a variant for each region set."""
    done = run("select", stored(bank()))
    assert (done.code, done.err) == (0, "")
    titles = [line for line in done.out.splitlines() if line.startswith("profile ")]
    assert titles == [
        "profile exact: numerically-approximate, 2 region sets",
        "profile routed-mxfp4: numerically-approximate, 2 region sets",
    ]
    [native] = [line.split() for line in done.out.splitlines() if "native-mxfp4" in line]
    assert native == ["layer.0.routed.gate_up", "native-mxfp4", "source-exact", "routed/layer_000.mxfp4"]


def test_nothing_stands_in_for_what_is_absent(
    stored: Callable[[Model], Path], run: Callable[..., Any]
) -> None:
    """A profile that is not declared is refused with those that are; the others are told all the same."""
    path = stored(bank())
    done = run("select", path, "--profile", "exact", "--profile", "Exact")
    assert done.code == 3
    assert "profile exact: " in done.out
    assert "profile Exact: refused as undeclared-profile" in done.out
    assert "routed-mxfp4" in done.out


def test_a_graph_has_no_catalogue(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """Of a container without variants nothing is selected, and its authority is that of nothing."""
    out = run("select", stored(tiny())).out
    assert out.startswith("profile exact: analysis-only, 0 region sets\n")
    assert "none: the container has no catalogue" in out


def test_json_is_a_line_for_each(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """--json prints the answers of selection.resolve, refusals in their place."""
    done = run("select", "--json", stored(bank()), "--profile", "exact", "--profile", "none")
    answer, refused = map(json.loads, done.out.splitlines())
    assert done.code == 3
    assert answer["selections"]["layer.0.routed.down"]["variant"] == "exact-q6k"
    assert refused["refused"]["kind"] == "undeclared-profile"


def test_a_container_that_does_not_open_is_refused(
    stored: Callable[[Model], Path], run: Callable[..., Any]
) -> None:
    """What container.open refuses is refused here, with the place in the document."""
    done = run("select", stored(bank().with_index(("profiles", 1, "selects"), {"layer.0.routed.down": "no"})))
    assert done.code == 3
    assert "refused as absent-variant" in done.out


def test_no_profile_is_nothing_examined(stored: Callable[[Model], Path], run: Callable[..., Any]) -> None:
    """A container that declares none gives exit code 5."""
    done = run("select", stored(tiny().with_index(("profiles",), [])))
    assert (done.code, done.out) == (5, "")
