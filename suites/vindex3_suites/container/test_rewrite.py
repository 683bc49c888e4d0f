"""A container written again: its bytes, its index, and what nobody has a name for."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, refuses
from pytest_vindex3.contract.difference import MISSING, Stored
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.container.index import GRAPH
from vindex3_fixtures.container.observation import KNOWN
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.json_text import Way, changed, json_text
from vindex3_suites.container.models import BANK, BOTH, FULL, HEAD_SET, PACKED, SMALLEST, TINY, opens
from vindex3_suites.container.on_disk import StoredContainer, member, shows
from vindex3_suites.container.replacing import linked
from vindex3_suites.container.rewriting import rewrite, rewrites

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model

STACK = "target.decoder_stack@BF16"


def _deep(levels: int) -> Any:
    """An object within an object, so many levels deep."""
    return {} if levels == 1 else {"in": _deep(levels - 1)}


UNKNOWN: dict[str, dict[str, Any]] = {
    "a_text": {"x-note": 'a "text" with \\, \u00e9, \u4e00, \U0001f600, \x01 and \x7f'},
    "every_type": {"x-a": None, "x-b": True, "x-c": False, "x-d": [], "x-e": {}, "x-f": "", "x-g": [[{}], 0]},
    "numbers": {"x-n": [0, -1, 9007199254740993, 18446744073709551615, 0.1, 1e300, 5e-324, -2.5]},
    "seventeen_digits": {"x-n": [0.30000000000000004, 2.2250738585072014e-308, 1.7976931348623157e308]},
    "names_of_other_things": {
        "__class__": "int",
        "__proto__": {"version": 1},
        "self": 1,
        "out": "",
    },
    "nearly_known": {"Version": 1, "version ": 2, "": 3, "segment": {}, "x.model": 4},
    "known_elsewhere": {"schema": 6, "storage": "no", "selects": [1], "layers": None},
    "late_keys": {"vindex_spec_version": "9.9", "created": {"by": "someone"}},
    "composed_and_not": {"\u00e9": 1, "e\u0301": 2},
    "composed_and_not_inside": {"x-note": [{"\u00e9": 1, "e\u0301": "e\u0301"}, "\u00e9", "\uff46"]},
    "64_levels": {"x-deep": _deep(64)},
}


@clause("INDEX-EXTRA-02")
@cases(UNKNOWN)
def test_unknown_keys_survive(ask: Ask, case: dict[str, Any]) -> None:
    """Every top-level key that nobody defined has its value afterwards, and none is added."""
    model = replace(TINY, index={**case, **TINY.index})
    for made in rewrites(ask, "INDEX-EXTRA-02", model):
        index = made.after.index if isinstance(made.after.index, dict) else {}
        found = {key: value for key, value in index.items() if key not in KNOWN}
        check("INDEX-EXTRA-02", made.reply, shows(f"unknown keys, {made.place}", Stored(case), found))


def _within(document: Any, way: Way) -> Any:
    """What stands at a place of a document that may be any."""
    for step in way:
        if isinstance(step, int):
            document = document[step] if isinstance(document, list) and len(document) > step else MISSING
        else:
            document = member(document, step)
    return document


NESTED: dict[str, Way] = {
    "entry": ("representations", STACK),
    "compiled_entry": ("representations", PACKED),
    "codec": ("representations", PACKED, "codec"),
    "encoder": ("representations", PACKED, "encoder"),
    "profile": ("profiles", 1),
    "variant": ("variants", HEAD_SET, "variants", "stored"),
    "precision_map": ("precision_map",),
    "exception_of_the_map": ("precision_map", "exceptions", 1),
}


@clause("INDEX-EXTRA-03")
@cases(NESTED)
def test_unknown_nested_keys_survive(ask: Ask, case: Way) -> None:
    """A key that nobody defined, inside of what the index defines, has its value afterwards."""
    note = {"x-note": {"by": ["a", 1, None]}, "fidelities": "none", "": 18446744073709551615}
    model = FULL
    for key, value in note.items():
        model = model.with_index((*case, key), value)
    for made in rewrites(ask, "INDEX-EXTRA-03", model):
        inner = _within(made.after.index, case)
        for key, value in note.items():
            check("INDEX-EXTRA-03", made.reply, shows(f"{key} of {case}", Stored(value), member(inner, key)))


ODD_HEADER = Segment(STACK, TINY.segments[STACK].tensors, alignment=1, extra={"x-note": "\u00e9"})
SPACED = replace(ODD_HEADER, stored_padding=b" " * 77)
PACK_FILE = "packs/embedding v1.2/q8@0.bin"
SEGMENTS: dict[str, Model] = {
    "tiny": TINY,
    "unaligned": TINY.with_segment(ODD_HEADER),
    "much_padding": TINY.with_segment(SPACED),
    "several_encodings": FULL,
    "a_folder_of_its_own": FULL.with_file(PACK_FILE, FULL.segments[PACKED])
    .with_entry(PACKED, "segment", PACK_FILE)
    .with_index(("segments",), {**TINY.index["segments"], PACK_FILE.removesuffix(".bin"): 1}),
    "longer_than_a_buffer": TINY.with_segment(
        replace(TINY.segments[STACK], tensors=(Tensor("a", "U8", (1_100_001,)), Tensor("b", "U8", (3,))))
    ),
}


@clause("INDEX-REWRITE-01")
@cases(SEGMENTS)
def test_segments_are_carried(ask: Ask, case: Model) -> None:
    """Every file that the directory names is the same, to the byte and by the same path."""
    for made in rewrites(ask, "INDEX-REWRITE-01", case):
        for name, data in made.before.segments.items():
            found = made.after.files.get(name, MISSING)
            check("INDEX-REWRITE-01", made.reply, shows(f"{name}, {made.place}", data, found))
        entries = Stored(made.before.entries)
        check("INDEX-REWRITE-01", made.reply, shows("representations", entries, made.after.entries))


def _spelt(graph: bytes) -> bytes:
    """The graph's text with odd spacing, escapes that stand for plain letters, and numbers spelt oddly."""
    odd = (
        graph.replace(b'"target"', b'"t\\u0061rget"').replace(b",", b" ,\r\n\t").replace(b"1e-05", b"0.10E-4")
    )
    return b"\n" + odd + b"  \n\n"


