"""Verbs that choose and add stored forms (spec: representation.md; documents: container.md, section 9)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.families.container import RegionSet, SourceTensor
from pytest_vindex3.contract.slots import Document
from pytest_vindex3.contract.verb import verb


class SelectedVariant(TypedDict):
    """The variant that a profile takes for one region set; `fidelity` is one of the five levels."""

    variant: str
    storage: str
    fidelity: str


class Selected(TypedDict):
    """What a profile would execute; `authority` is the weakest level among it."""

    profile: str
    selections: dict[str, SelectedVariant]
    authority: str


class Folded(TypedDict):
    """A level of authority, and what it follows from; `claim_permitted` is null without a claim."""

    level: str
    weakest_selected: str
    capped_by_completeness: bool
    capped_by_structure: bool
    claim_permitted: bool | None


class MappedTensor(TypedDict):
    """A tensor as a precision map sees it; `role` where a plan has bound one."""

    object: str
    kind: str
    component_role: str
    name: str
    shape: list[int]
    dtype: str
    role: NotRequired[str | None]


class Decision(TypedDict):
    """What a map decides about one tensor.

    Attributes:
        encoding: null where the tensor keeps the precision of its source.
        reason: role, exception, default, shape
        exception: the position of the exception that decided, or null.
        bytes: of the compiled tensor; of a carried one not judged.
    """

    object: str
    name: str
    role: str
    eligible: bool
    encoding: str | None
    reason: str
    exception: int | None
    bytes: Document


class CompiledMap(TypedDict):
    """Decisions in the order of the input; `compiled` and `carried` count tensors."""

    decisions: list[Decision]
    untouched: list[str]
    compiled: int
    carried: int


class PrecisionException(TypedDict):
    """Tensors that a map treats otherwise; without `encoding` they keep the precision of the source."""

    projection: NotRequired[str | None]
    layers: NotRequired[list[int] | None]
    encoding: NotRequired[str | None]


class PrecisionMap(TypedDict):
    """A policy of encodings; it names no model."""

    name: str
    encoding: str
    roles: list[str]
    exceptions: NotRequired[list[PrecisionException]]


class PromotionRefusal(TypedDict):
    """Why a candidate is not selected."""

    kind: str
    names: dict[str, Document]


class PromotionVerdict(TypedDict):
    """Whether a candidate is selected; `refusal` is null exactly where it is."""

    selected: bool
    refusal: PromotionRefusal | None


class Promoted(TypedDict):
    """The map of what was promoted, and one verdict per candidate, in the order of the input."""

    map: PrecisionMap
    verdicts: list[PromotionVerdict]


class AddedPack(TypedDict):
    """A representation that came to be; digests are lowercase hex."""

    representation: str
    segment: str
    payload_sha256: str
    segment_sha256: str


class PackAdded(TypedDict):
    """What became of a pack, or `interrupted: true` alone; lists are sorted.

    `linked` and `copied` are files of the source by path, `skipped` representations that were there.
    """

    path: NotRequired[str]
    added: NotRequired[list[AddedPack]]
    linked: NotRequired[list[str]]
    copied: NotRequired[list[str]]
    skipped: NotRequired[list[str]]
    interrupted: NotRequired[bool]


@verb("selection.resolve")
class SelectionResolve(Protocol):
    """Say what a profile would execute: of a container, or of a catalogue with declared profiles."""

    def __call__(
        self,
        *,
        profile: str,
        path: str | None = None,
        variants: dict[str, RegionSet] | None = None,
        profiles: list[Document] | None = None,
    ) -> Selected: ...


@verb("authority.fold")
class AuthorityFold(Protocol):
    """Derive the level of authority of what is selected, and judge a claim by it."""

    def __call__(
        self,
        *,
        selected: list[str],
        execution_complete: bool,
        structural: Document = None,
        claim: str | None = None,
    ) -> Folded: ...


@verb("precision.compile")
class PrecisionCompile(Protocol):
    """Decide for every tensor which encoding a map gives it, and why."""

    def __call__(self, *, map: Document, tensors: list[MappedTensor]) -> CompiledMap: ...  # noqa: A002 -- the name of the law


@verb("promotion.promote")
class PromotionPromote(Protocol):
    """Select those candidates that their evidence carries, and give the map that follows."""

    def __call__(self, *, name: str, default_encoding: str, candidates: list[Document]) -> Promoted: ...


@verb("pack.add", options=("interrupt_before",), writes=("out", "path"))
class PackAdd(Protocol):
    """Add an encoding of an object beside those that are there, in place or in another folder.

    `fidelity` is what a request states and nobody believes.
    """

    def __call__(
        self,
        *,
        path: str,
        object: str,  # noqa: A002 -- the name of the law
        encoding: str,
        tensors: list[SourceTensor],
        out: str | None = None,
        fidelity: str | None = None,
        codec: Document = None,
        encoder: Document = None,
        interrupt_before: str | None = None,
    ) -> PackAdded: ...
