"""Real containers: what another program of the format wrote, and damaged copies of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.real.waste_containers import GOOD, good
from vindex3_fixtures.waste.observation import opened
from vindex3_suites.waste.arrays import Digested
from vindex3_suites.waste.models import exact
from vindex3_suites.waste.records import RECORD, UNCACHED
from vindex3_suites.waste.tensors import TENSOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.real.waste_containers import RealArray, RealWaste

NAMES = dict(zip(GOOD, GOOD, strict=True))


def opened_real(real: RealWaste) -> dict[str, Any]:
    """The answer of waste.open for a good container."""
    return opened(real.manifest, len(real.files["codebooks.bin"]))


def _digested(recorded: RealArray) -> Digested:
    return Digested(recorded.shape, recorded.sha256)


@clause("WASTE-DIR-01")
@cases(NAMES)
def test_a_real_container_opens(ask: Ask, case: str) -> None:
    """A real container is described as its manifest says."""
    real = good(case)
    check(
        "WASTE-DIR-01", ask("waste.open", path=ask.file(case, real.folder)), answers(exact(opened_real(real)))
    )


def header(recorded: Mapping[str, Any], layer: int) -> dict[str, Any]:
    """A recorded header as waste.record shows it."""
    same = ("fmt", "flags", "codebook_id", "lowrank_id", "gate_off", "up_off", "down_off", "correction_off")
    return {
        "magic": "57455850",
        "layer": layer,
        "expert_id": recorded["expert"],
        "record_4k_blocks": recorded["rec_4k_blocks"],
        "crc32": int(recorded["crc32"], 16),
        **{key: recorded[key] for key in same},
    }


@clause("RECORD-HEADER-01", "RECORD-SERVE-01", "CRC-RANGE-01")
@cases(NAMES)
def test_real_records_are_served(ask: Ask, case: str) -> None:
    """Every real record has the recorded header, is served whole, and verifies."""
    real = good(case)
    path = ask.file(case, real.folder)
    for (layer, expert), recorded in real.headers.items():
        start = recorded["file_offset"]
        data = real.files[f"experts-L{layer}.bin"][start : start + 4096 * recorded["rec_4k_blocks"]]
        told = answers(header=header(recorded, layer), data=data, mode=UNCACHED)
        reply = ask(RECORD, path=path, layer=layer, expert=expert, verify=True)
        for clause_id in ("RECORD-HEADER-01", "RECORD-SERVE-01", "CRC-RANGE-01"):
            check(clause_id, reply, told)


@clause("CODEBOOK-NUMBER-01", "VQ-DECODE-09")
@cases(NAMES)
def test_real_matrices_have_their_digests(ask: Ask, case: str) -> None:
    """Matrices of a real container, all in the long profile, decode to numbers of the recorded digest."""
    real = good(case)
    path = ask.file(case, real.folder)
    last = max(expert for _, expert, _ in real.matrices)
    for (layer, expert, kind), recorded in real.matrices.items():
        if 1 < expert < last and ask.settings.profile != "soak":
            continue
        reply = ask("waste.matrix", path=path, layer=layer, expert=expert, matrix=kind)
        for clause_id in ("CODEBOOK-NUMBER-01", "VQ-DECODE-09"):
            check(clause_id, reply, _digested(recorded))


@clause("TRUNK-SHAPE-02", "TRUNK-GROUP-02", "TRUNK-F32-01")
@cases(NAMES)
def test_real_tensors_have_their_digests(ask: Ask, case: str) -> None:
    """Tensors of a real container, all in the long profile, decode to the recorded digest."""
    real = good(case)
    path = ask.file(case, real.folder)
    for entry in real.manifest["trunk"]:
        name, recorded = entry["name"], real.tensors[entry["name"]]
        usual = entry["fmt"] == 0 and len(entry["shape"]) == 2
        if usual and ".layers.0." not in name and ask.settings.profile != "soak":
            continue
        reply = ask(TENSOR, path=path, name=name)
        for clause_id in ("TRUNK-SHAPE-02", "TRUNK-GROUP-02", "TRUNK-F32-01"):
            check(clause_id, reply, _digested(recorded))


@clause("WASTE-VERIFY-03")
@cases(NAMES)
def test_real_containers_are_sound(ask: Ask, case: str) -> None:
    """Verification reads every record of a real container and finds no defect."""
    real = good(case)
    reply = ask("waste.verify", path=ask.file(case, real.folder))
    check("WASTE-VERIFY-03", reply, answers(records_checked=len(real.headers), defects=[]))
