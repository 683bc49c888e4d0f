"""The stored document: given back as it is, in its own order, from the container alone."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, needs
from vindex3_fixtures.container import tiny
from vindex3_fixtures.container.writings import text_model, whole_model
from vindex3_fixtures.graph import binding, example, minimal, sliding, softmax, surface
from vindex3_fixtures.graph.policies import yarn
from vindex3_fixtures.graph.samples import two_drafters
from vindex3_fixtures.json_text import Raw, Way, changed, json_text
from vindex3_suites.container.tensors import delivers
from vindex3_suites.graph.asking import load, load_stored
from vindex3_suites.graph.expected import loads

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.sources import Writing

EXAMPLE = example()
TARGET: Way = ("components", 1)
BINDING: Way = ("objects", 3, "source_bindings", 0)


@clause("GRAPH-DOC-01")
@cases(
    minimal=minimal(),
    example=EXAMPLE,
    no_optional_key=minimal([softmax()]),
    false_where_it_is_the_default=minimal([softmax(v_from_k=False), softmax(v_from_k=True)]),
    declared_spans=minimal([sliding(declared_span="sliding_attention"), softmax(declared_span="")]),
    scales_of_one=changed(minimal(), ("components", 0, "execution", "residual_scale"), 1.0),
    optional_scaling=minimal([softmax(yarn(mscale=1.0)), softmax(yarn(mscale_all_dim=0.0))]),
    experts=changed(minimal(), ("components", 0, "execution", "ffn", "moe"), surface.moe()),
)
def test_a_document_is_given_back(ask: Ask, case: Any) -> None:
    """No default is filled in, no key left out, also where a key says what its absence says."""
    check("GRAPH-DOC-01", load(ask, case), loads(case))


LARGE = {
    "2_to_the_53_and_1": (1 << 53) + 1,
    "2_to_the_53_and_3": (1 << 53) + 3,
    "2_to_the_63": 1 << 63,
    "largest": (1 << 64) - 1,
    "nineteen_digits": 1234567890123456789,
}


@clause("GRAPH-DOC-01")
@cases(LARGE)
def test_integers_are_exact(ask: Ask, case: int) -> None:
    """An integer of up to 64 bits is neither rounded nor turned into another number."""
    document = changed(EXAMPLE, (*BINDING, "bytes"), case)
    document = changed(document, (*BINDING, "tensors"), case - 1)
    document = changed(document, ("components", 2, "hidden_size"), case)
    document = changed(document, ("edges", 0, "block_size"), case)
    check("GRAPH-DOC-01", load(ask, document), loads(document))


@clause("GRAPH-DOC-01")
@cases(
    {
        "integer": ("10000", 10000),
        "fraction_of_zero": ("10000.0", 10000.0),
        "exponent": ("1e4", 10000.0),
        "seventeen_digits": ("0.30000000000000004", 0.30000000000000004),
        "third": ("0.3333333333333333", 1 / 3),
        "smallest": ("5e-324", 5e-324),
        "largest": ("1.7976931348623157e308", 1.7976931348623157e308),
        "more_digits_than_there_are": ("1.00000000000000000000000000001", 1.0),
        "above_2_to_the_53": ("9007199254740993.5", 9007199254740994.0),
    }
)
def test_reals_are_binary64(ask: Ask, case: tuple[str, float]) -> None:
    """A real is the binary64 value of its digits; that it is spelt as an integer makes no difference."""
    spelling, value = case
    way: Way = (*TARGET, "attention", 0, "position", "theta")
    expected = loads(changed(EXAMPLE, way, value))
    check("GRAPH-DOC-01", load(ask, changed(EXAMPLE, way, Raw(spelling))), expected)


@clause("GRAPH-DOC-01")
@cases(
    composed="caf\u00e9",
    decomposed="cafe\u0301",
    quotes='"\\/',
    controls="a\tb\n\x01",
    beyond_the_first_plane="\U0001f600",
    blanks="  ",
    number_alike="007",
    markup="<b>&amp;</b>",
    line_separator="\u2028",
    not_a_character="\uffff",
)
def test_strings_are_kept(ask: Ask, case: str) -> None:
    """A string comes back character by character, unnormalised and untrimmed."""
    document = changed(EXAMPLE, (*BINDING, "tensor_prefix"), case)
    document = changed(document, (*TARGET, "source_artifact"), case)
    document = changed(document, (*TARGET, "attention", 0, "declared_span"), case)
    check("GRAPH-DOC-01", load(ask, document), loads(document))


@clause("GRAPH-DOC-01")
def test_escapes_are_resolved(ask: Ask) -> None:
    """A text that spells its characters as escapes is the same document."""
    spelt = (
        json_text(EXAMPLE).replace(b"tiny-target", b"t\\u0069ny\\u002dtarget").replace(b'"id"', b'"\\u0069d"')
    )
    check("GRAPH-DOC-01", ask("graph.load", text=spelt.decode()), loads(EXAMPLE))


@clause("GRAPH-DOC-01")
@cases(
    bindings=((*BINDING[:-1],), [binding("z"), binding("a"), binding("m")]),
    representations=(
        ("objects", 3, "representations"),
        [{"encoding": one, "fidelity": "canonical"} for one in ("Z", "A", "M")],
    ),
    taps=(("edges", 0, "producer_layers"), [5, 0, 3]),
    policies=((*TARGET, "attention"), EXAMPLE["components"][1]["attention"][::-1]),
)
def test_no_array_is_reordered(ask: Ask, case: tuple[Way, list[Any]]) -> None:
    """Arrays come back in the order in which they are stored."""
    document = changed(EXAMPLE, *case)
    check("GRAPH-DOC-01", load(ask, document), loads(document))


@clause("GRAPH-DOC-01")
def test_edges_are_not_reordered(ask: Ask) -> None:
    """Edges come back in the order in which they are stored, sorted or not."""
    document = two_drafters()
    for edges in (document["edges"], document["edges"][::-1]):
        stored = {**document, "edges": edges}
        check("GRAPH-DOC-01", load(ask, stored), loads(stored))


@clause("GRAPH-DOC-01")
def test_the_document_of_a_container_is_its_file(ask: Ask) -> None:
    """Through a container comes what its file says, not what the index could add."""
    document = changed(tiny().graph, ("objects", 1, "source_bindings", 0, "bytes"), (1 << 53) + 1)
    check("GRAPH-DOC-01", load_stored(ask, document), loads(document))


ORDERS = {"".join(map(str, order)): order for order in permutations(range(3))}


@clause("GRAPH-ORDER-01")
@cases(ORDERS)
def test_components_may_stand_in_any_order(ask: Ask, case: tuple[int, ...]) -> None:
    """Unsorted components load, and are observed as they stand."""
    document = {**EXAMPLE, "components": [EXAMPLE["components"][position] for position in case]}
    check("GRAPH-ORDER-01", load(ask, document), loads(document))


@clause("GRAPH-ORDER-01")
@cases(
    reversed=EXAMPLE["objects"][::-1],
    by_kind=sorted(EXAMPLE["objects"], key=lambda one: str(one["kind"])),
    rotated=EXAMPLE["objects"][4:] + EXAMPLE["objects"][:4],
)
def test_objects_may_stand_in_any_order(ask: Ask, case: list[Any]) -> None:
    """Unsorted objects load, and are observed as they stand."""
    document = {**EXAMPLE, "objects": case}
    check("GRAPH-ORDER-01", load(ask, document), loads(document))


def _moved(ask: Ask, name: str) -> str:
    """Move a container of the test's own folder to another place in it."""
    below = ask.folder / "elsewhere" / "deeper"
    below.mkdir(parents=True)
    to: Path = below / "renamed"
    (ask.folder / name).rename(to)
    return str(to)


