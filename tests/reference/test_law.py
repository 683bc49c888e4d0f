"""The reference's refusals against the law, and its functions against the contract."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import vindex3_reference
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.law.registry import kinds
from vindex3_reference import adapter

# Facts beyond those that the law lists: which a person needs, or which clauses ask of this kind all the same.
EXTRA = {"malformed-json": {"offset", "line"}, "ambiguous-partner": {"schema_index"}}


def _refusals() -> list[tuple[str, str, set[str]]]:
    """Place, kind and facts of every refusal that the reference's sources make."""
    (folder,) = map(Path, vindex3_reference.__path__)
    found = []
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Refusal":
                place = f"{file.relative_to(folder)}:{node.lineno}"
                facts = {keyword.arg or "**" for keyword in node.keywords}
                found.append((place, ast.literal_eval(node.args[0]), facts))
    return found


def test_every_refusal_is_one_of_the_law():
    """Each refusal has a kind of the law, written where it is made, and carries facts of that kind alone."""
    refusals = _refusals()
    assert len(refusals) > 20
    for place, kind, facts in refusals:
        assert kind in kinds(), place
        assert facts <= {*kinds()[kind].names, *EXTRA.get(kind, ())}, place


def test_the_adapter_answers_its_verbs_by_their_arguments():
    """Each function of the adapter takes the arguments of the contract's verb, by keyword."""
    claimed = {name: verb for name, verb in verbs().items() if hasattr(adapter, verb.function)}
    assert {"lyrw.parse", "lyrw.region", "lyrw.partner"} <= set(claimed)
    for verb in claimed.values():
        parameters = inspect.signature(getattr(adapter, verb.function)).parameters
        assert set(parameters) == set(verb.arguments)
        assert {name for name, given in parameters.items() if given.default is given.empty} == set(
            verb.required
        )
        assert {given.kind for given in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}


def test_the_adapter_offers_nothing_but_verbs():
    """Every public function of the adapter is a verb of the contract."""
    functions = {
        name for name, value in vars(adapter).items() if inspect.isfunction(value) and name[0] != "_"
    }
    assert functions <= {verb.function for verb in verbs().values()} | {"import_module"}
