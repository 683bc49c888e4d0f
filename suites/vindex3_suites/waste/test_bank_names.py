"""The names of banks: plain names of files in the container, each its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import field, one_of
from pytest_vindex3.plugin.check import NotRun
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.json_faults import SORTS
from vindex3_fixtures.json_text import Raw
from vindex3_fixtures.waste import CODEBOOKS, TRUNK, Waste
from vindex3_suites.waste.judging import check_opened, check_refused, refused
from vindex3_suites.waste.models import DENSE, PACKED, TINY

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BANK = "experts-L1.bin"


def _renamed(name: str, layer: int = 1) -> Waste:
    """The tiny container whose bank of a layer has another name, in the manifest and in the directory."""
    old = TINY.bank_file(layer)
    data: Any = TINY.files[old]
    return TINY.with_layer(layer, "file", name).without_file(old).with_file(name, data)


def _named(name: str) -> Waste:
    """The tiny container whose manifest calls the first bank so; the directory has its usual name."""
    return TINY.with_layer(1, "file", name)


ESCAPES: dict[str, str] = {
    "empty": "",
    "dot": ".",
    "two_dots": "..",
    "absolute": "/experts-L1.bin",
    "absolute_and_long": "/models/experts-L1.bin",
    "two_slashes": "//experts-L1.bin",
    "parent": "../experts-L1.bin",
    "parents": "../../../../../../../../etc/passwd",
    "back_into_the_directory": "../model/experts-L1.bin",
    "here": "./experts-L1.bin",
    "here_within": "sub/./experts-L1.bin",
    "there_and_back": "sub/../experts-L1.bin",
    "behind": "experts-L1.bin/..",
    "here_behind": "experts-L1.bin/.",
    "nul_behind": "experts-L1.bin\x00",
    "nul_within": "experts-L1.bin\x00.txt",
    "nul_alone": "\x00",
    "backslash_absolute": "\\experts-L1.bin",
    "drive_absolute": "C:\\experts-L1.bin",
    "drive_and_slash": "C:/experts-L1.bin",
    "share": "\\\\host\\share\\experts-L1.bin",
    "parent_with_backslash": "..\\experts-L1.bin",
}
"""Names that lead elsewhere, or that some system takes for such."""

PLACED_ESCAPES: dict[str, str] = {
    "backslash": "experts\\L1.bin",
    "backslash_behind": "experts-L1.bin\\",
    "drive": "C:experts-L1.bin",
    "small_drive": "c:experts-L1.bin",
    "drive_alone": "Z:",
}
"""Names that a system without drives can give to a file."""


@clause("WASTE-PATH-01")
@cases(ESCAPES)
def test_a_name_leads_nowhere_else(ask: Ask, case: str) -> None:
    """A name that is absolute or empty, or steps through . or .., is path-escape, word by word."""
    check_opened(ask, "WASTE-PATH-01", TINY)
    wrong = _named(case).folder.with_file("sub/other", b"")
    check_refused(ask, "WASTE-PATH-01", wrong, "path-escape", path=case)


@clause("WASTE-PATH-01")
@cases(PLACED_ESCAPES)
def test_a_name_is_plain_on_every_system(ask: Ask, case: str) -> None:
    """A backslash and a drive are path-escape also where a file of that name is there."""
    check_opened(ask, "WASTE-PATH-01", TINY)
    if os.name == "nt":
        raise NotRun("this system gives such a name to no file")
    check_refused(ask, "WASTE-PATH-01", _renamed(case), "path-escape", path=case)


@clause("WASTE-PATH-01")
def test_no_file_is_opened_for_a_wrong_name(ask: Ask) -> None:
    """A name that escapes is judged by itself, also where nothing is there."""
    check_opened(ask, "WASTE-PATH-01", TINY)
    for name in ("../absent.bin", "/absent/absent.bin", "../model/absent.bin"):
        wrong = _named(name)
        check_refused(ask, "WASTE-PATH-01", wrong, "path-escape", path=name)


PLAIN: dict[str, str] = {
    "usual_of_another_layer": "experts-L2.bin.bin",
    "blanks": "experts of layer 1.bin",
    "blank_around": " experts ",
    "several_dots": "experts..L1...bin",
    "leading_dot": ".experts",
    "two_leading_dots": "..experts",
    "three_dots": "...",
    "trailing_dots": "experts..",
    "no_extension": "experts",
    "of_another_extension": "experts.json",
    "beyond_ascii": "bänke-層1.bin",
    "beyond_the_first_plane": "experts-\U0001f600.bin",
    "percent": "experts%2FL1.bin",
    "shell": "$HOME;*?.bin",
    "tilde": "~",
    "option": "--experts",
    "quotes": "'experts' \"L1\".bin",
    "markup": "<experts>&.bin",
    "colon_behind_a_word": "experts:L1.bin",
    "tab": "experts\tL1.bin",
    "line": "experts\nL1.bin",
    "long": "e" * 251 + ".bin",
    "like_a_number": "1",
    "like_null": "null",
}


@clause("WASTE-PATH-02")
@cases(PLAIN)
def test_a_plain_name_selects_its_file(ask: Ask, case: str) -> None:
    """Blanks, dots and letters of any script name a file like others; nothing is taken in its place."""
    if os.name == "nt" and (set(case) & set('<>:"|?*\t\n') or case != case.rstrip(" .")):
        raise NotRun("this system gives such a name to no file")
    model = _renamed(case)
    check_opened(ask, "WASTE-PATH-02", model)
    check_opened(ask, "WASTE-PATH-02", model.with_file(BANK, b"another length"))


@clause("WASTE-PATH-02")
def test_names_of_layers_may_be_crossed(ask: Ask) -> None:
    """A name says nothing of the layer: that of the manifest is the one."""
    longer: Any = TINY.files["experts-L2.bin"]
    crossed = TINY.with_layer(1, "file", "experts-L2.bin").with_layer(2, "file", "experts-L1.bin")
    wider = crossed.with_layer(1, "bytes", 2 * len(longer)).with_file("experts-L2.bin", 2 * longer)
    check_opened(ask, "WASTE-PATH-02", wider)


@clause("WASTE-PATH-04")
def test_a_name_is_missed(ask: Ask) -> None:
    """A layer without file is missing-field: no usual name is filled in."""
    for model in (TINY, PACKED):
        check_opened(ask, "WASTE-PATH-04", model)
        wrong = model.without_manifest(("layers", "1", "file"))
        check_refused(ask, "WASTE-PATH-04", wrong, "missing-field", field=field("file"))


@clause("WASTE-PATH-04")
@cases(SORTS["string"])
def test_a_name_is_a_string(ask: Ask, case: str) -> None:
    """Null, or a value of another type, is bad-type."""
    for layer in (1, 2):
        check_opened(ask, "WASTE-PATH-04", TINY)
        wrong = TINY.with_layer(layer, "file", Raw(case))
        check_refused(ask, "WASTE-PATH-04", wrong, "bad-type", field=field("file"))


@clause("WASTE-PATH-04")
def test_a_bank_is_no_folder(ask: Ask) -> None:
    """A folder of that name, empty or not, is missing-file."""
    check_opened(ask, "WASTE-PATH-04", TINY)
    for folder in (Folder(), Folder({BANK: b"x"})):
        check_refused(ask, "WASTE-PATH-04", TINY.folder.with_file(BANK, folder), "missing-file")


@clause("WASTE-PATH-04")
@cases(bank=BANK, trunk=TRUNK, codebooks=CODEBOOKS)
def test_nobody_waits_for_a_pipe(ask: Ask, case: str) -> None:
    """A pipe of that name is missing-file at once."""
    if not hasattr(os, "mkfifo"):
        raise NotRun("this system has no pipes in folders")
    check_opened(ask, "WASTE-PATH-04", TINY)
    path = ask.file("waiting", TINY.folder.without(case))
    os.mkfifo(Path(path, case))
    check("WASTE-PATH-04", ask("waste.open", path=path), refused("WASTE-PATH-04", "missing-file"))


def _linked(ask: Ask, name: str, target: str) -> str:
    """A copy of the tiny container, with a link in the place of one of its files."""
    path = ask.file("linked", TINY.folder.without(name))
    try:
        Path(path, name).symlink_to(target)
    except (OSError, NotImplementedError) as error:
        raise NotRun(f"this system makes no symbolic links: {error}") from None
    return path


@clause("WASTE-PATH-05")
@cases(bank=BANK, last_bank="experts-L2.bin", trunk=TRUNK, codebooks=CODEBOOKS)
def test_no_link_leads_outside(ask: Ask, case: str) -> None:
    """A link to a file outside the directory is path-escape, and named; the file itself is taken.

    Outside is also a directory whose name only begins like that of the container.
    """
    check_opened(ask, "WASTE-PATH-05", TINY)
    data: Any = TINY.files[case]
    outside = ask.file("outside.bin", data)
    ask.file("linked.old", TINY.folder)
    for target in (outside, "../outside.bin", "../model/../outside.bin", f"../linked.old/{case}"):
        path = _linked(ask, case, target)
        expected = refused("WASTE-PATH-05", "path-escape", path=case)
        check("WASTE-PATH-05", ask("waste.open", path=path), expected)


@clause("WASTE-PATH-05")
@cases(absent="../absent.bin", system="/etc/hostname", folder="..", root="/")
def test_no_link_leads_anywhere_else(ask: Ask, case: str) -> None:
    """So is a link out of it to what is no bank, whether or not anything is there."""
    check_opened(ask, "WASTE-PATH-05", TINY)
    path = _linked(ask, BANK, case)
    expected = refused("WASTE-PATH-05", ("path-escape", "missing-file"), path=BANK)
    check("WASTE-PATH-05", ask("waste.open", path=path), expected)


def _pair(first: str, second: str) -> Waste:
    """The tiny container with these names of its two banks."""
    one: Any = TINY.files["experts-L1.bin"]
    two: Any = TINY.files["experts-L2.bin"]
    model = TINY.without_file("experts-L1.bin").without_file("experts-L2.bin")
    named = model.with_layer(1, "file", first).with_layer(2, "file", second)
    return named.with_file(second, two).with_file(first, one)


COLLIDING: dict[str, tuple[str, str]] = {
    "case": ("experts.bin", "Experts.bin"),
    "capitals": ("EXPERTS-L1.BIN", "experts-l1.bin"),
    "sharp_s": ("stra\u00dfe.bin", "strasse.bin"),
    "kelvin": ("\u212a.bin", "k.bin"),
    "greek": ("\u03c3.bin", "\u03c2.bin"),
    "composed": ("caf\u00e9.bin", "cafe\u0301.bin"),
    "composed_and_case": ("CAF\u00c9.bin", "cafe\u0301.bin"),
    "hangul": ("\uac00.bin", "\u1100\u1161.bin"),
}


@clause("WASTE-PATH-06")
@cases(COLLIDING)
def test_names_differ_on_every_system(ask: Ask, case: tuple[str, str]) -> None:
    """Two names that are equal but for case or composition are path-collision, both of them named."""
    check_opened(ask, "WASTE-PATH-06", TINY)
    first, second = case
    paths = sorted(case, key=str.encode)
    for names in ((first, second), (second, first)):
        check_refused(ask, "WASTE-PATH-06", _pair(*names), "path-collision", paths=paths)


@clause("WASTE-PATH-06")
def test_a_bank_belongs_to_one_layer(ask: Ask) -> None:
    """Two layers that name one file are path-collision."""
    check_opened(ask, "WASTE-PATH-06", TINY)
    wrong = TINY.with_layer(2, "file", BANK)
    paths = one_of([BANK], [BANK, BANK])
    check_refused(ask, "WASTE-PATH-06", wrong, "path-collision", paths=paths)


@clause("WASTE-PATH-06")
@cases(
    prefix=("experts", "experts.bin"),
    blank=("experts.bin", "experts.bin "),
    accent=("cafe.bin", "caf\u00e9.bin"),
    digits=("experts-1.bin", "experts-01.bin"),
    dash=("experts-L1.bin", "experts_L1.bin"),
    long=("e" * 200 + "1", "e" * 200 + "2"),
)
def test_names_that_are_alike_are_two(ask: Ask, case: tuple[str, str]) -> None:
    """Names that differ by more than that are two files."""
    check_opened(ask, "WASTE-PATH-06", _pair(*case))


@clause("WASTE-PATH-06")
def test_ignored_layers_collide_with_nothing(ask: Ask) -> None:
    """An entry beyond the model, which names no file, may repeat a name."""
    for model in (TINY, DENSE):
        entry = {"file": BANK, "experts": 1, "bytes": 4096, "codebook_base": 0}
        check_opened(ask, "WASTE-PATH-06", model, spelt=model.with_manifest(("layers", "9"), entry))
    wrong = TINY.with_layer(1, "file", "experts-L2.bin")
    check_refused(
        ask,
        "WASTE-PATH-06",
        wrong,
        "path-collision",
        paths=one_of(["experts-L2.bin"], ["experts-L2.bin"] * 2),
    )
