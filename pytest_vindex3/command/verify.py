"""`vindex3 verify`: everything that is wrong with files and containers."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from pytest_vindex3.command import EXIT_NOTHING, EXIT_REFUSED, EXIT_WRONG
from pytest_vindex3.command._defects import defect_lines, summary_lines
from pytest_vindex3.command._file import format_of, format_option, refusal, refused_file_lines
from pytest_vindex3.command._progress import Watch, watched
from pytest_vindex3.command._values import for_programmes
from pytest_vindex3.formats import Verifies, Work, counted, near

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


_COUNTED = {"examined": "representation", "records_checked": "record"}
"""What an answer counts, by its key."""


@dataclass(frozen=True, slots=True)
class _Job:
    """Files that are judged together."""

    entry: Verifies
    paths: tuple[str, ...]

    @property
    def title(self) -> str:
        more = len(self.paths) - 1
        return f"{self.paths[0]} and {more} more" if more else self.paths[0]


def _bindings(_: click.Context, option: click.Parameter, texts: Sequence[str]) -> dict[str, list[str]] | None:
    """Every KEY=FILE,... of the command line."""
    found: dict[str, list[str]] = {}
    for text in texts:
        key, equals, files = text.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{text!r} is no KEY=FILE,...", param=option)
        found.setdefault(key, []).extend(filter(None, files.split(",")))
    return found or None


@click.command(name="verify")
@click.argument("files", nargs=-1, metavar="FILE|DIR...")
@click.option("--each", is_flag=True, help="Judge every file by itself, also those of one layer.")
@click.option(
    "--segments",
    "bound",
    metavar="KEY=FILE,...",
    multiple=True,
    callback=_bindings,
    help="Files of a storage key that moe_manifest.json names; as often as there are keys.",
)
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Segments or records read at a time.")
@click.option("--all", "everything", is_flag=True, help="List every defect, however many are alike.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for what is judged together.")
@click.option(
    "--format", "form", metavar="NAME", callback=format_option, help="Read every FILE as this format."
)
def command(
    files: tuple[str, ...],
    each: bool,
    jobs: int | None,
    bound: dict[str, list[str]] | None,
    everything: bool,
    as_json: bool,
    form: str | None,
) -> None:
    r"""List everything that is wrong with each FILE, a line for each defect.

    Several layer files are taken for all files of one logical layer, unless --each is given. A
    moe_manifest.json is judged by itself; with --segments, the layer files of its routed banks too. A
    container, which is a folder, is read to its last byte: digests, tables, graph, layer files; of a
    WASTE container every record with its checksum.

    \b
      vindex3 verify model.vindex
      vindex3 verify model.waste --jobs 2
      vindex3 verify layer_012.lyrw
      vindex3 verify layer_012.segment_0.lyrw layer_012.segment_1.lyrw
      vindex3 verify moe_manifest.json --segments layer_012=a.lyrw,b.lyrw

    With --json a line is {"files", "defects"} or {"files", "refused"}; of a container it has the whole
    answer of container.verify or waste.verify.

    Exit status: 0 clean, 1 defects, 2 usage (or a file of no known format), 3 a file is refused, 5 no
    file was given.
    """
    if not files:
        click.echo("no file was examined", err=True)
        sys.exit(EXIT_NOTHING)
    parts = _jobs(files, each, form)
    if bound and not any(job.entry.binds for job in parts):
        raise click.UsageError("--segments is for a moe_manifest.json, and there is none")
    codes = []
    with watched(len(parts)) as watch:
        for job in parts:
            watch.begin(job.title)
            codes.append(_judged(job, bound, everything, as_json, watch, jobs))
    if len(codes) > 1 and not as_json:
        click.echo(_in_all(codes))
    sys.exit(max(codes))


def _in_all(codes: Sequence[int]) -> str:
    words = {0: "clean", EXIT_WRONG: "with defects", EXIT_REFUSED: "refused"}
    return ", ".join(f"{codes.count(code)} {word}" for code, word in words.items() if code in codes)


def _jobs(files: Iterable[str], each: bool, form: str | None) -> list[_Job]:
    """Files that belong together, in the order of the first of each.

    Raises:
        click.UsageError: a file of no format, or of one that cannot be judged.
    """
    grouped: dict[tuple[str, int], _Job] = {}
    for position, path in enumerate(files):
        entry = format_of(path, form)
        if not isinstance(entry, Verifies):
            raise click.UsageError(
                f"{path}: files of the format {entry.name} are not judged by themselves; dump shows them"
            )
        key = (entry.name, -1 if entry.whole and not each else position)
        known = grouped[key].paths if key in grouped else ()
        grouped[key] = _Job(entry, (*known, path))
    return list(grouped.values())


def _judged(
    job: _Job,
    bound: Mapping[str, list[str]] | None,
    everything: bool,
    as_json: bool,
    watch: Watch,
    jobs: int | None,
) -> int:
    """Print what is wrong with files; the exit code for them alone."""
    begun = time.monotonic()
    try:
        answer: Any = job.entry.verify(job.paths, bound if job.entry.binds else None, Work(watch.tell, jobs))
    except Exception as error:
        said = refusal(error)
        if as_json:
            _print_json(job, {"refused": said})
        else:
            click.echo("\n".join(refused_file_lines(job.title, said)))
        return EXIT_REFUSED
    if as_json:
        _print_json(job, answer)
    else:
        _print_text(job, answer, everything)
        _print_speed(answer, time.monotonic() - begun, watch.done)
    return EXIT_WRONG if answer["defects"] else 0


def _print_json(job: _Job, answer: Mapping[str, object]) -> None:
    click.echo(for_programmes({"files": list(job.paths), **answer}))


def _print_text(job: _Job, answer: Mapping[str, Any], everything: bool) -> None:
    for line in (
        *defect_lines(job.title, answer["defects"], everything),
        *summary_lines(job.title, answer["defects"], answer.get("more", ())),
    ):
        click.echo(line)
    if len(job.paths) > 1 and any(defect["kind"] == "layer-mismatch" for defect in answer["defects"]):
        click.echo(f"These files are taken for one {job.entry.whole}; --each judges every file by itself.")


def _print_speed(answer: Mapping[str, Any], seconds: float, done: int) -> None:
    """How fast a container was read, on stderr: the numbers of no two runs are alike."""
    for key, noun in _COUNTED.items():
        if key in answer:
            count, spent = answer[key], max(seconds, 1e-6)
            rates = f"{near(round(done / spent))}/s, {counted(round(count / spent), noun)}/s"
            click.echo(f"{counted(count, noun)}, {near(done)} in {seconds:.1f} s, {rates}", err=True)
