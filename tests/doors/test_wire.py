"""What travels on the pipe arrives as it was, and nothing is taken for what it is not."""

from __future__ import annotations

import json
import math
import os
import struct
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np
import pytest

from pytest_vindex3.contract.scratch import Scratch, ScratchError
from pytest_vindex3.contract.slots import Blob, Document, FloatArray
from pytest_vindex3.contract.wire import INLINE, Unfit, from_line, resolved, to_line


class Inner(TypedDict):
    """Bytes beside a stored document."""

    data: NotRequired[Blob | None]
    document: Document


class Outer(TypedDict):
    """Every slot that has a form, in every kind of container."""

    items: list[Inner]
    named: dict[str, float]
    array: FloatArray
    pair: tuple[int, Blob]


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return Scratch(folder, "test")


def travelled(value: Any, annotation: Any, scratch: Scratch) -> Any:
    return resolved(annotation, from_line(to_line({"answer": value}, scratch))["answer"], scratch)  # type: ignore[index]


@pytest.mark.parametrize("length", [0, 3, INLINE, INLINE + 1])
def test_bytes(scratch: Scratch, length: int) -> None:
    """Bytes travel inside the line up to 64 KiB and as a file above; the file is gone once it is read."""
    data = bytes(i % 256 for i in range(length))
    line = to_line({"answer": data}, scratch)
    assert (b'"base64"' in line) == (length <= 65536)
    assert len(list(scratch.folder.iterdir())) == (length > 65536)
    assert resolved(Blob, from_line(line)["answer"], scratch) == data  # type: ignore[index]
    assert not list(scratch.folder.iterdir())


def test_form() -> None:
    """The forms are those that are published: standard base64, shape and dtype by name."""
    array = np.array([[1.0, -2.0]], np.float32)
    scratch = Scratch(Path("unused"), "test")
    assert json.loads(to_line({"a": b"\xfb\xff", "b": array}, scratch)) == {
        "a": {"base64": "+/8="},
        "b": {"dtype": "float32", "shape": [1, 2], "data": {"base64": "AACAPwAAAMA="}},
    }


def test_stored_document(scratch: Scratch) -> None:
    """A stored document that looks like bytes stays as it is; the slot beside it becomes bytes."""
    document = {"base64": "AAAA", "deep": [{"file": "x"}, {"dtype": "float32", "shape": [], "data": {}}]}
    value = {"items": [{"data": b"\0", "document": document}, {"data": None, "document": {"base64": "!"}}]}
    assert travelled(value, Outer, scratch) == value


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)])
def test_arrays(scratch: Scratch, dtype: Any, shape: tuple[int, ...]) -> None:
    """Arrays keep shape, type and every bit, whatever their order in memory."""
    bits = np.arange(math.prod(shape) * 8, dtype=np.uint8).view(np.dtype(dtype))[: math.prod(shape)]
    array = np.asfortranarray(bits.reshape(shape))
    found = travelled({"array": array}, Outer, scratch)["array"]
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.shape == array.shape
    assert found.tobytes() == array.astype(found.dtype, order="C").tobytes()


@pytest.mark.parametrize(
    "bits", [0, 1 << 63, 1, 0x3FB999999999999A, 0x7FEFFFFFFFFFFFFF, 0x7FF << 52, 0xFFF << 52, 0x3FF << 52]
)
def test_real_numbers(scratch: Scratch, bits: int) -> None:
    """Real numbers keep their bits: the sign of zero, subnormal ones and infinities too."""
    [value] = struct.unpack("<d", struct.pack("<Q", bits))
    found = travelled({"named": {"x": value}}, Outer, scratch)["named"]["x"]
    assert struct.pack("<d", found) == struct.pack("<d", value)


def test_nan(scratch: Scratch) -> None:
    """NaN travels as NaN in a slot for real numbers, and its spelling stays a string elsewhere."""
    assert math.isnan(travelled({"named": {"x": math.nan}}, Outer, scratch)["named"]["x"])
    assert travelled("NaN", float | str, scratch) == "NaN"
    assert travelled("NaN", Document, scratch) == "NaN"


@pytest.mark.parametrize("value", [0, -1, 2**64, -(2**200), True, False, None, "", "\ud800\0é", "1", 1.0])
def test_plain(scratch: Scratch, value: object) -> None:
    """Plain values keep value and type: integers of any size, 1.0 apart from 1 and true, any string."""
    found = travelled(value, object, scratch)
    assert (type(found), found) == (type(value), value)


