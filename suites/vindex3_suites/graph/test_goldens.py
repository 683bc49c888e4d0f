"""The pinned graphs: by each clause that they serve, what is written down of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3 import answers, check, refuses
from pytest_vindex3.contract.difference import MISSING, Stored
from pytest_vindex3.contract.patterns import field
from pytest_vindex3.plugin.expect import Answers, Either
from vindex3_suites.graph.asking import NAME
from vindex3_suites.graph.expected import WRONG, Defects
from vindex3_suites.pinned import legal_twin, pinned, placed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.goldens import Golden, Request

CASES = list(pinned(("graph.load",), "graph/"))


@pytest.mark.parametrize(("golden", "requests", "clause_id"), CASES)
def test_a_graph_is_answered_as_written_down(
    ask: Ask, golden: Golden, requests: list[Request], clause_id: str
) -> None:
    """What a clause says of a pinned graph is what stands beside it, in its container and by its text."""
    legal = legal_twin(golden, requests)
    if legal:
        twin, request = legal
        _check(ask, clause_id, request, placed(ask, twin, "legal"))
    for request in requests:
        _check(ask, clause_id, request, placed(ask, golden, "golden"))


def _check(ask: Ask, clause_id: str, request: Request, path: Path) -> None:
    check(clause_id, ask("graph.load", **request.placed(path)), _expected(request, request.names))
    if (path / NAME).is_file():
        unplaced = {name: fact for name, fact in request.names.items() if name != "path"}
        text = (path / NAME).read_text(encoding="utf-8")
        check(clause_id, ask("graph.load", text=text), _expected(request, unplaced))


def _expected(request: Request, names: Mapping[str, object]) -> Expectation:
    refused = refuses(request.kind, **dict(names)) if request.kind else None
    if request.answer is None:
        return refused or answers()
    if refused is None:
        return answers(_observed(request.answer))
    found = Answers({**_observed(request.answer), "defects": _defects(request.answer)}, WRONG)
    return Either(found, refused, WRONG)


def _observed(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer with a document that is compared as one, and edges without what they do not say."""
    edges = [{"block_size": MISSING, **edge} for edge in answer["edges"]]
    return {**answer, "edges": edges, "document": Stored(answer["document"])}


def _defects(answer: Mapping[str, Any]) -> Defects:
    return Defects(tuple({**one, "names": _facts(one["names"])} for one in answer["defects"].items))


def _facts(names: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a defect, `field` as any path that ends with it."""
    return {name: field(value) if name == "field" else value for name, value in names.items()}
