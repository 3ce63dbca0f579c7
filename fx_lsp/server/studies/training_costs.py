"""What examples cost, as they are used and in a step of training."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.costs import CostRequest
from fx_lsp.model.messages import TraceRequest
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Key
from fx_lsp.server.settings import Settings
from fx_lsp.server.studies import Studied


class TrainingCosts:
    """One run for each example."""

    reports = False
    rest = 1.0

    def wanted(self, settings: Settings) -> bool:
        """Always; what is shown of it has settings of its own."""
        return True

    def key(self, folder: Folder, trace: Trace) -> Key | None:
        """On the engine that the facts come from; what another way costs is nobody's question."""
        return replace(Key.of(trace), costs=CostRequest(trace.reply.engine)) if not trace.example.fills else None

    def request(self, folder: Folder, key: Key) -> TraceRequest:
        """What the worker is asked for."""
        wanted = key.costs or CostRequest()
        return replace(folder.request(key, wanted.engine), costs=wanted)

    def shown(self, snapshot: Snapshot, studied: Studied) -> Snapshot:
        """With each trace what it costs."""
        return replace(snapshot, traces=tuple(_with_costs(trace, studied) for trace in snapshot.traces))


def _with_costs(trace: Trace, studied: Studied) -> Trace:
    found = studied.get(Key.of(trace))
    if found is None or found.costs is None or trace.older:
        return trace
    return replace(trace, reply=replace(trace.reply, costs=found.costs))


STUDY = TrainingCosts()
