"""`vindex3 call`: one question to one implementation."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from pytest_vindex3.command import EXIT_FAULT, EXIT_REFUSED, EXIT_USAGE, EXIT_WRONG
from pytest_vindex3.command._values import for_people, for_programmes, parsed
from pytest_vindex3.contract.door import Door, NotLoaded
from pytest_vindex3.contract.load import check_request, find_verb
from pytest_vindex3.contract.opening import open_door, search_roots
from pytest_vindex3.contract.outcome import Answer, Fault, Misfit, Outcome, Refused, Reply, Unjudged
from pytest_vindex3.contract.texts import printable, printable_lines

_WORD = {Answer: "answer", Refused: "refused", Misfit: "misfit", Fault: "fault", Unjudged: "unjudged"}
_EXIT = {Answer: 0, Refused: EXIT_REFUSED, Misfit: EXIT_WRONG, Fault: EXIT_FAULT, Unjudged: EXIT_WRONG}
_COLOUR = {Answer: "green", Refused: "yellow"}


@click.command
@click.argument("spec")
@click.argument("verb")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object: the answer whole, bytes in base64."
)
def command(spec: str, verb: str, arguments: tuple[str, ...], as_json: bool) -> None:
    r"""Ask one question and show what came back.

    SPEC is an implementation: mypkg, module:attribute, path/to/adapter.py or "cmd:PROGRAM ...". A Python
    one runs in this process, so breakpoints work. VERB is a verb of the contract; `vindex3 schema` lists
    them with their arguments.

    A VALUE is read by the type that the verb gives its KEY: text as it stands, integers in decimal or
    0x..., null, bytes in hexadecimal or as @FILE, anything else as JSON or as @FILE with JSON in it,
    where bytes are {"base64": "..."}.

    \b
      vindex3 call mypkg lyrw.parse path=layer_003.lyrw
      vindex3 call mypkg lyrw.region path=layer_003.lyrw bank_id=0 entry=5 role=down
      vindex3 call mypkg waste.record path=model.waste layer=1 expert=5 verify=true

    Exit status: 0 an answer, 1 an answer of the wrong type, 2 usage (or SPEC could not be loaded),
    3 refused, 4 a fault: exception, crash, hang, over-claim.
    """
    with contextlib.redirect_stdout(sys.stderr):  # what an implementation prints is no part of the answer
        request = _request(verb, arguments)
        reply = _asked(spec, verb, request)
    click.echo(_json(reply.outcome) if as_json else _text(reply), color=_colour())
    sys.exit(_EXIT[type(reply.outcome)])


class _NotLoadedError(click.ClickException):
    exit_code = EXIT_USAGE


def _request(name: str, texts: tuple[str, ...]) -> dict[str, object]:
    try:
        verb = find_verb(name)
        return dict(parsed(verb, text) for text in texts)
    except (LookupError, ValueError) as error:
        raise click.UsageError(str(error.args[0])) from None


def _asked(spec: str, verb: str, arguments: dict[str, object]) -> Reply:
    try:
        door = open_door(spec, in_process=True, roots=search_roots())
    except NotLoaded as error:
        raise _NotLoadedError(str(error)) from None
    with contextlib.closing(door):
        _check(door, verb, arguments)
        return door.ask(verb, arguments)


def _check(door: Door, verb: str, arguments: dict[str, object]) -> None:
    try:
        check_request(verb, arguments, door.describe().verbs)
    except NotLoaded as error:
        raise _NotLoadedError(str(error)) from None
    except (LookupError, TypeError) as error:
        raise click.UsageError(str(error.args[0])) from None


def _colour() -> bool | None:
    return False if os.environ.get("NO_COLOR") else None


def _json(outcome: Outcome) -> str:
    match outcome:
        case Answer(value):
            body: object = value
        case Refused(kind, names, message):
            body = {"kind": kind, "message": message, "names": names}
        case Misfit(where, expected, found):
            body = {"where": where, "expected": expected, "found": found}
        case Fault(what, detail):
            body = {"what": what, "detail": detail}
        case Unjudged(reason):
            body = {"reason": reason}
    return for_programmes({_WORD[type(outcome)]: body})


def _text(reply: Reply) -> str:
    outcome = reply.outcome
    head = click.style(_WORD[type(outcome)], fg=_COLOUR.get(type(outcome), "red"), bold=True)
    lines = [f"{head}{_told(outcome)}"]
    if reply.stderr.strip():
        lines.append(f"It printed: {printable_lines(reply.stderr.rstrip())}")
    return "\n".join(lines)


def _told(outcome: Outcome) -> str:
    match outcome:
        case Answer(value):
            return f": {for_people(value)}"
        case Refused(kind, names, message):
            facts = "".join(f"\n  {printable(name)} = {for_people(fact)}" for name, fact in names.items())
            return f" as {printable(kind)}{facts}" + (f"\n{printable_lines(message)}" if message else "")
        case Misfit(where, expected, found):
            return printable_lines(f": {where or 'the answer'} is {found}, not {expected}")
        case Fault(what, detail):
            return f" ({what}): {printable_lines(detail)}"
        case Unjudged(reason):
            return printable_lines(f": {reason}")
