"""Edits of documents and records that have nothing to edit, or what no format has."""

from __future__ import annotations

from random import Random

import pytest

from pytest_vindex3.fuzz.documents import DocumentEdits
from pytest_vindex3.fuzz.records import RecordEdits

ODD = [b"", b"{}", b"[]", b"1", b'"x"', b"\xff", b'{"":1}', b'{"":{"":[]}}', b"[" * 3000, b"{}{}"]


@pytest.mark.parametrize("data", ODD, ids=map(str, range(len(ODD))))
def test_every_document_can_be_edited(data: bytes) -> None:
    """An edit of any text is another one now and then, and never fails."""
    edits = DocumentEdits([b'"key"', b"1e999"])
    assert len({edits(data, Random(number)) for number in range(300)}) > 1 or not data


def test_every_record_can_be_edited() -> None:
    """A file without fields is edited too, and none becomes longer than it may."""
    edits = RecordEdits(lambda data: [(0, 4)], [b"word"], most=8, repair=lambda data: data + b"!")
    edited = [edits(b"12345678"[:size], Random(number)) for size in range(9) for number in range(100)]
    assert {len(one) for one in edited} == set(range(9))
