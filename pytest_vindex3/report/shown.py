"""Values as a person reads them on one line: plain ASCII, bounded, the type visible."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

LONGEST = 160
_MOST_READ = 100_000
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127)}
_MOST_BYTES = 24
_MOST_ITEMS = 12


def shown(value: object, longest: int = LONGEST) -> str:
    """The value on one line of at most `longest` characters."""
    return cut(_text(value, 3), longest)


def cut(text: str, longest: int = LONGEST) -> str:
    """The text as one line of ASCII, at most `longest` characters, an ellipsis where some are left out.

    Control characters are escaped.
    """
    line = " ".join(text[:_MOST_READ].split()).translate(_CONTROLS)
    plain = line.encode("ascii", "backslashreplace").decode("ascii")
    return plain if len(plain) <= longest else plain[: longest - 3] + "..."


def _text(value: object, depth: int) -> str:
    if isinstance(value, bytes):
        return _bytes(value)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int):
        return hex(value) if value.bit_length() > 256 else str(value)
    if isinstance(value, str):
        return f'"{value[:400]}"'
    if depth and isinstance(value, Mapping):
        inner = [f"{key}: {_text(item, depth - 1)}" for key, item in islice(value.items(), _MOST_ITEMS)]
        return "{" + ", ".join(inner + ["..."] * (len(value) > _MOST_ITEMS)) + "}"
    if depth and isinstance(value, (list, tuple)):
        inner = [_text(item, depth - 1) for item in islice(value, _MOST_ITEMS)]
        return "[" + ", ".join(inner + [f"... {len(value)} in all"] * (len(value) > _MOST_ITEMS)) + "]"
    if isinstance(value, (Mapping, list, tuple)):
        return f"{type(value).__name__} of {len(value)}"
    return repr(value)[:800]


def _bytes(value: bytes) -> str:
    start = value[:_MOST_BYTES].hex(" ")
    return f"bytes {start}" + (f" ... {len(value)} in all" if len(value) > _MOST_BYTES else "")
