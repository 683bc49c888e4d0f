"""Helpers of the reference's tests: files typed by hand, refusals as values, little memory."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from vindex3_reference import adapter
from vindex3_reference.lyrw import verbs
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

# One dense bank of one entry: gate, up and down in f32 (lyrw.md, section 11).
DENSE = """
4C 59 52 57  02 00 00 00  03 00 00 00  01 00  01 00  00 00 00 00  00 00 00 00
00 00  00 00  03 00  01 00  01 00 00 00  03 00 00 00  02 00 00 00  01 00 00 00
00 00  00 00  00 00 00 00  01 00 00 00
00 00  00 00  00 00  00 00  FF FF  00 00  02 00 00 00  03 00 00 00
01 00  01 00  00 00  00 00  FF FF  00 00  02 00 00 00  03 00 00 00
02 00  03 00  00 00  00 00  FF FF  00 00  01 00 00 00  02 00 00 00
C0 00 00 00 00 00 00 00  18 00 00 00 00 00 00 00
00 01 00 00 00 00 00 00  18 00 00 00 00 00 00 00
40 01 00 00 00 00 00 00  08 00 00 00 00 00 00 00
"""
DENSE_REGIONS = {
    192: "00 00 80 3F 00 00 00 40 00 00 40 40 00 00 80 40 00 00 A0 40 00 00 C0 40",
    256: "00 00 00 3F 00 00 80 BF 00 00 80 3E 00 00 00 00 00 00 C0 3F 00 00 00 C0",
    320: "00 00 E0 40 00 00 00 41",
}

# The second file of a split layer: entries 2 and 3 of a routed bank of 4 (lyrw.md, section 11).
SPLIT = """
4C 59 52 57  02 00 00 00  0C 00 00 00  01 00  01 00  01 00 00 00  00 00 00 00
07 00  01 00  02 00  02 00  04 00 00 00  02 00 00 00  02 00 00 00  02 00 00 00
07 00  01 00  02 00 00 00  02 00 00 00
00 00  02 00  01 00  00 00  FF FF  02 00  04 00 00 00  02 00 00 00
01 00  03 00  01 00  00 00  FF FF  00 00  02 00 00 00  02 00 00 00
C0 00 00 00 00 00 00 00  10 00 00 00 00 00 00 00
00 01 00 00 00 00 00 00  08 00 00 00 00 00 00 00
40 01 00 00 00 00 00 00  10 00 00 00 00 00 00 00
80 01 00 00 00 00 00 00  08 00 00 00 00 00 00 00
"""
SPLIT_REGIONS = {
    192: "00 3C 00 40 00 42 00 44 00 45 00 46 00 47 00 48",
    256: "00 38 00 BC 00 00 00 34",
    320: "80 48 00 49 80 49 00 4A 80 4A 00 4B 80 4B 00 4C",
    384: "00 B8 00 3C 00 40 00 C0",
}

# Two banks in one file, three segments that are declared in another order than banks and entries:
# bank 5 has values before scales, scales before values, and crossed pair numbers 1 and 0;
# bank 9 has the pair numbers once more. Tables end at 24 + 48 + 36 + 140 + 240 = 488.
PAIRS = """
4C 59 52 57  02 00 00 00  01 00 00 00  02 00  03 00  00 00 00 00  00 00 00 00
05 00  01 00  04 00  00 00  04 00 00 00  20 00 00 00  20 00 00 00  20 00 00 00
09 00  02 00  03 00  00 00  01 00 00 00  20 00 00 00  20 00 00 00  20 00 00 00
05 00  00 00  02 00 00 00  02 00 00 00
09 00  00 00  00 00 00 00  01 00 00 00
05 00  01 00  00 00 00 00  01 00 00 00
00 00  02 00  08 00  02 00  01 00  02 00  40 00 00 00  20 00 00 00
01 00  05 00  08 00  03 00  00 00  00 00  20 00 00 00  20 00 00 00
02 00  03 00  08 00  02 00  00 00  00 00  20 00 00 00  20 00 00 00
03 00  05 00  08 00  03 00  01 00  00 00  40 00 00 00  20 00 00 00
00 00  03 00  08 00  02 00  01 00  00 00  20 00 00 00  20 00 00 00
01 00  05 00  08 00  03 00  01 00  00 00  20 00 00 00  20 00 00 00
02 00  04 00  00 00  00 00  FF FF  00 00  01 00 00 00  20 00 00 00
"""
# Rows as (offset, length), table by table: bank 5 entries 2 and 3, bank 9 entry 0, bank 5 entry 0.
PAIRS_ROWS = [
    (576, 1), (640, 2), (704, 3), (768, 4), (832, 5), (896, 6), (960, 7), (1024, 8),
    (1088, 9), (1152, 10), (1216, 11),
    (1280, 12), (1344, 13), (1408, 14), (1472, 15),
]  # fmt: skip


def typed(tables: str, regions: Mapping[int, str] | None = None) -> bytes:
    """Bytes out of hexadecimal text, with regions at their offsets and zeros between."""
    data = bytearray.fromhex(tables)
    for offset, text in sorted((regions or {}).items()):
        data += bytes(offset - len(data)) + bytes.fromhex(text)
    return bytes(data)


def _refusal(call: Callable[..., object], *arguments: object, **named: object) -> tuple[str, dict[str, Any]]:
    with pytest.raises(Refusal) as caught:
        call(*arguments, **named)
    return caught.value.kind, caught.value.names


@pytest.fixture
def refusal() -> Callable[..., tuple[str, dict[str, Any]]]:
    """Kind and facts of the refusal that a call must end in."""
    return _refusal


@pytest.fixture
def dense() -> bytes:
    """The first worked file, 328 bytes."""
    return typed(DENSE, DENSE_REGIONS)


@pytest.fixture
def split() -> bytes:
    """The second worked file, 392 bytes."""
    return typed(SPLIT, SPLIT_REGIONS)


@pytest.fixture
def pairs() -> bytes:
    """The file of `PAIRS`: a region of n bytes holds the byte n."""
    rows = b"".join(
        offset.to_bytes(8, "little") + length.to_bytes(8, "little") for offset, length in PAIRS_ROWS
    )
    data = bytes.fromhex(PAIRS) + rows
    for offset, length in PAIRS_ROWS:
        data = data.ljust(offset, b"\0") + bytes([length]) * length
    return data


@pytest.fixture
def plans() -> ModuleType:
    """The module `plans.py` beside this one, which no test can import by name."""
    spec = importlib.util.spec_from_file_location("plans", Path(__file__).with_name("plans.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def put() -> Callable[[bytes, Mapping[int, str]], bytes]:
    """The data with other bytes, written in hexadecimal, at some offsets."""

    def change(data: bytes, pieces: Mapping[int, str]) -> bytes:
        changed = bytearray(data)
        for offset, text in pieces.items():
            piece = bytes.fromhex(text)
            changed[offset : offset + len(piece)] = piece
        assert len(changed) == len(data)
        return bytes(changed)

    return change


class Layer:
    """One layer file on disk and the three questions about it."""

    def __init__(self, path: Path, data: bytes) -> None:
        path.write_bytes(data)
        self.path = str(path)

    def parse(self) -> Any:
        """Ask lyrw.parse."""
        return adapter.lyrw_parse(path=self.path)

    def region(self, bank_id: int, entry: int, schema_index: int | None = None, **more: Any) -> Any:
        """Ask lyrw.region."""
        return adapter.lyrw_region(
            path=self.path, bank_id=bank_id, entry=entry, schema_index=schema_index, **more
        )

    def partner(self, bank_id: int, entry: int, schema_index: int, **more: Any) -> Any:
        """Ask lyrw.partner."""
        return adapter.lyrw_partner(
            path=self.path, bank_id=bank_id, entry=entry, schema_index=schema_index, **more
        )


@pytest.fixture
def layer(tmp_path: Path) -> Callable[[bytes], Layer]:
    """Put bytes into a file of their own and ask about them."""
    count = iter(range(1_000_000))

    def write(data: bytes) -> Layer:
        return Layer(tmp_path / f"{next(count)}.lyrw", data)

    return write


@pytest.fixture
def verify(layer) -> Callable[[bytes], list[tuple[str, dict[str, Any]]]]:
    """Kind and names of each defect of a file with these bytes."""

    def defects(data: bytes) -> list[tuple[str, dict[str, Any]]]:
        answer = verbs.lyrw_verify(path=layer(data).path)
        assert set(answer) == {"defects"}
        return [(defect["kind"], defect["names"]) for defect in answer["defects"]]

    return defects


_BOUNDED = """
import resource, sys
{prepare}
data = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (data * 1024 + {allowance},) * 2)
{body}
"""


@pytest.fixture
def bounded() -> Callable[..., str]:
    """What a script prints when its `body` may take `allowance` bytes more than `prepare` left it with."""

    def run(prepare: str, body: str, *arguments: str, allowance: int) -> str:
        script = _BOUNDED.format(prepare=prepare, body=body, allowance=allowance)
        result = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What limits the memory of a process is marked, for where there is none to spare."""
    for item in items:
        if "bounded" in getattr(item, "fixturenames", ()):
            item.add_marker("memory")
