"""Names of files that come out of an index: plain relative ones open, all others are refused unopened."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.outcome import Limits
from pytest_vindex3.plugin.check import NotRun
from vindex3_fixtures.container.index import GRAPH, MANIFEST
from vindex3_fixtures.container.tiny import GATE_UP, MXFP4
from vindex3_suites.container.judging import check_legal, check_opened
from vindex3_suites.container.models import BANK, EMBEDDING, FULL, SMALLEST_BANK, STACK_SET, TINY, open_

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model
    from vindex3_fixtures.json_text import Way


@dataclass(frozen=True, slots=True)
class NameSlot:
    """A place of an index where a name of a file stands.

    Attributes:
        model: the container.
        way: where the name stands; for a key, the object that has it.
        name: the name that is there.
        file: what the file has behind that name, or None where no file need be there.
        extension: what of the name is no part of the key in `segments`, for an entry's segment.
    """

    model: Model
    way: Way
    name: str
    file: str | None = ""
    extension: str = ""

    def named(self, name: str) -> Model:
        """The container with this name instead, whose files stay where they are."""
        if self.way[-1] == "segments":
            return self.model.with_index(self.way, self._keys(self.name, name))
        return self.model.with_index(self.way, name)

    def moved(self, stem: str) -> Model:
        """The container with this name instead, in front of any extension, and with the file under it."""
        name = stem + self.extension
        model = self.named(name)
        if self.extension:
            keys = self._keys(self.name.removesuffix(self.extension), stem)
            model = model.with_index(("segments",), keys)
        if self.file is None:
            return model
        content = self.model.files[self.name + self.file]
        gone = model.without_file(self.name + self.file)
        return replace(gone, files={**gone.files, name + self.file: content})

    def _keys(self, old: str, new: str) -> dict[str, int]:
        return {new if key == old else key: count for key, count in self.model.index["segments"].items()}


_OTHER: Way = ("variants", STACK_SET, "variants", "other", "storage")
_NATIVE: Way = ("variants", GATE_UP, "variants", "native-mxfp4", "storage")

SLOTS: dict[str, NameSlot] = {
    "system_graph": NameSlot(TINY, ("system_graph",), GRAPH),
    "moe_manifest": NameSlot(SMALLEST_BANK, ("moe_manifest",), MANIFEST),
    "entry_segment": NameSlot(
        TINY, ("representations", EMBEDDING, "segment"), "segments/target.embedding.bin", "", ".bin"
    ),
    "segments_key_of_a_bank": NameSlot(BANK, ("segments",), MXFP4, ".lyrw"),
    "segments_key_of_a_graph": NameSlot(
        TINY.with_index(("segments", "segments/nobodys"), 1), ("segments",), "segments/nobodys", None
    ),
    "storage": NameSlot(FULL, _OTHER, "segments/target.final_norm", None),
    "storage_of_a_bank": NameSlot(BANK, _NATIVE, MXFP4, None),
}


def _empty(name: str, place: str) -> Iterator[str]:
    yield ""


def _absolute(name: str, place: str) -> Iterator[str]:
    yield from ("/", f"/{name}", f"//{name}", f"{place}/{name}", "/dev/null", "//host/share/x")


def _drive(name: str, place: str) -> Iterator[str]:
    yield from ("C:", "c:x", f"C:{name}", f"z:/{name}", "C:/", "a:../x")


def _backslash(name: str, place: str) -> Iterator[str]:
    yield from ("\\", f"\\{name}", f"{name}\\", f"segments\\..\\{name}", "..\\x", "a\\b", f".\\{name}")


def _nul(name: str, place: str) -> Iterator[str]:
    yield from ("\x00", f"{name}\x00", f"\x00{name}", f"{name}\x00.txt", f"{name[:3]}\x00{name[3:]}")


def _dot(name: str, place: str) -> Iterator[str]:
    yield from (".", "./", f"./{name}", f"././{name}", f"segments/./{name}", f"{name}/.")


def _parent(name: str, place: str) -> Iterator[str]:
    yield from ("..", "../", f"../{name}", f"../model/{name}", f"segments/../{name}", f"{name}/..")
    yield from (f"a/b/../../{name}", f"../../{name}", "../outside", f"{name}/../x", "a/../../outside")


def _empty_part(name: str, place: str) -> Iterator[str]:
    yield from (f"{name}/", f"segments//{name}", f"a///{name}", "a//")


FORMS: dict[str, Callable[[str, str], Iterator[str]]] = {
    "empty": _empty,
    "absolute": _absolute,
    "drive": _drive,
    "backslash": _backslash,
    "nul": _nul,
    "dot": _dot,
    "parent": _parent,
    "empty_part": _empty_part,
}


@clause("INDEX-PATH-01")
@cases({f"{slot}_{form}": (SLOTS[slot], FORMS[form]) for slot in SLOTS for form in FORMS})
def test_a_name_is_plain(ask: Ask, case: tuple[NameSlot, Callable[[str, str], Iterator[str]]]) -> None:
    """Any other name is path-escape, as it is written, also where it would lead to the very file."""
    slot, form = case
    check_legal(ask, "INDEX-PATH-01", slot.model)
    ask.file("outside", b"{}")
    for name in form(slot.name, str(ask.folder / "model")):
        check("INDEX-PATH-01", open_(ask, slot.named(name)), refuses("path-escape", path=name))


# A reader that opens a FIFO waits for ever: only a door that can end it carries the request.
WATCHED = Limits(seconds=10, memory=1 << 30)


@clause("INDEX-PATH-01")
@cases(SLOTS)
def test_nothing_outside_is_opened(ask: Ask, case: NameSlot) -> None:
    """A name that leads to a FIFO outside is refused, and not waited for."""
    if not hasattr(os, "mkfifo"):
        raise NotRun("this platform makes no FIFO")
    check_legal(ask, "INDEX-PATH-01", case.model)
    os.mkfifo(ask.folder / f"waiting{case.file or ''}")
    for name in ("../waiting", f"{ask.folder}/waiting"):
        path = ask.file("model", case.named(name).folder)
        reply = ask("container.open", path=path, limits=WATCHED)
        check("INDEX-PATH-01", reply, refuses("path-escape", path=name))


DOTTED = ("..a", "a..", "...", ".hidden/..b/c.", "~root/$HOME", "%2e%2e/x")


@clause("INDEX-PATH-01")
@cases(SLOTS)
def test_a_name_that_looks_bad_is_plain(ask: Ask, case: NameSlot) -> None:
    """Dots that are no whole component, a tilde, a variable or an escaped dot lead nowhere; `..` does."""
    for name in DOTTED:
        check_opened(ask, "INDEX-PATH-01", case.moved(name))
    check("INDEX-PATH-01", open_(ask, case.named("../a")), refuses("path-escape", path="../a"))


COLONS = ("layer:0", "ab:/x", "a/C:x", "1:x", "_:/x", "\u00e9:x")


@clause("INDEX-PATH-02")
@cases({name: slot for name, slot in SLOTS.items() if slot.file is None})
def test_a_colon_behind_no_single_letter_is_plain(ask: Ask, case: NameSlot) -> None:
    """A colon is a drive behind one letter at the start, and a sign like others anywhere else."""
    for name in COLONS:
        check_opened(ask, "INDEX-PATH-02", case.moved(name))


PLAIN = {
    "inner_dots": ["layer..0", "layer..0/x..y.bin"],
    "spaces": ["a  name", "a folder/a name.bin"],
    "at": ["target.embedding@BF16", "a@b/c@d@e.bin"],
    "space_before": [" a name"],
    "plus": ["BF16+F32/a+b"],
    "folders": ["a/b/c/d/e/f/g", "segments/sub/x.y.z"],
    "letters": ["\u00e9/\u8a9e\U0001f600", "X"],
    "long": ["n" * 200, "/".join(["part"] * 40)],
}


@clause("INDEX-PATH-02")
@cases({f"{slot}_{form}": (SLOTS[slot], PLAIN[form]) for slot in SLOTS for form in PLAIN})
def test_plain_names_open(ask: Ask, case: tuple[NameSlot, list[str]]) -> None:
    """Dots, blanks, @, + and folders are ordinary, with or without an extension."""
    slot, names = case
    for name in names:
        check_opened(ask, "INDEX-PATH-02", slot.moved(name))
