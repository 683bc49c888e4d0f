"""Which generation a container is of, judged before anything else in its index (container.md, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot

GENERATION = "VINDEX3"
SUPPORTED = (3, 4)
FRESH = 4
"""The version that a fresh container is written in."""
_FORMER, _FORMER_VERSIONS = "VINDEX2", (1, 2)
_KNOWN = "1-2 (VINDEX2), 3-4 (VINDEX3)"


def version_of(index: Slot) -> int:
    """The version of an index of this generation.

    Raises:
        Refusal: `wrong-generation` or `unknown-version`, an absent version being 0 (INDEX-VERSION-02 to
            05); `bad-type` or `out-of-range` where it is no unsigned 32-bit integer.
    """
    version = index.required("version").u32() if "version" in index.object() else 0
    if version in SUPPORTED:
        return version
    if version in _FORMER_VERSIONS:
        raise Refusal(
            "wrong-generation",
            f"version {version} is of {_FORMER}, and this is a reader of {GENERATION}",
            found=_FORMER,
            required=GENERATION,
        )
    raise Refusal(
        "unknown-version",
        f"{index.path} has version {version}; known are {_KNOWN}",
        path=index.path,
        found=version,
        supported=_KNOWN,
    )
