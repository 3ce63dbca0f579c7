"""Names for dims, in place of the numbers of the first pass: an example is run at other sizes too."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis import naming
from fx_lsp.analysis.origins import STATED
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.messages import TraceRequest
from fx_lsp.model.naming import Naming
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Key
from fx_lsp.server.settings import Settings
from fx_lsp.server.studies import Studied


class Names:
    """One run for each example."""

    reports = False
    rest = 1.0

    def wanted(self, settings: Settings) -> bool:
        """Where the editor shows names."""
        return settings.dim_names

    def key(self, folder: Folder, trace: Trace) -> Key | None:
        """With what the example calls its dims; where the user wrote numbers, numbers are wanted."""
        if not trace.dims and trace.example.origin in STATED:
            return None
        names, sizes = (tuple(one for one, _ in trace.dims), tuple(size for _, size in trace.dims))
        return replace(Key.of(trace), naming=Naming(trace.example.call, names, sizes, trace.reply.engine))

    def request(self, folder: Folder, key: Key) -> TraceRequest:
        """All in one process, so that the file is imported once."""
        assert key.naming is not None
        return replace(folder.request(key, key.naming.engine), naming=key.naming)

    def shown(self, snapshot: Snapshot, studied: Studied) -> Snapshot:
        """Every size stays what it was; where a name is known it is shown instead."""
        traces = tuple(
            naming.refined(trace, studied[key]) if (key := Key.of(trace)) in studied and not trace.older else trace
            for trace in snapshot.traces
        )
        return replace(snapshot, traces=traces)


STUDY = Names()
