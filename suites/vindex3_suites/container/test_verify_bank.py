"""Containers of expert banks: no entries, and what their manifest and their layer files have wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.container.tiny import MXFP4, Q6K, bank
from vindex3_suites.container.models import BOTH, SMALLEST_BANK
from vindex3_suites.container.verifying import defect, intact, unsound, verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model
    from vindex3_fixtures.lyrw import LyrwFile

BANK = bank()


@clause("VERIFY-BANK-01")
@cases(
    sound=BANK,
    of_no_layer=SMALLEST_BANK,
    version_3=BANK.with_index(("version",), 3),
    with_unreferenced_files=BANK.with_file("notes.txt", b"x").with_file(
        "routed/other.lyrw", b"no layer file"
    ),
    null_graph=BANK.with_index(("system_graph",), None),
    empty_directory=BANK.with_index(("representations",), {}),
)
def test_a_sound_bank_container_verifies(ask: Ask, case: Model) -> None:
    """It has no entries of its own, so that nothing is examined, and nothing is listed."""
    check("VERIFY-BANK-01", verify(ask, case), intact(case))


def layer(key: str) -> LyrwFile:
    """The layer file of a storage key."""
    return cast("LyrwFile", BANK.files[f"{key}.lyrw"])


def _with(key: str, **changes: Any) -> Model:
    """The bank container with these changes of one layer file."""
    return BANK.with_file(f"{key}.lyrw", replace(layer(key), **changes))


def _without_down() -> Model:
    """The bank container whose routed bank has no region of role down."""
    file = layer(Q6K)
    return _with(Q6K, banks=(replace(file.banks[0], schemas=file.banks[0].schemas[:1]),))


LENGTH = layer(Q6K).file_length
NATIVE = layer(MXFP4).file_length

FAULTS: dict[str, tuple[Model, Mapping[str, Any]]] = {
    "trailing_bytes": (
        _with(Q6K, trailing=b"\0\0\0"),
        defect("trailing-bytes", offset=LENGTH, length=3),
    ),
    "trailing_bytes_of_the_other_file": (
        _with(MXFP4, trailing=b"\1"),
        defect("trailing-bytes", offset=NATIVE, length=1),
    ),
    "non_zero_padding": (
        _with(Q6K, patches=((layer(Q6K).table_bytes, b"\1"),)),
        defect("non-zero-padding", offset=layer(Q6K).table_bytes),
    ),
    "missing_down": (
        _without_down(),
        defect("unsatisfied-programme", layer=0, programme="gated-mlp-v1", missing=["down"]),
    ),
}


@clause("VERIFY-BANK-02")
@cases(FAULTS)
def test_a_fault_of_a_bank_is_found(ask: Ask, case: tuple[Model, Mapping[str, Any]]) -> None:
    """What lyrw.verify finds in a file, and moe.check with the files, is listed here as well."""
    wrong, found = case
    check("VERIFY-BANK-02", verify(ask, BANK, "legal"), intact(BANK))
    check("VERIFY-BANK-02", verify(ask, wrong, "wrong"), unsound(wrong, found))


@clause("VERIFY-BANK-02")
def test_two_files_are_judged(ask: Ask) -> None:
    """A fault of one file hides none of another, and in a container of both shapes no segment either."""
    check("VERIFY-BANK-02", verify(ask, BANK, "legal"), intact(BANK))
    for model in (BANK, BOTH):
        wrong = model
        for key, trailing in ((Q6K, b"\0\0\0"), (MXFP4, b"\1")):
            wrong = wrong.with_file(f"{key}.lyrw", replace(layer(key), trailing=trailing))
        found = (
            defect("trailing-bytes", offset=LENGTH, length=3),
            defect("trailing-bytes", offset=NATIVE, length=1),
        )
        check("VERIFY-BANK-02", verify(ask, wrong, "wrong"), unsound(wrong, *found))


UNREADABLE = {
    "of_another_format": (b"LYRX" + layer(Q6K).data()[4:], "bad-magic"),
    "empty": (b"", "truncated"),
    "cut": (layer(Q6K).data()[:30], "truncated"),
}


@clause("VERIFY-BANK-02")
@cases(UNREADABLE)
def test_a_file_that_is_no_layer_file_is_found(ask: Ask, case: tuple[bytes, str]) -> None:
    """A bank whose file cannot be read as one is listed with the reason, or the run is refused for it."""
    content, why = case
    check("VERIFY-BANK-02", verify(ask, BANK, "legal"), intact(BANK))
    wrong = BANK.with_file(f"{Q6K}.lyrw", content)
    found = unsound(wrong, defect("storage-unusable", layer=0, key=Q6K, why=why))
    reply = verify(ask, wrong, "wrong")
    check("VERIFY-BANK-02", reply, either(found, refuses(why, "storage-unusable")))
