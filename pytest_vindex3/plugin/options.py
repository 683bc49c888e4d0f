"""The options of the plugin: one table, from which command line and ini are both made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import pytest

PROFILES = ("quick", "certify", "soak")


class Option(NamedTuple):
    """One option; `vindex3_NAME` in an ini file, `--vindex3-NAME` on the command line.

    Attributes:
        name: with underscores.
        sort: how it is read: many values, one, or none.
        metavar: the word for its value in the help text.
        help: what it does.
        is_path: whether its value is a file name.
    """

    name: str
    sort: Literal["many", "one", "flag"]
    metavar: str
    help: str
    is_path: bool = False

    @property
    def key(self) -> str:
        """Its name in an ini file and in pytest's namespace."""
        return f"vindex3_{self.name}"

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return f"--vindex3-{self.name.replace('_', '-')}"


OPTIONS = (
    Option(
        "impl",
        "many",
        "SPEC",
        "the implementation to judge: a module, module:attribute, path/to/adapter.py or cmd:PROGRAM, each "
        "optionally as NAME=SPEC; may be given several times. On the command line and without a path it "
        "runs the conformance suites",
    ),
    Option(
        "only",
        "many",
        "GLOB",
        "run the tests whose id, clause or family matches; may be given several times; such a run is partial",
    ),
    Option("profile", "one", "NAME", f"how much to run: {', '.join(PROFILES)} (default: certify)"),
    Option("strict", "flag", "", "advice (a departure from a should) counts for the exit code"),
    Option("report", "one", "FILE.json", "write the report as JSON", is_path=True),
    Option("in_process", "flag", "", "load the implementation into pytest's own process (so does --pdb)"),
    Option("time_scale", "one", "FACTOR", "multiply every time limit, for a slow machine (default: 1)"),
    Option(
        "fuzz",
        "one",
        "SECONDS",
        "fuzz the implementation at the end, so long for each target (default: 60 with the profile soak, "
        "else 0, which is not at all); needs atheris",
    ),
    Option("seed", "one", "INTEGER", "the seed of generated inputs (default: 0)"),
    Option(
        "known_failures",
        "one",
        "FILE.toml",
        "failures that are known: listed tests must fail as listed until they expire",
        is_path=True,
    ),
)


def add(parser: pytest.Parser) -> None:
    """Add every option to the command line and to the ini file; unset is None or empty."""
    group = parser.getgroup("vindex3", "conformance of VINDEX3 implementations (pytest-vindex3)")
    for option in OPTIONS:
        if option.sort == "flag":
            group.addoption(option.flag, action="store_true", default=None, help=option.help)
            parser.addini(option.key, option.help, type="bool", default=False)
        elif option.sort == "many":
            group.addoption(option.flag, action="append", metavar=option.metavar, help=option.help)
            parser.addini(option.key, option.help, type="linelist", default=[])
        else:
            group.addoption(option.flag, metavar=option.metavar, help=option.help)
            parser.addini(option.key, option.help, default="")


def asked(config: pytest.Config) -> bool:
    """Whether an implementation is named anywhere."""
    namespace = getattr(config, "known_args_namespace", config.option)
    return bool(
        getattr(config.option, "vindex3_impl", None)
        or getattr(namespace, "vindex3_impl", None)
        or config.getini("vindex3_impl")
    )
