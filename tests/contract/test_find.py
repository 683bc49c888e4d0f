"""Finding an implementation: every form, every way to miss."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vindex3.contract.door import NotLoaded
from pytest_vindex3.contract.find import GROUP, Spec, find, split
from pytest_vindex3.contract.verb import verbs

VERB = "def lyrw_parse(path): return {}\n"

Write = Callable[..., Path]


def missed(spec: str, *roots: Path) -> str:
    """The text of a spec that is not loaded."""
    with pytest.raises(NotLoaded) as caught:
        find(spec, roots)
    return str(caught.value)


SPLIT = {
    "mypkg": Spec(None, "mypkg"),
    "module:attribute": Spec(None, "module:attribute"),
    "path/to/adapter.py": Spec(None, "path/to/adapter.py"),
    "cmd:./my-adapter --fast": Spec(None, "cmd:./my-adapter --fast", "./my-adapter --fast"),
    "mine=mypkg": Spec("mine", "mypkg"),
    "release 1.2=cmd:./a b=c": Spec("release 1.2", "cmd:./a b=c", "./a b=c"),
    "cmd:./a b=c": Spec(None, "cmd:./a b=c", "./a b=c"),
    "a/b=c/adapter.py": Spec(None, "a/b=c/adapter.py"),
    "mine=a/b=c/adapter.py": Spec("mine", "a/b=c/adapter.py"),
}


@pytest.mark.parametrize(("spec", "parts"), SPLIT.items(), ids=SPLIT)
def test_specs_are_taken_apart(spec: str, parts: Spec) -> None:
    """A name stands before the first `=`, unless a path or a command begins before it."""
    assert split(spec) == parts


def test_an_existing_file_is_never_a_name(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with `=` in its name is that file."""
    monkeypatch.chdir(write("a=b.py", VERB).parent)
    assert split("a=b.py") == Spec(None, "a=b.py")


@pytest.mark.parametrize("spec", ["", "  ", "cmd:", "mine=cmd: "])
def test_empty_specs(spec: str) -> None:
    """A spec that names nothing is told so."""
    with pytest.raises(NotLoaded, match="names no implementation"):
        split(spec)


def test_a_package(write: Write, tmp_path: Path) -> None:
    """A package in a root is found, with its file, version and verbs."""
    write("wood/__init__.py", "__version__ = '0.3'\n" + VERB)
    found = find("wood", [tmp_path])
    assert (found.name, found.version, found.claimed) == ("wood", "0.3", ("lyrw.parse",))
    assert found.origin == str(tmp_path / "wood" / "__init__.py")


def test_a_dotted_module(write: Write, tmp_path: Path) -> None:
    """A module in a package is found by its dotted name, and takes the package's version."""
    write("stone/__init__.py", "__version__ = '2'")
    write("stone/kit/__init__.py", "")
    write("stone/kit/adapter.py", "from stone import __version__ as _\n" + VERB)
    found = find("stone.kit.adapter", [tmp_path])
    assert (found.name, found.version) == ("stone.kit.adapter", "2")


def test_the_roots_come_before_the_import_path_and_stand_last_afterwards(
    write: Write, tmp_path: Path
) -> None:
    """A local module wins over an installed one of its name, and hides nothing once it is imported."""
    write("installed/iron.py", VERB)
    write("local/iron.py", "import rust\n" + VERB)
    write("local/rust.py", "")
    sys.path.append(str(tmp_path / "installed"))
    found = find("iron", [tmp_path / "local"])
    assert found.origin == str(tmp_path / "local" / "iron.py")
    assert sys.path[-1] == str(tmp_path / "local")
    assert sys.path.count(str(tmp_path / "local")) == 1


def test_a_root_on_the_path_already_stays_where_it_is(write: Write, tmp_path: Path) -> None:
    """Nothing is moved that somebody else has put on the import path."""
    write("copper.py", VERB)
    sys.path.insert(0, str(tmp_path))
    before = list(sys.path)
    find("copper", [tmp_path])
    assert sys.path == before


