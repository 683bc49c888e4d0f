"""File names out of documents, judged before anything is opened under them (container.md, section 3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

INDEX = "index.json"
CAPABILITY_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "generation_config.json",
    "chat_template.jinja",
)
"""Files that keep a container servable; they take part in no observation."""

_DRIVE = re.compile(r"[A-Za-z]:")
_NO_COMPONENTS = frozenset({"", ".", ".."})


def is_plain(name: str) -> bool:
    """Whether a name is relative, and leads to no place outside the container on any system."""
    has_components = _NO_COMPONENTS.isdisjoint(name.split("/"))
    return has_components and not ("\\" in name or "\0" in name or _DRIVE.match(name))


def all_plain(names: Iterable[str]) -> bool:
    """Whether it can be seen at once that all of thousands of names are plain.

    A name with a colon in it may be plain and is not seen to be.
    """
    joined = "/".join(names)
    return _NO_COMPONENTS.isdisjoint(joined.split("/")) and not any(sign in joined for sign in "\\\0:")


def checked(name: str) -> str:
    """The name itself, where it is a plain relative one (INDEX-PATH-01, INDEX-PATH-02).

    Raises:
        Refusal: `path-escape` with the name as it is written.
    """
    if is_plain(name):
        return name
    raise Refusal("path-escape", f"{name!r} is no plain name of a file in the container", path=name)


def without_extension(name: str) -> str:
    """The name up to the last dot of its last component; the `segments` key that means this file."""
    folder, slash, last = name.rpartition("/")
    stem, dot, _ = last.rpartition(".")
    return f"{folder}{slash}{stem}" if dot and stem else name
