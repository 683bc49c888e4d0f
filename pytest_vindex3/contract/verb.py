"""Verbs: one typed definition each, and the registry that finds them.

A definition is a class with a typed `__call__`; it is the Protocol an adapter is written against,
the check of what came back (`typed.py`) and the published JSON Schema (`schema.py`) in one.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, get_type_hints

_Definition = TypeVar("_Definition", bound=type)
_declared: dict[str, Verb] = {}


class Offered:
    """A list of objects as the function that it stands for.

    Called with the coordinates of an object, by position or by name, it gives that object's value, and
    None where there is none. Its `keys()` are the coordinates that it has, so that who is offered it can
    tell what was never asked for.
    """

    def __init__(self, keys: tuple[str, ...], table: Mapping[tuple[Any, ...], Any]) -> None:
        self._keys = keys
        self._table = table

    def __call__(self, *positional: object, **named: object) -> Any:
        """The value at these coordinates, or None."""
        return self._table.get((*positional, *(named[key] for key in self._keys[len(positional) :])))

    def keys(self) -> list[tuple[Any, ...]]:
        """The coordinates of every object, in the order of the list."""
        return list(self._table)


@dataclass(frozen=True, slots=True)
class Offer:
    """An argument that a request carries as a list of objects and a Python function sees as a function.

    Attributes:
        keys: the keys of an object that are the function's parameters, in order.
        value: the key of what the function answers; None where no object has such keys.
    """

    keys: tuple[str, ...]
    value: str

    def function(self, items: Sequence[Mapping[str, Any]]) -> Offered:
        """The function that a list stands for."""
        return Offered(self.keys, {tuple(item[key] for key in self.keys): item[self.value] for item in items})


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
        offers: arguments that a Python adapter sees as functions.
        writes: arguments that name what it writes, the first that is given; elsewhere it only reads.
        signature: how a Python adapter defines it.
        about: what else there is to know of its arguments, the rest of the docstring.
    """

    name: str
    summary: str
    arguments: Mapping[str, Any]
    required: frozenset[str]
    options: frozenset[str]
    answer: Any
    offers: Mapping[str, Offer] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    signature: str = ""
    about: str = ""

    @property
    def function(self) -> str:
        """The name of the function that answers it in a Python adapter."""
        return self.name.replace(".", "_")

    def target(self, arguments: Mapping[str, Any]) -> str | None:
        """The path that a request writes to, or None where it only reads."""
        return next((arguments[key] for key in self.writes if arguments.get(key) is not None), None)

    def offered(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as a Python adapter sees them: the lists that stand for functions made functions."""
        return {
            key: self.offers[key].function(value) if key in self.offers and value is not None else value
            for key, value in arguments.items()
        }


def verb(
    name: str,
    *,
    options: tuple[str, ...] = (),
    offers: Mapping[str, Offer] | None = None,
    writes: tuple[str, ...] = (),
) -> Callable[[_Definition], _Definition]:
    """Register the decorated Protocol as the definition of the verb `name`; see `define`."""

    def register(definition: _Definition) -> _Definition:
        _declared[name] = define(name, definition, options=options, offers=offers, writes=writes)
        return definition

    return register


def define(
    name: str,
    definition: type,
    *,
    options: tuple[str, ...] = (),
    offers: Mapping[str, Offer] | None = None,
    writes: tuple[str, ...] = (),
) -> Verb:
    """The verb that a Protocol defines.

    Args:
        name: such as "lyrw.parse".
        definition: a class whose `__call__` has annotated parameters and an annotated answer.
        options: the parameters that only go to implementations which declare them.
        offers: the parameters that a Python adapter sees as functions.
        writes: the parameters that name what is written; the first that is given counts.
    """
    call = definition.__call__
    hints = get_type_hints(call, include_extras=True)
    answer = hints.pop("return")
    summary, _, about = inspect.cleandoc(definition.__doc__ or "").partition("\n")
    parameters = inspect.signature(call).parameters
    return Verb(
        name=name,
        summary=summary,
        arguments=hints,
        required=frozenset(key for key in hints if parameters[key].default is inspect.Parameter.empty),
        options=frozenset(options),
        answer=answer,
        offers=dict(offers or {}),
        writes=writes,
        signature=_signature(name, parameters),
        about=about.strip(),
    )


def _signature(name: str, parameters: Mapping[str, inspect.Parameter]) -> str:
    shown = [
        key if one.default is one.empty else f"{key}={one.default!r}"
        for key, one in parameters.items()
        if key != "self"
    ]
    return f"def {name.replace('.', '_')}({', '.join(shown)}):"


@cache
def verbs() -> Mapping[str, Verb]:
    """Every verb of every family module, by name."""
    from pytest_vindex3.contract import families

    for module in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"{families.__name__}.{module.name}")
    return dict(sorted(_declared.items()))
