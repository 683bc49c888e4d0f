"""Which tags whoever asks can work with: every known one, unless options say less (lyrw.md, section 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.lyrw import vocabulary

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot

_KNOWN = {"format": vocabulary.FORMATS, "packing": vocabulary.PACKINGS, "layout": vocabulary.LAYOUTS}
_OPTIONS = {"format": "formats", "packing": "packings", "layout": "layouts"}
_SILENT = "unspecified"
"""The layout that says nothing; nobody can work with it, whatever is supported (CAPABILITY-SPLIT-01)."""


class Supports:
    """The supported words of formats, packings and layouts.

    Args:
        options: the options of the request; `supports` holds a list of words for each that is limited.

    Raises:
        Refusal: `bad-type`.
    """

    def __init__(self, options: Slot) -> None:
        limits = options.optional("supports")
        self._words: dict[str, frozenset[str]] = {}
        for field, known in _KNOWN.items():
            limit = None if limits is None else limits.optional(_OPTIONS[field])
            self._words[field] = frozenset(
                known if limit is None else (word.text() for word in limit.elements())
            )

    def lacks(self, field: str, tag: int) -> str | int | None:
        """What is shown of a tag that is unknown or not supported; None where it is supported.

        Args:
            field: format, packing or layout.
            tag: as it is stored.
        """
        word = vocabulary.shown(_KNOWN[field], tag)
        supported = isinstance(word, str) and word in self._words[field] and word != _SILENT
        return None if supported else word
