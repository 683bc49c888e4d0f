"""The canary of the family: the smallest of the usual containers, asked and compared first of all.

Of an implementation that has kernels alone it is an example of the format's text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_vindex3 import answers, check
from vindex3_fixtures.waste import observed_header, usage_file, worked
from vindex3_fixtures.waste.usage import usage_observation
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import HEAD, TINY, opens
from vindex3_suites.waste.orders import WORKED

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation

LAYER, EXPERT = 1, 2
ENTRY = (LAYER, EXPERT, 5, 7, 0)
USED = TINY.folder.with_file("usage.waste", usage_file([ENTRY], clock=8))


def canary(ask: Ask) -> None:
    """Ask the first verb of the family that is claimed and writes nothing, and compare its answer whole."""
    for verb in [*EXPECTED, *COMPUTED]:
        if ask.claims(verb):
            sing(ask, verb)
            return


def sing(ask: Ask, verb: str) -> None:
    """Ask this verb, if it reads of a sound container and its statistics, and judge it by its clause."""
    clause_id, expected, arguments = {**EXPECTED, **COMPUTED}[verb]
    read: dict[str, Any] = {"path": ask.file("model", USED)} if verb in EXPECTED else {}
    check(clause_id, ask(verb, **read, **arguments), expected)


def _record() -> Expectation:
    record = TINY.record(LAYER, EXPERT)
    return answers(header=observed_header(record), data=record.data, held_sha256=None)


_EXPERT: dict[str, Any] = {"layer": LAYER, "expert": EXPERT}

EXPECTED: dict[str, tuple[str, Expectation, dict[str, Any]]] = {
    "waste.open": ("WASTE-DIR-01", opens(TINY), {}),
    "waste.record": ("RECORD-SERVE-01", _record(), _EXPERT),
    "waste.matrix": (
        "CODEBOOK-NUMBER-01",
        gives(TINY.weights(LAYER, EXPERT, "up")),
        {**_EXPERT, "matrix": "up"},
    ),
    "waste.tensor": ("TRUNK-Q8-01", gives(TINY.values(HEAD)), {"name": HEAD}),
    "waste.verify": ("WASTE-VERIFY-01", answers(records_checked=6, defects=[]), {}),
    "usage.read": (
        "USAGE-READ-01",
        answers(usage_observation([ENTRY], [True], [(LAYER, EXPERT)], clock=8)),
        {},
    ),
}
"""The clause, the answer and the other arguments of each verb."""

_COLUMN = {"x": np.array([1, 0], np.float32)}
COMPUTED: dict[str, tuple[str, Expectation, dict[str, Any]]] = {
    "kernel.crc32": ("CRC-VALUE-01", answers(crc32=0xCBF43926), {"data": b"123456789"}),
    "kernel.vq_decode": ("VQ-DECODE-11", answers(out=worked.DECODE_WEIGHTS), WORKED.arguments),
    "kernel.vq_matvec": (
        "VQ-MATVEC-08",
        answers(out=worked.DECODE_WEIGHTS[:, 0]),
        {**WORKED.arguments, **_COLUMN},
    ),
}
"""The same of each kernel: what is typed in the format's text."""
