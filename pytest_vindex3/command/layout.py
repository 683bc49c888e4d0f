"""`vindex3 layout`: what lies where in the file that a plan or a recipe gives, before there is one."""

from __future__ import annotations

import json
import re
import sys
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pytest_vindex3.command import EXIT_REFUSED
from pytest_vindex3.command._file import refusal, refused_lines
from pytest_vindex3.command._recipe import PACKINGS, SHAPED, Recipe
from pytest_vindex3.command._values import for_programmes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.lyrw.layout import Layout

_AT_ONCE: Final = 4096
_NEEDED: Final = ("experts", "input", "intermediate")
_INNERMOST: Final = re.compile(r"\{[^{}\[\]]*\}")
_BREAK: Final = re.compile(r"\n ++(?=\})|(?<=\{)\n ++|\n +( )")


def _words(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Words between commas."""
    return None if value is None else tuple(word.strip() for word in value.split(","))


@click.command(name="layout")
@click.argument("plan_file", metavar="[PLAN.json]", required=False)
@click.option("--experts", type=int, metavar="N", help="Entries of the whole bank.")
@click.option("--input", type=int, metavar="N", help="Values that go into an expert.")
@click.option("--intermediate", type=int, metavar="N", help="Values between gate and down.")
@click.option("--output", type=int, metavar="N", help="Values that come out; as many as go in unless given.")
@click.option(
    "--roles",
    metavar="ROLE,...",
    callback=_words,
    help=f"Of {', '.join(SHAPED)}.  [default: gate_up_fused,down]",
)
@click.option(
    "--format", "--formats", "formats", metavar="FORMAT,...", callback=_words,
    help="One format, or one for each role.  [default: mxfp4]",
)  # fmt: skip
@click.option(
    "--packing", type=click.Choice(PACKINGS),
    help="Scales inline, or as a pair apart; auto is row_major for f32, f16, bf16, inline for others.",
)  # fmt: skip
@click.option("--layout", metavar="WORD", help="Of gate_up_fused.  [default: contiguous_halves]")
@click.option("--layer", type=int, metavar="N", help="Number of the logical layer.")
@click.option("--bank-id", type=int, metavar="N", help="Number of the bank.")
@click.option("--kind", metavar="WORD", help="dense, routed or shared.  [default: routed]")
@click.option("--browse", metavar="WORD", help="none, direct or strided.")
@click.option("--first-entry", type=int, metavar="N", help="First entry that this file has.")
@click.option(
    "--entry-count", type=int, metavar="N", help="Entries that this file has; the rest unless given."
)
@click.option("--segments", type=int, metavar="N", help="Segment records that share the entries.")
@click.option("--segment-index", type=int, metavar="N", help="Number of the first segment.")
@click.option("--group-extent", type=int, metavar="N", help="8, 16 or 32 entries that stay together.")
@click.option("--plan", "show_plan", is_flag=True, help="Print the plan, ready to be changed; judge nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer of lyrw.layout: every region.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw it into this file.")
def command(plan_file: str | None, show_plan: bool, as_json: bool, svg: Path | None, **numbers: Any) -> None:
    r"""Show what lies where in a layer file that has not been written yet.

    What to lay out is a PLAN.json (- for stdin), the document that lyrw.write takes, or a recipe: a bank
    of experts by its numbers.

    \b
      vindex3 layout --experts 32 --input 2048 --intermediate 6144
      vindex3 layout --experts 896 --input 3584 --intermediate 3072 --format q6_k --entry-count 448
      vindex3 layout --experts 32 --input 2048 --intermediate 6144 --packing pair --svg bank.svg
      vindex3 layout --experts 8 --input 64 --intermediate 128 --plan > plan.json

    Sizes and offsets are those of the reference writer, exact to the byte. Tables are drawn magnified,
    the payload and one entry to scale.

    Exit status: 0, 2 usage, 3 the plan is refused (kind and facts say why).
    """
    recipe = {name: value for name, value in numbers.items() if value is not None}
    said: dict[str, Any] | None = None
    try:
        plan = _from_file(plan_file, recipe) if plan_file is not None else _from_recipe(recipe)
        if show_plan:
            click.echo(_plan_text(plan))
            return
        layout = _laid_out(plan)
    except click.ClickException:
        raise
    except Exception as error:
        said = refusal(error)
    if said is not None:
        click.echo(
            for_programmes({"refused": said}) if as_json else "\n".join(refused_lines("the plan", said))
        )
        sys.exit(EXIT_REFUSED)
    if svg is not None:
        _draw(layout, svg)
    if as_json:
        _print_json(layout)
    else:
        _print_page(layout)


def _from_file(plan_file: str, recipe: dict[str, Any]) -> object:
    from vindex3_reference import strict_json

    if recipe:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in recipe)
        raise click.UsageError(f"{names} would contradict {plan_file}; a plan file says everything itself")
    try:
        data = sys.stdin.buffer.read() if plan_file == "-" else Path(plan_file).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{plan_file} cannot be read: {error.strerror or error}") from None
    return strict_json.parse(data, plan_file)


def _from_recipe(recipe: dict[str, Any]) -> object:
    missing = [f"--{name}" for name in _NEEDED if name not in recipe]
    if missing:
        raise click.UsageError(f"a recipe needs {', '.join(missing)}; or name a PLAN.json")
    try:
        return Recipe(**{"output": recipe["input"], **recipe}).plan()
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _laid_out(plan: Any) -> Layout:
    from vindex3_reference.lyrw.layout import Layout
    from vindex3_reference.lyrw.plan import Plan

    return Layout(Plan(plan))


def _plan_text(plan: object) -> str:
    """A plan as JSON, each schema and each segment on a line of its own."""
    text = json.dumps(plan, indent=1, ensure_ascii=False)
    # Within strings a line break is an escape: those that are taken out stand between values.
    return _INNERMOST.sub(lambda found: _BREAK.sub(r"\1", found[0]), text)


def _print_page(layout: Layout) -> None:
    from pytest_vindex3.command._layout_page import layout_page
    from pytest_vindex3.command._page import show
    from pytest_vindex3.command._placement import Placement

    show(layout_page(Placement(layout)))


def _draw(layout: Layout, target: Path) -> None:
    from pytest_vindex3.command._placement import Placement
    from pytest_vindex3.command._svg import drawing

    try:
        target.write_text(drawing(Placement(layout)), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{target} cannot be written: {error.strerror or error}") from None
    click.echo(f"drawn into {target}", err=True)


def _print_json(layout: Layout) -> None:
    """The answer of lyrw.layout, region by region, so that memory does not follow what a plan claims."""
    tables = {
        "bank_table": layout.bank_table,
        "segment_table": layout.segment_table,
        "schema_table": layout.schema_table,
        "entry_table": layout.entry_table,
        "entry_tables": list(_entry_tables(layout)),
        "table_bytes": layout.table_bytes,
        "payload_start": layout.payload_start,
    }
    sys.stdout.write(f'{{"tables": {json.dumps(tables)},\n "regions": [')
    separator = "\n  "
    regions = layout.regions()
    while batch := list(islice(regions, _AT_ONCE)):
        lines = [
            json.dumps({**region._asdict(), "offset": offset, "length": length})
            for region, offset, length in batch
        ]
        sys.stdout.write(separator + ",\n  ".join(lines))
        separator = ",\n  "
    sys.stdout.write(f'],\n "file_length": {layout.file_length}}}\n')


def _entry_tables(layout: Layout) -> Iterator[dict[str, int]]:
    segments = layout.plan.segments
    for bank_id, index, (at, end) in zip(
        segments["bank_id"].tolist(),
        segments["segment_index"].tolist(),
        pairwise(layout.entry_tables),
        strict=True,
    ):
        yield {"bank_id": bank_id, "segment_index": index, "offset": at, "length": end - at}
