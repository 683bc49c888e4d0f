"""The process that fuzzes: `python -m pytest_vindex3.fuzz.worker SETTINGS.json [FLAG...]`; see `run`.

It ends inside of atheris, without a word to Python: what it finds is on the disk as soon as it is found.
"""

from __future__ import annotations

import ast
import json
import os
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from types import FunctionType
from typing import Any, Final

from pytest_vindex3.contract import fresh
from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.find import split
from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.contract.outcome import Fault, Limits, Outcome
from pytest_vindex3.fuzz.demand import trouble
from pytest_vindex3.fuzz.hook import with_mended_hook
from pytest_vindex3.fuzz.reduce import reduced
from pytest_vindex3.fuzz.run import ASKED, EXIT_BROKEN, INPUT
from pytest_vindex3.fuzz.target import Asked, Target, targets

ORACLE: Final = "vindex3_reference"
ROOM: Final = 1 << 30
"""Bytes of data memory that a Python implementation may add to what there is when it is loaded."""
MOST_FINDINGS: Final = 10
REQUEST_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What a worker is told.

    Attributes:
        target: the name of the target.
        spec: the implementation.
        oracle: the implementation that says what is right; as a rule the reference.
        roots: folders in which the implementation is looked for.
        place: a folder for inputs; what is found comes into it as `finding-N.json` and `finding-N.input`.
    """

    target: str
    spec: str
    oracle: str
    roots: tuple[str, ...]
    place: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What one input showed.

    Attributes:
        verb: that was asked.
        arguments: every argument but the path.
        text: what is wrong, in one or more lines.
        fault: whether it is a fault and no wrong answer.
    """

    verb: str
    arguments: dict[str, Any]
    text: str
    fault: bool

    @property
    def cause(self) -> tuple[str, str, str]:
        """What findings of one cause have in common: the verb, what is wrong, and the innermost frame."""
        first, *frames = self.text.splitlines()
        what = first.partition(":")[2].split(":")[0] if self.fault else first
        return self.verb, what, frames[-1] if frames else ""


class Fuzzer:
    """Asks about inputs and keeps what is wrong.

    Args:
        target: what is fuzzed.
        door: to the implementation.
        oracle: the door to what is right; None where there is nothing to compare with.
        place: the folder for inputs and findings.
    """

    def __init__(self, target: Target, door: Door, oracle: Door | None, place: Path) -> None:
        self._target = target
        self._door = door
        self._oracle = oracle
        self._place = place
        self._folder = place / INPUT
        self._limits = Limits(seconds=REQUEST_SECONDS)
        self._asked = _claimed(target, door)
        self._told = set(oracle.describe().verbs) if oracle else set()
        self._seen: set[tuple[str, str, str]] = set()
        self._last = os.open(place / ASKED, os.O_WRONLY | os.O_CREAT)
        os.write(self._last, b"\0")
        target.around().write_to(self._folder)

    def __call__(self, data: bytes) -> None:
        """Try one input."""
        for asked, finding in self._findings(data, self._asked):
            if finding.cause not in self._seen and len(self._seen) < MOST_FINDINGS:
                self._seen.add(finding.cause)
                self._keep(asked, finding, data)

    def findings(self, data: bytes) -> list[Finding]:
        """What is wrong at one input, a finding for each request at most."""
        return [finding for _, finding in self._findings(data, self._asked)]

    def _findings(self, data: bytes, asked: Sequence[Asked]) -> Iterator[tuple[Asked, Finding]]:
        """The findings as they come: the next request may end this process."""
        self._write(data)
        for one in asked:
            text, fault = self._wrong(one, data)
            if text:
                yield one, Finding(one.verb, dict(one.arguments), text, fault)

    def _write(self, data: bytes) -> None:
        fresh.write(self._folder / self._target.file, data)

    def _wrong(self, asked: Asked, data: bytes) -> tuple[str, bool]:
        os.pwrite(self._last, bytes([self._target.asked.index(asked)]), 0)
        found = self._outcome(self._door, asked)
        text = trouble(found)
        if text or self._oracle is None or asked.verb not in self._told:
            return text, isinstance(found, Fault)
        expected = self._outcome(self._oracle, asked)
        if trouble(expected):
            return f"the reference itself: {trouble(expected)}", True
        return asked.demand.departure(data, expected, found), False

    def _outcome(self, door: Door, asked: Asked) -> Outcome:
        arguments = {"path": str(self._target.path(self._folder)), **asked.arguments}
        return door.ask(asked.verb, arguments, self._limits).outcome

    def _keep(self, asked: Asked, finding: Finding, data: bytes) -> None:
        """Write a finding down at once, and again when it is smaller: making it so may end this process."""
        name = f"finding-{len(self._seen)}"
        (self._place / f"{name}.input").write_bytes(data)
        (self._place / f"{name}.json").write_text(json.dumps(asdict(finding)), encoding="utf-8")

        def shows(other: bytes) -> bool:
            return any(one.cause == finding.cause for _, one in self._findings(other, [asked]))

        small = reduced(data, self._target.smaller, shows)
        (self._place / f"{name}.input").write_bytes(small)
        self._write(data)


