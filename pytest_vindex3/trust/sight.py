"""What can be seen of perturbations in a reply: which of them would change it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.contract.outcome import Answer, Outcome, Refused
from pytest_vindex3.trust.perturbation import Perturbation
from pytest_vindex3.trust.place import EACH, REFUSAL, How, altered

Found = set[Perturbation]


@dataclass(slots=True)
class _Node:
    """A key of an answer: the perturbations of it, and of the keys below it."""

    own: dict[How, Perturbation] = field(default_factory=dict)
    below: dict[str, _Node] = field(default_factory=dict)
    all: Found = field(default_factory=set)

    def grow(self, keys: tuple[str, ...], one: Perturbation) -> None:
        """Take in a perturbation whose place is so many keys below."""
        self.all.add(one)
        if keys:
            self.below.setdefault(keys[0], _Node()).grow(keys[1:], one)
        else:
            self.own[one.how] = one

    def look(self, value: object, found: Found) -> None:
        """Add to `found` whatever would change what stands here or below."""
        for key, node in self.below.items():
            if key == EACH and isinstance(value, list):
                for item in value:
                    if node.all <= found:
                        break
                    node.look(item, found)
            elif isinstance(value, Mapping) and key in value:
                found.update(_changing(node.own, value[key]))
                node.look(value[key], found)


class Sight:
    """Perturbations, arranged by where they would be seen.

    It says of a reply what trying them one by one with `Place.perturbed` would say, in one walk over it.
    """

    def __init__(self, wanted: Iterable[Perturbation]) -> None:
        self._answers: dict[str, _Node] = defaultdict(_Node)
        self._facts: dict[tuple[str, str], dict[str, dict[How, Perturbation]]] = defaultdict(dict)
        for one in wanted:
            place = one.place
            if place.kind:
                self._facts[place.verb, place.kind].setdefault(place.keys[-1], {})[one.how] = one
            else:
                self._answers[place.verb].grow(place.keys, one)

    def seen(self, verb: str, outcome: Outcome) -> Found:
        """The perturbations that would change this outcome of a verb."""
        found: Found = set()
        if isinstance(outcome, Refused):
            found.update(self._facts_of(verb, outcome.kind, outcome.names))
        elif isinstance(outcome, Answer):
            if verb in self._answers:
                self._answers[verb].look(outcome.value, found)
            for defect in _defects(outcome.value):
                found.update(self._facts_of(verb, defect["kind"], defect["names"]))
        return found

    def _facts_of(self, verb: str, kind: object, names: object) -> Iterator[Perturbation]:
        known = self._facts.get((verb, str(kind)))
        if known and isinstance(names, Mapping):
            for fact, own in known.items():
                if fact in names:
                    yield from _changing(own, names[fact])


def _changing(own: Mapping[How, Perturbation], value: object) -> Iterator[Perturbation]:
    """The perturbations of a place that change the value that stands there."""
    for how, one in own.items():
        if how == "drop" or altered(value) is not MISSING:
            yield one


def _defects(answer: object) -> Iterator[Mapping[str, object]]:
    """The defects in the lists of an answer, and those of verdicts that hold one."""
    for value in answer.values() if isinstance(answer, Mapping) else ():
        for item in value if isinstance(value, list) else ():
            defect = item.get(REFUSAL, item) if isinstance(item, Mapping) else None
            if isinstance(defect, Mapping) and "kind" in defect and "names" in defect:
                yield defect
