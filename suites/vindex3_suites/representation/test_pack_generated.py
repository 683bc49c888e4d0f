"""Packs of many shapes that are drawn: added to any container, and taken out again without a trace."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_vindex3 import answers, check, clause
from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.plugin.ask import needs
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.container import containers
from vindex3_fixtures.representation.packs import Pack, drawn_pack
from vindex3_suites.container.models import opens
from vindex3_suites.container.on_disk import StoredContainer, shows
from vindex3_suites.container.tensors import delivers
from vindex3_suites.container.verifying import intact
from vindex3_suites.representation.packing import BOTH, Keeps, add, said_added, take_out

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model
    from vindex3_suites.representation.packing import Added

DRAWN = st.tuples(containers(), st.integers(0, (1 << 32) - 1)).map(
    lambda drawn: (drawn[0], drawn_pack(*drawn))
)
RESTORED = ("PACK-BASELINE-01", "PACK-GRAPH-01", "PACK-KEEP-01")


def _add(ask: Ask, clause_id: str, model: Model, pack: Pack, place: str) -> Added:
    shutil.rmtree(ask.folder / place, ignore_errors=True)
    made = add(ask, model, pack, place)
    check(clause_id, made.reply, said_added(made, pack))
    return made


@clause(*RESTORED)
@generated(DRAWN, examples=8)
def test_a_drawn_pack_leaves_no_trace(ask: Ask, drawn: tuple[Model, Pack]) -> None:
    """Taken out of the documents again, every byte of every segment and every value is what it was."""
    model, pack = drawn
    for place in BOTH:
        made = _add(ask, "PACK-BASELINE-01", model, pack, place)
        take_out(made.after, pack)
        restored = StoredContainer(made.after.folder)
        for name, data in made.before.segments.items():
            found = restored.files.get(name, MISSING)
            check("PACK-BASELINE-01", made.reply, shows(f"{name}, {place}", data, found))
        check("PACK-GRAPH-01", made.reply, shows("the graph", Keeps(made.before.graph), restored.graph))
        known = {key: value for key, value in made.before.index.items() if key not in ("version", "profiles")}
        check("PACK-KEEP-01", made.reply, shows("the index", Keeps(known), restored.index))


@needs("container.open", "container.tensor", "pack.add")
@clause("PACK-REMOVE-01")
@generated(DRAWN, examples=6)
def test_a_drawn_pack_is_removable(ask: Ask, drawn: tuple[Model, Pack]) -> None:
    """With the pack a container verifies; without it, it opens, verifies and answers as before."""
    model, pack = drawn
    made = _add(ask, "PACK-REMOVE-01", model, pack, "elsewhere")
    examined = len(model.segments) + 1
    check(
        "PACK-REMOVE-01", ask("container.verify", path=made.path), answers(verified=True, examined=examined)
    )
    for row in pack.segment.true_rows:
        reply = ask("container.tensor", path=made.path, representation=pack.id, tensor=row["name"])
        check("PACK-REMOVE-01", reply, delivers(pack.segment, row["name"]))
    take_out(made.after, pack)
    check("PACK-REMOVE-01", ask("container.verify", path=made.path), intact(model))
    opened = {key: value for key, value in opens(model).keys.items() if key not in ("schema", "extra")}
    check("PACK-REMOVE-01", ask("container.open", path=made.path), answers(opened))
    for key, segment in model.segments.items():
        for row in segment.true_rows:
            reply = ask("container.tensor", path=made.path, representation=key, tensor=row["name"])
            check("PACK-REMOVE-01", reply, delivers(segment, row["name"]))
