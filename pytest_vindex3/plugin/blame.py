"""Whose fault a failure may be, in a few words."""

from __future__ import annotations

from pytest_vindex3.contract.outcome import Fault, Misfit, Refused
from pytest_vindex3.law.registry import kinds
from pytest_vindex3.plugin.check import Failure

_OF_FAULT = {
    "hang": "the implementation; or a slow machine (--vindex3-time-scale)",
    "memory": "the implementation: what it takes must keep within what the input gives reason for",
    "garbage": "the adapter: what it says does not follow the contract",
    "damage": "the implementation: it is asked to read its inputs, and to leave them as they are",
    "over-claim": "the adapter: what it says does not follow the contract",
}


def blame(failure: Failure) -> str:
    """Whose fault it may be."""
    if failure.fault:
        return blame_of(failure.fault)
    outcome = failure.reply.outcome
    if isinstance(outcome, Misfit):
        return "the adapter: an answer of another type than the contract's"
    if isinstance(outcome, Refused) and outcome.kind not in kinds():
        return "the adapter: a kind that the law does not have"
    return "the implementation; or the suite, if it misreads the clause"


def blame_of(fault: Fault) -> str:
    """Whose fault a fault may be."""
    return _OF_FAULT.get(fault.what, "the implementation, or its adapter")
