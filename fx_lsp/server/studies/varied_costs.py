"""What examples cost as a function of their dims, found by running them at other sizes."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis.costs import with_formulas
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.costs import CostRequest
from fx_lsp.model.messages import TraceRequest
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Key
from fx_lsp.server.settings import Settings
from fx_lsp.server.studies import Studied
from fx_lsp.server.studies.names import STUDY as NAMES


class VariedCosts:
    """One run for each example, after that for the costs themselves."""

    reports = False
    rest = 2.0

    def wanted(self, settings: Settings) -> bool:
        """Where the editor shows names."""
        return NAMES.wanted(settings)

    def key(self, folder: Folder, trace: Trace) -> Key | None:
        """Where names are wanted, with the same ones."""
        named = NAMES.key(folder, trace) if not trace.example.fills else None
        return replace(named, costs=CostRequest(trace.reply.engine)) if named is not None else None

    def request(self, folder: Folder, key: Key) -> TraceRequest:
        """All in one process, so that the file is imported once."""
        return replace(NAMES.request(folder, key), costs=key.costs)

    def shown(self, snapshot: Snapshot, studied: Studied) -> Snapshot:
        """Numbers stay what they are; where a formula is known it is put beside."""
        return replace(snapshot, traces=tuple(_with_formulas(trace, studied) for trace in snapshot.traces))


def _with_formulas(trace: Trace, studied: Studied) -> Trace:
    found, known = studied.get(Key.of(trace)), trace.reply.costs
    if found is None or found.costs is None or known is None or trace.older:
        return trace
    return replace(trace, reply=replace(trace.reply, costs=with_formulas(known, found.costs)))


STUDY = VariedCosts()
