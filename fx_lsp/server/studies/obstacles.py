"""What stops torch's compilers, where the workspace asks for it."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis import compilers
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.messages import TraceRequest
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Key
from fx_lsp.server.settings import Settings
from fx_lsp.server.studies import Studied


class Obstacles:
    """One run for each example."""

    reports = True
    rest = 0.0

    def wanted(self, settings: Settings) -> bool:
        """Always; the configuration says more."""
        return True

    def key(self, folder: Folder, trace: Trace) -> Key | None:
        """One for the compilers that the configuration names."""
        asked = folder.config.compilers
        return replace(Key.of(trace), compilers=asked) if asked else None

    def request(self, folder: Folder, key: Key) -> TraceRequest:
        """They are tried on real tensors."""
        return replace(folder.request(key, "real"), compilers=key.compilers)

    def shown(self, snapshot: Snapshot, studied: Studied) -> Snapshot:
        """As problems of the file."""
        found = (obstacle for reply in studied.values() for obstacle in reply.obstacles)
        return replace(snapshot, obstacles=compilers.problems(snapshot.path, found))


STUDY = Obstacles()