def _claimed(target: Target, door: Door) -> list[Asked]:
    """The requests of a target that an implementation can be asked."""
    verbs = set(door.describe().verbs)
    return [one for one in target.asked if one.verb in verbs]


def main(arguments: Sequence[str]) -> None:
    """Fuzz until the flags of libFuzzer say that it is enough."""
    import atheris

    told, *flags = arguments
    settings = Settings(**json.loads(Path(told).read_text(encoding="utf-8")))
    target = targets()[settings.target]
    roots = [Path(root) for root in settings.roots]
    with atheris.instrument_imports(include=_own(settings, roots)):
        door = open_door(settings.spec, in_process=True, roots=roots)
        oracle = _oracle(settings, door)
    if door.kind == "in process":
        _instrument(door, atheris)
        _bound()
    fuzzer = Fuzzer(target, door, oracle, Path(settings.place))

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        numbers = Random(seed)  # noqa: S311 -- nothing here is secret
        if numbers.random() < 0.1:
            return bytes(atheris.Mutate(data, most))
        return target.mutate(data, numbers)[:most]

    atheris.Setup(
        [sys.argv[0], *flags], _ending(with_mended_hook(fuzzer, atheris)), custom_mutator=_ending(mutated)
    )
    atheris.Fuzz()


def _ending(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; an error of the kit's own in it ends this process, where atheris would wait for ever."""

    def guarded(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(EXIT_BROKEN)

    return guarded


def _own(settings: Settings, roots: Sequence[Path]) -> list[str]:
    """Top-level modules whose branches are counted: of the implementation, of its project, and the reference.

    Of an adapter that is a file, what it imports counts too, the standard library and numpy apart.
    """
    names = {ORACLE, *(module.name for module in pkgutil.iter_modules([str(root) for root in roots]))}
    for parts in map(split, (settings.spec, settings.oracle)):
        place = parts.target.partition(":")[0]
        files = [path for path in (root / place for root in (*roots, Path.cwd())) if path.is_file()]
        if parts.command is None:
            names |= _imported(files[0]) if files else {place.partition(".")[0]}
    return sorted(names - sys.stdlib_module_names - {"numpy", "pytest_vindex3"})


def _imported(file: Path) -> set[str]:
    """The top-level modules that a file imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return set()
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return {name.partition(".")[0] for name in named if name}


def _oracle(settings: Settings, door: Door) -> Door | None:
    """The oracle beside an implementation: none beside itself, in a process of its own where they share code.

    An implementation that is made of the reference may have changed it in this process.
    """
    if split(settings.spec).target == split(settings.oracle).target:
        return None
    roots = [Path(root) for root in settings.roots]
    return open_door(settings.oracle, in_process=ORACLE not in sys.modules, roots=roots)


def _instrument(door: Door, atheris: Any) -> None:
    """Count branches in a module that was loaded from a file, past the import system."""
    here = [one for one in list(sys.modules.values()) if getattr(one, "__file__", None) == door.origin]
    for module in here:
        if type(module.__loader__).__module__.partition(".")[0] == "atheris":
            continue
        for value in list(vars(module).values()):
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                atheris.instrument_func(value)


def _bound() -> None:
    """Let memory end before the machine's does: what asks for more gets a MemoryError, which is a fault."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[5])
    most = pages * os.sysconf("SC_PAGE_SIZE") + ROOM
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
