"""capability.check: what each operation needs, tag by tag and role set by role set."""

from __future__ import annotations

import os
from typing import Any

import pytest

from vindex3_reference.lyrw.verbs import capability_check, lyrw_write

HALVES = {"layout": "contiguous_halves"}
FUSED, SPLIT = ["gate_up_fused", "down"], ["gate", "up", "down"]


@pytest.fixture
def bank(plans, tmp_path):
    """Write a file of layer 5 whose bank 3 has these schemas, and give its path."""
    count = iter(range(100))

    def write(*schemas: Any, experts: int = 4, held: tuple[int, int] | None = None, flags: int = 0) -> str:
        plan = plans.routed(experts, (1, 7, 1), list(schemas), header={"logical_layer": 5, "flags": 1})
        plan["banks"][0].update(bank_id=3, flags=flags)
        first, entries = held or (0, experts)
        segment = {"bank_id": 3, "segment_index": first, "first_entry": first, "entry_count": entries}
        plan["segments"] = [segment]
        path = str(tmp_path / f"{next(count)}.lyrw")
        sizes = [schema.get("length") or schema["bytes"] for schema in schemas]
        lyrw_write(plan=plan, payload=lambda _, __, index: bytes(sizes[index]), path=path)
        return path

    return write


@pytest.fixture
def schema(plans):
    """A schema of one 32-value row in a role, with other fields where they are given."""

    def make(role: str | int, format_: str | int = "f32", **fields: Any) -> Any:
        known = {"f32": 128, "f16": 64, "bf16": 64, "q8_0": 34, "mxfp4": 16}
        inline = {"packing": "blocks_with_scales_inline"} if format_ == "q8_0" else {}
        shape = HALVES if role == "gate_up_fused" else {}
        made = plans.schema(role, format_, 1, 32, **{**inline, **shape, **fields})
        if format_ in known and made["packing"] != 77:
            made["bytes"] = 1 if made["packing"] == "blocks_scales" else known[format_]
        else:
            made["length"] = 9
        return made

    return make


def _ask(files: Any, operation: str, bank_id: int = 3, **options: Any) -> Any:
    files = files if isinstance(files, list) else [files]
    return capability_check(files=files, bank_id=bank_id, operation=operation, options=options or None)


def _reasons(answer: Any) -> list[tuple[str, dict[str, Any]]]:
    assert answer["verdict"] == ("refused" if answer["reasons"] else "permitted")
    return [(reason["kind"], reason["names"]) for reason in answer["reasons"]]


@pytest.mark.parametrize("operation", ["describe", "read", "copy"])
def test_what_every_file_permits(bank, schema, operation):
    """Describing, reading and copying are permitted whatever the tags are, and whatever bank is named."""
    path = bank(schema(300, 77, packing=77), schema("gate_up_fused", 99, layout=9))
    permitted = {"operation": operation, "verdict": "permitted", "reasons": []}
    assert _ask(path, operation) == _ask(path, operation, bank_id=9) == permitted


@pytest.mark.parametrize("operation", ["describe", "decode", "execute"])
def test_a_file_that_is_not_there_or_does_not_parse(bank, schema, tmp_path, refusal, operation):
    """Only such a file is a refusal proper, of one of several files as well."""
    bad = tmp_path / "bad.lyrw"
    bad.write_bytes(b"LYRW")
    path = bank(schema("down"))
    ask = {"bank_id": 3, "operation": operation, "options": {"role": "down", "programme": "gated-mlp-v1"}}
    assert refusal(capability_check, files=[path, str(bad)], **ask)[0] == "truncated"
    missing = refusal(capability_check, files=[path + "x"], **ask)
    assert missing == ("missing-file", {"path": path + "x"})


def test_tables_are_enough(bank, schema):
    """No payload byte is needed, nor an entry table."""
    path = bank(schema("gate_up_fused"), schema("down"), flags=2)
    os.truncate(path, 24 + 24 + 12 + 40)
    assert _reasons(_ask(path, "decode", schema_index=1)) == []
    assert _reasons(_ask(path, "walk", schema_index=1)) == []
    assert _reasons(_ask(path, "execute", programme="gated-mlp-v1")) == []


