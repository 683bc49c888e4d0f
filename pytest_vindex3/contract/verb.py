"""Verbs: one typed definition each, and the registry that finds them.

A definition is a class with a typed `__call__`; it is the Protocol an adapter is written against,
the check of what came back (`typed.py`) and the published JSON Schema (`schema.py`) in one.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_type_hints

_Definition = TypeVar("_Definition", bound=type)
_declared: dict[str, Verb] = {}


@dataclass(frozen=True, slots=True)
class Verb:
    """One question of the contract.

    Attributes:
        name: such as "lyrw.parse".
        summary: what it asks, the first line of the definition's docstring.
        arguments: argument name to type, options included.
        required: arguments that every request carries.
        options: arguments that only go to implementations which declare them.
        answer: the type of the answer.
    """

    name: str
    summary: str
    arguments: Mapping[str, Any]
    required: frozenset[str]
    options: frozenset[str]
    answer: Any

    @property
    def function(self) -> str:
        """The name of the function that answers it in a Python adapter."""
        return self.name.replace(".", "_")


def verb(name: str, *, options: tuple[str, ...] = ()) -> Callable[[_Definition], _Definition]:
    """Register the decorated Protocol as the definition of the verb `name`."""

    def register(definition: _Definition) -> _Definition:
        call = definition.__call__
        hints = get_type_hints(call, include_extras=True)
        answer = hints.pop("return")
        parameters = inspect.signature(call).parameters
        required = {key for key in hints if parameters[key].default is inspect.Parameter.empty}
        summary = inspect.getdoc(definition) or ""
        _declared[name] = Verb(
            name, summary.partition("\n")[0], hints, frozenset(required), frozenset(options), answer
        )
        return definition

    return register


@cache
def verbs() -> Mapping[str, Verb]:
    """Every verb of every family module, by name."""
    from pytest_vindex3.contract import families

    for module in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"{families.__name__}.{module.name}")
    return dict(sorted(_declared.items()))
