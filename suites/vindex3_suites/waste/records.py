"""How waste.record and waste.matrix are asked, and what a right reader answers, as expectations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3 import answers, check, refuses
from pytest_vindex3.contract.difference import HexDigits
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.waste import KINDS, Record, Waste, observed_header
from vindex3_suites.waste.arrays import gives

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers, Expectation, Refuses

RECORD: Final = "waste.record"
UNCACHED: Final = one_of("direct", "buffered")
"""How the bytes of a first request come: from the file, in one of two ways."""
VERIFY: Final[tuple[dict[str, Any], ...]] = ({"verify": False}, {"verify": True})


def record(ask: Ask, model: Waste, layer: int, expert: int, folder: str = "model", **options: Any) -> Reply:
    """Ask for a record of a container, which is written into this folder first."""
    path = ask.file(folder, model.folder)
    return ask(RECORD, path=path, layer=layer, expert=expert, **options)


def served(stored: Record, **changes: object) -> Answers:
    """The whole answer for a record that is read from its file."""
    told = {
        "header": observed_header(stored),
        "mode": UNCACHED,
        "payload_sha256": sha256(stored.payload).hexdigest(),
        "data": stored.data,
        "held_sha256": None,
    }
    return answers({**told, **changes})


def check_served(
    ask: Ask, clause_id: str, model: Waste, layer: int = 1, expert: int = 0, **options: Any
) -> None:
    """A record is served as it is stored."""
    reply = record(ask, model, layer, expert, **options)
    check(clause_id, reply, served(model.record(layer, expert)))


def check_pair(
    ask: Ask,
    clause_id: str,
    legal: Waste,
    wrong: Waste,
    refused: Expectation,
    place: tuple[int, int] = (1, 0),
) -> None:
    """A record is served from one container, verified, and refused from the other, verified and not."""
    check_served(ask, clause_id, legal, *place, verify=True)
    layer, expert = place
    path = ask.file("model", wrong.folder)
    for options in VERIFY:
        check(clause_id, ask(RECORD, path=path, layer=layer, expert=expert, **options), refused)


def matrix(ask: Ask, model: Waste, layer: int, expert: int, kind: str, folder: str = "model") -> Reply:
    """Ask for the weights of a matrix."""
    path = ask.file(folder, model.folder)
    return ask("waste.matrix", path=path, layer=layer, expert=expert, matrix=kind)


def check_decoded(ask: Ask, clause_id: str, model: Waste, layer: int = 1, expert: int = 0) -> None:
    """The three matrices of an expert are what the formula makes of them."""
    path = ask.file("model", model.folder)
    for kind in KINDS:
        reply = ask("waste.matrix", path=path, layer=layer, expert=expert, matrix=kind)
        check(clause_id, reply, gives(model.weights(layer, expert, kind)))


def with_header(model: Waste, layer: int = 1, expert: int = 0, /, **fields: int) -> Waste:
    """With these fields of one record's header written otherwise."""
    return model.with_record(layer, expert, model.record(layer, expert).with_stored(**fields))


def with_spare(model: Waste, layer: int = 1, pages: int = 1) -> Waste:
    """With so many more pages behind the payload of every record of a layer."""
    blocks = model.record(layer, 0).length // 4096 + pages
    return model.with_bank(layer, [replace(one, blocks=blocks) for one in model.banks[layer]])


@dataclass(frozen=True)
class Fault:
    """A fault of a record's header.

    Attributes:
        fields: what is written otherwise, from the true header and the length of the record.
        kind: how the record is refused.
        facts: what the refusal says beside layer and expert, from the true header and the length.
    """

    fields: Callable[[Mapping[str, int], int], Mapping[str, int]]
    kind: str
    facts: Callable[[Mapping[str, int], int], Mapping[str, object]]

    def wrong(self, model: Waste, layer: int = 1, expert: int = 0) -> Waste:
        """The container with the fault in one record."""
        stored = model.record(layer, expert)
        return with_header(model, layer, expert, **self.fields(stored.header, stored.length))

    def refused(self, model: Waste, layer: int = 1, expert: int = 0) -> Refuses:
        """How the record is refused."""
        stored = model.record(layer, expert)
        facts = self.facts(stored.true_header, stored.length)
        return refuses(self.kind, layer=layer, expert=expert, **facts)


FAULTS: Final[dict[str, Fault]] = {
    "magic": Fault(
        lambda true, length: {"magic": 0x50584556},
        "bad-magic",
        lambda true, length: {"found": HexDigits("56455850"), "expected": HexDigits("57455850")},
    ),
    "layer": Fault(
        lambda true, length: {"layer": true["layer"] + 1},
        "record-identity",
        lambda true, length: {"found_layer": true["layer"] + 1, "found_expert": true["expert_id"]},
    ),
    "expert": Fault(
        lambda true, length: {"expert_id": true["expert_id"] + 1},
        "record-identity",
        lambda true, length: {"found_expert": true["expert_id"] + 1},
    ),
    "blocks": Fault(
        lambda true, length: {"record_4k_blocks": true["record_4k_blocks"] + 1},
        "record-length",
        lambda true, length: {},
    ),
    "format": Fault(lambda true, length: {"fmt": 0}, "record-format", lambda true, length: {"found": 0}),
    "lowrank": Fault(
        lambda true, length: {"lowrank_id": 1}, "unsupported-feature", lambda true, length: {"found": 1}
    ),
    "codebook": Fault(
        lambda true, length: {"codebook_id": true["codebook_id"] + 1},
        "codebook-mismatch",
        lambda true, length: {"found": true["codebook_id"] + 1},
    ),
    "gate_off": Fault(
        lambda true, length: {"gate_off": 47}, "record-offsets", lambda true, length: {"found": 47}
    ),
    "order": Fault(lambda true, length: {"up_off": 48}, "record-offsets", lambda true, length: {"found": 48}),
    "region": Fault(
        lambda true, length: {"down_off": true["down_off"] - 1},
        "record-offsets",
        lambda true, length: {"field": one_of("down_off", "up_off")},
    ),
    "scales": Fault(
        lambda true, length: {"correction_off": length - 1},
        "record-offsets",
        lambda true, length: {"field": "correction_off"},
    ),
}
"""A fault of every header check, in the order in which they are made."""
