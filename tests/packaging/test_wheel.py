"""What a user gets: the wheel, made from the source distribution."""

from __future__ import annotations

import ctypes
import email.message
import email.parser
import shutil
import sys
import tomllib
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

import pytest_vindex3

ROOTS = {
    "pytest_vindex3": "",
    "vindex3_reference": "reference/",
    "vindex3_suites": "suites/",
    "vindex3_golden": "golden/",
    "vindex3_fixtures": "fixtures/",
}
CHECKOUT = Path(__file__).parents[2]
SHIMS = {f"pytest_vindex3/contract/shim/{name}.abi3.so" for name in ("changes", "reads")}
KERNELS = "vindex3_reference/kernels/_native.abi3.so"
COMPILING = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("gcc"),
    reason="the library is built on Linux, by a C compiler",
)


@pytest.fixture(scope="session")
def information(wheel: zipfile.Path) -> zipfile.Path:
    """The folder of the wheel that describes it."""
    [folder] = [entry for entry in wheel.iterdir() if entry.name.endswith(".dist-info")]
    return folder


@pytest.fixture(scope="session")
def metadata(information: zipfile.Path) -> email.message.Message:
    """The metadata of the wheel."""
    return email.parser.Parser().parsestr((information / "METADATA").read_text(encoding="utf-8"))


def packed(wheel: zipfile.Path) -> set[str]:
    """The files of a wheel, save those that describe it."""
    names = wheel.root.namelist()
    return {name for name in names if ".dist-info/" not in name and not name.endswith("/")}


@pytest.fixture(scope="session")
def expected(tracked: list[str]) -> set[str]:
    """The tracked files below a package, as a wheel names them."""
    found = set()
    for package, folder in ROOTS.items():
        prefix = f"{folder}{package}/"
        found |= {name.removeprefix(folder) for name in tracked if name.startswith(prefix)}
    return found


@COMPILING
def test_the_wheel_holds_every_tracked_file_of_the_packages(wheel: zipfile.Path, expected: set[str]) -> None:
    """Every tracked file below a package is in the wheel, and the libraries that are built."""
    assert packed(wheel) == expected | SHIMS | {KERNELS}


def test_without_a_compiler_the_wheel_is_pure(pure_wheel: zipfile.Path, expected: set[str]) -> None:
    """Then it holds the tracked files alone and is for every platform."""
    assert packed(pure_wheel) == expected
    assert str(pure_wheel.root.filename).endswith("-py3-none-any.whl")


@COMPILING
def test_one_wheel_serves_every_python_of_a_platform(wheel: zipfile.Path, tmp_path: Path) -> None:
    """It is tagged for the lowest Python and every later one; its other libraries load by themselves."""
    assert "-cp311-abi3-linux_" in str(wheel.root.filename)
    for shim in SHIMS:
        library = ctypes.CDLL(wheel.root.extract(shim, tmp_path))
        assert library.fopen
        assert b"Py" not in (wheel / shim).read_bytes()


@pytest.mark.parametrize("package", ROOTS)
def test_every_package_is_marked_as_typed(wheel: zipfile.Path, package: str) -> None:
    """Each importable package carries the marker that makes type checkers read it."""
    assert (wheel / package / "py.typed").is_file()


def test_the_version_is_written_once(metadata: email.message.Message) -> None:
    """The version of the distribution is the one in the package, and pyproject.toml repeats none."""
    assert metadata["Version"] == pytest_vindex3.__version__
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project


def test_the_metadata_names_only_what_was_tested(metadata: email.message.Message) -> None:
    """Name, licence, lowest Python and classifiers are those the stages of CI exercise."""
    assert metadata["Name"] == "pytest-vindex3"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    series = "Programming Language :: Python :: 3."
    versions = [line for line in metadata.get_all("Classifier", []) if line.startswith(series)]
    assert versions == [f"{series}11", f"{series}13"]
    assert "Framework :: Pytest" in metadata.get_all("Classifier", [])


def test_users_get_no_tool_of_the_kits_own_tests(metadata: email.message.Message) -> None:
    """What the kit's own tests need is asked for by the extra alone."""
    lines = metadata.get_all("Requires-Dist", [])
    required = {line.split(">=")[0] for line in lines if "extra ==" not in line}
    assert required == {"cffi", "click", "hypothesis", "msgspec", "numpy", "pytest", "rich"}


def test_the_entry_points_are_the_command_the_plugin_and_the_reference(information: zipfile.Path) -> None:
    """The wheel brings one command, one pytest plugin and one implementation, and nothing else."""
    entries = ConfigParser()
    entries.read_string((information / "entry_points.txt").read_text(encoding="utf-8"))
    assert {section: dict(entries[section]) for section in entries.sections()} == {
        "console_scripts": {"vindex3": "pytest_vindex3.command:main"},
        "pytest11": {"vindex3": "pytest_vindex3.plugin"},
        "pytest_vindex3.implementations": {"vindex3_reference": "vindex3_reference.adapter"},
    }
