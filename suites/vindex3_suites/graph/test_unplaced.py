"""Tensors that no rule gives to a component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.difference import MISSING, Difference
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.graph.evidence import drafter, nested, tensor, text_model
from vindex3_suites.graph.asking import resolve
from vindex3_suites.graph.canary import COMPONENTS
from vindex3_suites.graph.expected import WRONG, resolves

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

MTP = {"artifact": "tiny-target", "prefix": "mtp"}


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A list of unplaced tensors, sorted by artifact and prefix, with these entries and for these names.

    A name is there where some prefix of its artifact covers it; what else is in the list is not judged.
    """

    entries: tuple[dict[str, str], ...] = ()
    covered: tuple[tuple[str, str], ...] = ()

    def difference(self, found: object, path: str) -> Difference | None:
        """The first entry that is missing, else the first name that no prefix covers, else the order."""
        if not isinstance(found, list):
            return Difference(path, list(self.entries), found)
        listed = [(one["artifact"], one["prefix"]) for one in found]
        for entry in self.entries:
            if (entry["artifact"], entry["prefix"]) not in listed:
                return Difference(path, entry, found)
        for artifact, name in self.covered:
            prefixes = [prefix for owner, prefix in listed if owner == artifact]
            if not any(name == one or name.startswith(f"{one}.") for one in prefixes):
                return Difference(path, {"artifact": artifact, "prefix": f"one that covers {name}"}, found)
        return None if listed == sorted(listed) else Difference(path, sorted(listed), listed)


@dataclass(frozen=True, slots=True)
class Without:
    """A list of unplaced tensors that has no entry of this prefix."""

    prefix: str

    def difference(self, found: object, path: str) -> Difference | None:
        """The entry that ought not to be there."""
        listed = found if isinstance(found, list) else []
        return next((Difference(path, MISSING, one) for one in listed if one["prefix"] == self.prefix), None)


def _lists(*entries: dict[str, str], covered: tuple[tuple[str, str], ...] = (), **keys: Any) -> Answers:
    return Answers({**keys, "unplaced": Unplaced(entries, covered)}, WRONG)


def _text(*names: str, artifact: str = "tiny-target") -> Any:
    """A text model with these tensors beside its own."""
    model = text_model(artifact)
    return {**model, "tensors": [*model["tensors"], *(tensor(name, 16) for name in names)]}


def _check_legal(ask: Ask) -> None:
    """Without a tensor of that namespace there is no such entry."""
    check(
        "EDGE-UNPLACED-01",
        resolve(ask, text_model()),
        resolves([COMPONENTS[1]], [], [], unplaced=Without("mtp")),
    )


@clause("EDGE-UNPLACED-01")
@cases(
    one=("mtp.fc.weight",),
    layers=("mtp.layers.0.self_attn.q_proj.weight", "mtp.layers.0.mlp.up_proj.weight"),
    itself=("mtp",),
    names_of_every_place=(
        "mtp.norm.weight",
        "mtp.embed_tokens.weight",
        "mtp.lm_head.weight",
        "mtp.layers.1.x",
    ),
    before_others=("mtp.0", "mtp.1", "mtp.10"),
)
def test_mtp_is_unplaced(ask: Ask, case: tuple[str, ...]) -> None:
    """A top-level mtp namespace is one entry of prefix mtp, and belongs to no component."""
    _check_legal(ask)
    reply = resolve(ask, _text(*case))
    covered = tuple(("tiny-target", name) for name in case)
    expected = _lists(MTP, covered=covered, components=[COMPONENTS[1]], edges=[])
    check("EDGE-UNPLACED-01", reply, expected)


@clause("EDGE-UNPLACED-01")
def test_mtp_of_a_drafter_is_unplaced(ask: Ask) -> None:
    """The artifact named is the one whose tensors they are, and the edge is made all the same."""
    _check_legal(ask)
    draft = drafter()
    draft["tensors"] = [*draft["tensors"], tensor("mtp.fc.weight", 16)]
    reply = resolve(ask, text_model(), draft)
    check(
        "EDGE-UNPLACED-01", reply, _lists({"artifact": "tiny-draft", "prefix": "mtp"}, components=COMPONENTS)
    )


@clause("EDGE-UNPLACED-01")
def test_mtp_of_several_artifacts_is_unplaced(ask: Ask) -> None:
    """Each artifact has its entry, sorted by artifact, whatever their order."""
    _check_legal(ask)
    entries = [{"artifact": name, "prefix": "mtp"} for name in ("a", "b", "c")]
    models = [_text("mtp.x", artifact=name) for name in ("c", "a", "b")]
    check("EDGE-UNPLACED-01", resolve(ask, *models), _lists(*entries))


GROUPS = {
    "one": ("zorb.alpha.weight",),
    "one_without_a_dot": ("zorb",),
    "two_of_one_group": ("zorb.alpha.weight", "zorb.beta.bias"),
    "two_groups": ("zorb.alpha.weight", "quux.0.weight"),
    "alike_but_two": ("zorb.weight", "zorblax.weight"),
    "beside_mtp": ("mtpx.weight", "mtp2.0.weight"),
    "deep": ("zorb.a.b.c.d.e.weight",),
    "upper_case": ("MTP.fc.weight", "Zorb.weight"),
}


@clause("EDGE-UNPLACED-01")
@cases(GROUPS)
def test_what_no_rule_owns_is_unplaced(ask: Ask, case: tuple[str, ...]) -> None:
    """Every name of a group without a rule is covered by a prefix, dot by dot."""
    _check_legal(ask)
    covered = tuple(("tiny-target", name) for name in case)
    reply = resolve(ask, _text(*case))
    check("EDGE-UNPLACED-01", reply, _lists(covered=covered, components=[COMPONENTS[1]]))


@clause("EDGE-UNPLACED-01")
def test_prefixes_are_sorted_within_an_artifact(ask: Ask) -> None:
    """Entries of one artifact are sorted by prefix, mtp among them."""
    _check_legal(ask)
    names = ("zorb.weight", "mtp.fc.weight", "aardvark.weight")
    covered = tuple(("tiny-target", name) for name in names)
    check("EDGE-UNPLACED-01", resolve(ask, _text(*names)), _lists(MTP, covered=covered))


@clause("EDGE-UNPLACED-01")
def test_a_tower_takes_no_group(ask: Ask) -> None:
    """That the artifact nests a tower gives no group of unknown name to it."""
    _check_legal(ask)
    model = {**_text("zorb.weight", "mtp.fc.weight"), "nested": [nested("vision")]}
    components = [COMPONENTS[1], {"id": "vision", "role": "perception", "source_artifact": "tiny-target"}]
    expected = _lists(MTP, covered=(("tiny-target", "zorb.weight"),), components=components)
    check("EDGE-UNPLACED-01", resolve(ask, model), expected)
