"""The custom request `fx/graph`: the graph of a class, ready to be drawn."""

from __future__ import annotations

import asyncio
from typing import Any

from fx_lsp.analysis.causes import said
from fx_lsp.analysis.graph.drawing import Drawing
from fx_lsp.analysis.graph.hierarchy import draw
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.server.app import App
from fx_lsp.server.graphs import Found
from fx_lsp.server.handlers._graph import find, place, plain
from fx_lsp.server.protocol import GraphExample, GraphFailure, GraphLevel, GraphReply, PlacedDrawing


def register(app: App) -> None:
    """Answer for a class of an open document, see `GraphParams`."""

    @app.server.feature("fx/graph")
    async def graph(params: Any) -> Any:
        snapshot, found = await find(app, params)
        uri = app.uri(snapshot.path) if snapshot is not None else ""
        drawing = await asyncio.to_thread(draw, found.graph) if found.graph is not None else None
        return await asyncio.to_thread(plain, _reply(app, uri, found, drawing))


def _reply(app: App, uri: str, found: Found, drawing: Drawing | None) -> GraphReply:
    failure = None
    if found.failure is not None:
        nodes = drawing.nodes if drawing is not None else ()
        failed = next((number for number, node in enumerate(nodes) if node.failed), -1)
        failure = GraphFailure(said(found.failure), place(app, found.failure.span), failed)
    return GraphReply(
        state=found.state,
        message=found.message,
        uri=uri,
        name=found.name,
        names=found.names,
        level=found.level,
        levels=tuple(GraphLevel(level.id, level.title) for level in found.levels),
        example=found.example,
        examples=tuple(map(_example, found.examples)),
        engine=found.engine,
        failure=failure,
        drawing=_placed(app, drawing) if drawing is not None and found.state == "graph" else None,
    )


def _example(trace: Trace) -> GraphExample:
    return GraphExample(trace.call, trace.example.origin, trace.status)


def _placed(app: App, drawing: Drawing) -> PlacedDrawing:
    places = tuple(found for span in drawing.spans if (found := place(app, span)) is not None)
    return PlacedDrawing(
        drawing.level,
        drawing.name,
        drawing.nodes,
        drawing.scopes,
        drawing.values,
        places,
        drawing.omitted,
        drawing.unseen,
    )
