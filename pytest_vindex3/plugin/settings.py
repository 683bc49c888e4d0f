"""What the options ask for, read once: the command line beats the ini file, the ini file the default."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import pytest

from pytest_vindex3.plugin.options import OPTIONS, PROFILES, Option

Profile = Literal["quick", "certify", "soak"]
SOAK_SECONDS = "60"
"""For so long the profile soak fuzzes each target."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    Attributes:
        implementations: the specs to judge, as given.
        only: globs over test ids, clause ids and families; empty for everything.
        profile: how much is run.
        strict: whether advice counts for the exit code.
        report: the file of the JSON report.
        in_process: whether implementations share pytest's process.
        time_scale: factor on every time limit.
        seed: seed of generated inputs.
        known_failures: the file that lists them.
        fuzz: seconds for which each target is fuzzed at the end; 0 for not at all.
    """

    implementations: tuple[str, ...]
    only: tuple[str, ...] = ()
    profile: Profile = "certify"
    strict: bool = False
    report: Path | None = None
    in_process: bool = False
    time_scale: float = 1.0
    seed: int = 0
    known_failures: Path | None = None
    fuzz: int = 0


def read(config: pytest.Config) -> Settings:
    """The settings of this session.

    Raises:
        pytest.UsageError: a value that is none of those its option takes.
    """
    values: dict[str, Any] = {option.name: _value(config, option) for option in OPTIONS}
    profile = _profile(values["profile"] or "certify")
    debugging = config.getoption("usepdb", False) or config.getoption("trace", False)
    return Settings(
        implementations=tuple(values["impl"]),
        only=tuple(values["only"]),
        profile=profile,
        strict=bool(values["strict"]),
        report=values["report"],
        in_process=bool(values["in_process"] or debugging),
        time_scale=_time_scale(values["time_scale"] or "1"),
        seed=_seed(values["seed"] or "0"),
        known_failures=values["known_failures"],
        fuzz=_seconds(values["fuzz"] or (SOAK_SECONDS if profile == "soak" else "0")),
    )


def twins(config: pytest.Config, given: object) -> list[str]:
    """The ini file's settings as command line arguments, save those that `given` has already."""
    arguments = []
    for option in OPTIONS:
        value = _from_ini(config, option)
        if not value or getattr(given, option.key, None):
            continue
        if option.sort == "flag":
            arguments.append(option.flag)
        else:
            several = value if isinstance(value, list) else [value]
            arguments += [f"{option.flag}={one}" for one in several]
    return arguments


def _value(config: pytest.Config, option: Option) -> object:
    value = config.getoption(option.key)
    if value is None:
        return _from_ini(config, option)
    return config.invocation_params.dir / value if option.is_path else value


def _from_ini(config: pytest.Config, option: Option) -> object:
    value = config.getini(option.key)
    if value and option.is_path:
        return (config.inipath.parent if config.inipath else config.rootpath) / value
    return value or None if option.sort != "many" else value


def _profile(word: str) -> Profile:
    if word not in PROFILES:
        near = difflib.get_close_matches(word, PROFILES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise pytest.UsageError(f"--vindex3-profile is one of {', '.join(PROFILES)}, not {word!r}{hint}")
    return cast("Profile", word)


def _time_scale(word: str) -> float:
    try:
        scale = float(word)
    except ValueError:
        scale = math.nan
    if not (scale > 0 and math.isfinite(scale)):
        raise pytest.UsageError(f"--vindex3-time-scale is a factor above 0, not {word!r}")
    return scale


def _seconds(word: str) -> int:
    if not (word.isascii() and word.isdecimal()):
        raise pytest.UsageError(f"--vindex3-fuzz is a whole number of seconds, not {word!r}")
    return int(word)


def _seed(word: str) -> int:
    try:
        return int(word, 0)
    except ValueError:
        raise pytest.UsageError(f"--vindex3-seed is an integer, not {word!r}") from None
