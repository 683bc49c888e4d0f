"""Maps that are refused: unknown encodings, missing and ill-typed keys, nothing to compile, dead rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.difference import Difference
from pytest_vindex3.contract.patterns import element, field, one_of
from pytest_vindex3.plugin.expect import Answers, Side
from vindex3_fixtures.json_text import changed, removed
from vindex3_fixtures.representation import Placed, exception, policy
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.tensors import (
    AROUND,
    BESIDE,
    EXPERT_BANK,
    linear,
)
from vindex3_suites.representation.compiling import DEFAULT, compile_, rulings, says

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

Map = dict[str, Any]

BOTH_SIDES: frozenset[Side] = frozenset({"legal", "wrong"})
TWO = [linear("0.mlp.up_proj.weight"), linear("0.mlp.down_proj.weight")]
SOUND = policy(exception("up_proj", (0, 0), v.Q8_0))


def _check_sound(ask: Ask, clause_id: str, sound: Map = SOUND) -> None:
    check(clause_id, compile_(ask, sound, TWO), says(sound, TWO, rulings(sound, TWO)))


@dataclass(frozen=True, slots=True)
class Known:
    """A list in the order of its bytes that has the four targets every compiler knows, and may have more."""

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference where one of them lacks, or the order is another one."""
        listed = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
        fits = set(listed) >= set(v.ENCODINGS) and listed == found == sorted(listed, key=str.encode)
        return None if fits else Difference(path, sorted(v.ENCODINGS), found)


WORDS = {
    "small_letters": "nvfp4",
    "capital_alone": "Nvfp4",
    "q8_small": "q8_0",
    "q6_small": "Q6_k",
    "q4_small": "q4_K",
    "nonsense": "no such encoding at all",
}


@clause("PRECISION-WORD-01")
@cases(WORDS)
def test_an_encoding_is_a_known_word(ask: Ask, case: str) -> None:
    """As the default or in an exception, another word is refused with those that are known."""
    _check_sound(ask, "PRECISION-WORD-01")
    expected = refuses("unknown-encoding", encoding=case, known=Known())
    check("PRECISION-WORD-01", compile_(ask, policy(encoding=case), TWO), expected)
    for rule in (exception("up_proj", encoding=case), exception(layers=(0, 9), encoding=case)):
        check("PRECISION-WORD-01", compile_(ask, policy(rule), TWO), expected)
    last = policy(exception("up_proj"), exception("down_proj", encoding=case))
    check("PRECISION-WORD-01", compile_(ask, last, TWO), expected)


@clause("PRECISION-WORD-01")
@cases({encoding: encoding for encoding in v.ENCODINGS})
def test_the_four_encodings_are_known(ask: Ask, case: str) -> None:
    """Each of the four is taken as the default and in an exception; in small letters it is refused."""
    for chosen in (policy(encoding=case), policy(exception("up_proj", encoding=case))):
        check("PRECISION-WORD-01", compile_(ask, chosen, TWO), says(chosen, TWO, rulings(chosen, TWO)))
    expected = refuses("unknown-encoding", encoding=case.lower(), known=Known())
    check("PRECISION-WORD-01", compile_(ask, policy(encoding=case.lower()), TWO), expected)


@clause("PRECISION-FIELD-01")
@cases(name="name", encoding="encoding", roles="roles")
def test_a_map_has_its_keys(ask: Ask, case: str) -> None:
    """A map without one of the three is missing-field; no default is made up."""
    for sound in (policy(), SOUND):
        _check_sound(ask, "PRECISION-FIELD-01", sound)
        wrong = removed(sound, (case,))
        check("PRECISION-FIELD-01", compile_(ask, wrong, TWO), refuses("missing-field", field=field(case)))
        renamed = {**wrong, case.capitalize(): sound[case]}
        check("PRECISION-FIELD-01", compile_(ask, renamed, TWO), refuses("missing-field", field=field(case)))


LAYERS_FIELD = one_of(*(element("layers", at) for at in range(3)))
"""The range itself, or one of its elements."""
LAYERS: dict[str, Any] = {
    "number": 3,
    "text": "0-3",
    "true": True,
    "empty": [],
    "one": [3],
    "three": [0, 1, 2],
    "texts": ["0", "3"],
    "text_behind": [0, "3"],
    "fraction": [0.5, 3],
    "fraction_behind": [0, 3.5],
    "true_inside": [0, True],
    "nested": [[0, 3]],
    "nested_behind": [0, [3]],
    "object": {"lo": 0, "hi": 3},
    "object_inside": [0, {"hi": 3}],
}