@clause("GRAPH-DOC-03")
def test_a_container_may_be_moved(ask: Ask) -> None:
    """After a container has moved, its graph is what it was."""
    document = tiny().graph
    check("GRAPH-DOC-03", load_stored(ask, document), loads(document))
    check("GRAPH-DOC-03", ask("graph.load", path=_moved(ask, "model")), loads(document))


@clause("GRAPH-DOC-03")
@needs("container.tensor")
def test_the_tensors_of_a_container_move_with_it(ask: Ask) -> None:
    """After a container has moved, every tensor is served as before."""
    model = tiny()
    path = ask.file("model", model.folder)
    for move in (False, True):
        where = _moved(ask, "model") if move else path
        for segment in model.segments.values():
            for row in segment.rows:
                names = {"representation": segment.representation, "tensor": row["name"]}
                reply = ask("container.tensor", path=where, **names)
                check("GRAPH-DOC-03", reply, delivers(segment, row["name"]))


@clause("GRAPH-DOC-03")
@needs("container.verify")
def test_a_moved_container_verifies(ask: Ask) -> None:
    """After a container has moved, it is verified without its sources."""
    path = ask.file("model", tiny().folder)
    check("GRAPH-DOC-03", ask("container.verify", path=path), answers(verified=True, defects=[]))
    moved = _moved(ask, "model")
    check("GRAPH-DOC-03", ask("container.verify", path=moved), answers(verified=True, defects=[]))


@clause("GRAPH-DOC-03")
@needs("container.write")
@cases(text_model=text_model(), whole_model=whole_model())
def test_a_written_container_needs_no_sources(ask: Ask, case: Writing) -> None:
    """What a writer has written says the same graph once its sources are gone and it has moved."""
    path = str(ask.folder / "written")
    check("GRAPH-DOC-03", ask("container.write", out=path, **case.request), answers(path=path))
    check("GRAPH-DOC-03", ask("graph.load", path=path), loads(case.graph))
    check("GRAPH-DOC-03", ask("graph.load", path=_moved(ask, "written")), loads(case.graph))
