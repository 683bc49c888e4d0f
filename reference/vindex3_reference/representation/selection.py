"""What a profile would execute, and at which authority (representation.md, sections 3 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.authority import fold
from vindex3_reference.representation.profile import Profile, resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vindex3_reference.representation.variants import Catalogue


def selected(asked: str, profiles: Sequence[Profile], catalogue: Catalogue) -> dict[str, object]:
    """The answer of selection.resolve: the variant of each region set, and what they come to together.

    No file is looked at: what is stored answers for itself (SELECT-EARLY-01), and a profile's name says
    nothing of its authority (PROFILE-NAME-01, AUTHORITY-RESOLVE-01).

    Raises:
        Refusal: what `declared` and `resolved` refuse.
    """
    variants = resolved(declared(asked, profiles), catalogue)
    return {
        "profile": asked,
        "selections": {
            region_set: {"variant": name, "storage": variant.storage, "fidelity": variant.fidelity}
            for region_set, (name, variant) in variants.items()
        },
        "authority": fold(variant.fidelity for _, variant in variants.values()).level,
    }


def declared(asked: str, profiles: Sequence[Profile]) -> Profile:
    """The profile of this very name.

    Raises:
        Refusal: `undeclared-profile` (PROFILE-UNDECLARED-01); `duplicate-id` where the name is declared
            twice (PROFILE-TWICE-01).
    """
    found = [profile for profile in profiles if profile.name == asked]
    if not found:
        raise Refusal(
            "undeclared-profile",
            f"no profile {asked!r} is declared",
            requested=asked,
            declared=[profile.name for profile in profiles],
        )
    if len(found) > 1:
        raise Refusal("duplicate-id", f"profile {asked!r} is declared twice", id=asked, field="profiles")
    return found[0]
