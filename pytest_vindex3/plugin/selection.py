"""Globs of `--vindex3-only` and of known failures; brackets are plain, for ids have them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from functools import cache

from pytest_vindex3.plugin.identity import Identity


def matches(glob: str, known: Identity) -> bool:
    """Whether a glob means this test: by its id, function, file, clauses or family, `FAMILY/canary` too."""
    names = [known.id, known.function, known.id.partition("::")[0]]
    if known.canary:
        names.append(f"{known.family}/canary")
    if any(fits(glob, name) for name in names):
        return True
    return known.family == glob or any(fits(glob, name) for name in known.clauses)


def meant(globs: Collection[str], known: Identity) -> bool:
    """Whether one of the globs means this test, or there are none."""
    return not globs or any(matches(glob, known) for glob in globs)


def unmatched(globs: Iterable[str], tests: Collection[Identity]) -> list[str]:
    """The globs that mean no test, each with what looks most like it, best first."""
    names = {name for known in tests for name in (known.id, known.function, known.family, *known.clauses)}
    silent = [glob for glob in globs if not any(matches(glob, known) for known in tests)]
    near = {glob: difflib.get_close_matches(glob, names) for glob in silent}
    return [f"{glob} (nearest: {', '.join(near[glob])})" if near[glob] else glob for glob in silent]


def fits(glob: str, name: str) -> bool:
    """Whether `name` is `glob`, with `*` for any text and `?` for any character."""
    return _compiled(glob).fullmatch(name) is not None


@cache
def _compiled(glob: str) -> re.Pattern[str]:
    special = {"*": ".*", "?": "."}
    return re.compile("".join(special.get(sign, re.escape(sign)) for sign in glob), re.DOTALL)
