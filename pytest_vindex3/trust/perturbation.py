"""Perturbations: the oracle with one key or one fact dropped or altered, by machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pytest_vindex3.contract.door import NO_LIMITS, Description, Door, DoorKind
from pytest_vindex3.contract.outcome import Answer, Limits, Reply
from pytest_vindex3.contract.typed import judged_answer
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.law.registry import clauses, kinds
from pytest_vindex3.trust.place import How, Place, answer_places

HOWS: tuple[How, ...] = ("drop", "alter")
FREE_FORM = "supported"
"""A fact that has to be there and may say what it likes, so that no test can tell it altered."""
FREE_WORDS = "reason"
"""A fact that may do so where no text of the law has words for it."""
_KIND = re.compile(r"(?:([a-z]+\.[a-z_]+) refuses as )?`([a-z0-9-]+)`")
"""A kind in the text of a clause, with the verb that refuses where it is another one than the clause's."""
_WORD = re.compile(r"()\b([a-z0-9]+(?:-[a-z0-9]+)*)\b")
"""A word that may be a kind in a text that marks none, with no other verb before it."""
_WORDED = re.compile(r"\breason (?:is )?[a-z]")
"""Where the text of a clause or of a kind says what the fact `reason` says."""
_OFFERED = re.compile(r" or refused as `?([a-z0-9-]+)`?")
"""A kind that is one of two ways which conform."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """One change to what the oracle says."""

    place: Place
    how: How

    def __str__(self) -> str:
        return f"{self.how} {self.place}"


def perturbations(verb_names: Iterable[str]) -> list[Perturbation]:
    """Every key of the answers of these verbs and every fact that the law names, dropped and altered."""
    asked = set(verb_names)
    places = [place for name in sorted(asked) for place in answer_places(verbs()[name])]
    places += _facts(asked)
    return [
        Perturbation(place, how) for place in places for how in HOWS if how == "drop" or not _is_free(place)
    ]


def is_offered(place: Place) -> bool:
    """Whether a fact is of a refusal that the law offers as one of two ways, wherever it names it.

    An oracle that goes the other way never says it, and no test can ask it to.
    """
    texts = _texts(place)
    return bool(texts) and all(place.kind in _OFFERED.findall(text) for text in texts)


def _is_free(place: Place) -> bool:
    if not place.kind or place.keys[-1] != FREE_WORDS:
        return bool(place.kind) and place.keys[-1] == FREE_FORM
    return not any(_WORDED.search(text) for text in (kinds()[place.kind].meaning, *_texts(place)))


def _texts(place: Place) -> list[str]:
    """The texts of the verb's clauses that name the kind."""
    return [
        clause.text
        for clause in clauses().values()
        if clause.verb == place.verb and any(kind == place.kind for _, kind in _marked(clause.text))
    ]


def _facts(asked: set[str]) -> list[Place]:
    """The facts of refusals and defects that the refusing and reporting clauses of these verbs name.

    Of a clause with several kinds, each has those of the facts that the law gives it. A word that is a key of
    the verb's answer means what stands there, whose keys are places already.
    """
    keys = {name: {place.keys[0] for place in answer_places(verbs()[name])} for name in asked}
    named = {
        Place(other or clause.verb, kind, (fact,))
        for clause in clauses().values()
        if clause.verdict in ("refuse", "report")
        for other, kind in _marked(clause.text)
        if (other or clause.verb) in asked and kind in kinds() and kind not in keys[other or clause.verb]
        for fact in clause.names
        if fact in kinds()[kind].names
    }
    return sorted(named, key=str)


def _marked(text: str) -> list[tuple[str, str]]:
    """What may be kinds in the text of a clause: what stands in backticks, or each word where none does."""
    return (_KIND if "`" in text else _WORD).findall(text)


class PerturbedDoor:
    """A door that says what the one behind it says, but for one perturbation."""

    def __init__(self, inner: Door, perturbation: Perturbation) -> None:
        self.kind: DoorKind = inner.kind
        self.origin = inner.origin
        self._inner = inner
        self._perturbation = perturbation

    def describe(self) -> Description:
        """See `Door`."""
        return self._inner.describe()

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits = NO_LIMITS) -> Reply:
        """See `Door`; a dropped key may make the answer a misfit, as on any door."""
        reply = self._inner.ask(verb, arguments, limits)
        place = self._perturbation.place
        changed = place.perturbed(reply.outcome, self._perturbation.how) if place.verb == verb else None
        if changed is None:
            return reply
        if isinstance(changed, Answer):
            changed = judged_answer(verbs()[verb], changed.value)
        return replace(reply, outcome=changed)

    def close(self) -> None:
        """Leave the door behind open: it is shared by all perturbations."""
