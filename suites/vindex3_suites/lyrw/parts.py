"""The part of a description that a clause is about, so that a wrong word turns only its own clause red.

Files that serve many clauses (goldens, real and drawn ones) are judged clause by clause with these
parts; files made for one clause are compared whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_vindex3.contract.difference import Difference, FreeOrder, first_difference, free_order
from pytest_vindex3.plugin.expect import Answers, answers

Observation = Mapping[str, Any]

BANK_NUMBERS: Final = ("bank_id", "num_entries", "input_dim", "intermediate_dim", "output_dim")
SCHEMA_NUMBERS: Final = ("schema_index", "rows", "cols")


@dataclass(frozen=True, slots=True)
class Listed:
    """The entries of `unknown` for these fields, in any order; other entries are not looked at.

    `of_header` says whether entries of the header are meant, or those of banks and schemas.
    """

    fields: tuple[str, ...]
    items: tuple[Mapping[str, Any], ...]
    of_header: bool

    def difference(self, found: object, path: str) -> Difference | None:
        """The first entry that is missing or left over."""
        if not isinstance(found, list):
            return Difference(path, list(self.items), found)
        meant = [item for item in found if _is_meant(item, self.fields, self.of_header)]
        return first_difference(free_order(self.items), meant, path)


def _is_meant(item: Any, fields: tuple[str, ...], of_header: bool) -> bool:
    return item["field"] in fields and (item["where"] == "header") == of_header


def part(clause_id: str, observation: Observation) -> Answers:
    """What an answer must show of this observation for the clause to hold.

    Raises:
        KeyError: the clause has no part of its own.
    """
    return answers(PARTS[clause_id](observation))


def _banks(observation: Observation, *keys: str) -> dict[str, Any]:
    return {"banks": [{key: bank[key] for key in keys} for bank in observation["banks"]]}


def _schemas(observation: Observation, *keys: str, known: bool | None = None) -> dict[str, Any]:
    """These keys of every schema; of tags only words, or only integers, where `known` says so."""
    banks = [
        {"schemas": [_picked(schema, keys, known) for schema in bank["schemas"]]}
        for bank in observation["banks"]
    ]
    return {"banks": banks}


def _picked(shown: Observation, keys: tuple[str, ...], known: bool | None) -> dict[str, Any]:
    return {key: shown[key] for key in keys if known is None or isinstance(shown[key], str) == known}


def _unknown(observation: Observation, *fields: str, of_header: bool = False) -> dict[str, Any]:
    listed = observation["unknown"]
    every: Iterable[Any] = listed.items if isinstance(listed, FreeOrder) else listed
    items = tuple(item for item in every if _is_meant(item, fields, of_header))
    return {"unknown": Listed(fields, items, of_header)}


def _structure(observation: Observation) -> dict[str, Any]:
    banks = [
        {
            "bank_id": bank["bank_id"],
            "schemas": [_picked(one, SCHEMA_NUMBERS, None) for one in bank["schemas"]],
        }
        for bank in observation["banks"]
    ]
    return {"banks": banks, "segments": observation["segments"], "table_bytes": observation["table_bytes"]}


def _known_kinds(observation: Observation) -> dict[str, Any]:
    keys = (*BANK_NUMBERS, "kind")
    banks = [
        {key: bank[key] for key in keys if key != "kind" or isinstance(bank["kind"], str)}
        for bank in observation["banks"]
    ]
    return {"banks": banks}


def _unknown_tags(observation: Observation, *fields: str) -> dict[str, Any]:
    return {**_schemas(observation, *fields, known=False), **_unknown(observation, *fields)}


def _segments(observation: Observation) -> dict[str, Any]:
    return {"segments": observation["segments"], **_banks(observation, "bank_id", "num_entries")}


def _sums(observation: Observation) -> dict[str, Any]:
    return {key: observation[key] for key in ("table_bytes", "payload_start")}


PARTS: Final[Mapping[str, Callable[[Observation], dict[str, Any]]]] = {
    "LYRW-MAGIC-01": _structure,
    "LYRW-HEADER-02": lambda told: {"header": told["header"]},
    "LYRW-HEADER-03": lambda told: {"header": told["header"], **_unknown(told, "flags", of_header=True)},
    "LYRW-TABLES-01": _structure,
    "LYRW-TABLES-02": _structure,
    "LYRW-TABLES-05": lambda told: {"table_bytes": told["table_bytes"]},
    "LYRW-TABLES-06": _sums,
    "LYRW-BANK-01": _known_kinds,
    "LYRW-BANK-02": lambda told: {**_banks(told, "kind"), **_unknown(told, "kind")},
    "LYRW-BANK-03": lambda told: _banks(told, *BANK_NUMBERS),
    "LYRW-BANK-06": _structure,
    "LYRW-BANK-07": lambda told: _banks(told, "kind", "num_entries"),
    "LYRW-SCHEMA-01": lambda told: _schemas(told, *SCHEMA_NUMBERS, "pair_id"),
    "LYRW-SCHEMA-03": lambda told: _schemas(told, "rows", "cols"),
    "LYRW-TAGS-01": lambda told: _schemas(told, "role", "packing", "layout", known=True),
    "LYRW-TAGS-02": lambda told: _schemas(told, "format", known=True),
    "LYRW-TAGS-03": lambda told: _unknown_tags(told, "role", "format"),
    "LYRW-TAGS-04": lambda told: _unknown_tags(told, "packing"),
    "LYRW-TAGS-05": lambda told: _unknown_tags(told, "layout"),
    "LYRW-FUSED-01": lambda told: _schemas(told, "layout"),
    "LYRW-FUSED-03": lambda told: _schemas(told, "layout"),
    "SEGMENTS-READ-01": lambda told: {"segments": told["segments"]},
    "SEGMENTS-READ-04": _segments,
    "SEGMENTS-MULTI-01": _segments,
    "PAIR-PARSE-04": lambda told: _schemas(told, "pair_id"),
    "PAIR-PARSE-05": lambda told: _schemas(told, "pair_id"),
    "PAIR-PARSE-06": lambda told: _schemas(told, "pair_id"),
    "BROWSE-BITS-01": lambda told: _banks(told, "browse"),
    "BROWSE-BITS-02": lambda told: {**_banks(told, "browse", "flags"), **_unknown(told, "browse")},
    "BROWSE-BITS-03": lambda told: {**_banks(told, "browse", "flags"), **_unknown(told, "flags")},
    "BROWSE-BITS-04": lambda told: _banks(told, "browse", "flags"),
}
