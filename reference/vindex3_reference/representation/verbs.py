"""The verbs of stored forms and who chooses among them (representation.md; documents: container.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.container.container import Container
from vindex3_reference.representation.authority import declares_change, fold
from vindex3_reference.representation.compiling import Tensor, compiled
from vindex3_reference.representation.pack import pack_add
from vindex3_reference.representation.precision_map import PrecisionMap
from vindex3_reference.representation.profile import profiles_of
from vindex3_reference.representation.promotion import Candidate, promoted
from vindex3_reference.representation.selection import selected as resolved_selection
from vindex3_reference.representation.variants import LEVELS, Catalogue
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from vindex3_reference.strict_json import Json

__all__ = ["authority_fold", "pack_add", "precision_compile", "promotion_promote", "selection_resolve"]

Answer = dict[str, object]


def selection_resolve(
    *, profile: str, path: str | None = None, variants: Json = None, profiles: Json = None
) -> Answer:
    """Say what a profile would execute: of the container at `path`, else of a catalogue that is given."""
    request = _request(profile=profile, variants=variants, profiles=profiles)
    asked = request.required("profile").text()
    if path is not None:
        index = Container(path, whole=False).index
        return resolved_selection(asked, index.profiles, index.catalogue)
    catalogue = Catalogue.read(request.required("variants"))
    return resolved_selection(asked, profiles_of(request.required("profiles")), catalogue)


def authority_fold(
    *, selected: Json, execution_complete: Json, structural: Json = None, claim: Json = None
) -> Answer:
    """Derive the authority of what is selected, and refuse a claim that is above it."""
    request = _request(
        selected=selected, execution_complete=execution_complete, structural=structural, claim=claim
    )
    claimed = request.optional("claim")
    words = [word.word(LEVELS) for word in request.required("selected").elements()]
    claimed_level = None if claimed is None else claimed.word(LEVELS)
    folded = fold(
        words,
        complete=request.required("execution_complete").flag(),
        changed=declares_change(request.optional("structural")),
    )
    permitted = None if claimed_level is None else folded.permits(claimed_level)
    return {**folded._asdict(), "claim_permitted": permitted}


def precision_compile(*, map: Json, tensors: Json) -> Answer:  # noqa: A002 -- the name of the law
    """Decide for every tensor which encoding a map gives it, and why."""
    policy = PrecisionMap.read(Slot.root(map, "map"))
    return compiled(
        policy, [Tensor.read(each) for each in _request(tensors=tensors).required("tensors").elements()]
    )


def promotion_promote(*, name: Json, default_encoding: Json, candidates: Json) -> Answer:
    """Select the candidates that their evidence carries, and give the map that follows."""
    request = _request(name=name, default_encoding=default_encoding, candidates=candidates)
    return promoted(
        request.required("name").text(),
        request.required("default_encoding").text(),
        [Candidate.read(candidate) for candidate in request.required("candidates").elements()],
    )


def _request(**arguments: Json) -> Slot:
    """The arguments of a verb as a document; one that is left out is not there."""
    return Slot.root({name: value for name, value in arguments.items() if value is not None}, "request")
