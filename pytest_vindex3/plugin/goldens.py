"""The pinned containers: a short name of the whole set, and whether each is still what was pinned."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path

_CHUNK = 1 << 20


def manifest_name() -> str:
    """The first digits of the manifest's SHA-256, "" where there is no manifest."""
    manifest = _root() / "manifest.json"
    return hashlib.sha256(manifest.read_bytes()).hexdigest()[:12] if manifest.is_file() else ""


def changed() -> list[str]:
    """Complaints about goldens that are gone or are not the bytes of the manifest."""
    root = _root()
    manifest = root / "manifest.json"
    if not manifest.is_file():
        return []
    try:
        rows = json.loads(manifest.read_bytes())["goldens"]
        listed = [(name, digest) for row in rows for name, digest in row["files"].items()]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return [f"the manifest of the goldens cannot be read: {type(error).__name__}: {error}"]
    return [complaint for path, digest in listed if (complaint := _compare(root / path, path, digest))]


def _compare(path: Path, name: str, digest: str) -> str:
    if not path.is_file():
        return f"golden {name} is gone"
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            sha.update(chunk)
    return "" if sha.hexdigest() == digest else f"golden {name} was changed"


def _root() -> Path:
    return Path(str(files("vindex3_golden")))
