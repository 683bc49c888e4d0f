"""JSON documents as the reference writes them, never one that its reader would refuse or read otherwise."""

from __future__ import annotations

import json

from vindex3_reference import strict_json
from vindex3_reference.refusal import Refusal


def encoded(value: object, path: str = "") -> bytes:
    """The text of a value: keys in their order, two spaces a level, a line feed at the end.

    Args:
        value: plain data.
        path: the document that refusals name; none for one that comes from a caller.

    Raises:
        Refusal: what `strict_json.parse` refuses in the text, as `out-of-range` for NaN and infinities;
            `bad-type` for what is no plain JSON value, a key that is no string for one.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
        document = text.encode() + b"\n"
    except UnicodeEncodeError:
        raise Refusal("malformed-json", f"{_shown(path)} has a lone surrogate", path=path) from None
    except TypeError as error:
        raise _bad_type(path, str(error)) from None
    except ValueError as error:
        raise Refusal("out-of-range", f"{_shown(path)}: {error}", path=path) from None
    except RecursionError:
        raise Refusal("nesting-too-deep", f"{_shown(path)} nests too deep", path=path) from None
    if strict_json.parse(document, path) != value:
        raise _bad_type(path, "a key is no string, or a list no list")
    return document


def _bad_type(path: str, why: str) -> Refusal:
    return Refusal("bad-type", f"{_shown(path)} is no JSON value: {why}", path=path, field="")


def _shown(path: str) -> str:
    return path or "the document"
