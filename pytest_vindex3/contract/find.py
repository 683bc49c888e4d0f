"""Finding an implementation from its spec: `mypkg`, `module:attribute`, `path/to/adapter.py`, `cmd:...`.

Each may be given as `NAME=SPEC`. A spec is looked up among the entry points of the group
`pytest_vindex3.implementations`, then imported; what was imported may point to its adapter with an
attribute `vindex3_adapter`, an object or a callable that makes one, else it is the adapter itself.
"""

from __future__ import annotations

import difflib
import inspect
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_vindex3.contract.door import NotLoaded
from pytest_vindex3.contract.frames import brief, shown
from pytest_vindex3.contract.importing import Absent, import_file, import_name
from pytest_vindex3.contract.verb import verbs

GROUP = "pytest_vindex3.implementations"
_NAMED = re.compile(r"(?P<name>[A-Za-z0-9_.+ -]+)=(?P<spec>.+)", re.DOTALL)
_COMMAND = "cmd:"


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec taken apart: the name given to it, if any, and the program or the Python target."""

    name: str | None
    target: str
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A Python implementation that was loaded.

    Attributes:
        name, version: the name of the spec, else what it says of itself, else its module or file.
        origin: the file it came from.
        functions: the function that answers, by verb.
        claimed: the verbs it claims; more than `functions` where it over-claims.
        options: the optional arguments it declares, by verb.
    """

    name: str
    version: str
    origin: str
    functions: Mapping[str, Callable[..., object]]
    claimed: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]


def split(spec: str) -> Spec:
    """Take a spec apart without loading anything.

    Raises:
        NotLoaded: the spec, or the command in it, is empty.
    """
    match = None if Path(spec).is_file() else _NAMED.fullmatch(spec)
    name, target = (match["name"].strip(), match["spec"]) if match else (None, spec)
    command = target.removeprefix(_COMMAND).strip() if target.startswith(_COMMAND) else None
    if not target.strip() or command == "":
        raise NotLoaded(f"{spec!r} names no implementation")
    return Spec(name, target, command)


def find(spec: str, roots: Sequence[Path] = ()) -> Found:
    """Load a Python implementation; `roots` are searched before the import path.

    Raises:
        NotLoaded: no such implementation, it could not be imported, or it answers no verb; the text
            says what was tried, what is nearest and what to do.
    """
    parts = split(spec)
    if parts.command is not None:
        raise NotLoaded(f"{spec} is a program: it is reached through its pipe, never loaded")
    folders = [root.resolve() for root in roots]
    try:
        with _told("importing", parts.target):
            loaded = _loaded(parts.target, folders)
    except Absent:
        raise NotLoaded(_not_found(parts.target, folders)) from None
    with _told("making the adapter of", parts.target):
        adapter = _adapter(loaded)
    with _told("reading the declarations of", parts.target):
        found = _found(_name_of(parts.target), adapter, loaded)
    return replace(found, name=parts.name) if parts.name else found


