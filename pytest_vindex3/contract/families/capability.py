"""What may be done with the files of a layer (spec: lyrw.md, sections 8 and 10)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.defect import Defect
from pytest_vindex3.contract.verb import verb

Tag = str | int
"""A known tag as its word, an unknown one as its integer."""


class Supports(TypedDict):
    """The tags that whoever asks can work with, as words."""

    formats: list[str]
    packings: list[str]
    layouts: list[str]


class CapabilityOptions(TypedDict):
    """What an operation is asked with.

    `schema_index` or `role` names the region of decode, split-fused and walk; all else is for execute,
    `supports` for decode and split-fused too. `first_entry` and `entry_count` are the required entries,
    the whole bank without them; `omit` are roles that count as not there.
    """

    schema_index: NotRequired[int | None]
    role: NotRequired[Tag | None]
    programme: NotRequired[str | None]
    supports: NotRequired[Supports | None]
    first_entry: NotRequired[int | None]
    entry_count: NotRequired[int | None]
    omit: NotRequired[list[str] | None]


class RoleSet(TypedDict):
    """A role set of the programme: executable, partial, incompatible or blocked.

    `covered` are the required entries that every role of the set covers, as pairs [first, end).
    """

    roles: list[str]
    state: str
    covered: list[list[int]]


class Capability(TypedDict):
    """The verdict over one operation: permitted, or refused for reasons.

    A permitted walk says `zero_copy` and `features`; execute lists `role_sets` in the programme's order.
    """

    operation: str
    verdict: str
    reasons: list[Defect]
    zero_copy: NotRequired[bool]
    features: NotRequired[int]
    role_sets: NotRequired[list[RoleSet]]


@verb("capability.check")
class CapabilityCheck(Protocol):
    """Say whether an operation is possible on a bank of the files of one layer, from their tables."""

    def __call__(
        self, *, files: list[str], bank_id: int, operation: str, options: CapabilityOptions | None = None
    ) -> Capability: ...
