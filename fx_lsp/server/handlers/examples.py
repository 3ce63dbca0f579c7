"""The custom request `fx/examples`: what was run for a file, where it comes from and what came of it."""

from __future__ import annotations

from typing import Any

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.variants import ranked
from fx_lsp.server.app import App
from fx_lsp.server.handlers._graph import place, plain


def register(app: App) -> None:
    """Answer for one open document: `{textDocument: {uri}}`."""

    @app.server.feature("fx/examples")
    def examples(params: Any) -> dict[str, Any] | None:
        document = getattr(params, "textDocument", None)
        uri = getattr(document, "uri", None)
        snapshot = app.snapshot(uri) if isinstance(uri, str) else None
        if snapshot is None:
            return None
        return {
            "pending": snapshot.pending,
            "stale": snapshot.stale,
            "examples": [_out(app, snapshot, number) for number in range(len(snapshot.traces))],
        }


def _out(app: App, snapshot: Snapshot, number: int) -> dict[str, Any]:
    trace = snapshot.traces[number]
    example, reply = trace.example, trace.reply
    failed = reply.failure
    return {
        "scope": app.uri(example.scope),
        "setup": example.setup,
        "written": example.call,
        "call": trace.call,
        "dims": dict(trace.dims),
        "origin": example.origin,
        "target": example.target,
        "location": plain(place(app, example.span)),
        "engine": reply.engine,
        "ms": reply.ms,
        "status": trace.status,
        "shown": number == next(ranked(snapshot))[0],
        "reason": failed.message if failed is not None else None,
    }
