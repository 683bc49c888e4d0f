"""The one exception a caller of the reference sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Refusal(Exception):  # noqa: N818 -- a refusal is a right answer, not an error
    """Input answered with "no".

    Args:
        kind: a word of the law's closed vocabulary, such as "bad-magic".
        message: one sentence for a person; never judged.
        names: the facts of the refusal, such as `found=3, required=2`.
    """

    def __init__(self, kind: str, message: str, /, **names: object) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.names = names


def joined(found: Sequence[Refusal]) -> Refusal:
    """One refusal for several defects: the first, with all of them as the fact `defects`.

    A single defect is refused as it is.
    """
    if len(found) > 1:
        found[0].names["defects"] = [{"kind": each.kind, "names": dict(each.names)} for each in found]
    return found[0]
