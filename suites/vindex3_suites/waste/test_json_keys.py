"""Keys of manifest.json: which must be there and of what type, which are kept, which mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import field
from vindex3_fixtures.json_faults import SORTS
from vindex3_fixtures.json_text import Raw, Way
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import DENSE, FULL, HEAD, NORM, PACKED, QUERY, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Waste

NEEDED = {"config": "object", "layers": "object", "trunk": "array", "expert_quant": "object"}


@clause("WASTE-JSON-07")
@cases({key: key for key in NEEDED})
def test_a_part_of_the_manifest_is_missed(ask: Ask, case: str) -> None:
    """Without one of its parts a manifest is missing-field; without experts it needs no expert_quant."""
    for model in (TINY, PACKED, FULL):
        check_opened(ask, "WASTE-JSON-07", model)
        wrong = model.without_manifest((case,))
        check_refused(ask, "WASTE-JSON-07", wrong, "missing-field", field=field(case))


@clause("WASTE-JSON-07")
@cases(
    {f"{key}_{name}": (key, Raw(text)) for key, sort in NEEDED.items() for name, text in SORTS[sort].items()}
)
def test_a_part_of_the_manifest_has_its_type(ask: Ask, case: tuple[str, Raw]) -> None:
    """A value of another type is bad-type, naming the key."""
    key, value = case
    kinds = ("bad-type", "missing-field") if (key, value.text) == ("expert_quant", "null") else ("bad-type",)
    for model in (TINY, FULL):
        check_opened(ask, "WASTE-JSON-07", model)
        check_refused(ask, "WASTE-JSON-07", model.with_manifest((key,), value), kinds, field=field(key))


@clause("WASTE-JSON-07")
def test_a_trunk_may_be_empty(ask: Ask) -> None:
    """A trunk without entries is one, over a trunk.bin of any length; and so are layers of a dense model."""
    for model in (TINY.with_trunk(), DENSE.with_trunk(), TINY.with_trunk(tail=bytes(100))):
        check_opened(ask, "WASTE-JSON-07", model)
    wrong = DENSE.with_trunk().without_manifest(("trunk",))
    check_refused(ask, "WASTE-JSON-07", wrong, "missing-field", field=field("trunk"))


EARLIER: dict[str, Any] = {
    "bits": [3, 3, 4],
    "blake3": "af1349b9f5f9a1a6a0404dea36dcc949",
    "digests": {"trunk.bin": None},
    "created": 1.5,
    "tied": True,
    "nothing": None,
    "": "empty",
    "path": "../elsewhere",
    "__class__": "int",
    "__init__": None,
    "__dict__": {"arch": "other"},
    "__proto__": {"format_version": 1, "layers": None},
    "constructor": {"prototype": {}},
    "hasOwnProperty": 1,
    "toString": "none",
    "self": {},
    "open": False,
    "get": "nothing",
    "keys": 3,
    "items": [["a", 1]],
    "codebooks": {"count": 0, "book_bytes": None},
    "record_bytes": 1,
    "$ref": "other.json",
    "!!python/object": "os.system",
}
"""Keys that earlier drafts, languages or answers know, and this format does not."""

HOMES: dict[str, Way] = {
    "root": (),
    "config": ("config",),
    "expert_quant": ("expert_quant",),
    "layer": ("layers", "1"),
    "trunk_entry": ("trunk", 0),
    "entry_of_f32": ("trunk", 2),
}


@clause("WASTE-JSON-02")
@cases(HOMES)
def test_unknown_keys_say_nothing(ask: Ask, case: Way) -> None:
    """In every object keys of whatever name and type are ignored, one by one and all together."""
    together = TINY
    for key, value in EARLIER.items():
        together = together.with_manifest((*case, key), value)
        check("WASTE-JSON-02", open_(ask, TINY.with_manifest((*case, key), value)), opens(TINY))
    check("WASTE-JSON-02", open_(ask, together), opens(TINY))


@clause("WASTE-JSON-02")
def test_keys_of_another_case_are_unknown(ask: Ask) -> None:
    """What looks like a known key is another one, and says nothing."""
    model: Any = TINY
    alike = {"Arch": 1, "TENSOR_PREFIX": [], "Config": None, "trunk ": {}, "layerS": 7, "expert-quant": "x"}
    for key, value in alike.items():
        model = model.with_manifest((key,), value)
    for way in (("config", "Hidden_Size"), ("expert_quant", "Index_Bits"), ("layers", "1", "File")):
        model = model.with_manifest(way, {"x": 1})
    for key in ("Fmt", "Group", "OFF"):
        model = model.with_entry(NORM, key, -1)
    check("WASTE-JSON-02", open_(ask, model), opens(TINY))


@clause("WASTE-KEY-01")
@cases(
    usual="kimi_linear",
    of_another="llama",
    empty="",
    blanks=" two words ",
    beyond_ascii="模型 \U0001f600 e\u0301",
    like_a_path="../x",
    control="a\nb\x00c",
    long="x" * 4000,
)
def test_arch_is_a_description(ask: Ask, case: str) -> None:
    """Arch is reported as it is written, and changes nothing else."""
    for model in (TINY, DENSE):
        changed = model.with_manifest(("arch",), case)
        check("WASTE-KEY-01", open_(ask, changed), opens(model, arch=case))


@clause("WASTE-KEY-01")
def test_arch_and_prefix_may_be_absent(ask: Ask) -> None:
    """Without arch it is null, without tensor_prefix that is the empty string."""
    for model in (TINY, DENSE, PACKED):
        bare = model.without_manifest(("arch",)).without_manifest(("tensor_prefix",))
        check("WASTE-KEY-01", open_(ask, bare), opens(model, arch=None, tensor_prefix=""))


@clause("WASTE-KEY-01")
def test_a_prefix_changes_no_name(ask: Ask) -> None:
    """Under a prefix tensors inside and outside of it are listed alike, under their full names."""
    prefix = "language_model."
    for inside in ((HEAD,), (NORM, QUERY), tuple(tensor.name for tensor in TINY.tensors)):
        model: Waste = TINY.with_manifest(("tensor_prefix",), prefix)
        for name in inside:
            model = model.with_entry(name, "name", prefix + name)
        check("WASTE-KEY-01", open_(ask, model), opens(model, tensor_prefix=prefix))
