"""Inlay hints after every name that is bound to a tensor; what a hint says in full comes when it is asked for."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from fx_lsp.analysis.annotations.signature import of_parameter
from fx_lsp.analysis.hints import Hint, all_hints, tooltip
from fx_lsp.analysis.hints.parameter import HINT as PARAMETER
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.server.app import App
from fx_lsp.server.view import View


def register(app: App) -> None:
    """Answer with what is known now; a refresh follows when more is known."""

    @app.server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint] | None:
        view = app.view(params.text_document.uri)
        if view is None:
            return None
        first, last = view.line(params.range.start.line), view.line(params.range.end.line)
        shown = [hint for hint in _hints(app, view.snapshot) if first <= hint.span.end_line <= last]
        return [_out(app, view, hint) for hint in shown if view.holds(hint.span)]

    @app.server.feature(types.INLAY_HINT_RESOLVE)
    def inlay_hint_resolve(hint: types.InlayHint) -> types.InlayHint:
        found = _find(app, hint.data)
        if found is not None:
            hint.tooltip = _tooltip(*found)
            hint.text_edits = _annotation(app, *found)
        return hint


def _hints(app: App, snapshot: Snapshot) -> tuple[Hint, ...]:
    return all_hints(snapshot, app.settings.hints.enabled(), log=app.log)


def _out(app: App, view: View, hint: Hint) -> types.InlayHint:
    place = view.range_out(hint.span).end
    if hint.variants:
        result = types.InlayHint(place, f": {hint.label}", kind=types.InlayHintKind.Type)
    else:  # a remark, not a type
        result = types.InlayHint(place, hint.label, padding_left=True)
    if not app.client.resolves_annotations:
        result.text_edits = _annotation(app, view.snapshot, hint)
    if app.client.resolves_tooltips or app.client.resolves_annotations:
        result.data = {
            "uri": view.uri,
            "line": hint.span.end_line,
            "column": hint.span.end_column,
            "label": hint.label,
        }
    if not app.client.resolves_tooltips:
        result.tooltip = _tooltip(view.snapshot, hint)
    return result


def _find(app: App, data: Any) -> tuple[Snapshot, Hint] | None:
    """The hint that `data` stands for; None when the text or the facts changed since it was sent."""
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        return None
    snapshot = app.snapshot(data["uri"])
    if snapshot is None:
        return None
    place = data.get("line"), data.get("column"), data.get("label")
    for hint in _hints(app, snapshot):
        if (hint.span.end_line, hint.span.end_column, hint.label) == place:
            return snapshot, hint
    return None


def _tooltip(snapshot: Snapshot, hint: Hint) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, tooltip(hint, snapshot))


def _annotation(app: App, snapshot: Snapshot, hint: Hint) -> list[types.TextEdit] | None:
    """What accepting the hint of a parameter writes; not in a notebook, where an import belongs into another cell."""
    if hint.kind != PARAMETER.id or hint.stale or snapshot.path in app.notebooks:
        return None
    edits = [types.TextEdit(app.location(span).range, new) for span, new in of_parameter(snapshot, hint.span)]
    return edits or None
