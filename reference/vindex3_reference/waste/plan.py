"""What a container is to be, down to its manifest (waste.md, section 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference import json_text, strict_json
from vindex3_reference.container import names
from vindex3_reference.container.plan import collision, folded
from vindex3_reference.container.sources import buffer
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import codebook, manifest, trunk_plan
from vindex3_reference.waste.bank_plan import BankPlan
from vindex3_reference.waste.container import TRUNK
from vindex3_reference.waste.manifest import Manifest
from vindex3_reference.waste.settings import quant_document, settings_of

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json
    from vindex3_reference.waste.published import Published


class Plan:
    """A container that can be written: nothing that it is made of is wrong, and its own reader opens it.

    Attributes:
        text: its manifest.
        settings: its sizes and packing.
        experts: its banks and codebooks.
        tensors: those of the trunk; None where the trunk stays as it is.
        sidecars: further files by name.

    Args:
        model: the description.
        old: the container that is resumed, or None.

    Raises:
        Refusal: what `settings_of`, `BankPlan`, `trunk_plan.planned` and `Manifest` refuse; of sidecars
            `missing-file` for one that is no buffer, `path-escape`, `path-collision`.
    """

    def __init__(self, model: Slot, old: Published | None) -> None:
        published = None if old is None else old.manifest.quant
        config = model.optional("config") if old is None else model.optional("config") or old.config
        self.settings = settings_of(
            config or model.required("config"), model.optional("expert_quant"), published
        )
        self.experts = BankPlan(model.optional("layers"), self.settings, old)
        trunk = model.optional("trunk")
        kept = trunk is None and old is not None
        self.tensors = None if kept else [] if trunk is None else trunk_plan.planned(trunk)
        self.text = self._text(model, old)
        self.sidecars = _sidecars(model.optional("sidecars"), set(self._files()))

    def _text(self, model: Slot, old: Published | None) -> bytes:
        """The manifest; that of the resumed container where it says the same."""
        document = self._document(model, old)
        text = json_text.encoded(document, manifest.NAME)
        if old is not None and strict_json.parse(text, manifest.NAME) == old.document:
            text = old.text
        trunk = trunk_plan.length_of(self.tensors) if self.tensors is not None else 0
        if old is not None and self.tensors is None:
            trunk = old.trunk_length(TRUNK)
        Manifest(text).judge_files(trunk, self.experts.book_count)
        return text

    def _document(self, model: Slot, old: Published | None) -> dict[str, Json]:
        """Keys that the description leaves out stay as they are in the resumed container."""
        document: dict[str, Json] = {"format_version": manifest.VERSION}
        given = model.object()
        if old is not None:
            document |= old.document
        document |= {
            key: given[key] for key in ("arch", "tensor_prefix", "config") if given.get(key) is not None
        }
        if self.settings.quant is not None and document.get("expert_quant") is None:
            document["expert_quant"] = quant_document(self.settings.quant)
        document["layers"] = self.experts.entries
        if self.tensors is not None:
            document["trunk"] = [tensor.document() for tensor in self.tensors]
        return document

    def _files(self) -> list[str]:
        """The names that no sidecar may have."""
        banks = [bank.file for bank in self.experts.banks]
        return [manifest.NAME, TRUNK, codebook.NAME, *banks, *self.experts.kept]


def _sidecars(given: Slot | None, taken: set[str]) -> dict[str, memoryview]:
    sidecars: dict[str, memoryview] = {}
    known = {folded(name): name for name in taken}
    for name, slot in [] if given is None else given.members():
        names.checked(name)
        other = known.setdefault(folded(name), name)
        if other != name or name in taken:
            raise collision(other, name)
        try:
            sidecars[name] = buffer(slot)
        except Refusal:
            raise Refusal("missing-file", f"{name} is no buffer that can be copied", path=name) from None
    return sidecars