@clause("PRECISION-FIELD-01")
@cases(LAYERS)
def test_layers_are_two_integers(ask: Ask, case: Any) -> None:
    """Anything else is bad-type, in the first exception and behind sound ones."""
    _check_sound(ask, "PRECISION-FIELD-01")
    rule = {"projection": "down_proj", "layers": case}
    for wrong in (policy(rule), policy(exception("up_proj"), rule)):
        expected = refuses("bad-type", field=LAYERS_FIELD)
        check("PRECISION-FIELD-01", compile_(ask, wrong, TWO), expected)


@clause("PRECISION-FIELD-01")
@cases(first=[-1, 3], second=[0, -1], both=[-3, -1])
def test_layers_are_not_negative(ask: Ask, case: list[int]) -> None:
    """A negative layer is no unsigned integer: bad-type, or out-of-range as everywhere."""
    _check_sound(ask, "PRECISION-FIELD-01")
    expected = refuses("bad-type", "out-of-range", field=LAYERS_FIELD)
    wrong = policy({"projection": "down_proj", "layers": case})
    check("PRECISION-FIELD-01", compile_(ask, wrong, TWO), expected)


ILL_TYPED: dict[str, tuple[tuple[str | int, ...], Any, Any]] = {
    "name": (("name",), 4, field("name")),
    "encoding": (("encoding",), ["NVFP4"], field("encoding")),
    "roles_text": (("roles",), "decoder-linear", field("roles")),
    "roles_object": (("roles",), {"decoder-linear": True}, field("roles")),
    "role": (("roles", 1), 7, element("roles", 1)),
    "exceptions": (("exceptions",), {"projection": "up_proj"}, field("exceptions")),
    "exception": (("exceptions", 0), "up_proj", element("exceptions", 0)),
    "projection": (("exceptions", 0, "projection"), 3, field("projection")),
    "projections": (("exceptions", 0, "projection"), ["up_proj"], field("projection")),
    "exception_encoding": (("exceptions", 0, "encoding"), False, field("encoding")),
}


@clause("PRECISION-FIELD-01")
@cases(ILL_TYPED)
def test_keys_have_their_types(ask: Ask, case: tuple[tuple[str | int, ...], Any, Any]) -> None:
    """A value of another type is bad-type and names the key."""
    _check_sound(ask, "PRECISION-FIELD-01")
    way, value, named = case
    wrong = changed(SOUND, way, value)
    check("PRECISION-FIELD-01", compile_(ask, wrong, TWO), refuses("bad-type", field=named))


NOTHING: dict[str, tuple[list[str], list[Placed]]] = {
    "no_roles": ([], TWO),
    "no_tensors": ([v.LINEAR], []),
    "neither": ([], []),
    "words_without_sense": (["everything", "", "Decoder-Linear", "decoder"], TWO),
    "roles_of_others": ([v.EXPERT, v.ROUTER], [*TWO, *AROUND]),
    "nothing_of_the_usual_roles": ([v.LINEAR, v.EXPERT], [*AROUND, *BESIDE]),
}


@clause("PRECISION-EMPTY-01")
@cases(NOTHING)
def test_a_map_without_anything_to_do_is_refused(ask: Ask, case: tuple[list[str], list[Placed]]) -> None:
    """Where no tensor has a role of the map, the whole map is refused."""
    roles, tensors = case
    usual = policy()
    check("PRECISION-EMPTY-01", compile_(ask, usual, TWO), says(usual, TWO, [DEFAULT, DEFAULT]))
    check("PRECISION-EMPTY-01", compile_(ask, policy(roles=roles), tensors), refuses("nothing-eligible"))


UNTOUCHED: dict[str, tuple[Map, list[Placed]]] = {
    "kept_roles": (policy(), [*AROUND, *TWO, *EXPERT_BANK]),
    "other_components": (policy(), [*BESIDE, *TWO]),
    "role_left_out": (policy(roles=[v.LINEAR]), [*EXPERT_BANK, *TWO]),
    "excepted": (
        policy(exception("gate_proj"), exception("up_proj")),
        [*TWO, *(one for one in EXPERT_BANK if "down_proj" not in one.name)],
    ),
    "not_fitting": (policy(), [*TWO, *(one.shaped(8, 8) for one in EXPERT_BANK)]),
    "none": (policy(), TWO),
}


@clause("PRECISION-EMPTY-02")
@cases(UNTOUCHED)
def test_objects_of_which_nothing_compiles_are_listed(ask: Ask, case: tuple[Map, list[Placed]]) -> None:
    """Objects that are carried as a whole are listed, sorted; one compiled tensor takes an object out."""
    chosen, tensors = case
    ruled = zip(tensors, rulings(chosen, tensors), strict=True)
    compiled = {one.object for one, (encoding, _, _) in ruled if encoding is not None}
    expected = Answers({"untouched": sorted({one.object for one in tensors} - compiled)}, BOTH_SIDES)
    for order in (tensors, tensors[::-1]):
        check("PRECISION-EMPTY-02", compile_(ask, chosen, order), expected)
