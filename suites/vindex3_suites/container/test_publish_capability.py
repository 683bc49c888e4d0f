"""Capability files: what is given is stored as it is, and what cannot be read is not overlooked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.difference import MISSING
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.index import CAPABILITY_FILES, GRAPH, INDEX
from vindex3_fixtures.container.writings import text_model
from vindex3_suites.container.on_disk import contents, shows
from vindex3_suites.container.writing import OUT, said_written, stored, write

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask

TEXT = text_model()
CONTENTS: dict[str, bytes] = {
    "tokenizer.json": b'{ "version" : "1.0",\r\n\t"vocab":{"\xc3\xa9":0, "a":1 , "a":2} }\n\n',
    "tokenizer_config.json": b"\xef\xbb\xbf{}",
    "special_tokens_map.json": b"",
    "generation_config.json": bytes(range(256)),
    "chat_template.jinja": b"{% for m in messages %}\r\n{{ m }}\r{% endfor %}\n",
}
"""Odd spacing, repeated keys, a byte-order mark, nothing, no text at all, ends of line of all sorts."""


@clause("PUBLISH-CAPABILITY-01")
@cases(
    all_five=CONTENTS,
    tokenizer={"tokenizer.json": CONTENTS["tokenizer.json"]},
    all_but_the_tokenizer={name: data for name, data in CONTENTS.items() if name != "tokenizer.json"},
    none={},
    longer_than_a_buffer={"tokenizer.json": bytes(range(251)) * 5000},
)
def test_capability_files_are_stored_verbatim(ask: Ask, case: Mapping[str, bytes]) -> None:
    """Each that is given has its bytes in the container, each that is not is absent."""
    given = ask.file("given", Folder(case))
    reply = write(ask, TEXT, capability_dir=given)
    check("PUBLISH-CAPABILITY-01", reply, said_written(ask))
    files = stored(ask).files
    for name in CAPABILITY_FILES:
        check("PUBLISH-CAPABILITY-01", reply, shows(name, case.get(name, MISSING), files.get(name, MISSING)))
    check(
        "PUBLISH-CAPABILITY-01", reply, shows("the folder given", dict(case), contents(ask.folder / "given"))
    )


@clause("PUBLISH-CLEAN-01")
def test_other_files_of_the_folder_are_left_there(ask: Ask) -> None:
    """Of a folder with more in it the five capability files are taken, and nothing else."""
    others = {"README.md": b"#", "config.json": b"{}", "tokenizer.json.bak": b"{}", "tokenizer.model": b"x"}
    folder = Folder({**CONTENTS, **others, "sub": Folder({"tokenizer.json": b"{}"})})
    reply = write(ask, TEXT, capability_dir=ask.file("given", folder))
    check("PUBLISH-CLEAN-01", reply, said_written(ask))
    named = [*CAPABILITY_FILES, INDEX, GRAPH, *(f"segments/{one}.bin" for one in TEXT.representations)]
    check("PUBLISH-CLEAN-01", reply, shows("files", sorted(named), sorted(stored(ask).files)))


@clause("PUBLISH-CAPABILITY-02")
@cases({name: name for name in CAPABILITY_FILES})
def test_a_folder_is_no_capability_file(ask: Ask, case: str) -> None:
    """Where a folder has the name of a capability file the write fails, and names it."""
    legal = ask.file("given", Folder({case: b"{}"}))
    reply = write(ask, TEXT, capability_dir=legal)
    check("PUBLISH-CAPABILITY-02", reply, said_written(ask))
    check("PUBLISH-CAPABILITY-02", reply, shows(case, b"{}", stored(ask, OUT).files.get(case, MISSING)))
    wrong = ask.file("wrong", Folder({case: Folder({"tokenizer.json": b"{}"})}))
    reply = write(ask, TEXT, "refused", capability_dir=wrong)
    check("PUBLISH-CAPABILITY-02", reply, refuses("io", path=case))
