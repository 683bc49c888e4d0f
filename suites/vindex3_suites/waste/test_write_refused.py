"""Descriptions that a writer refuses before it makes a file, and sidecars that it carries or misses."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, refuses
from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.contract.patterns import FieldName, Present, element, field, one_of
from vindex3_fixtures.waste import CODEBOOKS, Quant, Waste, description, made
from vindex3_fixtures.waste.codebooks import books_file
from vindex3_suites.container.on_disk import shows
from vindex3_suites.waste.infinite import INFINITE
from vindex3_suites.waste.models import DENSE, PACKED, PAIRS, TINY
from vindex3_suites.waste.test_write import MODELS
from vindex3_suites.waste.writing import OUT, check_refused, look, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses


def _edited(model: Waste, edit: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    described = deepcopy(description(model))
    edit(described)
    return described


def _patched(data: bytes, place: int, value: bytes) -> bytes:
    return data[:place] + value + data[place + len(value) :]


def _index(layer: int, expert: int, kind: str, place: int, value: int) -> Callable[[dict[str, Any]], None]:
    """Another index at a place of a matrix; negative places count from the end."""

    def edit(described: dict[str, Any]) -> None:
        matrix = described["layers"][str(layer)]["experts"][expert][kind]
        data = matrix["indices"]
        matrix["indices"] = _patched(data, place % len(data), bytes([value]))

    return edit


def _check_pair(
    ask: Ask, clause_id: str, model: Waste | dict[str, Any], wrong: dict[str, Any], refused: Refuses
) -> None:
    """The container is written; the wrong description is refused where nothing is, and over a container."""
    check_refused(ask, clause_id, wrong, refused, "nothing")
    check(clause_id, write(ask, model), answers())
    check_refused(ask, clause_id, wrong, refused)


INDICES: dict[str, tuple[Waste, dict[str, Any], int]] = {
    f"{name}_{kind}_{value}": (model, _edited(model, _index(layer, expert, kind, place, value)), value)
    for name, model, layer, expert, kind, place, value in (
        ("first", TINY, 1, 0, "gate", 0, 16),
        ("last", TINY, 2, 2, "down", -1, 16),
        ("middle", TINY, 1, 1, "up", 50, 255),
        ("of_five", PAIRS, 1, 1, "gate", 3, 5),
        ("packed", PACKED, 1, 0, "gate", 1, 64),
        ("packed_last", PACKED, 1, 1, "down", -1, 255),
    )
}


@clause("WASTE-WRITE-04")
@cases(INDICES)
def test_an_index_beyond_entries_is_refused(ask: Ask, case: tuple[Waste, dict[str, Any], int]) -> None:
    """One index at or beyond entries, anywhere, and no file is made or changed."""
    model, wrong, value = case
    refused = refuses("out-of-range", field=field("indices"), value=value)
    _check_pair(ask, "WASTE-WRITE-04", model, wrong, refused)


def _zeros(inner: int = 16, width: int = 24, **settings: int) -> dict[str, Any]:
    """A description of zeros, every buffer of which is as long as these settings say."""
    quant = {"stages": 3, "vec_dim": 8, "entries": 64, "index_bits": 8, "index_block": 0, **settings}
    stages, vec_dim = quant["stages"], quant["vec_dim"] or 1
    shapes = {"gate": (inner, width), "up": (inner, width), "down": (width, inner)}
    expert = {
        kind: {"indices": bytes(rows * (columns // vec_dim) * stages), "scales": bytes(2 * rows)}
        for kind, (rows, columns) in shapes.items()
    }
    model = made(experts=1, layers=1, dense=0, tensors=())
    described = description(model.with_config("hidden_size", width))
    described["config"]["moe_intermediate_size"] = inner
    books = [bytes(2 * quant["entries"] * quant["vec_dim"])] * (3 * stages)
    return {**described, "expert_quant": quant, "layers": {"0": {"codebooks": books, "experts": [expert]}}}


SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a_width_that_vec_dim_does_not_divide": (_zeros(), _zeros(width=26)),
    "rows_that_vec_dim_does_not_divide": (_zeros(inner=8), _zeros(inner=12)),
    "packed_with_3_stages": (_zeros(index_bits=6, stages=4), _zeros(index_bits=6, stages=3)),
    "packed_with_5_stages": (_zeros(index_bits=6, stages=4), _zeros(index_bits=6, stages=5)),
    "packed_with_32_entries": (
        _zeros(index_bits=6, stages=4),
        _zeros(index_bits=6, stages=4, entries=32),
    ),
    "packed_with_vec_dim_4": (_zeros(index_bits=6, stages=4), _zeros(index_bits=6, stages=4, vec_dim=4)),
    "index_bits_of_7": (_zeros(), _zeros(index_bits=7)),
    "no_stage": (_zeros(stages=1), _zeros(stages=0)),
    "9_stages": (_zeros(stages=8), _zeros(stages=9)),
    "257_entries": (_zeros(entries=256), _zeros(entries=257)),
    "vec_dim_of_65": (_zeros(64, 64, vec_dim=64), _zeros(65, 65, vec_dim=65)),
}


@clause("WASTE-WRITE-04")
@cases(SETTINGS)
def test_settings_that_no_reader_takes_are_refused(
    ask: Ask, case: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    """Widths and packings that a reader refuses are refused, and no file is made or changed."""
    legal, wrong = case
    refused = refuses("out-of-range", field=Present(), value=Present())
    _check_pair(ask, "WASTE-WRITE-04", legal, wrong, refused)


@clause("WASTE-WRITE-04")
@cases({f"{count}_experts": count for count in (65537, 65536 + 3, 1 << 20)})
def test_more_experts_than_records_can_number_are_refused(ask: Ask, case: int) -> None:
    """Experts beyond number 65 535 are refused, by their number or because so many are not given."""
    wrong = description(TINY.with_config("num_experts", case))
    _check_pair(ask, "WASTE-WRITE-04", TINY, wrong, refuses("out-of-range", "count-mismatch"))


@clause("WASTE-WRITE-04")
@cases(one_too_many=(65534, False), just_enough=(65533, True))
def test_more_books_than_records_can_number_are_refused(ask: Ask, case: tuple[int, bool]) -> None:
    """New books go behind those in place, named by a layer or not, up to number 65 535."""
    count, fits = case
    model = made(quant=Quant(1, 1, 1), inner=1, width=1, experts=1, layers=2, dense=0, seed="many")
    old = made(quant=Quant(1, 1, 1), inner=1, width=1, experts=1, layers=1, dense=0, seed="many")
    books = books_file(old.books) + bytes(18 * (count - 3))
    ask.file(OUT, old.with_file(CODEBOOKS, books).folder)
    if fits:
        reply = write(ask, description(model, layers=(1,), resume=True))
        check("WASTE-WRITE-04", reply, answers())
        check("WASTE-WRITE-04", reply, shows("base of layer 1", 65533, look(ask).base(1)))
        return
    refused = refuses("out-of-range", field=Present(), value=Present())
    check_refused(ask, "WASTE-WRITE-04", description(model, layers=(1,), resume=True), refused)


def _half(edit: Callable[[dict[str, Any], bytes], None], name: str) -> dict[str, Any]:
    return _edited(TINY, lambda described: edit(described, INFINITE[name].to_bytes(2, "little")))


def _in_scales(described: dict[str, Any], half: bytes) -> None:
    matrix = described["layers"]["1"]["experts"][2]["up"]
    matrix["scales"] = _patched(matrix["scales"], 6, half)


def _in_books(described: dict[str, Any], half: bytes) -> None:
    books = described["layers"]["2"]["codebooks"]
    books[8] = _patched(books[8], len(books[8]) - 2, half)


def _in_trunk(described: dict[str, Any], half: bytes) -> None:
    tensor = described["trunk"][0]
    tensor["scales"] = _patched(tensor["scales"], 0, half)


@clause("WASTE-WRITE-05")
@cases(
    {
        f"{place}_{name}": (
            _half(edit, name),
            element("codebooks", 8) if edit is _in_books else field("scales"),
        )
        for place, edit in (("scales", _in_scales), ("codebooks", _in_books), ("trunk", _in_trunk))
        for name in INFINITE
    }
)
def test_what_is_not_finite_is_refused(ask: Ask, case: tuple[dict[str, Any], FieldName]) -> None:
    """One infinity or NaN in a codebook, a scale or a scale of the trunk, and no file is made."""
    wrong, name = case
    _check_pair(ask, "WASTE-WRITE-05", TINY, wrong, refuses("non-finite", field=name))


@clause("WASTE-WRITE-05")
@cases(
    beside=lambda trunk: [trunk[0], trunk[0]],
    apart=lambda trunk: [*trunk, {**trunk[1], "name": trunk[0]["name"]}],
)
def test_a_name_is_not_given_twice(ask: Ask, case: Callable[[list[Any]], list[Any]]) -> None:
    """Two tensors of one name are refused as duplicate-id."""
    wrong = description(TINY)
    wrong["trunk"] = case(wrong["trunk"])
    names = one_of(field("name"), *(element("trunk", place) for place in (0, len(wrong["trunk"]) - 1)))
    _check_pair(ask, "WASTE-WRITE-05", TINY, wrong, refuses("duplicate-id", field=names))


SIDECARS = {
    "tokenizer.model": bytes(range(256)) * 9,
    "specials.json": b'\xef\xbb\xbf{ "a" : 1 }\r\n',
    "chat_template.jinja": b"",
    "vision.json": b"{}",
    "chat.json": bytes(range(255)) * 1300,
}


@clause("RESUME-SIDE-01")
@cases({name: (name,) for name in SIDECARS} | {"all": tuple(SIDECARS), "none": ()})
def test_listed_sidecars_are_copied(ask: Ask, case: tuple[str, ...]) -> None:
    """Files that the description lists stand there to the byte; what it does not list is not needed."""
    for name, model in (("dense", DENSE), ("tiny", TINY)):
        reply = write(ask, model, name, sidecars={one: SIDECARS[one] for one in case})
        check("RESUME-SIDE-01", reply, answers())
        found = look(ask, name)
        for one in SIDECARS:
            there = found.files.get(one, MISSING)
            expected = SIDECARS[one] if one in case else MISSING
            check("RESUME-SIDE-01", reply, shows(one, expected, there))


@clause("RESUME-SIDE-01")
@cases({name: name for name in SIDECARS})
def test_a_sidecar_that_is_not_there_is_named(ask: Ask, case: str) -> None:
    """A file that the description lists without anything to copy fails the write, and is named."""
    check("RESUME-SIDE-01", write(ask, TINY, sidecars=SIDECARS), answers())
    wrong = description(TINY, sidecars={**SIDECARS, case: None})
    for name in (OUT, "nothing"):
        reply = write(ask, wrong, name)
        check("RESUME-SIDE-01", reply, refuses("missing-file", path=case))


@clause("WASTE-WRITE-04")
@cases({name: model for name, model in MODELS.items() if model.banks})
def test_the_largest_index_is_written(ask: Ask, case: Waste) -> None:
    """The last entry of a book may be named in every packing."""
    layer, quant = min(case.banks), case.quant or Quant()
    records = [
        one.with_matrix("gate", one.gate.with_index(0, 0, stage, quant.entries - 1))
        for one in case.banks[layer]
        for stage in (quant.stages - 1,)
    ]
    model = case.with_bank(layer, records)
    reply = write(ask, model)
    check("WASTE-WRITE-04", reply, answers())
    check("WASTE-WRITE-04", reply, look(ask).experts(model, layer)[0])
