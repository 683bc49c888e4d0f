"""The one shape of what is found wrong without stopping: a defect of a file, a reason of a verdict."""

from __future__ import annotations

from typing import TypedDict

from pytest_vindex3.contract.slots import Document


class Defect(TypedDict):
    """A kind of the law and its facts, with the words and numbers that a refusal of the kind has."""

    kind: str
    names: dict[str, Document]
