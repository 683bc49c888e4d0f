"""Which file names a container may give, and which segment key means which file."""

from __future__ import annotations

import pytest

from vindex3_reference.container import names

PLAIN = [
    "a", "segments/a.bin", "a b", "layer..0", "..a", "a..", "...", ".hidden", "a/.b/c", "x@BF16+F32", "ab:c",
    "é/\u0301", "a\nb", "~", "1:", "CON", " ",
]  # fmt: skip
ESCAPING = [
    "", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b", "C:", "c:/a",
    "z:a", "a\\b", "\\", "a\0", "\0", "//host/a",
]  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_name_is_itself(name):
    """A relative name without empty and dotted components is given back as it is."""
    assert names.checked(name) == name


@pytest.mark.parametrize("name", ESCAPING)
def test_any_other_name_is_refused_as_written(name, refusal):
    """A name that leads elsewhere, on any system, is named as it stands in the document."""
    assert refusal(names.checked, name) == ("path-escape", {"path": name})


@pytest.mark.parametrize("name", ESCAPING)
def test_one_bad_name_among_many_is_seen(name):
    """Names judged together are not all plain where one of them is not, wherever it stands."""
    many = [f"segments/{number}" for number in range(5)]
    assert names.all_plain(many)
    assert not any(names.all_plain([*many[:at], name, *many[at:]]) for at in range(6))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("segments/a.bin", "segments/a"),
        ("segments/a.b@Q4.bin", "segments/a.b@Q4"),
        ("a", "a"),
        ("a.b/c", "a.b/c"),
        (".bin", ".bin"),
        ("a/.bin", "a/.bin"),
        ("a.", "a"),
    ],
)
def test_a_key_is_the_name_without_its_extension(name, key):
    """Only the last component has an extension, and not where nothing stands before the dot."""
    assert names.without_extension(name) == key