def _unsupported(
    operation: str, index: int, role: str | int, field: str, value: Any
) -> tuple[str, dict[str, Any]]:
    return "unsupported-operation", {
        "operation": operation,
        "bank_id": 3,
        "schema_index": index,
        "role": role,
        "field": field,
        "value": value,
    }


def test_decode(bank, schema):
    """Unknown and unsupported tags of the schema are named; those of another schema do not matter."""
    path = bank(schema("gate"), schema("up", 77), schema("down", packing=77), schema(300, "q8_0"))
    assert _reasons(_ask(path, "decode", schema_index=0)) == []
    assert _reasons(_ask(path, "decode", role="gate")) == []
    assert _reasons(_ask(path, "decode", role=300)) == []
    assert _reasons(_ask(path, "decode", schema_index=1)) == [_unsupported("decode", 1, "up", "format", 77)]
    assert _reasons(_ask(path, "decode", role="down")) == [_unsupported("decode", 2, "down", "packing", 77)]
    limited = {"supports": {"formats": ["f32"], "packings": ["row_major"]}}
    assert _reasons(_ask(path, "decode", schema_index=0, **limited)) == []
    assert _reasons(_ask(path, "decode", schema_index=3, **limited)) == [
        _unsupported("decode", 3, 300, "format", "q8_0"),
        _unsupported("decode", 3, 300, "packing", "blocks_with_scales_inline"),
    ]
    only_formats = {"supports": {"formats": ["f16"]}}
    assert _reasons(_ask(path, "decode", schema_index=0, **only_formats)) == [
        _unsupported("decode", 0, "gate", "format", "f32")
    ]


VALUES = {"packing": "blocks_values", "pair_id": 6}
SCALES = {"packing": "blocks_scales", "pair_id": 6}


def test_decode_of_values_needs_one_partner(bank, schema, put):
    """Values with one scales schema are decoded, with none or two of them not."""
    path = bank(schema("down", "mxfp4", **VALUES), schema("scales", "mxfp4", **SCALES))
    assert _reasons(_ask(path, "decode", role="down")) == []
    assert _reasons(_ask(path, "decode", role="scales")) == []
    with open(path, "r+b") as file:  # noqa: PTH123 -- the path is a string, as the verb takes it
        file.seek(60 + 20 + 8)
        file.write(b"\7")
    facts = {"bank_id": 3, "schema_index": 0, "pair_id": 6, "partner_role": "scales"}
    assert _reasons(_ask(path, "decode", role="down")) == [("missing-partner", facts)]
    path = bank(schema("gate"), schema("down", "mxfp4", **VALUES), schema("scales", "mxfp4", **SCALES),
                schema("scales", "mxfp4", packing="blocks_scales", pair_id=5))  # fmt: skip
    with open(path, "r+b") as file:  # noqa: PTH123 -- as above
        file.seek(60 + 3 * 20 + 8)
        file.write(b"\6")
    facts = {"bank_id": 3, "schema_index": 1, "pair_id": 6, "partner_role": "scales", "count": 2}
    assert _reasons(_ask(path, "decode", role="down")) == [("ambiguous-partner", facts)]


@pytest.mark.parametrize(
    ("stored", "shown"), [(b"\0\0", "unspecified"), (b"\3\0", 3), (b"\1\0", None), (b"\2\0", None)]
)
def test_split_fused(bank, schema, stored, shown):
    """A layout that is not said, or unknown, takes nothing apart; the two others do where supported."""
    path = bank(schema("gate_up_fused"), schema("down"))
    with open(path, "r+b") as file:  # noqa: PTH123 -- the path is a string, as the verb takes it
        file.seek(70)
        file.write(stored)
    expected = [] if shown is None else [_unsupported("split-fused", 0, "gate_up_fused", "layout", shown)]
    assert _reasons(_ask(path, "split-fused", role="gate_up_fused")) == expected
    allowed = {"supports": {"layouts": ["unspecified", "contiguous_halves", "interleaved"]}}
    assert _reasons(_ask(path, "split-fused", schema_index=0, **allowed)) == expected
    one = {"supports": {"layouts": ["contiguous_halves"]}}
    assert bool(_reasons(_ask(path, "split-fused", schema_index=0, **one))) == (stored != b"\1\0")


