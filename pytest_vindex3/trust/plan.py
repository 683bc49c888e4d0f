"""The plan of one process of trials, as it travels in the environment."""

import msgspec

PLAN = "PYTEST_VINDEX3_TRIAL"


class Plan(msgspec.Struct):
    """Whom one process tries.

    Attributes:
        mutants, nulls: by id.
        part, parts: which share of the perturbations; none where `parts` is 0.
        out: the file that takes the results.
    """

    mutants: list[str]
    nulls: list[str]
    part: int
    parts: int
    out: str
