"""Real containers: what they decode to, and what becomes of their damaged copies."""

from __future__ import annotations

import hashlib

import pytest

from vindex3_fixtures.real.waste_containers import GOOD, damaged, good, verdicts
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.verbs import waste_matrix, waste_open, waste_record, waste_tensor, waste_verify

SOUND = {
    "h09", "h26", "q31", "c45", "r40", "r43", "j14", "u03", "u06",
}  # fmt: skip
"""Copies that are as good as their base: what was changed describes only, is ignored or is not judged."""
VERIFIED = {"h23": ["region-gap", "checksum-mismatch"], "p01": ["checksum-mismatch"]}
"""Copies that are served as long as nobody compares checksums, with their defects."""
RECORDS = {
    "h01": "bad-magic", "h04": "record-identity", "h07": "record-length", "h12": "unsupported-feature",
    "h14": "codebook-mismatch", "h17": "record-offsets", "h20": "record-offsets", "h24b": "record-offsets",
    "p04": "bad-magic", "l10": "codebook-mismatch",
}  # fmt: skip
"""Copies of which a record is refused."""
REFUSED = {
    "t02": "truncated", "t05": "trailing-bytes", "t07": "partial-codebook", "t09b": "out-of-range",
    "t11": "extent-out-of-file", "t13": "missing-file", "m02": "unknown-version", "m05": "unknown-version",
    "m07b": "unknown-version", "q02": "out-of-range", "q05": "out-of-range", "q08": "unsupported-packing",
    "q20": "missing-field", "q25": "bad-stride", "q28": "unsupported-index-block", "c01": "out-of-range",
    "c04": "bad-type", "c07": "out-of-range", "c10": "out-of-range", "c13": "out-of-range",
    "c16": "out-of-range", "c19": "out-of-range", "c22": "out-of-range", "c25": "bad-stride",
    "c28": "out-of-range", "c31": "out-of-range", "c34": "out-of-range", "c37": "out-of-range",
    "c42": "missing-field", "l03": "out-of-range", "l06": "bad-stride", "l07b": "truncated",
    "l13": "path-escape", "l15": "missing-field", "l18": "bad-type", "r01": "out-of-range",
    "r04": "extent-out-of-file", "r07": "extent-out-of-file", "r10": "extent-out-of-file", "r13": "bad-type",
    "r16": "extent-out-of-file", "r19": "out-of-range", "r22": "shape-mismatch", "r25": "unknown-format",
    "r28": "shape-mismatch", "r31": "extent-out-of-file", "r34": "shape-mismatch", "r46": "bad-type",
    "j02": "duplicate-key", "j05": "malformed-json", "j08": "malformed-json", "j11": "malformed-json",
    "j17": "nesting-too-deep", "j20": "malformed-json", "j23": "malformed-json", "j26": "malformed-json",
    "j29": "malformed-json", "j32": "malformed-json", "j35": "malformed-json",
}  # fmt: skip
"""Copies that do not open."""


@pytest.fixture
def path(tmp_path):
    def write(folder):
        target = tmp_path / "real.waste"
        folder.write_to(target)
        return str(target)

    return write


def records(path, verify):
    """Read every record; gives the kinds of refusals."""
    kinds = []
    for layer, bank in waste_open(path=path)["layers"].items():
        for expert in range(bank["experts"]):
            try:
                waste_record(path=path, layer=int(layer), expert=expert, verify=verify)
            except Refusal as refusal:
                kinds.append(refusal.kind)
    return set(kinds)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_container_decodes_to_its_digests(path, name):
    """Headers, all matrices of all experts and all tensors are what was recorded; nothing is defective."""
    real = good(name)
    at = path(real.folder)
    for (layer, expert), row in real.headers.items():
        header = waste_record(path=at, layer=layer, expert=expert, verify=True)["header"]
        assert header["crc32"] == int(row["crc32"], 16)
        assert (header["up_off"], header["correction_off"]) == (row["up_off"], row["correction_off"])
    for (layer, expert, kind), recorded in real.matrices.items():
        weights = waste_matrix(path=at, layer=layer, expert=expert, matrix=kind)
        assert (weights.shape, hashlib.sha256(weights.tobytes()).hexdigest()) == (
            recorded.shape,
            recorded.sha256,
        )
    for tensor, recorded in real.tensors.items():
        values = waste_tensor(path=at, name=tensor)
        assert (values.shape, hashlib.sha256(values.tobytes()).hexdigest()) == (
            recorded.shape,
            recorded.sha256,
        )
    assert waste_verify(path=at) == {"records_checked": len(real.headers), "defects": []}


@pytest.mark.parametrize("damage", sorted(SOUND))
def test_a_copy_that_is_as_good(path, damage):
    """It opens, every record is served verified, and no defect is listed."""
    at = path(damaged(damage, "real.waste"))
    assert records(at, verify=True) == set()
    assert waste_verify(path=at)["defects"] == []


@pytest.mark.parametrize(("damage", "kinds"), VERIFIED.items())
def test_a_copy_whose_payload_is_wrong(path, damage, kinds):
    """It is served unverified, refused verified, and its defects are listed."""
    at = path(damaged(damage, "real.waste"))
    assert records(at, verify=False) == set()
    assert records(at, verify=True) == {"checksum-mismatch"}
    assert [defect["kind"] for defect in waste_verify(path=at)["defects"]] == kinds


@pytest.mark.parametrize(("damage", "kind"), RECORDS.items())
def test_a_copy_whose_record_is_wrong(path, damage, kind):
    """It opens; the record is refused with checksums and without, and listed."""
    at = path(damaged(damage, "real.waste"))
    assert records(at, verify=False) == records(at, verify=True) == {kind}
    assert {defect["kind"] for defect in waste_verify(path=at)["defects"]} == {kind}


@pytest.mark.parametrize(("damage", "kind"), REFUSED.items())
def test_a_copy_that_does_not_open(path, refusal, damage, kind):
    """It is refused for what is wrong, by verification too."""
    at = path(damaged(damage, "real.waste"))
    assert refusal(waste_open, path=at)[0] == kind
    assert refusal(waste_verify, path=at)[0] == kind


def test_every_recorded_damage_is_judged():
    """Each copy has its place in one of the tables above."""
    tables = [SOUND, set(VERIFIED), set(RECORDS), set(REFUSED)]
    assert sum(map(len, tables)) == len(set().union(*tables))
    assert set().union(*tables) == set(verdicts())
