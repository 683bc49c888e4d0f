"""`vindex3 schema`: the verbs of the contract, their arguments and answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click
from msgspec import inspect

from pytest_vindex3.contract.load import find_verb
from pytest_vindex3.contract.schema import json_schema
from pytest_vindex3.contract.verb import Verb, verbs
from pytest_vindex3.contract.words import type_word


@click.command
@click.argument("verb", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON Schema (draft 2020-12).")
def command(verb: str | None, as_json: bool) -> None:
    """Show what implementations are asked, and what they answer.

    Without VERB the verbs are listed. With it, its arguments and the types of its answer are shown, and
    the function that answers it in a Python adapter.

    With --json the schema of an exchange is printed: an object with the `arguments` of a request and the
    `answer` to it, bytes and arrays in the form they have on the pipe; without VERB, the schemas of all
    verbs as {"verbs": {NAME: SCHEMA}}. Answers may hold further keys.

    Exit status: 0 good, 2 usage (there is no such verb).
    """
    if verb is None:
        click.echo(_all_schemas() if as_json else "\n".join(_listed()))
        return
    try:
        found = find_verb(verb)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    click.echo(json.dumps(json_schema(found), indent=2) if as_json else "\n".join(_described(found)))


def _all_schemas() -> str:
    return json.dumps({"verbs": {name: json_schema(one) for name, one in verbs().items()}}, indent=2)


def _listed() -> Iterator[str]:
    width = max(map(len, verbs()))
    for name, verb in verbs().items():
        yield f"{name:{width}}  {verb.summary}"


def _described(verb: Verb) -> Iterator[str]:
    yield f"{verb.name}: {verb.summary}"
    yield f"In Python: {verb.signature}"
    if verb.options:
        yield "A parameter that is an option is declared by being there: leave out those you do not have."
    if verb.about:
        yield f"\n{verb.about}"
    yield ""
    yield "Arguments"
    fields = [(name, _word(inspect.type_info(kind))) for name, kind in verb.arguments.items()]
    for name, word in fields:
        yield f"  {name:17} {word}{_manner(verb, name)}"
    yield ""
    answer = inspect.type_info(verb.answer)
    yield f"Answer: {_word(answer)}"
    for definition in _definitions(answer):
        yield ""
        yield f"{definition.cls.__name__}: {_first_line(definition.cls)}"
        order = list(definition.cls.__annotations__)
        told = told_of_fields(definition.cls)
        for field in sorted(definition.fields, key=lambda one: order.index(one.name)):
            known = f": {told[field.name]}" if field.name in told else ""
            yield f"  {field.name:17} {_word(field.type)}{'' if field.required else ', or left out'}{known}"
    yield ""
    yield f"What is to be refused, and with which facts: vindex3 clauses --verb {verb.name}"


def _manner(verb: Verb, name: str) -> str:
    if name in verb.options:
        return ", an option: sent only where it is declared"
    offered = ", given as a function" if name in verb.offers else ""
    return offered if name in verb.required else f"{offered}, or left out"


def _word(slot: inspect.Type) -> str:
    if isinstance(slot, inspect.TypedDictType):
        return str(slot.cls.__name__)
    if isinstance(slot, inspect.ListType):
        return f"list of {_word(slot.item_type)}"
    if isinstance(slot, inspect.DictType):
        return f"object of {_word(slot.value_type)}"
    if isinstance(slot, inspect.UnionType):
        return " or ".join(map(_word, slot.types))
    return type_word(slot)


def _definitions(slot: Any) -> list[inspect.TypedDictType]:
    """The object types below a slot, each once, in the order in which they are met."""
    found: dict[type, inspect.TypedDictType] = {}
    waiting = [slot]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, inspect.TypedDictType) and one.cls not in found:
            found[one.cls] = one
            waiting += [field.type for field in one.fields]
        elif isinstance(one, inspect.ListType):
            waiting.append(one.item_type)
        elif isinstance(one, inspect.DictType):
            waiting.append(one.value_type)
        elif isinstance(one, inspect.UnionType):
            waiting += one.types
    return list(found.values())


def told_of_fields(definition: type) -> dict[str, str]:
    """What the docstring of an object type says of its fields, by name: each on a line of `Attributes:`."""
    _, _, section = (definition.__doc__ or "").partition("Attributes:\n")
    pairs = (line.strip().partition(": ") for line in section.splitlines())
    return {name: text for name, colon, text in pairs if colon}


def _first_line(definition: type) -> str:
    return (definition.__doc__ or "").strip().partition("\n")[0]