@pytest.mark.parametrize("flags", [0, 3, 0xFFFC])
def test_walk_of_a_bank_that_is_not_browsed(bank, schema, flags):
    """Browse none, and bits without a meaning, permit no walk."""
    path = bank(schema("down"), flags=flags)
    facts = {"operation": "walk", "bank_id": 3, "field": "browse", "value": "none"}
    answer = _ask(path, "walk", schema_index=0)
    assert _reasons(answer) == [("unsupported-operation", facts)]
    assert "zero_copy" not in answer


@pytest.mark.parametrize("flags", [1, 2, 0xFFFE])
@pytest.mark.parametrize(("format_", "zero_copy"), [("f32", True), ("f16", True), ("bf16", False)])
def test_walk(bank, schema, flags, format_, zero_copy):
    """Row-major regions are walked in both modes, f32 and f16 without a copy."""
    path = bank(schema("down", format_), flags=flags)
    assert _ask(path, "walk", schema_index=0) == {
        "operation": "walk", "verdict": "permitted", "reasons": [], "zero_copy": zero_copy, "features": 28,
    }  # fmt: skip


def test_walk_of_blocks(bank, schema):
    """Blocks are walked in direct mode only."""
    block = "blocks_with_scales_inline"
    strided, direct = (bank(schema("gate"), schema("down", "q8_0"), flags=flags) for flags in (2, 1))
    assert _reasons(_ask(strided, "walk", role="gate")) == []
    assert _reasons(_ask(strided, "walk", role="down")) == [_unsupported("walk", 1, "down", "packing", block)]
    assert _ask(direct, "walk", role="down")["zero_copy"] is False


def test_features_beyond_64_bits_of_a_product(bank, schema):
    """Features are exact: as many as two 32-bit numbers multiply to."""
    path = bank(schema("down"), flags=1)
    with open(path, "r+b") as file:  # noqa: PTH123 -- the path is a string, as the verb takes it
        file.seek(32)
        file.write(b"\xff\xff\xff\xff" + b"\1\0\0\0" + b"\xff\xff\xff\xff")
    assert _ask(path, "walk", schema_index=0)["features"] == (2**32 - 1) ** 2


@pytest.mark.parametrize("operation", ["decode", "split-fused", "walk"])
def test_what_is_not_there(bank, schema, refusal, operation):
    """A bank, schema or role that is not there is a reason, a request without either a refusal."""
    path = bank(schema("gate"), schema("gate"), flags=1)
    assert _reasons(_ask(path, operation, bank_id=4, schema_index=0)) == [("unknown-bank", {"bank_id": 4})]
    for asked, operand in (({"schema_index": 2}, 2), ({"role": "down"}, "down"), ({"role": 999}, 999)):
        ((kind, names),) = _reasons(_ask(path, operation, **asked))
        assert (kind, names["operand"], names["reason"]) == ("missing-operand", operand, "absent")
    ambiguous = ("ambiguous-role", {"bank_id": 3, "role": "gate", "count": 2})
    assert _reasons(_ask(path, operation, role="gate")) == [ambiguous]
    assert refusal(_ask, path, operation) == ("missing-field", {"path": "options", "field": "role"})


@pytest.mark.parametrize(
    ("options", "kind", "field"),
    [
        ({}, "missing-field", "programme"),
        ({"programme": 0}, "bad-type", "programme"),
        ({"programme": "x", "supports": []}, "bad-type", "supports"),
        ({"programme": "x", "supports": {"formats": "f32"}}, "bad-type", "supports.formats"),
        ({"programme": "x", "omit": [1]}, "bad-type", "omit[0]"),
        ({"programme": "x", "first_entry": -1}, "out-of-range", "first_entry"),
        ({"programme": "x", "entry_count": True}, "bad-type", "entry_count"),
    ],
    ids=str,
)
def test_a_request_that_is_none(bank, schema, refusal, options, kind, field):
    """Options of another type are refused by field."""
    found, names = refusal(
        capability_check, files=[bank(schema("down"))], bank_id=3, operation="execute", options=options
    )
    assert (found, names["field"]) == (kind, field)


