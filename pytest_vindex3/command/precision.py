"""`vindex3 precision`: what a precision map makes of the tensors of a container."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_vindex3.command import EXIT_REFUSED
from pytest_vindex3.command._file import refusal, refused_lines
from pytest_vindex3.command._page import show
from pytest_vindex3.command._values import for_programmes
from pytest_vindex3.formats import Facts, Grid, Page, Part, counted, exact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SOURCE = "source precision"


@dataclass(frozen=True, slots=True)
class _Row:
    """A tensor with what was decided: values, and bytes before and after."""

    decision: Mapping[str, Any]
    values: int
    before: int

    @property
    def after(self) -> int:
        """Bytes of what is to be stored: of a carried tensor those that are."""
        return self.before if self.decision["encoding"] is None else int(self.decision["bytes"])


@click.command(name="precision")
@click.argument("map_file", metavar="MAP.json", type=click.Path(exists=True, dir_okay=False))
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option("--tensors", "each", is_flag=True, help="List every tensor with its decision.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer of precision.compile.")
def command(map_file: str, directory: str, each: bool, as_json: bool) -> None:
    r"""Say what the precision map MAP.json makes of the tensors of the container DIR; nothing is written.

    \b
      vindex3 precision mixed.json model.vindex
      vindex3 precision mixed.json model.vindex --tensors

    Shown are the bits a weight takes, over all tensors and over those that are compiled; a table by role;
    and which rule of the map decided how much. Judged are the tensors of each object's first
    representation, by their names and shapes.

    Exit status: 0, 2 usage, 3 the map or the container is refused (a dead rule, for one).
    """
    try:
        answer, rows = _compiled(map_file, directory)
        rules = _rules(map_file)
    except Exception as error:
        said = refusal(error)
        if as_json:
            click.echo(for_programmes({"refused": said}))
        else:
            click.echo("\n".join(refused_lines(f"{map_file} over {directory}", said)))
        sys.exit(EXIT_REFUSED)
    if as_json:
        click.echo(for_programmes(answer))
    else:
        show(_page(Path(map_file).name, rows, rules, each))


def _compiled(map_file: str, directory: str) -> tuple[Mapping[str, Any], list[_Row]]:
    from pytest_vindex3.command._inventory import inventory
    from vindex3_reference.document import root_of
    from vindex3_reference.representation.verbs import precision_compile

    policy = root_of(map_file).value
    tensors: Any = inventory(directory)
    answer: Any = precision_compile(map=policy, tensors=tensors)
    decided = zip(answer["decisions"], tensors, strict=True)
    return answer, [_Row(decision, prod(tensor["shape"]), tensor["len"]) for decision, tensor in decided]


def _rules(map_file: str) -> dict[int | None, str]:
    """Each exception of the map by its position, and the default under None, in words."""
    from vindex3_reference.document import root_of

    policy: Any = root_of(map_file).value
    words: dict[int | None, str] = {None: f"default: {policy['encoding']}"}
    for number, rule in enumerate(policy.get("exceptions") or ()):
        layers = rule.get("layers")
        chosen = [rule.get("projection"), None if layers is None else f"layers {layers[0]} to {layers[1]}"]
        about = ", ".join(filter(None, chosen)) or "everything"
        words[number] = f"exception {number}: {about} -> {rule.get('encoding') or SOURCE}"
    return words


def _page(name: str, rows: Sequence[_Row], rules: Mapping[int | None, str], each: bool) -> Page:
    compiled = [row for row in rows if row.decision["encoding"] is not None]
    facts = Facts(
        (
            ("all tensors", _summary(rows)),
            ("compiled", _summary(compiled)),
            ("carried", _summary([row for row in rows if row.decision["encoding"] is None])),
        )
    )
    parts: list[Part] = [facts, _by_role(rows), _by_rule(rows, rules)]
    if each:
        parts.append(_tensors(rows, rules))
    return Page(f"{name}: {counted(len(compiled), 'tensor')} of {len(rows):,} compiled", tuple(parts))


def _summary(rows: Sequence[_Row]) -> str:
    after = sum(row.after for row in rows)
    return f"{_bits(rows)} bits a weight, {exact(after)} instead of {sum(row.before for row in rows):,}"


def _bits(rows: Iterable[_Row]) -> str:
    listed = list(rows)
    values = sum(row.values for row in listed)
    return f"{8 * sum(row.after for row in listed) / values:.3f}" if values else "no"


def _by_role(rows: Sequence[_Row]) -> Grid:
    roles = sorted({row.decision["role"] for row in rows})
    lines = []
    for role in roles:
        here = [row for row in rows if row.decision["role"] == role]
        encodings = Counter(row.decision["encoding"] or SOURCE for row in here)
        said = ", ".join(f"{count} {encoding}" for encoding, count in sorted(encodings.items()))
        before, after = sum(row.before for row in here), sum(row.after for row in here)
        lines.append((role, f"{len(here):,}", said, f"{before:,}", f"{after:,}", _bits(here)))
    heads = ("role", "tensors", "encodings", "bytes before", "after", "bits a weight")
    return Grid(heads, tuple(lines), frozenset(heads) - {"role", "encodings"}, "by role")


def _by_rule(rows: Sequence[_Row], rules: Mapping[int | None, str]) -> Grid:
    """How many tensors each rule decided; below, those that no rule was asked about or could serve."""
    told = Counter(_rule(row.decision, rules) for row in rows)
    order = [rules[number] for number in (*(key for key in rules if key is not None), None)]
    lines = [(rule, f"{told.pop(rule, 0):,}") for rule in order]
    lines += [(rule, f"{count:,}") for rule, count in sorted(told.items())]
    return Grid(("rule", "tensors"), tuple(lines), frozenset({"tensors"}), "which rule decided")


def _rule(decision: Mapping[str, Any], rules: Mapping[int | None, str]) -> str:
    if decision["reason"] in ("exception", "default"):
        return rules[decision["exception"]]
    return "the shape does not fit" if decision["reason"] == "shape" else "the role is not compiled"


def _tensors(rows: Sequence[_Row], rules: Mapping[int | None, str]) -> Grid:
    lines = [
        (
            row.decision["object"],
            row.decision["name"],
            row.decision["role"],
            row.decision["encoding"] or SOURCE,
            _rule(row.decision, rules),
        )
        for row in rows
    ]
    return Grid(("object", "tensor", "role", "encoding", "rule"), tuple(lines), title="tensors")