def test_a_file_beside_what_it_imports(write: Write, tmp_path: Path) -> None:
    """An adapter file imports the modules in its folder, now and when it is asked."""
    write("deep/clay_reader.py", "LAYER = 7")
    write("deep/clay_late.py", "FLAGS = 0")
    source = """
        import clay_reader
        def lyrw_parse(path):
            import clay_late
            return [clay_reader.LAYER, clay_late.FLAGS]
    """
    write("deep/adapter.py", source)
    found = find("deep/adapter.py", [tmp_path])
    assert found.functions["lyrw.parse"](path="") == [7, 0]
    assert found.name == "deep"


def test_a_file_in_a_package(write: Write, tmp_path: Path) -> None:
    """An adapter file in a package is imported as part of it, so that relative imports work."""
    write("sand/__init__.py", "")
    write("sand/grain.py", "SIZE = 3")
    write("sand/reader.py", "from .grain import SIZE\ndef lyrw_parse(path): return SIZE\n")
    found = find(str(tmp_path / "sand" / "reader.py"))
    assert found.functions["lyrw.parse"](path="") == 3
    assert sys.modules["sand.reader"].__file__ == found.origin


def test_two_files_of_one_name(write: Write, tmp_path: Path) -> None:
    """Two adapter files of one name are two implementations; the same file is loaded once."""
    write("one/tin.py", "def lyrw_parse(path): return 1\n")
    write("two/tin.py", "def lyrw_parse(path): return 2\n")
    first, second, again = (find(spec, [tmp_path]) for spec in ("one/tin.py", "two/tin.py", "one/tin.py"))
    assert [found.functions["lyrw.parse"](path="") for found in (first, second, again)] == [1, 2, 1]
    assert first.functions["lyrw.parse"] is again.functions["lyrw.parse"]


def test_a_package_folder(write: Write, tmp_path: Path) -> None:
    """A path to a package's folder is that package."""
    write("lead/__init__.py", VERB)
    assert find(f"{tmp_path}/lead").origin == str(tmp_path / "lead" / "__init__.py")


ADAPTER = """
    class Reader:
        __version__ = "5"
        vindex3_name = "the reader"
        def lyrw_parse(self, path): return "asked"
    ready = Reader()
    def make(): return Reader()
    class holder:
        inner = Reader
"""


@pytest.mark.parametrize("attribute", ["Reader", "ready", "make", "holder.inner"])
def test_an_attribute(write: Write, tmp_path: Path, attribute: str) -> None:
    """An attribute may be the adapter, its class or a function that makes it."""
    write("glass.py", ADAPTER)
    for place in ("glass", "glass.py"):
        found = find(f"{place}:{attribute}", [tmp_path])
        assert found.functions["lyrw.parse"](path="") == "asked"
        assert (found.name, found.version, found.origin) == ("the reader", "5", str(tmp_path / "glass.py"))


@pytest.mark.parametrize("pointed", ["Reader", "ready", "make"])
def test_a_module_points_to_its_adapter(write: Write, tmp_path: Path, pointed: str) -> None:
    """`vindex3_adapter` comes before the module's own functions."""
    write(
        "slate.py", ADAPTER + f"    vindex3_adapter = {pointed}\n    def lyrw_parse(path): return 'module'\n"
    )
    assert find("slate", [tmp_path]).functions["lyrw.parse"](path="") == "asked"


def test_a_name_of_ones_own(write: Write, tmp_path: Path) -> None:
    """The name in a spec comes before all others."""
    write("amber.py", "vindex3_name = 'own'\n" + VERB)
    assert find("amber", [tmp_path]).name == "own"
    assert find("given=amber", [tmp_path]).name == "given"


