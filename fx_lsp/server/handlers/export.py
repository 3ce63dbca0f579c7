"""The custom request `fx/export`: the graph of a class as text for a file."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from fx_lsp.analysis.graph.export import FORMATS, export
from fx_lsp.server.app import App
from fx_lsp.server.handlers._graph import find
from fx_lsp.server.protocol import ExportReply


def register(app: App) -> None:
    """Answer for a class of an open document, see `ExportParams`."""

    @app.server.feature("fx/export")
    async def export_graph(params: Any) -> dict[str, Any]:
        form = getattr(params, "format", "json")
        if form not in FORMATS:
            message = f"There is no format {form!r}; there are {', '.join(FORMATS)}."
            return asdict(ExportReply("none", message, ""))
        snapshot, found = await find(app, params)
        text = ""
        if snapshot is not None and found.graph is not None and found.state == "graph":
            root = app.engine.root(snapshot.path)
            text = await asyncio.to_thread(export, found.graph, form, app.engine.text, root)
        return asdict(ExportReply(found.state, found.message, text))
