"""pytest-vindex3: a conformance suite for readers and writers of VINDEX3 model containers.

Names are loaded on first use: importing this package costs nothing, and so does pytest's start-up.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vindex3.contract.difference import free_order as free_order
    from pytest_vindex3.contract.door import NotLoaded as NotLoaded
    from pytest_vindex3.contract.load import Fault as Fault
    from pytest_vindex3.contract.load import load as load
    from pytest_vindex3.contract.refusal import Refusal as Refusal
    from pytest_vindex3.plugin.ask import needs as needs
    from pytest_vindex3.plugin.ask import on_disk as on_disk
    from pytest_vindex3.plugin.check import cases as cases
    from pytest_vindex3.plugin.check import check as check
    from pytest_vindex3.plugin.check import clause as clause
    from pytest_vindex3.plugin.expect import answers as answers
    from pytest_vindex3.plugin.expect import either as either
    from pytest_vindex3.plugin.expect import refuses as refuses
    from pytest_vindex3.plugin.generated import generated as generated

_HOMES = {
    "Fault": "contract.load",
    "NotLoaded": "contract.door",
    "Refusal": "contract.refusal",
    "answers": "plugin.expect",
    "cases": "plugin.check",
    "check": "plugin.check",
    "clause": "plugin.check",
    "either": "plugin.expect",
    "free_order": "contract.difference",
    "generated": "plugin.generated",
    "load": "contract.load",
    "needs": "plugin.ask",
    "on_disk": "plugin.ask",
    "refuses": "plugin.expect",
}

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
