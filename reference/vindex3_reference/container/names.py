"""File names out of documents, judged before anything is opened under them (container.md, section 3)."""

from __future__ import annotations

import re

from vindex3_reference.refusal import Refusal

INDEX = "index.json"
CAPABILITY_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "generation_config.json",
    "chat_template.jinja",
)
"""Files that keep a container servable; they take part in no observation."""

# Components of at least one character, none of them `.` or `..`, joined by single slashes.
_PLAIN = re.compile(
    r"(?![A-Za-z]:)(?!\.{1,2}(?:/|\Z))[^/\\\0]++(?:/(?!\.{1,2}(?:/|\Z))[^/\\\0]++)*+", re.DOTALL
)


def is_plain(name: str) -> bool:
    """Whether a name is relative, and leads to no place outside the container on any system."""
    return _PLAIN.fullmatch(name) is not None


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
