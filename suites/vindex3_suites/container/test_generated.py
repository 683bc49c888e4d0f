"""Containers of many shapes that are drawn: opened, read tensor by tensor, verified, and damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import check, clause
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.container import containers, damaged_containers
from vindex3_suites.container.models import open_, opens
from vindex3_suites.container.tensors import delivers
from vindex3_suites.container.verifying import HEADER, SPOILT, UNASKED, UNMATCHED, finds, intact, verify

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model
    from vindex3_fixtures.container.damage import Damage


@clause("INDEX-REP-01", "INDEX-SEG-01", "INDEX-EXTRA-01")
@generated(containers(), examples=40)
def test_a_drawn_container_opens_as_its_index_says(ask: Ask, drawn: Model) -> None:
    """Any legal index is observed whole: entries, segments, variants, profiles and unknown keys."""
    reply = open_(ask, drawn)
    for clause_id in ("INDEX-REP-01", "INDEX-SEG-01", "INDEX-EXTRA-01"):
        check(clause_id, reply, opens(drawn))


@clause("SEGMENT-FRAME-01", "SEGMENT-TENSOR-01", "SEGMENT-TABLE-06")
@generated(containers(strays=False, variants=False), examples=25)
def test_every_tensor_of_a_drawn_container_is_delivered(ask: Ask, drawn: Model) -> None:
    """Any tensor of any representation comes out as it is stored."""
    path = ask.file("model", drawn.folder)
    for key, segment in drawn.segments.items():
        for row in segment.rows:
            reply = ask("container.tensor", path=path, representation=key, tensor=row["name"])
            for clause_id in ("SEGMENT-FRAME-01", "SEGMENT-TENSOR-01", "SEGMENT-TABLE-06"):
                check(clause_id, reply, delivers(segment, row["name"]))


@clause("VERIFY-INTACT-01", "VERIFY-ACCEPT-01")
@generated(containers(), examples=30)
def test_a_drawn_container_verifies(ask: Ask, drawn: Model) -> None:
    """Any sound container has every digest, and nothing is listed."""
    reply = verify(ask, drawn)
    for clause_id in ("VERIFY-INTACT-01", "VERIFY-ACCEPT-01"):
        check(clause_id, reply, intact(drawn))


FLAGS = {
    "length": (False, UNMATCHED),
    "header": (False, UNASKED),
    "padding": HEADER,
    "payload": SPOILT,
}
"""What a changed byte spoils. With another length the payload is another one, or nobody knows where it is."""


@clause("VERIFY-HASH-01", "VERIFY-HASH-02")
@generated(damaged_containers(variants=False), examples=60)
def test_a_drawn_damage_is_found(ask: Ask, drawn: Damage) -> None:
    """One changed byte anywhere in any segment is found, and spoils the digests that hold it and no other."""
    wrong = drawn.damaged
    flags = {drawn.representation: FLAGS[drawn.part]}
    legal, reply = verify(ask, drawn.model, "legal"), verify(ask, wrong, "wrong")
    for clause_id in ("VERIFY-HASH-01", "VERIFY-HASH-02"):
        check(clause_id, legal, intact(drawn.model))
        check(clause_id, reply, finds(wrong, flags=flags))
