"""How container.tensor is asked, and the container whose segments are put in the place of one another."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from vindex3_fixtures.container import Segment, Tensor, tiny
from vindex3_fixtures.graph import representation

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers, Expectation
    from vindex3_fixtures.container import Model

STACK = "target.decoder_stack@BF16"
FILE = "segments/target.decoder_stack.bin"
"""The file of `STACK`."""

PAIR = (Tensor("a", "U8", (8,)), Tensor("b", "U8", (8,)))
"""Two tensors of eight bytes each."""


def stack(*tensors: Tensor, **stored: Any) -> Segment:
    """A segment of the representation `STACK`; keywords are those of `Segment`."""
    return Segment(STACK, tensors, **stored)


def holding(segment: Segment) -> Model:
    """The tiny container with this segment for `STACK`, recorded as it is."""
    return tiny().with_segment(segment, STACK)


def filed(content: bytes, payload_start: int = 0) -> Model:
    """The tiny container with this file for `STACK`, its digests and its length recorded."""
    payload = content[payload_start:]
    model = tiny().with_file(FILE, content)
    for key, value in (
        ("segment_sha256", sha256(content).hexdigest()),
        ("payload_sha256", sha256(payload).hexdigest()),
        ("payload_bytes", len(payload)),
    ):
        model = model.with_entry(STACK, key, value)
    return model


def with_pack(model: Model, segment: Segment) -> Model:
    """The container with one more encoding of an object, in a file of its own and in the graph."""
    added = model.with_added(segment, f"segments/{segment.representation}.bin")
    objects = added.graph["objects"]
    place = next(at for at, one in enumerate(objects) if one["id"] == segment.object_id)
    listed = [*objects[place]["representations"], representation(segment.encoding, "approximate")]
    return added.with_graph(("objects", place, "representations"), listed)


def tensor(ask: Ask, model: Model, name: str, of: str = STACK, *, folder: str = "model") -> Reply:
    """Ask for a tensor of a container, which is written into this folder first."""
    path = ask.file(folder, model.folder)
    return ask("container.tensor", path=path, representation=of, tensor=name)


def delivers(segment: Segment, name: str, of: str | None = None) -> Answers:
    """Dtype, shape and bytes as they are stored; `of` is the directory key where the header has another."""
    row = next(row for row in segment.rows if row["name"] == name)
    stored = {"dtype": row["dtype"], "shape": list(row["shape"]), "data": segment.data(name)}
    return answers(representation=of or segment.representation, **stored)


def check_delivered(ask: Ask, clause_id: str, segment: Segment) -> None:
    """Every tensor of a segment is delivered as it is stored."""
    path = ask.file("model", holding(segment).folder)
    for row in segment.rows:
        reply = ask("container.tensor", path=path, representation=STACK, tensor=row["name"])
        check(clause_id, reply, delivers(segment, row["name"], STACK))


def check_refused(
    ask: Ask, clause_id: str, legal: Segment, wrong: Segment | Model, name: str, refused: Expectation
) -> None:
    """A tensor of the legal segment is delivered, and refused where the wrong one is in its place."""
    reply = tensor(ask, holding(legal), name, folder="legal")
    check(clause_id, reply, delivers(legal, name, STACK))
    model = holding(wrong) if isinstance(wrong, Segment) else wrong
    check(clause_id, tensor(ask, model, name, folder="wrong"), refused)
