"""How many random blocks the codecs are held to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from vindex3_fixtures.codecs import Blocks, sampled

BLOCKS = "VINDEX3_CODEC_BLOCKS"
"""The environment variable that asks for another number of blocks of each encoding."""


@pytest.fixture
def blocks() -> Callable[[str], Iterator[Blocks]]:
    """The random blocks of an encoding: 20,000 of them, or as many as are asked for."""
    return lambda label: sampled(label, int(os.environ.get(BLOCKS, "20000")))
