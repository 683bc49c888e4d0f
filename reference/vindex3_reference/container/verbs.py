"""The verbs of containers (container.md, section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.container import tensor as tensors
from vindex3_reference.container.container import Container
from vindex3_reference.container.observation import opened
from vindex3_reference.container.rewrite import container_rewrite
from vindex3_reference.container.sources import sources_of
from vindex3_reference.container.verify import verified
from vindex3_reference.container.write import container_write
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.strict_json import Json

__all__ = ["container_open", "container_rewrite", "container_tensor", "container_verify", "container_write"]

Answer = dict[str, object]


def container_open(*, path: str) -> Answer:
    """Read the index of a container and resolve every profile that it declares."""
    return opened(Container(path))


def container_tensor(
    *,
    path: str,
    tensor: str,
    representation: str | None = None,
    object: str | None = None,  # noqa: A002 -- the name of the law
    encoding: str | None = None,
) -> Answer:
    """Give one tensor as it is stored; a representation that is given decides over object and encoding."""
    container = Container(path, whole=False)
    if representation is None:
        if object is None:
            raise Refusal(
                "missing-field", "a tensor is asked by representation or by object", field="representation"
            )
        representation = tensors.representation_of(container, object, encoding)
    return tensors.stored_tensor(container, representation, tensor)


def container_verify(*, path: str, sources: Json = None) -> Answer:
    """List everything that is wrong with a container, and compare it with its `sources` where given."""
    return verified(path, None if sources is None else sources_of(sources))
