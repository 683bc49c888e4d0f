"""The inputs of one test: how they are handed out, and what an implementation did to them.

An implementation is asked to read them. One that removes, changes or replaces them is told of as such, and
what is kept for a replay is what was handed out.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from pytest_vindex3.contract import fresh
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.contract.writable import Writable, changeable

_MOST_ENTRIES = 10_000
_LARGEST_COMPARED = 1 << 20
_FOLDER = stat.S_IFDIR >> 12

State = tuple[int, ...]


class Inputs:
    """The inputs of one test.

    Attributes:
        place: the test's own folder, made on first use.
        deeds: what the implementation did to which input, by name: "removed" or "changed".
        meddled: whether it did anything to the folder that reading does not do.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.deeds: dict[str, str] = {}
        self.meddled = False
        self._given: dict[str, bytes | Writable] = {}
        self._known: dict[str, dict[str, State]] = {}
        self._seen: dict[str, State] = {}
        self._spoilt: set[str] = set()

    def folder(self) -> Path:
        """The test's own folder; made anew where it is gone."""
        fresh.folder(self.place)
        return self.place

    def put(self, name: str, content: bytes | Writable) -> Path:
        """Write an input, a file or a folder, in place of whatever has its name."""
        path = self.folder() / name
        if isinstance(content, bytes):
            fresh.write(path, content)
        elif not self._changes(name, content):
            beside = path.with_name(f".{secrets.token_hex(8)}")  # a name that nobody can have taken
            content.write_to(beside)
            fresh.remove(path)
            beside.rename(path)
        self._spoilt.discard(name)
        self._given[name] = content
        self._known[name] = _states_of(path)
        others = {one: state for one, state in self._seen.items() if not _within(one, name)}
        self._seen = {**others, **self._known[name]}
        return path

    def largest(self, name: str) -> int:
        """The length of an input as it was handed out; of a folder, that of its largest file."""
        return max((state[2] for state in self._known[name].values() if state[0] != _FOLDER), default=0)

    def _changes(self, name: str, content: Writable) -> bool:
        """Whether the input was made of the one of its name that is still as it was handed out."""
        if name not in self._given or name in self._spoilt or not changeable(content):
            return False
        intact = _states_of(self.place / name) == self._known[name]
        return intact and content.change(self.place / name, self._given[name])

    def look(self) -> Mapping[str, State]:
        """The folder before a request; inputs that the test itself has changed are its own affair."""
        before = _states(self.place)
        if before != self._seen:
            for name in [name for name in self._given if _part(before, name) != self._known[name]]:
                del self._given[name]
        return before

    def compare(self, before: Mapping[str, State], verb: str, arguments: Mapping[str, object]) -> None:
        """Note what became of the folder while a request was answered."""
        after = _states(self.place)
        target = _below(verbs()[verb].target(arguments), self.place) if verb in verbs() else None
        for name in [name for name in self._given if target and _within(target, name)]:
            del self._given[name]
        if after != before:
            self._note(before, after, target)
            self._known = {name: _part(after, name) for name in self._given}
        self._seen = after

    def _note(self, before: Mapping[str, State], after: Mapping[str, State], target: str | None) -> None:
        """Note what is not as it was; what a writer does to its target is none of it."""
        for name, state in before.items():
            if not _within(name, target) and _changed(state, after.get(name)):
                self.deeds[name] = "changed" if name in after else "removed"
        strays = [name for name in after.keys() - before.keys() if not _within(name, target)]
        self.meddled |= bool(self.deeds) or bool(strays)
        self._spoilt |= {name.partition("/")[0] for name in (*self.deeds, *strays)}

    def restore(self) -> None:
        """Put back what was handed out where the implementation has changed it."""
        for name, content in list(self._given.items()):
            done = any(_within(deed, name) for deed in self.deeds)
            if done or _differs(self.place / name, content):
                if not done:
                    self.deeds[name] = "changed"
                self._spoilt.add(name)
                with suppress(OSError):
                    self.put(name, content)

    def told(self) -> str:
        """The deeds in words, or nothing."""
        return ", ".join(f"{deed} {name}" for name, deed in self.deeds.items())


def _differs(path: Path, content: bytes | Writable) -> bool:
    """Whether an input has other bytes; a change so soon after its writing leaves no other trace.

    Of content that writes itself only folders are compared, and in them files that are no larger than
    what one would type: a sparse one may be of any size.
    """
    try:
        if isinstance(content, bytes):
            return path.is_symlink() or not path.is_file() or path.read_bytes() != content
        return path.is_dir() and not path.is_symlink() and _other_files(path, content)
    except OSError:
        return False  # a test may have made its input unreadable


def _other_files(folder: Path, content: Writable) -> bool:
    """Whether a small file of the folder differs from the one that the content writes."""
    beside = folder.with_name(f".{secrets.token_hex(8)}")
    try:
        content.write_to(beside)
        return any(
            (folder / path.relative_to(beside)).read_bytes() != path.read_bytes()
            for path in islice(beside.rglob("*"), _MOST_ENTRIES)
            if path.is_file() and path.stat().st_size <= _LARGEST_COMPARED
        )
    finally:
        fresh.remove(beside)


def _below(path: str | None, place: Path) -> str | None:
    """A path as a name below the folder, or None where it is not there."""
    if path is None or not Path(path).is_relative_to(place):
        return None
    return Path(path).relative_to(place).as_posix()


def _within(name: str, target: str | None) -> bool:
    """Whether a name is another one, or below it; nothing is within None."""
    return target is not None and (name == target or name.startswith(f"{target}/"))


def _part(states: Mapping[str, State], top: str) -> dict[str, State]:
    """The states of one entry and of everything below it."""
    below = f"{top}/"
    return {name: state for name, state in states.items() if name == top or name.startswith(below)}


def _states(place: Path) -> dict[str, State]:
    """What tells every entry of a folder from what it was before, by its name below the folder."""
    found: dict[str, State] = {}
    if not place.is_symlink():
        _look_into(os.fspath(place), "", found)
    return found


def _states_of(path: Path) -> dict[str, State]:
    """The same of one entry of a folder, and of everything below it."""
    found: dict[str, State] = {}
    with suppress(OSError):
        status = path.lstat()
        found[path.name] = _state(status)
        if status.st_mode >> 12 == _FOLDER:
            _look_into(os.fspath(path), f"{path.name}/", found)
    return found


def _look_into(place: str, above: str, found: dict[str, State]) -> None:
    """Find what is in a folder, at any depth; what cannot be seen is left out."""
    try:
        with os.scandir(place) as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if len(found) >= _MOST_ENTRIES:
            return
        name = above + entry.name
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        found[name] = _state(status)
        if status.st_mode >> 12 == _FOLDER:
            _look_into(entry.path, f"{name}/", found)


def _state(status: os.stat_result) -> State:
    kind = status.st_mode >> 12
    if kind == _FOLDER:
        return kind, status.st_ino
    return kind, status.st_ino, status.st_size, status.st_mtime_ns, status.st_nlink, status.st_ctime_ns


def _changed(before: State, after: State | None) -> bool:
    """Whether something else stands there; that a file got one more hard link is no change of the file."""
    if after is None or len(before) != len(after):
        return True
    *was, links, _ = before
    *is_now, links_now, _ = after
    return before != after and (was != is_now or links == links_now)