def test_an_operation_that_nobody_knows(bank, schema, refusal):
    """An operation outside the vocabulary, and a layer of no file, are refused."""
    facts = {"field": "operation", "value": "run"}
    assert refusal(_ask, bank(schema("down")), "run") == ("unknown-value", facts)
    assert refusal(_ask, [], "read") == ("missing-field", {"field": "files"})


def _execute(files: Any, programme: str = "gated-mlp-v1", **options: Any) -> Any:
    return _ask(files, "execute", programme=programme, **options)


def _states(answer: Any) -> list[tuple[str, list[list[int]]]]:
    assert [each["roles"] for each in answer["role_sets"]] == [FUSED, SPLIT][: len(answer["role_sets"])]
    return [(each["state"], each["covered"]) for each in answer["role_sets"]]


def _missing(
    operand: str, reason: str, segment: str | None = None, **more: Any
) -> tuple[str, dict[str, Any]]:
    facts = {"object": 3, "operand": operand, "layer": 5, "segment": segment, "reason": reason}
    return "missing-operand", {**facts, **more}


def test_execute_on_either_role_set(bank, schema):
    """One complete set is enough, all complete ones are listed, and extra roles do not matter."""
    fused, split = [schema(role) for role in FUSED], [schema(role) for role in SPLIT]
    assert _states(_execute(bank(*fused))) == [("executable", [[0, 4]]), ("blocked", [])]
    assert _states(_execute(bank(schema(300, 77), *split))) == [("blocked", []), ("executable", [[0, 4]])]
    both = _execute(bank(fused[0], *split))
    assert _states(both) == [("executable", [[0, 4]])] * 2
    assert _reasons(both) == []


def test_execute_without_a_role(bank, schema):
    """The missing roles of the closest set are named: the fewest, the earlier set on a tie."""
    answer = _execute(bank(schema("gate"), schema("up")))
    assert _reasons(answer) == [_missing("down", "absent")]
    assert _states(answer) == [("blocked", []), ("blocked", [])]
    assert _reasons(_execute(bank(schema("gate"), schema("down")))) == [_missing("gate_up_fused", "absent")]
    assert _reasons(_execute(bank(schema("bias")))) == [
        _missing("gate_up_fused", "absent"), _missing("down", "absent"),
    ]  # fmt: skip


def test_execute_on_tags_that_are_not_supported(bank, schema):
    """A role in an unknown or unsupported format or packing blocks its set."""
    path = bank(schema("gate_up_fused", "f16"), schema("down", 77))
    assert _reasons(_execute(path)) == [_missing("down", "unsupported-format", path, value=77)]
    path = bank(schema("gate_up_fused", "q8_0"), schema("down"))
    limited = {"supports": {"packings": ["row_major"]}}
    assert _reasons(_execute(path, **limited)) == [
        _missing("gate_up_fused", "unsupported-packing", path, value="blocks_with_scales_inline")
    ]
    assert _reasons(_execute(path, supports={"formats": ["f32"]})) == [
        _missing("gate_up_fused", "unsupported-format", path, value="q8_0")
    ]
    assert _reasons(_execute(path)) == []


def test_execute_with_a_role_left_out(bank, schema):
    """An omitted role blocks its sets although the file has it."""
    path = bank(schema("gate_up_fused"), *(schema(role) for role in SPLIT))
    assert _states(_execute(path, omit=["gate_up_fused"])) == [("blocked", []), ("executable", [[0, 4]])]
    answer = _execute(path, omit=["down"])
    assert _reasons(answer) == [_missing("down", "omitted")]


def test_execute_on_part_of_the_bank(bank, schema):
    """The entries of a set that is not there as a whole are named; a smaller request can be met."""
    path = bank(*(schema(role) for role in FUSED), held=(1, 2))
    answer = _execute(path)
    assert _states(answer) == [("partial", [[1, 3]]), ("blocked", [])]
    assert _reasons(answer) == [
        _missing(role, "partial-coverage", covered=[[1, 3]]) for role in FUSED
    ]  # fmt: skip
    assert _states(_execute(path, first_entry=1, entry_count=2))[0] == ("executable", [[1, 3]])
    assert _states(_execute(path, first_entry=2))[0] == ("partial", [[2, 3]])
    assert _states(_execute(path, first_entry=4, entry_count=0))[0] == ("executable", [])
    outside = _execute(path, first_entry=3, entry_count=1)
    assert _reasons(outside) == [_missing(role, "outside-segments", path) for role in FUSED]
    assert _states(_execute(path, entry_count=9))[0] == ("partial", [[1, 3]])


