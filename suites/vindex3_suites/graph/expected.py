"""What a right reader says of a graph, as expectations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pytest_vindex3.contract.difference import MISSING, Difference, Stored, free_order
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.expect import Answers, Either, Refuses, Side, answers
from vindex3_fixtures.graph.observation import observation

WRONG: frozenset[Side] = frozenset({"wrong"})


@dataclass(frozen=True, slots=True)
class Defects:
    """These defects and of their kinds no others, in any order; other kinds are not judged.

    One defect may be there several times, once for each place that shows it.
    """

    defects: tuple[dict[str, Any], ...]

    def difference(self, found: object, path: str) -> Difference | None:
        """The first of them that is missing, else the first of these kinds that is left over."""
        if not isinstance(found, list):
            return Difference(path, list(self.defects), found)
        kinds = {one["kind"] for one in self.defects}
        alike = [one for one in found if one["kind"] in kinds]
        return free_order(self.defects, one_of(*self.defects)).difference(alike, path)


def defect(kind: str, **names: object) -> dict[str, Any]:
    """One defect with these facts; it may have more."""
    return {"kind": kind, "names": names}


def observed(document: Any) -> dict[str, Any]:
    """Every key of the answer but `defects`: the parts in stored order, the document as it is stored."""
    told = observation(document)
    edges = [{"block_size": MISSING, **one} for one in told["edges"]]
    return {**told, "edges": edges, "document": Stored(document)}


def loads(document: Any) -> Answers:
    """The whole observation of a graph without a defect."""
    return answers({**observed(document), "defects": []})


def takes(document: Any) -> Answers:
    """The whole observation, whatever defects are reported beside it."""
    return answers(observed(document))


def reports(document: Any, *defects: dict[str, Any]) -> Either:
    """These defects of one kind in the answer, or a refusal of that kind with the facts of one of them.

    A reader of either sort conforms (container.md, section 9, "verdict report").
    """
    told = Answers({**observed(document), "defects": Defects(defects)}, WRONG)
    first = defects[0]
    facts = {
        name: value if len(defects) == 1 else one_of(*(one["names"][name] for one in defects))
        for name, value in first["names"].items()
    }
    return Either(told, Refuses((first["kind"],), facts), WRONG)


def resolves(
    components: list[Any] | None = None,
    edges: list[Any] | None = None,
    unresolved: list[Any] | None = None,
    **keys: object,
) -> Answers:
    """What follows from evidence; parts that are None are not judged, the order of `unresolved` is free.

    The side is wrong where an interface stays unresolved.
    """
    told: dict[str, object] = dict(keys)
    if components is not None:
        told["components"] = components
    if edges is not None:
        told["edges"] = [{"block_size": MISSING, **one} for one in edges]
    if unresolved is not None:
        told["unresolved"] = free_order(unresolved)
    return Answers(told, WRONG if unresolved else frozenset({"legal"}))


def unresolved(kind: str, component: str, artifact: str = "tiny-draft", /, **names: object) -> dict[str, Any]:
    """An interface of this component that gives no edge."""
    return {"artifact": artifact, "component": component, "kind": kind, "names": names}
