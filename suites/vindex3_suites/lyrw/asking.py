"""The two questions about regions, by bank, entry and schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask


def region(ask: Ask, path: str, bank_id: int = 0, entry: int = 0, schema_index: int = 0) -> Reply:
    """Ask for a region by schema index."""
    return ask("lyrw.region", path=path, bank_id=bank_id, entry=entry, schema_index=schema_index)


def partner(ask: Ask, path: str, bank_id: int = 0, entry: int = 0, schema_index: int = 0) -> Reply:
    """Ask for the scales of a schema."""
    return ask("lyrw.partner", path=path, bank_id=bank_id, entry=entry, schema_index=schema_index)
