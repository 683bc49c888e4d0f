"""How container.verify is asked, and what a right verifier answers, as expectations.

One fault may have further true consequences, which a verifier may list or not: an expectation names the
defects that have to be there. Which digests hold is known of every file, so that no other may be faulted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from pytest_vindex3.contract.difference import MISSING, Difference, first_difference
from pytest_vindex3.contract.outcome import Answer
from pytest_vindex3.contract.patterns import Present, one_of
from pytest_vindex3.plugin.expect import Answers, Side, Words, said

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Outcome, Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

Defect = Any
"""A defect as it is expected: a mapping, or a pattern for one that can be said in several ways."""

Flags = tuple[object, object]
"""segment_ok and payload_ok of an entry; `UNASKED` where a flag is free."""

UNASKED = Present()
UNMATCHED = one_of(False)
"""A flag that is false without a hash-mismatch being asked for: the payload may begin nowhere."""
SOUND: Flags = (True, True)
SPOILT: Flags = (False, False)
HEADER: Flags = (False, True)
"""Only the digest of the whole file fails."""
PAYLOAD: Flags = (True, False)
"""Only the digest of the payload fails."""


@dataclass(frozen=True, slots=True)
class Holds:
    """A list of defects that has these, and no hash-mismatch that is untrue.

    Attributes:
        required: what has to be there; other defects may be as well.
        held: digests that hold, as representation and digest.
    """

    required: tuple[Defect, ...]
    held: frozenset[tuple[str, str]] = frozenset()

    def difference(self, found: object, path: str) -> Difference | None:
        """The first defect that is missing, else the first that is untrue."""
        if not isinstance(found, list):
            return Difference(path, list(self.required), found)
        for defect in self.required:
            if all(first_difference(defect, item) for item in found):
                return _missing(defect, found, path)
        for place, item in enumerate(found):
            names = item["names"]
            if item["kind"] == "hash-mismatch" and (names.get("subject"), names.get("digest")) in self.held:
                return Difference(f"{path}[{place}]", MISSING, item)
        return None


def _missing(defect: Defect, found: list[Any], path: str) -> Difference:
    """Where the only defect of the same kind parts from the one expected, else that there is none."""
    kind = defect["kind"] if isinstance(defect, Mapping) else None
    same = [place for place, item in enumerate(found) if item["kind"] == kind]
    nearer = first_difference(defect, found[same[0]], f"{path}[{same[0]}]") if len(same) == 1 else None
    return nearer or Difference(path, defect, found)


@dataclass(frozen=True, slots=True)
class Agrees:
    """An answer whose `verified` says what its defects and flags say."""

    sides: frozenset[Side]

    def difference(self, outcome: Outcome) -> Difference | None:
        """A difference where `verified` is another value."""
        if not isinstance(outcome, Answer):
            return Difference("", Words("an answer"), said(outcome))
        value: Any = outcome.value
        flags = [entry[flag] for entry in value["entries"] for flag in ("segment_ok", "payload_ok")]
        return first_difference(not value["defects"] and all(flags), value["verified"], "verified")


def verify(ask: Ask, model: Model, folder: str = "model", **sources: Any) -> Reply:
    """Ask for the defects of a container, which is written into this folder first."""
    return ask("container.verify", path=ask.file(folder, model.folder), **sources)


def defect(kind: str, **names: object) -> Mapping[str, Any]:
    """A defect of this kind that has at least these facts."""
    return {"kind": kind, "names": names}


def hash_mismatch(representation: str, digest: str) -> Mapping[str, Any]:
    """The defect of a digest that is not the recorded one."""
    return defect("hash-mismatch", subject=representation, digest=digest)


def entries(model: Model, flags: Mapping[str, Flags] | None = None) -> list[dict[str, object]]:
    """The entries of a container, sound but for those that have other flags here."""
    ids = sorted(model.index.get("representations", {}), key=str.encode)
    return [_entry(name, (flags or {}).get(name, SOUND)) for name in ids]


def _entry(name: str, flags: Flags) -> dict[str, object]:
    segment, payload = flags
    return {"representation": name, "segment_ok": segment, "payload_ok": payload}


def intact(model: Model) -> Answers:
    """The whole answer for a container without a defect."""
    told = entries(model)
    return answers(verified=True, examined=len(told), entries=told, defects=[])


def finds(model: Model, *required: Defect, flags: Mapping[str, Flags] | None = None) -> Answers:
    """Expect a container that is not verified: these defects, these flags, and the digests they speak of.

    An entry that has no `flags` is sound. Of a flag that is false the hash-mismatch is required, of one that
    is true none may be listed.
    """
    spoken = [
        (str(entry["representation"]), digest, entry[f"{digest}_ok"])
        for entry in entries(model, flags)
        for digest in ("segment", "payload")
    ]
    hashes = [hash_mismatch(name, digest) for name, digest, ok in spoken if ok is False]
    held = [(name, digest) for name, digest, ok in spoken if ok is True]
    return unsound(model, *hashes, *required, flags=flags, held=held)


def unsound(
    model: Model,
    *required: Defect,
    flags: Mapping[str, Flags] | None = None,
    held: Iterable[tuple[str, str]] = (),
) -> Answers:
    """Expect a container that is not verified, with these defects and flags."""
    told = {
        "verified": False,
        "defects": Holds(required, frozenset(held)),
        "entries": entries(model, flags),
    }
    return Answers(told, frozenset({"wrong"}))


def check_found(
    ask: Ask,
    clause_id: str,
    legal: Model,
    wrong: Model,
    *required: Defect,
    flags: Mapping[str, Flags] | None = None,
) -> None:
    """The legal container has no defect, and the wrong one has those required and the flags that follow."""
    check(clause_id, verify(ask, legal, "legal"), intact(legal))
    check(clause_id, verify(ask, wrong, "wrong"), finds(wrong, *required, flags=flags))