def test_an_entry_point_comes_first(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name in the entry-point group is loaded from there, even beside a module of that name."""
    write("pearl.py", VERB)
    write("pearl_adapter.py", VERB)
    point = importlib.metadata.EntryPoint("pearl", "pearl_adapter", GROUP)
    points = importlib.metadata.EntryPoints([point])
    monkeypatch.setattr("pytest_vindex3.contract.find.entry_points", points.select)
    sys.path.append(str(tmp_path))
    assert find("pearl", [tmp_path]).origin == str(tmp_path / "pearl_adapter.py")


def test_options(write: Write, tmp_path: Path) -> None:
    """Declared options are taken as they stand; none are guessed for what the verb does not know."""
    write("moss.py", "vindex3_options = {'lyrw.parse': ['guard']}\n" + VERB)
    write("fern.py", "def lyrw_parse(path, guard=None): return {}\n")
    assert find("moss", [tmp_path]).options == {"lyrw.parse": ("guard",)}
    assert find("fern", [tmp_path]).options == {}


def test_parameters_that_a_verb_knows_as_options_are_declared(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a declaration, the named parameters of the function that are options of the verb count."""
    changed = {
        name: dataclasses.replace(one, options=frozenset({"hold", "before"})) if name == "lyrw.parse" else one
        for name, one in verbs().items()
    }
    monkeypatch.setattr("pytest_vindex3.contract.find.verbs", lambda: changed)
    write("reed.py", "def lyrw_parse(path, *, hold=None, other=1, **more): return {}\n")
    assert find("reed", [tmp_path]).options == {"lyrw.parse": ("hold",)}


def test_a_listed_verb_need_not_exist(write: Write, tmp_path: Path) -> None:
    """`vindex3_verbs` says what is claimed, for better or worse."""
    write("hazel.py", "vindex3_verbs = ['lyrw.parse', 'lyrw.region']\n" + VERB)
    found = find("hazel", [tmp_path])
    assert found.claimed == ("lyrw.parse", "lyrw.region")
    assert list(found.functions) == ["lyrw.parse"]


def test_fewer_verbs_may_be_listed_than_there_are(write: Write, tmp_path: Path) -> None:
    """A function that is not listed is not claimed."""
    write("birch.py", "vindex3_verbs = ['lyrw.parse']\n" + VERB + "def lyrw_region(**asked): return {}\n")
    assert find("birch", [tmp_path]).claimed == ("lyrw.parse",)


def test_a_wrong_name(write: Write, tmp_path: Path) -> None:
    """What was tried is told, with the nearest names in the roots and among the entry points."""
    write("mypkg.py", VERB)
    text = missed("mypgk", tmp_path)
    assert f"an entry point of the group {GROUP}" in text
    assert f"a module of that name in {tmp_path} and on the import path" in text
    assert text.endswith("Nearest: mypkg")
    assert "vindex3_reference" in missed("vindex3_refrence", tmp_path).splitlines()[-1]


def test_a_wrong_submodule(write: Write, tmp_path: Path) -> None:
    """The modules of the package that is there are among the nearest."""
    write("willow/__init__.py", "")
    write("willow/reader.py", VERB)
    assert "Nearest: willow.reader" in missed("willow.raeder", tmp_path)


@pytest.mark.parametrize("name", [".relative", "a..b", "no such", "x\0y"])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    """A name that no module can have is told like any other wrong one."""
    assert missed(name, tmp_path).startswith(("no implementation", f"importing {name} failed"))


def test_a_wrong_attribute(write: Write, tmp_path: Path) -> None:
    """The nearest attributes are named."""
    write("quartz.py", ADAPTER)
    assert missed("quartz:Raeder", tmp_path).endswith("has no attribute 'Raeder'; nearest: Reader")


def test_a_wrong_path(write: Write, tmp_path: Path) -> None:
    """A path that is not there is told with the folders it was looked for in, and the nearest file."""
    write("kit/adapter.py", VERB)
    text = missed("kit/adaptor.py", tmp_path)
    assert text == f"no file kit/adaptor.py; looked in {tmp_path}\nNearest: kit/adapter.py"
    assert missed("kit/", tmp_path).endswith("Nearest: kit/adapter.py")


def test_a_program_is_not_loaded() -> None:
    """A program is never looked for among modules."""
    assert "is a program" in missed("cmd:./x")


IMPORT_ERRORS = {
    "missing module": (
        "import no_such_module_here\n",
        "ModuleNotFoundError: No module named 'no_such_module_here'",
    ),
    "missing own part": ("import {name}.part\n", "No module named '{name}.part'"),
    "exception": ("def helper():\n    raise KeyError('x')\nhelper()\n", "KeyError: 'x'"),
    "syntax": ("def broken(:\n", "SyntaxError"),
    "exit": ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
}


@pytest.mark.parametrize(("source", "told"), IMPORT_ERRORS.values(), ids=IMPORT_ERRORS)
def test_errors_inside_the_module(write: Write, tmp_path: Path, source: str, told: str) -> None:
    """What the module's own code raises is told as that, never as a module that is not there."""
    name = f"flint{abs(hash(source))}"
    write(f"{name}.py", source.format(name=name))
    text = missed(name, tmp_path)
    assert text.startswith(f"importing {name} failed:")
    assert told.format(name=name) in text
    assert name not in sys.modules


def test_an_import_error_shows_the_users_frames_alone(write: Write, tmp_path: Path) -> None:
    """The frames are those of the user's files, with the line that raised."""
    write("basalt.py", "def helper():\n    raise KeyError('x')\nhelper()\n")
    lines = missed("basalt", tmp_path).splitlines()
    assert lines[1] == "KeyError: 'x'"
    assert [line.strip().partition(" in ")[2] for line in lines[2:]] == [
        "<module>: helper()",
        "helper: raise KeyError('x')",
    ]


def test_a_factory_that_raises(write: Write, tmp_path: Path) -> None:
    """What a factory raises is told in its own frames."""
    write("opal.py", "def make():\n    raise OSError('no disk')\n")
    text = missed("opal:make", tmp_path)
    assert text.startswith("making the adapter of opal:make failed:\nOSError: no disk")


@pytest.mark.parametrize(
    "declaration",
    [
        "vindex3_options = 7",
        "vindex3_options = {'lyrw.parse': 7}",
        "vindex3_options = {'lyrw.parse': 'guard'}",
        "vindex3_verbs = 7",
        "vindex3_verbs = 'lyrw.parse'",
    ],
)
def test_declarations_of_the_wrong_type(write: Write, tmp_path: Path, declaration: str) -> None:
    """A declaration of another type is told, and nothing of Python's leaks."""
    write("onyx.py", f"{declaration}\n{VERB}")
    assert missed("onyx", tmp_path).startswith("reading the declarations of onyx failed:")


def test_nothing_to_ask(write: Write, tmp_path: Path) -> None:
    """A module without verb functions is told the smallest adapter, in at most five lines."""
    write("chalk.py", "def parse(path): return {}\n")
    text = missed("chalk", tmp_path)
    assert len(text.splitlines()) <= 5
    assert "def lyrw_parse(path):" in text
    assert "vindex3 new-adapter" in text


def test_a_folder_that_is_no_package(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of files imports as an empty package: the files in it are offered, the adapter first."""
    monkeypatch.chdir(tmp_path)
    write("mine/about.py", "")
    write("mine/adapter.py", VERB)
    with pytest.raises(NotLoaded) as told:
        find("mine", [tmp_path])
    assert str(told.value).endswith("can be named: mine/adapter.py, mine/about.py")


def test_verb_functions_one_level_down(write: Write, tmp_path: Path) -> None:
    """An object in the module that has the verb functions is pointed out, and is found by its name."""
    lines = ["import sys", "class _Base:", "    def lyrw_parse(self, path): return {}", "it = _Base()"]
    path = write("slate.py", "\n".join([*lines, ""]))
    text = missed("slate", tmp_path)
    assert "but it in it has: name it as" in text
    assert f"{path.name}:it, or" in text
    assert list(find(f"{path}:it", [tmp_path]).functions) == ["lyrw.parse"]


def test_a_verb_function_that_is_spelled_wrong(write: Write, tmp_path: Path) -> None:
    """A function whose name is nearly a verb's is pointed out."""
    write("marble.py", "def lyrw_prase(path): return {}\n")
    assert missed("marble", tmp_path).endswith("but lyrw_prase: is it meant as lyrw_parse?")
