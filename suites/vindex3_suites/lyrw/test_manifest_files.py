"""What is wrong between a manifest and the layer files of its storage keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, free_order
from pytest_vindex3.contract.patterns import field, one_of
from vindex3_fixtures.lyrw import Bank, LyrwFile, Place, Row
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.manifest import ExpertBank, Manifest, MoeLayer, Router
from vindex3_suites.lyrw.manifests import defect, examine, reports
from vindex3_suites.lyrw.role_banks import APART, FUSED, layer_of, schema, slice_of
from vindex3_suites.lyrw.samples import scales, values

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

KEY = "experts"


def bound(file: LyrwFile, programme: str = "gated-mlp-v1") -> Manifest:
    """A manifest that binds the first bank of a file, under the key of all these tests."""
    bank = file.banks[0]
    dims = (bank.input_dim, bank.intermediate_dim, bank.output_dim)
    routed = ExpertBank(experts=bank.num_entries, programme=programme, storage=KEY, dims=dims)
    return Manifest((MoeLayer(layer=file.logical_layer, router=Router(k=1), routed=routed),))


def examine_files(ask: Ask, manifest: Manifest, *files: LyrwFile | bytes) -> Reply:
    """Ask what is wrong with a manifest whose key has these files."""
    return examine(ask, manifest, **{KEY: written(ask, *files)})


def written(ask: Ask, *files: LyrwFile | bytes, name: str = KEY) -> list[str]:
    """The paths of these files."""
    return [ask.file(f"{name}_{position}.lyrw", file) for position, file in enumerate(files)]


def _unusable(why: object) -> dict[str, Any]:
    return defect("storage-unusable", layer=0, key=KEY, why=why)


BYTES = FUSED.data()
UNREADABLE: dict[str, tuple[bytes, str]] = {
    "magic": (b"WRYL" + BYTES[4:], "bad-magic"),
    "version_1": (BYTES[:4] + b"\x01" + BYTES[5:], "wrong-generation"),
    "empty": (b"", "truncated"),
    "cut": (BYTES[:70], "truncated"),
    "paired": (layer_of("gate_up_fused", schema("down", pair_id=4)).data(), "inconsistent-pairing"),
    "misnumbered": (
        layer_of("gate_up_fused", schema("down", schema_index=7)).data(),
        "schema-index-mismatch",
    ),
}


@clause("MOE-FILES-01")
@cases(UNREADABLE)
def test_a_file_that_does_not_parse_is_unusable(ask: Ask, case: tuple[bytes, str]) -> None:
    """Its key is storage-unusable, with the kind that reading the file is refused as."""
    manifest = bound(FUSED)
    check("MOE-FILES-01", examine_files(ask, manifest, FUSED), reports())
    data, why = case
    check("MOE-FILES-01", examine_files(ask, manifest, data), reports(_unusable(why)))


@clause("MOE-FILES-01")
def test_a_file_that_is_not_there_is_unusable(ask: Ask) -> None:
    """A listed path without a file is storage-unusable because of missing-file."""
    manifest = bound(FUSED)
    check("MOE-FILES-01", examine_files(ask, manifest, FUSED), reports())
    reply = examine(ask, manifest, **{KEY: [str(ask.folder / "absent.lyrw")]})
    check("MOE-FILES-01", reply, reports(_unusable("missing-file")))


@clause("MOE-FILES-01")
@cases(no_key={"other": [FUSED]}, no_file={KEY: []}, another_case={"Experts": [FUSED]})
def test_a_key_without_files_is_unusable(ask: Ask, case: dict[str, list[LyrwFile]]) -> None:
    """A key that is not among the segments, or has an empty list, is not declared."""
    manifest = bound(FUSED)
    check("MOE-FILES-01", examine_files(ask, manifest, FUSED), reports())
    segments = {key: written(ask, *files, name=key.lower()) for key, files in case.items()}
    check("MOE-FILES-01", examine(ask, manifest, **segments), reports(_unusable("not-declared")))


@clause("MOE-FILES-01")
def test_a_file_without_banks_is_unusable(ask: Ask) -> None:
    """A file that declares no bank has nothing to bind; readers may refuse it for want of segments."""
    manifest = bound(FUSED)
    check("MOE-FILES-01", examine_files(ask, manifest, FUSED), reports())
    empty = LyrwFile(banks=(), segments=(), logical_layer=0)
    why = one_of("no-bank", "no-segments")
    check("MOE-FILES-01", examine_files(ask, manifest, empty), reports(_unusable(why)))


@clause("MOE-FILES-01")
def test_one_unreadable_file_of_several_is_reported(ask: Ask) -> None:
    """A key is unusable by any of its files; what that file would have held may be missed as well."""
    whole = replace(FUSED, banks=(replace(FUSED.banks[0], num_entries=2),))
    first, second = slice_of(whole, (0, 1)), slice_of(whole, (1, 2), index=1)
    manifest = bound(whole)
    check("MOE-FILES-01", examine_files(ask, manifest, first, second), reports())
    reply = examine_files(ask, manifest, first, b"WRYL" + second.data()[4:])
    missed = {"kind": "missing-region", "names": {"entry": 1}}
    check("MOE-FILES-01", reply, reports(_unusable("bad-magic"), also=missed))


@clause("MOE-FILES-01")
def test_every_layer_has_its_key_judged(ask: Ask) -> None:
    """Of two layers the one whose key has no file is named."""
    layers = (
        MoeLayer(layer=0, router=Router(k=1), routed=ExpertBank(experts=1, storage=KEY)),
        MoeLayer(layer=5, router=Router(k=1), routed=ExpertBank(experts=1, storage="other")),
    )
    second = replace(FUSED, logical_layer=5)
    both = {KEY: written(ask, FUSED), "other": written(ask, second, name="other")}
    check("MOE-FILES-01", examine(ask, Manifest(layers), **both), reports())
    named = defect("storage-unusable", layer=5, key="other", why="not-declared")
    check("MOE-FILES-01", examine_files(ask, Manifest(layers), FUSED), reports(named))


@clause("MOE-FILES-02")
@cases(
    no_down=(("gate_up_fused",), ["down"]),
    fused_on_a_tie_with_up=(("gate", "down"), ["gate_up_fused"]),
    only_down=(("down",), ["gate_up_fused"]),
    only_gate=(("gate",), ["down", "gate_up_fused"]),
    nothing_known=(("latent_in", 300), ["down", "gate_up_fused"]),
    gate_and_up=(("gate", "up"), ["down"]),
    fused_and_gate=(("gate_up_fused", "gate"), ["down"]),
)
def test_a_bank_without_its_roles_is_unsatisfied(
    ask: Ask, case: tuple[tuple[str | int, ...], list[str]]
) -> None:
    """The missing roles are those of the closest set, of the earlier one on a tie, sorted."""
    roles, missing = case
    check("MOE-FILES-02", examine_files(ask, bound(FUSED), FUSED), reports())
    file = layer_of(*roles)
    names = {"layer": 0, "programme": "gated-mlp-v1", "missing": missing}
    expected = reports(defect("unsatisfied-programme", **names))
    check("MOE-FILES-02", examine_files(ask, bound(file), file), expected)


@clause("MOE-FILES-02")
def test_the_first_bank_of_a_file_is_the_bound_one(ask: Ask) -> None:
    """Roles of a second bank do not satisfy the programme of the first."""
    second = replace(FUSED.banks[0], bank_id=4, kind=v.SHARED)
    only_down = layer_of("down").banks[0]
    legal = LyrwFile(banks=(FUSED.banks[0], replace(only_down, bank_id=4)), logical_layer=0)
    wrong = LyrwFile(banks=(only_down, second), logical_layer=0)
    check("MOE-FILES-02", examine_files(ask, bound(legal), legal), reports())
    names = {"layer": 0, "programme": "gated-mlp-v1", "missing": ["gate_up_fused"]}
    expected = reports(defect("unsatisfied-programme", **names))
    check("MOE-FILES-02", examine_files(ask, bound(wrong), wrong), expected)


ENTRIES = layer_of("gate_up_fused", "down", bank_id=6, entries=4)


def _missing(entry: int, *roles: str) -> list[dict[str, Any]]:
    return [
        defect("missing-region", layer=0, bank_id=6, entry=entry, role=role, segment=KEY)
        for role in roles or ("gate_up_fused", "down")
    ]


@clause("MOE-FILES-03")
@cases(
    last_entry=([(0, 3)], [3]),
    first_entry=([(1, 4)], [0]),
    inner_entry=([(0, 2), (3, 4)], [2]),
    half=([(2, 4)], [0, 1]),
)
def test_entries_of_no_file_are_missing(ask: Ask, case: tuple[list[tuple[int, int]], list[int]]) -> None:
    """Each entry that no file of the key covers is missing-region, once for each role."""
    ranges, entries = case
    manifest = bound(ENTRIES)
    check("MOE-FILES-03", examine_files(ask, manifest, ENTRIES), reports())
    missing = [one for entry in entries for one in _missing(entry)]
    check("MOE-FILES-03", examine_files(ask, manifest, slice_of(ENTRIES, *ranges)), reports(*missing))


@clause("MOE-FILES-03")
@cases(
    beyond_the_file=(Place(0, 2, 1), Row(1 << 40, 8), "down"),
    end_wraps=(Place(0, 0, 0), Row((1 << 64) - 64, 128), "gate_up_fused"),
    one_byte_too_long=(Place(0, 3, 1), Row(ENTRIES.row(Place(0, 3, 1)).offset, 33), "down"),
)
def test_refused_regions_are_missing(ask: Ask, case: tuple[Place, Row, str]) -> None:
    """A region whose row leaves the file is missing, and no other is."""
    place, row, role = case
    manifest = bound(ENTRIES)
    check("MOE-FILES-03", examine_files(ask, manifest, ENTRIES), reports())
    wrong = replace(ENTRIES, rows={place: row})
    check("MOE-FILES-03", examine_files(ask, manifest, wrong), reports(*_missing(place.entry, role)))


@clause("MOE-FILES-03")
def test_a_region_of_any_file_of_the_key_will_do(ask: Ask) -> None:
    """What one file lacks another one has; what none has is missing."""
    manifest = bound(ENTRIES)
    first, last = slice_of(ENTRIES, (0, 2)), slice_of(ENTRIES, (2, 4), index=1)
    check("MOE-FILES-03", examine_files(ask, manifest, last, first), reports())
    middle = slice_of(ENTRIES, (2, 3), index=1)
    check("MOE-FILES-03", examine_files(ask, manifest, middle, first), reports(*_missing(3)))


@clause("MOE-FILES-04")
@cases(
    halves=[(0, 2), (2, 4)],
    unequal=[(0, 1), (1, 4)],
    second_first=[(2, 4), (0, 2)],
    four=[(0, 1), (1, 2), (2, 3), (3, 4)],
)
def test_all_files_of_a_split_layer_are_the_bank(ask: Ask, case: list[tuple[int, int]]) -> None:
    """Listed under one key, in any order, the files of a split layer lack nothing."""
    files = [slice_of(ENTRIES, one, index=one[0]) for one in case]
    check("MOE-FILES-04", examine_files(ask, bound(ENTRIES), *files), reports())


@clause("MOE-FILES-04")
def test_what_lies_in_the_folder_is_no_file_of_the_layer(ask: Ask) -> None:
    """Only listed files count: the second half, unlisted, leaves its entries missing."""
    first, second = slice_of(ENTRIES, (0, 2)), slice_of(ENTRIES, (2, 4), index=1)
    paths = written(ask, first, second)
    check("MOE-FILES-04", examine(ask, bound(ENTRIES), **{KEY: paths}), reports())
    missing = [one for entry in (2, 3) for one in _missing(entry)]
    check("MOE-FILES-04", examine(ask, bound(ENTRIES), **{KEY: paths[:1]}), reports(*missing))


@clause("MOE-FILES-05")
@cases(
    bias=layer_of("gate_up_fused", "down", "bias"),
    both_sets=layer_of("gate", "up", "gate_up_fused", "down"),
    latent=layer_of("latent_in", "gate_up_fused", "down", "latent_out"),
    unknown_roles=layer_of(300, "gate_up_fused", 65535, "down"),
    unknown_formats=layer_of(schema("gate_up_fused", format=77), schema("down", packing=9)),
    scales=layer_of(values(1, v.GATE_UP_FUSED), scales(1), "down"),
    another_bank=LyrwFile(banks=(*FUSED.banks, Bank(bank_id=9)), logical_layer=0),
)
def test_more_roles_do_no_harm(ask: Ask, case: LyrwFile) -> None:
    """Roles beyond the satisfied set, unknown tags and further banks are no defect, nor do they stand in."""
    check("MOE-FILES-05", examine_files(ask, bound(case), case), reports())
    bank = case.banks[0]
    rest = tuple(one for one in bank.schemas if one.role != v.DOWN)
    wrong = replace(case, banks=(replace(bank, schemas=rest), *case.banks[1:]))
    lacking = defect("unsatisfied-programme", layer=0, programme="gated-mlp-v1", missing=["down"])
    check("MOE-FILES-05", examine_files(ask, bound(wrong), wrong), reports(lacking))


def _layer(manifest: Manifest) -> MoeLayer:
    return manifest.layers[0]


TWO = layer_of("gate", "up", "down", entries=2)
OTHER_LAYER = Manifest((replace(_layer(bound(TWO)), layer=9),))
FEWER = Manifest((replace(_layer(bound(TWO)), routed=replace(_layer(bound(TWO)).routed, experts=1)),))
OTHER_DIMS = Manifest(
    (replace(_layer(bound(TWO)), routed=replace(_layer(bound(TWO)).routed, dims=(77, 2, 1))),)
)


@clause("MOE-FILES-06")
@cases(
    experts=(FEWER, 0, ("experts", "num_entries")),
    dims=(OTHER_DIMS, 0, ("expert_dims", "input", "input_dim")),
    layer=(OTHER_LAYER, 9, ("layer", "logical_layer")),
)
def test_other_numbers_may_be_reported(ask: Ask, case: tuple[Manifest, int, tuple[str, ...]]) -> None:
    """Numbers that differ from the file's are reported, naming layer and field, or left alone."""
    manifest, layer, names = case
    check("MOE-FILES-06", examine_files(ask, bound(TWO), TWO), answers(defects=[]))
    named = defect("bank-contradicts-manifest", layer=layer, field=field(*names))
    expected = either(answers(defects=[]), answers(defects=free_order([named])))
    check("MOE-FILES-06", examine_files(ask, manifest, TWO), expected)


@clause("MOE-FILES-06")
def test_dimensions_that_are_not_said_contradict_nothing(ask: Ask) -> None:
    """expert_dims null leaves the file's dimensions alone."""
    routed = replace(_layer(bound(APART)).routed, dims=None)
    manifest = Manifest((replace(_layer(bound(APART)), routed=routed),))
    check("MOE-FILES-06", examine_files(ask, manifest, APART), answers(defects=[]))
