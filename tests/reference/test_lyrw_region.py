"""Where a region is found: by bank, entry and schema or role, through its row and nothing else."""

from __future__ import annotations

import pytest

# The first row of each entry table of the file with pairs: bank 5 entries 2 and 3, bank 9, bank 5 entry 0.
FIRST_TABLE, SECOND_TABLE, THIRD_TABLE = 248, 376, 424


@pytest.mark.parametrize(
    ("bank_id", "entry", "schema_index", "offset", "length"),
    [
        (5, 2, 0, 576, 1),
        (5, 2, 1, 640, 2),
        (5, 2, 3, 768, 4),
        (5, 3, 0, 832, 5),
        (5, 3, 2, 960, 7),
        (9, 0, 0, 1088, 9),
        (9, 0, 2, 1216, 11),
        (5, 0, 0, 1280, 12),
        (5, 0, 3, 1472, 15),
    ],
)
def test_rows_are_entry_major_in_the_table_of_their_segment(
    layer, pairs, bank_id, entry, schema_index, offset, length
):
    """Each segment's table follows the one declared before it, with the stride of its own bank."""
    answer = layer(pairs).region(bank_id, entry, schema_index)
    assert answer == {"offset": offset, "length": length, "data": bytes([length]) * length}


@pytest.mark.parametrize(
    ("bank_id", "entry", "schema_index"),
    [(0, 0, 0), (6, 0, 0), (-1, 0, 0), (5, 1, 0), (5, 4, 0), (5, -1, 0), (5, 0, 4), (5, 0, -1), (9, 0, 3)],
)
def test_what_the_file_does_not_hold_is_absent(layer, pairs, bank_id, entry, schema_index):
    """A bank, entry or schema that is not here is absent, and so is its partner."""
    file = layer(pairs)
    assert file.region(bank_id, entry, schema_index) == {"absent": True}
    assert file.partner(bank_id, entry, schema_index) == {"absent": True}


@pytest.mark.parametrize("role", ["down", 3])
def test_a_role_is_asked_by_word_or_number(layer, pairs, role):
    """A role that one schema carries gives the region of that schema."""
    file = layer(pairs)
    assert file.region(5, 3, role=role) == file.region(5, 3, 2)
    assert file.region(5, 3, 0, role=role) == file.region(5, 3, 0)


@pytest.mark.parametrize("role", ["gate", 0, 300, "no role at all"])
def test_a_role_that_no_schema_has_is_absent(layer, pairs, role):
    """A role without a schema is absent, known or not."""
    assert layer(pairs).region(5, 2, role=role) == {"absent": True}


def test_an_unknown_role_is_found_by_its_number(layer, dense, put):
    """A role that no vocabulary names is asked by its integer."""
    file = layer(put(dense, {62: "2C 01"}))
    assert file.region(0, 0, role=300)["offset"] == 192


@pytest.mark.parametrize("role", ["scales", 5])
def test_a_role_of_several_schemas_is_ambiguous(layer, pairs, refusal, role):
    """Several schemas of one role are told apart by index alone; an absent entry stays absent."""
    file = layer(pairs)
    assert refusal(file.region, 5, 2, role=role) == (
        "ambiguous-role",
        {"bank_id": 5, "role": "scales", "count": 2},
    )
    assert file.region(5, 2, 1)["length"] == 2
    assert file.region(5, 2, 3)["length"] == 4
    assert file.region(5, 1, role=role) == {"absent": True}


def test_a_region_needs_an_index_or_a_role(layer, pairs, refusal):
    """A question without schema_index and role is refused."""
    assert refusal(layer(pairs).region, 5, 2)[0] == "missing-field"


def test_a_row_that_is_cut_is_truncated(layer, pairs, refusal):
    """A row of which one byte is missing is refused, and named by the offset where it begins."""
    last = THIRD_TABLE + 3 * 16
    for length, have in ((last + 15, 15), (last + 1, 1), (last, 0), (last - 40, 0)):
        names = {"what": "entry table", "at": last, "need": 16, "have": have}
        assert refusal(layer(pairs[:length]).region, 5, 0, 3) == ("truncated", names)
    kind, names = refusal(layer(pairs[: last + 16]).region, 5, 0, 3)
    assert (kind, names["file_length"]) == ("region-out-of-bounds", last + 16)


def _row(offset: int, length: int) -> str:
    return offset.to_bytes(8, "little").hex() + length.to_bytes(8, "little").hex()