def test_pair(scratch: Scratch) -> None:
    """The items of a pair are read by their own types."""
    assert travelled({"pair": [1, b"x"]}, Outer, scratch) == {"pair": [1, b"x"]}


@pytest.mark.parametrize(
    ("form", "where", "found"),
    [
        ({"base64": "AAA"}, "data.base64", "'AAA'"),
        ({"base64": "A A="}, "data.base64", "'A A='"),
        ({"base64": "é==="}, "data.base64", "not ASCII"),
        ({"base64": 1}, "data.base64", "int"),
        ({"base64": "", "file": "x"}, "data", "base64, file"),
        ({"file": "absent"}, "data.file", "No such file"),
        ({"file": "../outside"}, "data.file", "plain file name"),
        ({"file": "/etc/hostname"}, "data.file", "plain file name"),
        ({"file": "a\0b"}, "data.file", "plain file name"),
        ({"file": ""}, "data.file", "plain file name"),
        ({"file": ".."}, "data.file", "plain file name"),
        ({"file": "x" * 300}, "data.file", "name too long"),
        ({"file": "\ud800"}, "data.file", "surrogates"),
    ],
)
def test_unfit_bytes(scratch: Scratch, form: object, where: str, found: str) -> None:
    """A form of bytes that cannot be read is a misfit that names its place."""
    (scratch.folder.parent / "outside").write_bytes(b"secret")
    with pytest.raises(Unfit) as caught:
        resolved(Inner, {"data": form}, scratch)
    assert caught.value.where == where
    assert found.lower() in caught.value.found.lower()


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"dtype": "int32"}, "array.dtype"),
        ({"dtype": ["float32"]}, "array.dtype"),
        ({"shape": [-1]}, "array.shape"),
        ({"shape": [True]}, "array.shape"),
        ({"shape": 1}, "array.shape"),
        ({"shape": [2]}, "array"),
        ({"shape": [1 << 62, 1 << 62]}, "array"),
        ({"shape": [1] * 1000}, "array"),
        ({"shape": [1 << 100]}, "array"),
        ({"shape": [0, 1 << 63], "data": {"base64": ""}}, "array"),
        ({"data": "AACAPw=="}, "array.data"),
        ({"data": {"base64": "?"}}, "array.data.base64"),
        ({"order": "F"}, "array"),
    ],
)
def test_unfit_arrays(scratch: Scratch, change: dict[str, object], where: str) -> None:
    """A form of an array whose parts do not fit each other is a misfit that names the part."""
    form = {"dtype": "float32", "shape": [1], "data": {"base64": "AACAPw=="}} | change
    with pytest.raises(Unfit) as caught:
        resolved(Outer, {"array": form}, scratch)
    assert caught.value.where == where


def test_links_are_not_followed(scratch: Scratch) -> None:
    """A link, a folder and a FIFO in scratch are no files of it, and hold nothing up."""
    secret = scratch.folder.parent / "secret"
    secret.write_bytes(b"secret")
    (scratch.folder / "link").symlink_to(secret)
    (scratch.folder / "folder").mkdir()
    os.mkfifo(scratch.folder / "fifo")
    for name in ("link", "folder", "fifo"):
        with pytest.raises(ScratchError):
            scratch.take(name)
    scratch.empty()
    assert secret.read_bytes() == b"secret"
    assert not list(scratch.folder.iterdir())


def test_folder_replaced(scratch: Scratch) -> None:
    """A link in the place of the scratch folder is not followed: nothing is read or removed through it."""
    other = scratch.folder.parent / "other"
    other.mkdir()
    (other / "precious").write_bytes(b"x")
    scratch.folder.rmdir()
    scratch.folder.symlink_to(other)
    with pytest.raises(ScratchError):
        scratch.take("precious")
    scratch.empty()
    scratch.remove()
    assert (other / "precious").read_bytes() == b"x"


def test_folder_gone(scratch: Scratch) -> None:
    """A scratch folder that an implementation removed is there again for the next request."""
    scratch.folder.rmdir()
    scratch.empty()
    assert scratch.take(scratch.put(b"x")) == b"x"


def test_file_too_long(scratch: Scratch) -> None:
    """A file beyond a gigabyte, sparse as it may be, is not read into memory."""
    with (scratch.folder / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ScratchError, match="more than"):
        scratch.take("huge")


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array([1]), {"x": 1j}])
def test_no_form(scratch: Scratch, value: object) -> None:
    """What is no plain data has no form on the pipe."""
    with pytest.raises(TypeError):
        to_line({"answer": value}, scratch)
