"""Hover on any expression that made a tensor."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.analysis import hover as analysis
from fx_lsp.server.app import App


def register(app: App) -> None:
    """Answer with the innermost expression or name at the position."""

    @app.server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        view = app.view(params.text_document.uri)
        if view is None:
            return None
        found = analysis.hover(view.snapshot, *view.position_in(params.position))
        if found is None:
            return None
        kind = types.MarkupKind.Markdown if app.client.markdown else types.MarkupKind.PlainText
        return types.Hover(types.MarkupContent(kind, found.markdown), range=view.range_out(found.span))