@contextmanager
def _told(doing: str, target: str) -> Iterator[None]:
    """Tell what the implementer's own code raised, a wish to exit included, in its own frames."""
    try:
        yield
    except (Absent, NotLoaded, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise NotLoaded(f"{doing} {target} failed:\n{brief(error)}") from error


def _loaded(target: str, roots: Sequence[Path]) -> object:
    point = next(iter(entry_points(group=GROUP, name=target)), None)
    return point.load() if point else _import(target, roots)


def _import(target: str, roots: Sequence[Path]) -> object:
    place, _, attribute = target.partition(":")
    module = import_file(_file(place, roots)) if _is_path(place) else import_name(place, roots)
    value: Any = module
    for name in filter(None, attribute.split(".")):
        if not hasattr(value, name):
            near = difflib.get_close_matches(name, dir(value), n=3)
            hint = f"; nearest: {', '.join(near)}" if near else ""
            raise NotLoaded(f"{place} ({shown(_file_of(module))}) has no attribute {name!r}{hint}")
        value = getattr(value, name)
    return value


def _is_path(place: str) -> bool:
    return place.endswith(".py") or os.sep in place


def _file(place: str, roots: Sequence[Path]) -> Path:
    tried = [base / Path(place).expanduser() for base in (roots or [Path.cwd()])]
    path = next((path for path in tried if path.exists()), tried[0])
    return path / "__init__.py" if (path / "__init__.py").is_file() else path


def _adapter(loaded: object) -> Any:
    """What answers: a factory is called, a `vindex3_adapter` is followed."""
    pointed: Any = getattr(loaded, "vindex3_adapter", loaded)
    is_factory = inspect.isclass(pointed) or (callable(pointed) and not _functions(pointed))
    return pointed() if is_factory else pointed


def _name_of(target: str) -> str:
    """The name of a spec that gives none: of a file its own, or its folder's where all are called alike."""
    if not _is_path(target.partition(":")[0]):
        return target
    path = Path(target.partition(":")[0]).absolute()
    return path.parent.name if path.stem in {"adapter", "__init__"} else path.stem


def _found(name: str, adapter: object, loaded: object) -> Found:
    functions = _functions(adapter)
    home = _module_of(loaded)
    package = sys.modules.get(home.__name__.partition(".")[0]) if home else None
    sources = [adapter, loaded, home]
    origin = next(filter(None, map(_file_of, [loaded, adapter])), "")
    claimed = _declared(sources, "vindex3_verbs")
    if not functions and not claimed:
        raise NotLoaded(_nothing_to_ask(name, origin, adapter))
    return Found(
        name=str(_declared(sources, "vindex3_name") or name),
        version=str(_declared([*sources, package], "__version__") or ""),
        origin=origin,
        functions=functions,
        claimed=tuple(functions) if claimed is None else _names(claimed),
        options=_options(functions, _declared(sources, "vindex3_options")),
    )


def _declared(sources: Sequence[object], attribute: str) -> Any:
    """An optional declaration, from the adapter or the module it came from."""
    return next((value for one in sources if (value := getattr(one, attribute, None)) is not None), None)


def _functions(adapter: object) -> dict[str, Callable[..., object]]:
    found = {name: getattr(adapter, verb.function, None) for name, verb in verbs().items()}
    return {name: function for name, function in found.items() if callable(function)}


def _options(
    functions: Mapping[str, Callable[..., object]], declared: Mapping[str, Sequence[str]] | None
) -> dict[str, tuple[str, ...]]:
    """Optional arguments as declared, else the named parameters that the verb knows as options."""
    if declared is not None:
        return {str(verb): _names(names) for verb, names in declared.items()}
    named = {verb: verbs()[verb].options & _parameters(function) for verb, function in functions.items()}
    return {verb: tuple(sorted(names)) for verb, names in named.items() if names}


def _names(declared: Sequence[str]) -> tuple[str, ...]:
    if isinstance(declared, str):
        raise TypeError(f"a list of names is declared as a list, not as {declared!r}")
    return tuple(map(str, declared))


def _parameters(function: Callable[..., object]) -> set[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return set()
    return {one.name for one in parameters if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}


def _module_of(loaded: object) -> ModuleType | None:
    if isinstance(loaded, ModuleType):
        return loaded
    return sys.modules.get(str(getattr(loaded, "__module__", None)))


def _file_of(loaded: object) -> str:
    return str(getattr(_module_of(loaded), "__file__", None) or "")


def _not_found(target: str, roots: Sequence[Path]) -> str:
    place = target.partition(":")[0]
    folders = ", ".join(map(str, roots)) or str(Path.cwd())
    if _is_path(place):
        near = _scripts(place, roots)
        return f"no file {place}; looked in {folders}" + (f"\nNearest: {', '.join(near)}" if near else "")
    points = sorted({point.name for point in entry_points(group=GROUP)})
    near = difflib.get_close_matches(place, [*points, *_importable(place, roots)], n=3, cutoff=0.6)
    lines = [
        f"no implementation {place!r}. Tried:",
        f"  an entry point of the group {GROUP} (there are: {', '.join(points) or 'none'})",
        f"  a module of that name in {folders} and on the import path",
    ]
    return "\n".join([*lines, f"Nearest: {', '.join(near)}"] if near else lines)


def _scripts(place: str, roots: Sequence[Path]) -> list[str]:
    """Python files that could have been meant: in the place, if it is a folder, else beside it."""
    shown = Path(place).expanduser()
    for folder, cutoff in ((shown, 0.0), (shown.parent, 0.6)):
        scripts = [path.name for base in (roots or [Path.cwd()]) for path in (base / folder).glob("*.py")]
        near = difflib.get_close_matches(shown.name, scripts, n=3, cutoff=cutoff)
        if near:
            return [str(folder / name) for name in near]
    return []


def _importable(place: str, roots: Sequence[Path]) -> Iterator[str]:
    """Modules that could have been meant: in the roots, and beside it in a package that is there."""
    yield from (module.name for module in pkgutil.iter_modules([str(root) for root in roots]))
    parent = place.rpartition(".")[0]
    folders = getattr(sys.modules.get(parent), "__path__", ())
    yield from (module.name for module in pkgutil.iter_modules(folders, f"{parent}."))


def _scripts_in(adapter: object) -> list[str]:
    """The Python files of what was imported as a folder without an `__init__.py`, `adapter.py` first."""
    if _file_of(adapter) or not isinstance(adapter, ModuleType):
        return []
    scripts = [path for folder in getattr(adapter, "__path__", ()) for path in Path(folder).glob("*.py")]
    return [shown(str(path)) for path in sorted(scripts, key=lambda path: (path.stem != "adapter", path))]


def _plain_attributes(adapter: object) -> list[tuple[str, object]]:
    """What a module has under public names, other modules apart."""
    named = vars(adapter).items() if isinstance(adapter, ModuleType) else ()
    return [(name, one) for name, one in named if not (name.startswith("_") or isinstance(one, ModuleType))]


def _nothing_to_ask(name: str, origin: str, adapter: object) -> str:
    scripts = _scripts_in(adapter)
    if scripts:
        return f"{name} is a folder and no package. A file in it can be named: {', '.join(scripts[:3])}"
    for attribute, value in _plain_attributes(adapter):
        if _functions(value):
            return (
                f"{name} ({shown(origin)}) has no verb functions, but {attribute} in it has: "
                f"name it as {shown(origin)}:{attribute}, or call it vindex3_adapter"
            )
    functions = {verb.function: verb.name for verb in verbs().values()}
    for attribute in dir(adapter):
        for near in difflib.get_close_matches(attribute, functions, n=1, cutoff=0.8):
            return f"{name} ({shown(origin)}) has no verb functions, but {attribute}: is it meant as {near}?"
    return "\n".join(
        [
            f"{name} ({shown(origin)}) has no verb functions. The smallest adapter has one, for one verb:",
            "    def lyrw_parse(path):",
            '        raise pytest_vindex3.Refusal("bad-magic", found="00000000", expected="4C595257")',
            "`vindex3 new-adapter python DIR` writes a start that runs; `vindex3 schema` lists the verbs.",
        ]
    )
