"""The two shapes of a container: which roots an index names, and the files of those names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, needs, refuses
from pytest_vindex3.contract.difference import Stored
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.index import GRAPH, INDEX, MANIFEST
from vindex3_suites.container.judging import check_legal, check_opened, check_refused
from vindex3_suites.container.models import BANK, BOTH, FULL, SMALLEST, SMALLEST_BANK, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model

GRAPHS = {"usual": TINY, "everything": FULL, "smallest": SMALLEST}
BANKS = {"usual": BANK, "smallest": SMALLEST_BANK}


def _without_roots(model: Model) -> Model:
    for key in ("system_graph", "moe_manifest"):
        model = model.with_index((key,), None).without_index((key,))
    return model


@clause("INDEX-SHAPE-01")
@cases(graph=TINY, bank=BANK, both=BOTH)
def test_an_index_names_a_root(ask: Ask, case: Model) -> None:
    """With neither root, or null for both, it is missing-root, whatever files of their names are there."""
    check_legal(ask, "INDEX-SHAPE-01", case)
    bare: Any = _without_roots(case)
    for keys in ((), ("system_graph",), ("moe_manifest",), ("system_graph", "moe_manifest")):
        wrong = bare
        for key in keys:
            wrong = wrong.with_index((key,), None)
        check_refused(ask, "INDEX-SHAPE-01", wrong, "missing-root")


@clause("INDEX-SHAPE-01")
@cases(plural="system_graphs", capital="System_graph", of_another_name="graph", file=GRAPH)
def test_no_other_key_is_a_root(ask: Ask, case: str) -> None:
    """A key that looks like a root is unknown, and none is guessed."""
    check_legal(ask, "INDEX-SHAPE-01", TINY)
    wrong = _without_roots(TINY).with_index((case,), GRAPH)
    check_refused(ask, "INDEX-SHAPE-01", wrong, "missing-root")


@clause("INDEX-SHAPE-02")
@cases(GRAPHS)
def test_a_graph_makes_one_shape(ask: Ask, case: Model) -> None:
    """With a system graph alone the shapes are the graph, even where a manifest lies beside it."""
    for model in (case, case.with_file(MANIFEST, BANK.files[MANIFEST]), case.with_file(MANIFEST, b"{")):
        check("INDEX-SHAPE-02", open_(ask, model), opens(case, shapes=["graph"], moe_manifest=None))


@clause("INDEX-SHAPE-02")
@cases(BANKS)
def test_a_manifest_makes_the_other(ask: Ask, case: Model) -> None:
    """With a manifest alone the shapes are the bank, even where a graph lies beside it."""
    for model in (case, case.with_file(GRAPH, TINY.files[GRAPH]), case.with_file(GRAPH, b"")):
        check("INDEX-SHAPE-02", open_(ask, model), opens(case, shapes=["bank"], system_graph=None))


@clause("INDEX-SHAPE-03")
def test_both_roots_make_both_shapes(ask: Ask) -> None:
    """An index that names both opens with both shapes, the graph first, in whatever order they stand."""
    check("INDEX-SHAPE-03", open_(ask, BOTH), opens(BOTH, shapes=["graph", "bank"]))
    turned = BOTH.without_index(("system_graph",)).with_index(("system_graph",), GRAPH)
    check("INDEX-SHAPE-03", open_(ask, turned), opens(BOTH, shapes=["graph", "bank"]))


@needs("graph.load")
@clause("INDEX-SHAPE-03")
def test_the_graph_is_the_authority_of_both(ask: Ask) -> None:
    """Where both roots are named the graph is that of the system graph."""
    reply = ask("graph.load", path=ask.file("model", BOTH.folder))
    check("INDEX-SHAPE-03", reply, answers(document=Stored(TINY.graph), primary="target", defects=[]))


ROOTS: dict[str, tuple[Model, str, str]] = {
    "graph": (TINY, "system_graph", GRAPH),
    "smallest_graph": (SMALLEST, "system_graph", GRAPH),
    "bank": (BANK, "moe_manifest", MANIFEST),
    "smallest_bank": (SMALLEST_BANK, "moe_manifest", MANIFEST),
    "graph_of_both": (BOTH, "system_graph", GRAPH),
    "bank_of_both": (BOTH, "moe_manifest", MANIFEST),
}


@clause("INDEX-SHAPE-04")
@cases(ROOTS)
def test_a_root_is_there(ask: Ask, case: tuple[Model, str, str]) -> None:
    """A root whose file is not there, or is a folder, is missing-file, naming it."""
    model, _, file = case
    check_legal(ask, "INDEX-SHAPE-04", model)
    gone = model.without_file(file)
    check_refused(ask, "INDEX-SHAPE-04", gone, "missing-file", path=file)
    for folder in (Folder(), Folder({INDEX: b"{}"})):
        check_refused(ask, "INDEX-SHAPE-04", gone.with_file(file, folder), "missing-file", path=file)


@clause("INDEX-SHAPE-04")
@cases(ROOTS)
def test_a_root_is_the_file_of_its_name(ask: Ask, case: tuple[Model, str, str]) -> None:
    """No file of the usual name, of another case or in another folder is taken instead."""
    model, key, file = case
    check_legal(ask, "INDEX-SHAPE-04", model)
    for name in (f"other_{file}", f"sub/{file}", f"{file}.json", file[:-5]):
        wrong = model.with_index((key,), name)
        check_refused(ask, "INDEX-SHAPE-04", wrong, "missing-file", path=name)


@clause("INDEX-SHAPE-05")
@cases(BANKS)
def test_a_bank_has_no_graph(ask: Ask, case: Model) -> None:
    """graph.load of a bank container is missing-root, naming the index, even where a graph lies in it."""
    check("INDEX-SHAPE-05", ask("graph.load", path=ask.file("legal", TINY.folder)), answers(schema=6))
    for model in (case, case.with_file(GRAPH, TINY.files[GRAPH]), case.with_index(("system_graph",), None)):
        reply = ask("graph.load", path=ask.file("model", model.folder))
        check("INDEX-SHAPE-05", reply, refuses("missing-root", path=INDEX))


@clause("INDEX-FIELD-02")
@cases(graph=("graph.json", SMALLEST), manifest=("experts.json", SMALLEST_BANK))
def test_a_root_may_have_any_name(ask: Ask, case: tuple[str, Model]) -> None:
    """A root is the file that the index names; nothing depends on the usual name."""
    name, model = case
    key, file = ("system_graph", GRAPH) if model is SMALLEST else ("moe_manifest", MANIFEST)
    content = model.files[file]
    check_opened(
        ask, "INDEX-FIELD-02", model.with_index((key,), name).without_file(file).with_file(name, content)
    )
