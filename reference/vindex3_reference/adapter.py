"""The reference as an implementation of the contract: the verb functions of every room, in one module.

A room (a package beside this module) offers the verbs that the `__all__` of its module `verbs`
names, so that a new one only adds files.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import vindex3_reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _verb_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    for room in pkgutil.iter_modules(vindex3_reference.__path__, f"{vindex3_reference.__name__}."):
        if not room.ispkg:
            continue
        rooms = importlib.import_module(room.name)
        if any(module.name == "verbs" for module in pkgutil.iter_modules(rooms.__path__)):
            verbs = importlib.import_module(f"{room.name}.verbs")
            yield from ((name, getattr(verbs, name)) for name in verbs.__all__)


globals().update(_verb_functions())
