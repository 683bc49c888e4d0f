"""A container that opens: its index, its documents, and where its files are (container.md, section 3)."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, islice

from vindex3_reference import document, source
from vindex3_reference.container import names
from vindex3_reference.container.folder import files_below
from vindex3_reference.container.index import Index
from vindex3_reference.defects import LISTED
from vindex3_reference.graph.model import Graph
from vindex3_reference.lyrw import moe_defects
from vindex3_reference.lyrw.moe_manifest import Manifest
from vindex3_reference.refusal import Refusal, joined
from vindex3_reference.representation import profile


class Container:
    """A folder whose index was read and judged, step by step in the order of opening.

    No byte of a graph or of a segment is read, so that opening takes what its documents take. Refusals
    name files relative to the container.

    Attributes:
        path: the folder, as it was given.
        index: what its index says.
        manifest: the manifest of a bank container, without defects; None where there is none.

    Args:
        path: the folder.
        whole: whether every named segment must be there; one who asks for a single segment, or lists
            what is missing, leaves the others alone.

    Raises:
        Refusal: `missing-file`; what `Index` refuses; what moe.load refuses, and the defects of moe.check
            together; what `profile.resolve_all` refuses.
    """

    def __init__(self, path: str, *, whole: bool = True) -> None:
        self.path = path
        self.index = Index(document.root_of(self.file(names.INDEX), names.INDEX))
        for name in self.index.roots:
            self._require(name)
        self.manifest = self._manifest()
        profile.resolve_all(self.index.profiles, self.index.catalogue)
        if whole:
            # What a listing shows need not be looked at one by one; what it does not may still be there.
            for name in sorted(self.index.segment_files - self.regular_files):
                self._require(name)

    def file(self, name: str) -> str:
        """Where a file of the container is."""
        return f"{self.path or '.'}/{name}"

    @cached_property
    def files(self) -> dict[str, bool]:
        """Every file below the folder and whether it is a regular one, as `folder.files_below` lists them."""
        return dict(files_below(self.path or "."))

    @cached_property
    def regular_files(self) -> set[str]:
        """Those that are regular files."""
        return {name for name, is_regular in self.files.items() if is_regular}

    def graph(self) -> Graph:
        """The system graph, judged as a document.

        Raises:
            Refusal: `missing-root` where the container has none (INDEX-SHAPE-05); what reading it refuses.
        """
        name = self.index.system_graph
        if name is None:
            raise Refusal("missing-root", "the container has no system graph", path=names.INDEX)
        return Graph.read(document.root_of(self.file(name), name))

    def _require(self, name: str) -> None:
        source.require(self.file(name), name)

    def _manifest(self) -> Manifest | None:
        name = self.index.moe_manifest
        if name is None:
            return None
        manifest = Manifest(self.file(name), name)
        found = list(islice(chain.from_iterable(moe_defects.faults(manifest, None)), LISTED))
        if found:
            raise joined(found)
        return manifest
