"""The one exception a caller of the reference sees."""

from __future__ import annotations


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
