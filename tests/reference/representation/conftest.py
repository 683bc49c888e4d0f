"""What the tests of this folder ask with: a refusal as its kind and facts, and containers on the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.model import Model
from vindex3_reference.refusal import Refusal

Refused = Callable[..., tuple[str, dict[str, Any]]]


@pytest.fixture
def refused() -> Refused:
    """Ask a verb that is to refuse; gives the kind and the facts, without path and the list of defects."""

    def ask(verb: Callable[..., object], **arguments: Any) -> tuple[str, dict[str, Any]]:
        with pytest.raises(Refusal) as caught:
            verb(**arguments)
        names = {key: value for key, value in caught.value.names.items() if key not in {"path", "defects"}}
        return caught.value.kind, names

    return ask


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Model], str]:
    """Write a container into a folder of its own; gives the folder."""
    count = iter(range(1_000_000))

    def write(model: Model) -> str:
        path = tmp_path / f"model-{next(count)}"
        model.folder.write_to(path)
        return str(path)

    return write