@pytest.mark.parametrize(
    ("offset", "length"),
    [
        (1472, 16),
        (1487, 1),
        (1488, 0),
        (1486, 2),
        (2**64 - 64, 128),
        (2**64 - 1, 2**64 - 1),
        (0, 2**64 - 1),
        (64, 2**63),
        (2**32 + 576, 1),
    ],
)
def test_a_region_past_the_end_is_refused(layer, pairs, put, refusal, offset, length):
    """A row that leaves the file is refused with all its coordinates; no sum wraps, nothing is reserved."""
    file = layer(put(pairs, {FIRST_TABLE + 5 * 16: _row(offset, length)}))
    assert len(pairs) == 1487
    assert refusal(file.region, 5, 3, 1) == (
        "region-out-of-bounds",
        {
            "bank_id": 5,
            "entry": 3,
            "schema_index": 1,
            "role": "scales",
            "offset": offset,
            "length": length,
            "file_length": 1487,
        },
    )
    assert refusal(file.partner, 5, 3, 2)[0] == "region-out-of-bounds"
    assert file.region(5, 3, 0)["data"] == bytes([5]) * 5


@pytest.mark.parametrize(
    ("offset", "length"), [(1472, 15), (1487, 0), (1486, 1), (0, 4), (577, 1), (576, 64), (0, 0), (0, 1487)]
)
def test_exactly_the_declared_bytes_are_given(layer, pairs, put, offset, length):
    """Within the file the row alone decides: over the tables, misaligned, overlapping, empty or whole."""
    data = put(pairs, {FIRST_TABLE: _row(offset, length)})
    expected = {"offset": offset, "length": length, "data": data[offset : offset + length]}
    assert layer(data).region(5, 2, 0) == expected


@pytest.mark.parametrize(
    ("schema_index", "partner", "pair_id"),
    [(0, 3, 1), (2, 1, 0)],
)
def test_partners_share_a_number(layer, pairs, schema_index, partner, pair_id):
    """The scales of a values schema carry its number, whatever its index and order, in the same bank."""
    file = layer(pairs)
    region = file.region(5, 3, partner)
    assert file.partner(5, 3, schema_index) == {
        "schema_index": partner,
        "pair_id": pair_id,
        "offset": region["offset"],
        "length": region["length"],
    }
    assert file.partner(5, 3, schema_index, partner_role=5)["schema_index"] == partner


def test_the_other_direction_is_asked_by_role(layer, pairs):
    """The values of a scales schema are found when their role is asked for."""
    file = layer(pairs)
    assert file.partner(5, 2, 3, partner_role="gate_up_fused")["schema_index"] == 0
    assert file.partner(5, 2, 1, partner_role="down")["schema_index"] == 2


def test_two_values_schemas_may_share_their_scales(layer, pairs, put):
    """Both values schemas of one number have the one scales schema of that number."""
    shared = put(pairs, {108 + 2 * 20 + 8: "01 00", 108 + 1 * 20 + 8: "09 00"})
    file = layer(shared)
    assert [file.partner(5, 2, index)["schema_index"] for index in (0, 2)] == [3, 3]


def test_a_schema_without_a_number_has_no_partner(layer, pairs, refusal):
    """0xFFFF says unpaired."""
    assert refusal(layer(pairs).partner, 9, 0, 2) == ("not-paired", {"bank_id": 9, "schema_index": 2})


@pytest.mark.parametrize(
    ("schema_index", "role", "shown"),
    [(3, "scales", "scales"), (0, "up", "up"), (0, 1, "up"), (0, 300, 300), (0, "nonsense", "nonsense")],
)
def test_a_number_that_nobody_shares_is_missing(layer, pairs, refusal, schema_index, role, shown):
    """No other schema is offered instead: neither itself, nor another role, nor another bank."""
    assert refusal(layer(pairs).partner, 5, 2, schema_index, partner_role=role) == (
        "missing-partner",
        {"bank_id": 5, "schema_index": schema_index, "pair_id": 1, "partner_role": shown},
    )


def test_a_number_that_several_share_is_ambiguous(layer, pairs, put, refusal):
    """Two scales schemas of one number cannot be told apart."""
    file = layer(put(pairs, {108 + 1 * 20 + 8: "01 00"}))
    assert refusal(file.partner, 5, 2, 0) == (
        "ambiguous-partner",
        {"bank_id": 5, "pair_id": 1, "partner_role": "scales", "count": 2},
    )
    assert refusal(file.partner, 5, 2, 2)[0] == "missing-partner"


def test_of_two_banks_with_one_id_the_first_answers(layer, pairs, put):
    """A repeated bank_id stands for the bank declared first, its schemas and its stride."""
    file = layer(put(pairs, {48: "05 00", 84: "05 00"}))
    observation = file.parse()
    assert [bank["bank_id"] for bank in observation["banks"]] == [5, 5]
    assert observation["table_bytes"] == 24 + 48 + 36 + 140 + 16 * 16
    assert file.region(5, 2, 3)["offset"] == 768


def test_of_two_segments_over_one_entry_the_first_answers(layer, pairs, put):
    """Where segments overlap, the row comes from the one declared first."""
    file = layer(put(pairs, {100: "03 00 00 00"}))
    assert file.region(5, 3, 0) == {"offset": 832, "length": 5, "data": bytes([5]) * 5}
    assert file.region(5, 0, 0) == {"absent": True}
