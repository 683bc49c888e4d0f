"""The programmes that a bank can be bound to, and the roles that each can run on (lyrw.md, section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

RoleSet = tuple[str, ...]

FUSED: RoleSet = ("gate_up_fused", "down")
SPLIT: RoleSet = ("gate", "up", "down")
FUSED_BIASED: RoleSet = (*FUSED, "bias")
SPLIT_BIASED: RoleSet = (*SPLIT, "bias")


class Programme(NamedTuple):
    """Accepted role sets in order, and whether the bank works in the latent space."""

    role_sets: tuple[RoleSet, ...]
    latent: bool = False


PROGRAMMES = {
    "gated-mlp-v1": Programme((FUSED, SPLIT)),
    "gated-mlp-fused-fc1-v1": Programme((FUSED,)),
    "gpt-oss-expert-v1": Programme((FUSED_BIASED, SPLIT_BIASED)),
    "shared-routed-mlp-v1": Programme((FUSED, SPLIT)),
    "latent-moe-v1": Programme((FUSED, SPLIT), latent=True),
}
"""By the exact string that a manifest has (MOE-PROGRAMME-01 and 02)."""


def missing_roles(programme: Programme, roles: Collection[str | int]) -> list[str]:
    """What the closest role set lacks: the fewest roles, the earlier set on a tie (MOE-FILES-02).

    Empty where a set is there as a whole; roles beyond it do no harm (MOE-FILES-05).
    """
    lacks = ([role for role in roles_of if role not in roles] for roles_of in programme.role_sets)
    return min(lacks, key=len)