def test_execute_on_files_that_together_hold_the_bank(bank, schema):
    """Coverage is that of all files; ranges that touch are one."""
    files = [bank(*(schema(role) for role in FUSED), held=held) for held in ((0, 1), (3, 1), (1, 2))]
    assert _states(_execute(files)) == [("executable", [[0, 4]]), ("blocked", [])]
    assert _states(_execute(files[:2]))[0] == ("partial", [[0, 1], [3, 4]])


def test_execute_on_roles_that_cover_different_entries(bank, schema):
    """Such a set is incompatible, not partial, unless a role is missing altogether."""
    files = [
        bank(schema("gate_up_fused"), schema("down"), held=(0, 2)),
        bank(schema("gate_up_fused"), held=(2, 2)),
    ]
    answer = _execute(files)
    assert _states(answer) == [("incompatible", [[0, 2]]), ("blocked", [])]
    assert _reasons(answer) == [("unequal-coverage", {"bank_id": 3, "roles": FUSED})]
    assert _states(_execute(files, entry_count=2))[0] == ("executable", [[0, 2]])
    lacking = _execute(files, "gpt-oss-expert-v1")
    assert [each["state"] for each in lacking["role_sets"]] == ["blocked", "blocked"]
    assert _reasons(lacking) == [_missing("bias", "absent")]


def test_an_incompatible_set_is_closer_than_a_blocked_one(bank, schema):
    """A set that lacks no role is the closest, the earlier of two such."""
    files = [
        bank(*(schema(role) for role in SPLIT), held=(0, 2)),
        bank(schema("gate"), schema("up"), held=(2, 2)),
    ]
    assert _reasons(_execute(files)) == [("unequal-coverage", {"bank_id": 3, "roles": SPLIT})]


@pytest.mark.parametrize("programme", ["gated-mlp-v2", "", "0", "Gated-MLP-v1"])
def test_execute_of_an_unknown_programme(bank, schema, programme):
    """A programme is known by its exact string."""
    answer = _execute(bank(*(schema(role) for role in FUSED)), programme)
    assert _reasons(answer) == [("unknown-programme", {"programme": programme})]
    assert answer["role_sets"] == []


def test_execute_over_a_layout_that_is_not_said(bank, schema):
    """gate_up_fused without a layout is refused, unless another set can run."""
    path = bank(schema("gate_up_fused", layout=9), schema("down"))
    answer = _execute(path)
    assert _reasons(answer) == [_unsupported("execute", 0, "gate_up_fused", "layout", 9)]
    assert _states(answer)[0] == ("blocked", [])
    both = bank(schema("gate_up_fused", layout=9), *(schema(role) for role in SPLIT))
    assert _states(_execute(both)) == [("blocked", []), ("executable", [[0, 4]])]
    halves = bank(*(schema(role) for role in FUSED))
    assert _reasons(_execute(halves, supports={"layouts": ["interleaved"]})) == [
        _unsupported("execute", 0, "gate_up_fused", "layout", "contiguous_halves")
    ]


def test_execute_on_a_bank_that_no_file_has(bank, schema):
    """Every role is absent then."""
    answer = _ask(bank(schema("down")), "execute", bank_id=8, programme="gated-mlp-fused-fc1-v1")
    assert [names["reason"] for _, names in _reasons(answer)] == ["absent", "absent"]


def test_the_answer_of_the_text(layer, dense, put):
    """The example of section 10: a bank that lacks down, as the text gives it."""
    path = layer(put(dense, {102: "04"})).path
    assert _ask(path, "execute", bank_id=0, programme="gated-mlp-v1") == {
        "operation": "execute",
        "verdict": "refused",
        "reasons": [
            {
                "kind": "missing-operand",
                "names": {"object": 0, "operand": "down", "layer": 3, "segment": None, "reason": "absent"},
            }
        ],
        "role_sets": [
            {"roles": ["gate_up_fused", "down"], "state": "blocked", "covered": []},
            {"roles": ["gate", "up", "down"], "state": "blocked", "covered": []},
        ],
    }
