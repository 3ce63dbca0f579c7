"""The custom request `fx/code`: the graph of a class as Python, and where each line comes from."""

from __future__ import annotations

from typing import Any

from fx_lsp.analysis.graph.code import code as written
from fx_lsp.server.app import App
from fx_lsp.server.handlers._graph import find, place, plain
from fx_lsp.server.protocol import CodeLink, CodeReply


def register(app: App) -> None:
    """Answer for a class of an open document, see `GraphParams`."""

    @app.server.feature("fx/code")
    async def code(params: Any) -> Any:
        snapshot, found = await find(app, params)
        text, links = "", []
        if found.graph is not None and found.state == "graph":
            made = written(found.graph)
            text = made.text
            places = [(line, place(app, found.graph.spans[span])) for line, span in made.lines]
            links = [CodeLink(line, where) for line, where in places if where is not None]
        uri = app.uri(snapshot.path) if snapshot is not None else ""
        return plain(
            CodeReply(found.state, found.message, uri, found.name, found.level, found.example, text, tuple(links))
        )
