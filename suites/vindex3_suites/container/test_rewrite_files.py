"""Files beside those that an index names: carried by a rewrite, or named as dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.container.index import CAPABILITY_FILES, INDEX
from vindex3_suites.container.models import BANK, BOTH, FULL, TINY
from vindex3_suites.container.rewriting import PLACES, rewrite

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Side
    from vindex3_fixtures.container.model import Model
    from vindex3_suites.container.rewriting import Rewritten


def _tells(made: Rewritten, side: Side) -> Answers:
    """The files of the source that the result has, and those that it has not; each list sorted."""
    carried = sorted(name for name in made.before.files if name in made.after.files)
    dropped = sorted(name for name in made.before.files if name not in made.after.files)
    without = [name for name in carried if name != INDEX]
    told = {"path": str(made.out), "carried_files": one_of(carried, without), "dropped_files": dropped}
    return Answers(told, frozenset({side}))


@clause("INDEX-REWRITE-04")
@cases(tiny=TINY, every_key=FULL, bank=BANK, both_shapes=BOTH)
def test_named_files_are_told_of(ask: Ask, case: Model) -> None:
    """Where the index names every file, all that the result has is listed, and all that it lacks."""
    for place in PLACES:
        made = rewrite(ask, case, place)
        check("INDEX-REWRITE-04", made.reply, _tells(made, "legal"))


STRAYS: dict[str, tuple[str, ...]] = {
    "a_file": ("notes.txt",),
    "in_a_folder": ("docs/a/b/read me.md",),
    "among_the_segments": ("segments/target.embedding@Q4.bin", "segments/zz.bin", "segments/target.tmp"),
    "hidden": (".note", ".git/config"),
    "capability_files": CAPABILITY_FILES,
    "names_that_sort_by_bytes": ("B", "_", "a", "a-b", "a.b", "c/b", "c.b", "\u00e9"),
    "left_by_a_stopped_writer": (
        ".0123456789abcdef.part",
        "segments/.fedcba9876543210.part",
        "segments/.tmp1",
    ),
    "like_a_temporary": ("index.json.tmp", ".index.json", "index.json~", "system_graph.json.new"),
    "nearly_known": ("index.json5", "tokenizer.json.bak", "moe_manifest.json", "segments.bin"),
    "many": tuple(f"logs/{at}.log" for at in range(20)),
}


@clause("INDEX-REWRITE-04")
@cases(STRAYS)
def test_nothing_disappears_unnamed(ask: Ask, case: tuple[str, ...]) -> None:
    """A file that the index does not name is in the result or in dropped_files, never in neither or both."""
    model = TINY
    for name in case:
        model = model.with_file(name, name.encode())
    for place in PLACES:
        made = rewrite(ask, model, place)
        check("INDEX-REWRITE-04", made.reply, _tells(made, "wrong"))
