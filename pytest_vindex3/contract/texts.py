"""Texts of others made fit to be printed: no control characters, no end of length.

What an implementation says of itself reaches terminals and reports. A name with an escape sequence or line
ends in it could paint a verdict of its own there.
"""

from __future__ import annotations

LONGEST_WORD = 100
LONGEST_PATH = 4096
_LONGEST_LINE = 2000
_MOST_LINES = 60


def printable(text: str, longest: int = LONGEST_WORD) -> str:
    """The text on one line: what cannot be seen is escaped, what is above `longest` left out."""
    shown = visible(text[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def visible(text: str) -> str:
    """The text on one line, all of it, with what cannot be seen escaped."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def printable_lines(text: str) -> str:
    """The text with its lines, each as `printable` has it; of too many the first and the last."""
    lines = [printable(line.expandtabs(), _LONGEST_LINE) for line in text.split("\n")]
    if len(lines) > _MOST_LINES:
        half = _MOST_LINES // 2
        lines = [*lines[:half], f"... {len(lines) - 2 * half} lines ...", *lines[-half:]]
    return "\n".join(line.rstrip() for line in lines)


def _escaped(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")
