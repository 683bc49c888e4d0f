"""What every file that parses allows, and that verdicts come from the tables alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, on_disk, refuses
from pytest_vindex3.contract.outcome import Limits
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.lyrw import LyrwFile, Place, Row
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.limits import GIB, reads, sparse_files
from vindex3_suites.lyrw.operations import forbidden, judged, judged_paths, permitted, unsupported
from vindex3_suites.lyrw.role_banks import APART, FUSED, layer_of, schema, slice_of
from vindex3_suites.lyrw.samples import SMALLEST, bank_of, scales, values, with_flags

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers

FREE = ("describe", "read", "copy")
STRANGE = layer_of(
    schema(300, format=77),
    schema("gate_up_fused", format=65535, layout=9),
    schema("down", packing=12),
    kind=44,
    flags=0xFFF7,
)
"""Unknown in every tag and flag that may be unknown without a reader's leave."""


@clause("CAPABILITY-OPEN-01")
@cases(
    smallest=SMALLEST,
    whole=APART,
    unknown_tags=replace(STRANGE, flags=0xFFFFFFFE),
    no_programme_could_run_it=layer_of("latent_in"),
    no_schema=layer_of(),
    no_entry=layer_of("gate", entries=0),
    one_of_a_split_layer=slice_of(layer_of("gate", "down", entries=4), (2, 4)),
    values_without_scales=bank_of(values(5)),
    fused_without_layout=layer_of(schema("gate_up_fused", layout=v.UNSPECIFIED)),
    row_beyond_the_file=replace(SMALLEST, rows={Place(0, 0, 0): Row(1 << 50, 1 << 50)}),
)
def test_a_file_that_parses_may_be_described_read_and_copied(ask: Ask, case: LyrwFile) -> None:
    """Describe, read and copy are permitted whatever the file holds."""
    for operation in FREE:
        check("CAPABILITY-OPEN-01", judged(ask, case, operation), permitted(operation))


@clause("CAPABILITY-OPEN-01")
@cases({name: name for name in FREE})
def test_a_file_that_does_not_parse_is_refused(ask: Ask, case: str) -> None:
    """Only a file that does not parse is refused, and then as such."""
    check("CAPABILITY-OPEN-01", judged(ask, SMALLEST, case), permitted(case))
    reply = judged(ask, replace(SMALLEST, version=1), case)
    check("CAPABILITY-OPEN-01", reply, refuses("wrong-generation", found=1, required=2))


@clause("CAPABILITY-OPEN-01")
def test_all_files_of_a_layer_may_be_copied(ask: Ask) -> None:
    """Several files are judged together, by the number of any of their banks."""
    whole = layer_of("gate_up_fused", "down", bank_id=6, entries=4)
    files = [slice_of(whole, (0, 2)), slice_of(whole, (2, 4), index=1)]
    for operation in FREE:
        check("CAPABILITY-OPEN-01", judged(ask, files, operation, 6), permitted(operation))


def _no_file(folder: Path) -> Path:
    return folder / "absent.lyrw"


def _folder(folder: Path) -> Path:
    path = folder / "folder.lyrw"
    path.mkdir()
    return path


@needs("capability.check")
@clause("LYRW-FILE-01")
@cases(nothing=_no_file, folder=_folder)
def test_no_file_has_no_capability(ask: Ask, case: Callable[[Path], Path]) -> None:
    """A path without a regular file is missing-file here too, naming the path as it was given."""
    check("LYRW-FILE-01", judged(ask, SMALLEST, "describe"), permitted("describe"))
    path = str(case(ask.folder))
    check("LYRW-FILE-01", judged_paths(ask, [path], "describe"), refuses("missing-file", path=path))


SCHEMA_0: dict[str, Any] = {"schema_index": 0}
OPERATIONS: dict[str, tuple[str, LyrwFile, dict[str, Any], Answers]] = {
    "describe": ("describe", APART, {}, permitted("describe")),
    "decode": ("decode", APART, SCHEMA_0, permitted("decode")),
    "decode_refused": (
        "decode",
        layer_of(schema("gate", format=77)),
        SCHEMA_0,
        forbidden("decode", unsupported("decode", field="format", value=77)),
    ),
    "split_fused": ("split-fused", FUSED, SCHEMA_0, permitted("split-fused")),
    "walk": ("walk", with_flags(APART, v.DIRECT), SCHEMA_0, permitted("walk")),
    "execute": ("execute", APART, {"programme": "gated-mlp-v1"}, permitted("execute")),
}


@clause("CAPABILITY-OPEN-02")
@cases(OPERATIONS)
def test_no_payload_is_needed(ask: Ask, case: tuple[str, LyrwFile, dict[str, Any], Answers]) -> None:
    """The verdict over a file without any byte of its payload is that over the whole file."""
    operation, file, options, expected = case
    whole = answers(expected.keys)
    check("CAPABILITY-OPEN-02", judged(ask, file, operation, **options), whole)
    for length in (file.payload_start, file.table_bytes):
        cut = replace(file, length=length)
        check("CAPABILITY-OPEN-02", judged(ask, cut, operation, **options), whole)


@on_disk
@clause("CAPABILITY-OPEN-02")
@cases(OPERATIONS)
def test_no_payload_is_read(ask: Ask, case: tuple[str, LyrwFile, dict[str, Any], Answers]) -> None:
    """The bytes read do not grow with the regions."""
    operation, small, options, expected = case
    sparse_files(ask.folder)
    bank = small.banks[0]
    long = tuple(replace(one, length=2 * GIB) for one in bank.schemas)
    file = replace(small, banks=(replace(bank, schemas=long),))
    path = ask.file("layer.lyrw", file)
    reply = _measured(ask, path, operation, options)
    check("CAPABILITY-OPEN-02", reply, answers(expected.keys))
    check("CAPABILITY-OPEN-02", reply, reads(file.payload_start, reply.cost))


def _measured(ask: Ask, path: str, operation: str, options: dict[str, Any]) -> Reply:
    """The second reply: the first request of a process may load code, whose bytes are no cost of the file."""
    arguments: dict[str, Any] = {"files": [path], "bank_id": 0, "operation": operation}
    if options:
        arguments["options"] = options
    ask("capability.check", **arguments)
    return ask("capability.check", limits=Limits(measure=True), **arguments)


@clause("CAPABILITY-OPEN-02")
def test_scales_are_found_without_payload(ask: Ask) -> None:
    """Partners are a matter of tables too."""
    file = bank_of(values(1), scales(1))
    for length in (file.file_length, file.table_bytes):
        reply = judged(ask, replace(file, length=length), "decode", schema_index=0)
        check("CAPABILITY-OPEN-02", reply, permitted("decode"))
