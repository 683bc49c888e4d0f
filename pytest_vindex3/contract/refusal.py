"""The refusal an implementation may raise, as a convenience."""


class Refusal(Exception):  # noqa: N818 -- a refusal is a right answer, not an error
    """A request answered with "no": the kind of the law and the facts its clause names.

    Any exception with a string `kind` and a mapping `names` is a refusal to the contract; this
    class is only the shortest way to make one.

    Args:
        kind: a kind of `law/refusals`, such as "bad-magic".
        message: one sentence for a person; never judged.
        names: the facts, such as `found=3, required=2`.
    """

    def __init__(self, kind: str, message: str = "", **names: object) -> None:
        super().__init__(message or kind)
        self.kind = kind
        self.message = message
        self.names: dict[str, object] = names
