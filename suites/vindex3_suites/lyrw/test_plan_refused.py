"""Laying out and writing refuse the same plans, and writing refuses them before it touches the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.lyrw.plan import payload, plan
from vindex3_suites.lyrw.faulty_plans import FAULTY, Faulty
from vindex3_suites.lyrw.planning import laid, lay, on_disk, untouched, write, write_file, written
from vindex3_suites.lyrw.samples import DENSE

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FORMER = DENSE.data()[::-1]


@needs("lyrw.write")
@clause("LAYOUT-PLAN-01")
@cases(FAULTY)
def test_layout_and_writing_agree(ask: Ask, case: Faulty) -> None:
    """A plan is laid out and written, or it is refused twice for the same reason."""
    check("LAYOUT-PLAN-01", lay(ask, plan(case.legal)), laid(case.legal))
    check("LAYOUT-PLAN-01", write_file(ask, "legal.lyrw", case.legal), written(case.legal))
    check("LAYOUT-PLAN-01", lay(ask, case.document), refuses(case.kind))
    pieces = payload(case.legal)
    check("LAYOUT-PLAN-01", write(ask, "wrong.lyrw", case.document, pieces), refuses(case.kind))


@clause("LAYOUT-PLAN-02")
@cases(FAULTY)
def test_a_refused_plan_leaves_the_target_alone(ask: Ask, case: Faulty) -> None:
    """Before a plan is refused an absent target is not made, and a file that is there is not changed."""
    legal = write_file(ask, "legal.lyrw", case.legal)
    check("LAYOUT-PLAN-02", legal, written(case.legal))
    check("LAYOUT-PLAN-02", legal, on_disk(ask, "legal.lyrw", case.legal.data()))
    pieces = payload(case.legal)
    absent = write(ask, "absent.lyrw", case.document, pieces)
    check("LAYOUT-PLAN-02", absent, refuses(case.kind))
    check("LAYOUT-PLAN-02", absent, untouched(ask, "absent.lyrw", None))
    ask.file("there.lyrw", FORMER)
    there = write(ask, "there.lyrw", case.document, pieces)
    check("LAYOUT-PLAN-02", there, refuses(case.kind))
    check("LAYOUT-PLAN-02", there, untouched(ask, "there.lyrw", FORMER))
