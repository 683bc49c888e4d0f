"""Names and folders of every kind: a path is a path, and nothing around the file takes part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.plugin.ask import needs
from pytest_vindex3.plugin.check import NotRun
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import delivers, parses
from vindex3_suites.lyrw.samples import DENSE

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

DECOY = replace(DENSE, logical_layer=77, seed="decoy")
"""Another layer of the same lengths: what a reader sees that takes the name for another one."""

NAMES: dict[str, tuple[str, ...]] = {
    "letters_beyond_ascii": ("schicht_ü.lyrw", "schicht_.lyrw", "schicht_u.lyrw"),
    "letters_beyond_16_bits": ("layer_\U0001d7d8.lyrw", "layer_0.lyrw"),
    "variable": ("$PATH.lyrw", ".lyrw", "PATH.lyrw"),
    "variable_in_braces": ("layer_${PATH}.lyrw", "layer_.lyrw"),
    "variable_in_percents": ("%PATH%.lyrw",),
    "home": ("~",),
    "class_of_characters": ("layer_[1].lyrw", "layer_1.lyrw"),
    "any_character": ("layer_?.lyrw", "layer_0.lyrw", "layer_1.lyrw", "layer_2.lyrw"),
    "any_characters": ("*.lyrw", "0.lyrw", "1.lyrw", "a.lyrw", "z.lyrw"),
    "alternatives": ("layer_{1,2}.lyrw", "layer_1.lyrw", "layer_2.lyrw"),
    "leading_blank": (" layer.lyrw", "layer.lyrw"),
    "trailing_blank": ("layer.lyrw ", "layer.lyrw"),
    "trailing_dot": ("layer.lyrw.", "layer.lyrw"),
    "tabulator": ("layer\t.lyrw", "layer.lyrw", "layer .lyrw"),
    "line_feed": ("layer.lyrw\n", "layer.lyrw"),
    "backslash": ("layer\\0.lyrw", "0.lyrw", "layer0.lyrw"),
    "escaped_letter": ("layer_%31.lyrw", "layer_1.lyrw"),
    "fragment": ("layer.lyrw#0", "layer.lyrw"),
    "quotes": ("\"layer'.lyrw", "layer.lyrw"),
    "standard_input": ("-",),
    "option": ("--help", "help"),
    "several_commands": ("layer.lyrw;layer&layer|layer", "layer.lyrw"),
    "longest": ("l" * 250 + ".lyrw", "l" * 245 + ".lyrw"),
}


def _written(ask: Ask, names: tuple[str, ...]) -> str:
    """Write the file under the first name and decoys under the others; its path.

    Raises:
        NotRun: the file system has no such name.
    """
    name, *others = names
    try:
        if Path(name).name != name:
            raise NotRun(f"this platform has no file name {name!r}")
        for other in others:
            ask.file(other, DECOY)
        return ask.file(name, DENSE)
    except (OSError, ValueError) as error:
        raise NotRun(f"this file system has no file name {name!r} ({error})") from None


@clause("LYRW-SELF-01")
@cases(NAMES)
def test_any_name_will_do(ask: Ask, case: tuple[str, ...]) -> None:
    """A name of any characters is that file's, beside files whose names it could be taken for."""
    check("LYRW-SELF-01", ask("lyrw.parse", path=_written(ask, case)), parses(DENSE))


@needs("lyrw.region")
@clause("LYRW-SELF-01")
@cases(NAMES)
def test_any_name_has_its_regions(ask: Ask, case: tuple[str, ...]) -> None:
    """Regions are read from the file of that name as well."""
    check("LYRW-SELF-01", region(ask, _written(ask, case), 0, 0, 1), delivers(DENSE, 0, 0, 1))


FOLDERS = {
    "layers": ("container", "layers"),
    "variable": ("$PATH", "${HOME}"),
    "class_of_characters": ("[ab]", "?"),
    "blanks": (" a folder ", " of layers "),
    "letters_beyond_ascii": ("контейнер", "層"),
    "named_like_a_layer": ("layer_000.lyrw", "layer_001.lyrw"),
}
DOCUMENTS = {
    "index.json": b'{"version": 4, "family": "another", "layers": {"3": ["layer.lyrw"]}, "banks": 9}',
    "moe_manifest.json": b'{"layers": [{"layer": 9, "num_experts": 64}]}',
    "config.json": b'{"num_hidden_layers": 1}',
}


def _placed(ask: Ask, folders: tuple[str, ...]) -> str:
    """Write the file below these folders, whose outer one holds documents and a file of its name."""
    inner = ask.folder.joinpath(*folders)
    try:
        inner.mkdir(parents=True)
        for name, content in DOCUMENTS.items():
            (inner.parent / name).write_bytes(content)
        DECOY.write_to(inner.parent / "layer.lyrw")
        DENSE.write_to(inner / "layer.lyrw")
    except (OSError, ValueError) as error:
        raise NotRun(f"this file system has no such folders ({error})") from None
    return str(inner / "layer.lyrw")


@clause("LYRW-SELF-01")
@cases(FOLDERS)
def test_the_folders_above_say_nothing(ask: Ask, case: tuple[str, ...]) -> None:
    """Whatever the folders above are called and hold, the description is the same."""
    check("LYRW-SELF-01", ask("lyrw.parse", path=_placed(ask, case)), parses(DENSE))


@needs("lyrw.region")
@clause("LYRW-SELF-01")
@cases(FOLDERS)
def test_the_folders_above_lend_no_region(ask: Ask, case: tuple[str, ...]) -> None:
    """Whatever the folders above are called and hold, the regions are those of the file."""
    check("LYRW-SELF-01", region(ask, _placed(ask, case), 0, 0, 1), delivers(DENSE, 0, 0, 1))
