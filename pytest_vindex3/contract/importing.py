"""Importing an implementer's module: from the folders given first, leaving the import path orderly."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


class Absent(Exception):  # noqa: N818 -- the state of a module
    """There is no such module or file."""


def import_name(name: str, roots: Sequence[Path]) -> ModuleType:
    """Import a module by its dotted name, from `roots` before all else.

    Raises:
        Absent: no such module; what the module itself raises passes through.
    """
    if not all(name.split(".")):
        raise Absent(name)
    with _first_on_path(roots):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name and (name == error.name or name.startswith(f"{error.name}.")):
                raise Absent(name) from None
            raise


def import_file(path: Path) -> ModuleType:
    """Import a file, as part of its package where it lies in one, beside the modules in its folder.

    Raises:
        Absent: no such file; what the module itself raises passes through.
    """
    if not path.is_file():
        raise Absent(str(path))
    path = path.resolve()
    top, name = path.parent, path.stem
    while (top / "__init__.py").is_file():
        top, name = top.parent, f"{top.name}.{name}"
    if "." in name:
        return import_name(name.removesuffix(".__init__"), [top])
    with _first_on_path([top]):
        return _load(path, name)


def _load(path: Path, stem: str) -> ModuleType:
    """The module of a file that is in no package; a name that another file has taken is extended."""
    name = stem
    for name in (stem, f"{stem}_{hashlib.sha256(bytes(path)).hexdigest()[:12]}"):
        loaded = sys.modules.get(name)
        if loaded is None:
            break
        if getattr(loaded, "__file__", None) == str(path):
            return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Absent(str(path))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _first_on_path(folders: Sequence[Path]) -> Iterator[None]:
    """Folders stand first while a module is imported, as for a script, and last ever after.

    Last, so that what the module imports later is still found and nothing installed is hidden.
    """
    added = [folder for folder in dict.fromkeys(map(str, folders)) if folder not in sys.path]
    sys.path[:0] = added
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for folder in added:
            sys.path.remove(folder)
            sys.path.append(folder)