GRAPHS: dict[str, bytes] = {
    "compact": json_text(TINY.graph),
    "odd_spelling": _spelt(json_text(TINY.graph)),
    "unknown_keys": json_text(changed(changed(TINY.graph, ("x-note",), [1, {}]), ("objects", 0, "x"), None)),
    "members_reversed": json_text(dict(reversed(TINY.graph.items()))),
    "objects_in_another_order": json_text({**TINY.graph, "objects": TINY.graph["objects"][::-1]}),
}


@clause("INDEX-REWRITE-02")
@cases(GRAPHS)
def test_the_graph_is_carried(ask: Ask, case: bytes) -> None:
    """The text of the system graph is the same, to the byte."""
    for made in rewrites(ask, "INDEX-REWRITE-02", TINY.with_file(GRAPH, case)):
        found = made.after.files.get(GRAPH, MISSING)
        check("INDEX-REWRITE-02", made.reply, shows(f"{GRAPH}, {made.place}", case, found))


@clause("INDEX-REWRITE-03")
@cases(
    a_document=b'{"version":"1.0","model":{"vocab":{"a":0}}}',
    odd_spelling=b'\xef\xbb\xbf{ "a":1,\r\n "a" : 2 }\n\n',
    nothing=b"",
    no_text=bytes(range(256)),
    longer_than_a_buffer=bytes(range(251)) * 5000,
)
def test_the_tokenizer_is_carried(ask: Ask, case: bytes) -> None:
    """tokenizer.json is the same, to the byte, whatever is in it."""
    for model in (TINY, BANK):
        for made in rewrites(ask, "INDEX-REWRITE-03", model.with_file("tokenizer.json", case)):
            found = made.after.files.get("tokenizer.json", MISSING)
            check("INDEX-REWRITE-03", made.reply, shows(f"tokenizer.json, {made.place}", case, found))


