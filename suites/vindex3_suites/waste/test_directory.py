"""The directory of a container: what must be there, what may, and what is never looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.json_text import json_text
from vindex3_fixtures.waste import CODEBOOKS, MANIFEST, TRUNK, Waste
from vindex3_suites.waste.judging import check_opened, check_refused, refused
from vindex3_suites.waste.models import BLOCKED, DENSE, FULL, PACKED, SHAPES, TINY, open_, opens

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask


@clause("WASTE-DIR-01")
@cases({**SHAPES, "full": FULL})
def test_a_sound_directory_opens(ask: Ask, case: Waste) -> None:
    """A manifest, a trunk, codebooks and banks as long as declared are a container."""
    check_opened(ask, "WASTE-DIR-01", case)


@clause("WASTE-DIR-01")
@cases(
    usual="model.waste",
    blanks="two words",
    hidden=".model",
    beyond_ascii="modèle-模型",
    like_a_file="manifest.json",
    like_a_bank="experts-L1.bin",
    long="m" * 200,
    blanks_around=" model ",
    decomposed="mode\u0301le",
    encoded="a%41%2e",
    variable="$HOME",
    home="~",
    pattern="[m]",
    quoted="'m'",
)
def test_a_directory_has_any_name(ask: Ask, case: str) -> None:
    """What the directory is called says nothing."""
    check("WASTE-DIR-01", open_(ask, TINY, case), opens(TINY))


@clause("WASTE-DIR-01")
def test_a_directory_is_named_in_any_way(ask: Ask) -> None:
    """A path with a slash behind it, or with a detour, leads to the same container."""
    path = ask.file("model", TINY.folder)
    for way in (f"{path}/", f"{path}/.", f"{path}/../model", f"{path}//"):
        check("WASTE-DIR-01", ask("waste.open", path=way), opens(TINY))


@clause("WASTE-DIR-02")
@cases(SHAPES)
def test_without_a_manifest_there_is_no_container(ask: Ask, case: Waste) -> None:
    """Whatever else is there, a directory without manifest.json is missing-file, naming it."""
    check_opened(ask, "WASTE-DIR-02", case)
    check_refused(ask, "WASTE-DIR-02", case.folder.without(MANIFEST), "missing-file")


@clause("WASTE-DIR-02")
@cases(
    backup="manifest.json.bak",
    temporary="manifest.json.tmp",
    hidden=".manifest.json",
    without_extension="manifest",
    below="model/manifest.json",
    of_a_config="config.json",
    of_another_format="index.json",
    of_experts="moe_manifest.json",
)
def test_no_other_file_is_the_manifest(ask: Ask, case: str) -> None:
    """A whole manifest under any other name is none."""
    check_opened(ask, "WASTE-DIR-02", TINY)
    wrong = TINY.folder.without(MANIFEST).with_file(case, TINY.text)
    check_refused(ask, "WASTE-DIR-02", wrong, "missing-file")


@clause("WASTE-DIR-02")
def test_a_manifest_is_a_file(ask: Ask) -> None:
    """A folder of that name, also with a manifest in it, is none; nor is an empty directory a container."""
    check_opened(ask, "WASTE-DIR-02", TINY)
    without = TINY.folder.without(MANIFEST)
    for wrong in (
        Folder(),
        without.with_file(MANIFEST, Folder()),
        without.with_file(f"{MANIFEST}/{MANIFEST}", TINY.text),
    ):
        check_refused(ask, "WASTE-DIR-02", wrong, "missing-file")


@clause("WASTE-DIR-02")
def test_a_container_is_a_directory(ask: Ask) -> None:
    """A path where nothing is, and one of a file, is missing-file and named as it was given."""
    check_opened(ask, "WASTE-DIR-02", TINY)
    absent = str(ask.folder / "absent")
    file = ask.file("model.waste", TINY.text)
    within = f"{ask.file('model', TINY.folder)}/{MANIFEST}"
    for path in (absent, file, within):
        reply = ask("waste.open", path=path)
        check("WASTE-DIR-02", reply, refused("WASTE-DIR-02", "missing-file", path=path))


def _files() -> dict[str, tuple[Waste, str]]:
    """Every container with each of its mandatory files in turn."""
    models = {"tiny": TINY, "dense": DENSE, "packed": PACKED, "blocked": BLOCKED}
    return {f"{name}_{file}": (model, file) for name, model in models.items() for file in model.files}


@clause("WASTE-DIR-03")
@cases(_files())
def test_no_mandatory_file_is_missing(ask: Ask, case: tuple[Waste, str]) -> None:
    """Without its trunk, its codebooks or one of its banks a container is missing-file, naming that file."""
    model, name = case
    check_opened(ask, "WASTE-DIR-03", model)
    check_refused(ask, "WASTE-DIR-03", model.folder.without(name), "missing-file", path=name)


@clause("WASTE-DIR-03")
@cases(trunk=TRUNK, codebooks=CODEBOOKS)
def test_a_mandatory_file_is_no_folder(ask: Ask, case: str) -> None:
    """A folder of that name is not the file."""
    check_opened(ask, "WASTE-DIR-03", TINY)
    wrong = TINY.folder.with_file(case, Folder())
    check_refused(ask, "WASTE-DIR-03", wrong, "missing-file", path=case)


@clause("WASTE-DIR-03")
def test_a_file_elsewhere_is_not_there(ask: Ask) -> None:
    """A bank under the usual name of another layer, or in a folder, is not the one that is named."""
    check_opened(ask, "WASTE-DIR-03", TINY)
    name = TINY.bank_file(2)
    data: Any = TINY.files[name]
    for elsewhere in ("experts-L3.bin", "experts-l2.bin.old", f"experts/{name}", "experts-L02.bin"):
        wrong = TINY.folder.without(name).with_file(elsewhere, data)
        check_refused(ask, "WASTE-DIR-03", wrong, "missing-file", path=name)


@clause("WASTE-DIR-03")
def test_a_trunk_without_tensors_is_needed_too(ask: Ask) -> None:
    """The trunk is mandatory, however short its list is."""
    bare = DENSE.with_trunk()
    check_opened(ask, "WASTE-DIR-03", bare)
    check_refused(ask, "WASTE-DIR-03", bare.folder.without(TRUNK), "missing-file", path=TRUNK)


OPTIONAL = (
    "tokenizer.model",
    "specials.json",
    "vision.json",
    "chat.json",
    "chat_template.jinja",
    "usage.waste",
)
CONTENTS: dict[str, Callable[[str], bytes]] = {
    "nothing": lambda name: b"",
    "no_json": lambda name: b'{"format_version": ',
    "another_manifest": lambda name: json_text({"format_version": 1, "layers": None}),
    "bytes": lambda name: bytes(range(256)) * 33,
    "its_own_name": lambda name: name.encode(),
}


@clause("WASTE-DIR-04")
@cases(CONTENTS)
def test_companions_say_nothing(ask: Ask, case: Callable[[str], bytes]) -> None:
    """Tokenizer, special tokens, conversation and statistics may hold anything, alone and together."""
    for name in OPTIONAL:
        check_opened(ask, "WASTE-DIR-04", TINY, spelt=TINY.folder.with_file(name, case(name)))
    together = Folder({**TINY.folder.files, **{name: case(name) for name in OPTIONAL}})
    check_opened(ask, "WASTE-DIR-04", TINY, spelt=together)


STRAYS: dict[str, Any] = {
    "substitutes": {"subs-L1.bin": b"WSUB" + bytes(60), "subs-L0.bin": b""},
    "low_rank": {"lowrank.bin": b"WWLR" + bytes(4092)},
    "low_rank_of_text": {"lowrank.bin": b"not a matrix"},
    "a_bank_of_no_layer": {"experts-L0.bin": b"WEXP", "experts-L7.bin": bytes(4096)},
    "readme": {"README.md": b"# model\n", ".gitattributes": b"*.bin filter=lfs\n"},
    "shards": {"model-00001-of-00002.safetensors": bytes(8), "config.json": b"{}"},
    "temporary": {"manifest.json.tmp": b"{", "trunk.bin.part": b"x", ".lock": b""},
    "index_of_another_format": {"index.json": b'{"version": 4}', "layer_000.lyrw": b"LYRW"},
    "folders": {"subs-L1.bin": Folder(), "lowrank.bin/part": b"", "experts/experts-L1.bin": b"x"},
}


@clause("WASTE-DIR-05")
@cases(STRAYS)
def test_what_nobody_names_is_ignored(ask: Ask, case: dict[str, Any]) -> None:
    """Substitutes, low-rank parts and any other file are no part of the observation."""
    for model in (TINY, DENSE, PACKED):
        check_opened(ask, "WASTE-DIR-05", model, spelt=Folder({**model.folder.files, **case}))


@clause("WASTE-DIR-05")
def test_codebooks_that_nobody_uses_are_ignored(ask: Ask) -> None:
    """In a model without experts codebooks.bin may hold anything."""
    for data in (b"", b"x", TINY.files[CODEBOOKS]):
        check("WASTE-DIR-05", open_(ask, DENSE.with_file(CODEBOOKS, data)), opens(DENSE))


@clause("RESUME-EMPTY-01")
@cases(SHAPES)
def test_no_manifest_is_made_up(ask: Ask, case: Waste) -> None:
    """An empty manifest is malformed-json, an absent one missing-file, whatever files lie beside it."""
    check_opened(ask, "RESUME-EMPTY-01", case)
    for empty in (b"", b" ", b"\n\n", bytes(4096)):
        wrong = case.folder.with_file(MANIFEST, empty)
        check_refused(ask, "RESUME-EMPTY-01", wrong, "malformed-json")
    check_refused(ask, "RESUME-EMPTY-01", case.folder.without(MANIFEST), "missing-file")