@clause("INDEX-REWRITE-05")
@cases(
    first=(TINY, "segments/target.decoder_stack.bin"),
    last=(TINY, "segments/target.output_head.bin"),
    of_another_encoding=(FULL, "segments/target.embedding@Q8_0.bin"),
)
def test_a_missing_segment_is_refused(ask: Ask, case: tuple[Model, str]) -> None:
    """A container that names a segment which is not there is not written again, and the file is named."""
    model, name = case
    made = rewrite(ask, model, "elsewhere")
    check("INDEX-REWRITE-05", made.reply, answers(path=str(made.out)))
    for place in ("another", "in place"):
        wrong = rewrite(ask, model.without_file(name), place)
        check("INDEX-REWRITE-05", wrong.reply, refuses("missing-file", path=name))


@needs("container.open")
@clause("INDEX-REWRITE-06")
@cases(
    tiny=TINY,
    version_3=TINY.with_index(("version",), 3),
    every_key=FULL,
    bank=BANK,
    bank_of_version_3=BANK.with_index(("version",), 3),
    both_shapes=BOTH,
    seven_keys=SMALLEST,
    unknown_keys=replace(TINY, index={**TINY.index, **UNKNOWN["nearly_known"]}),
    profiles_as_text=TINY.with_index(("profiles",), ["exact", {"name": "other"}, "third"]),
    strange_numbers=TINY.with_index(("hidden_size",), 18446744073709551615).with_index(("num_layers",), 0),
    canonical_and_derived_from_a_model=TINY.with_index(("derived_from_model",), "base"),
    counts_above_one=TINY.with_index(("segments", "segments/target.embedding"), 4294967295),
)
def test_the_result_opens_alike(ask: Ask, case: Model) -> None:
    """container.open answers of the result what it answers of the source."""
    expected = {key: value for key, value in opens(case).keys.items() if key != "extra"}
    for made in rewrites(ask, "INDEX-REWRITE-06", case):
        check("INDEX-REWRITE-06", ask("container.open", path=str(made.out)), answers(expected))


@clause("PUBLISH-REPLACE-02")
@cases(
    tiny=TINY,
    unaligned=SEGMENTS["unaligned"],
    several_encodings=FULL,
    longer_than_a_buffer=SEGMENTS["longer_than_a_buffer"],
)
def test_a_container_is_written_onto_itself(ask: Ask, case: Model) -> None:
    """In place, twice, while somebody has every file of it open, all tensors keep their bytes."""
    path = ask.file("source", case.folder)
    before = StoredContainer(ask.folder / "source")
    with ExitStack() as stack:
        for name in before.files:
            stack.enter_context((before.folder / name).open("rb"))
        for _ in range(2):
            reply = ask("container.rewrite", path=path, out=path)
            check("PUBLISH-REPLACE-02", reply, answers(path=path))
            after = StoredContainer(before.folder)
            check("PUBLISH-REPLACE-02", reply, shows("segments", before.segments, after.segments))
            check("PUBLISH-REPLACE-02", reply, shows("whether all digests hold", True, after.complete))


@clause("PUBLISH-REPLACE-02")
@cases(in_place="source", onto_the_copy="copy")
def test_linked_copies_keep_their_bytes(ask: Ask, case: str) -> None:
    """Of two containers whose files are hard links of each other, writing to one leaves both whole."""
    path = ask.file("source", TINY.with_index(("x-note",), 1.0).folder)
    linked(ask.folder / "source", ask.folder / "copy")
    before = StoredContainer(ask.folder / "source").segments
    reply = ask("container.rewrite", path=path, out=str(ask.folder / case))
    check("PUBLISH-REPLACE-02", reply, answers(path=str(ask.folder / case)))
    for name in ("source", "copy"):
        after = StoredContainer(ask.folder / name)
        check("PUBLISH-REPLACE-02", reply, shows(f"segments of {name}", before, after.segments))
        check("PUBLISH-REPLACE-02", reply, shows(f"whether all digests of {name} hold", True, after.complete))
