"""Diagnostics of a snapshot, and their way to clients that do not ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.visible import visible

if TYPE_CHECKING:
    from fx_lsp.server.app import App

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


class Publisher:
    """Publishes what changed.  A client that pulls gets only what it cannot pull: mistakes in a closed file."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._sent: dict[str, list[types.Diagnostic]] = {}

    def publish(self, path: str) -> None:
        """The file's diagnostics, when they differ from those sent last."""
        snapshot = self._app.engine.snapshot(path)
        if snapshot is not None and self._app.client.pulls_diagnostics:
            self._send(path, [])
        elif snapshot is not None:
            # A candidate that failed may be forgotten when the next one runs: wait for the end of the plan.
            if not snapshot.pending:
                self._send(path, diagnostics(snapshot, self._app))
        else:
            closed = {config.path: config for config in self._app.engine.config_snapshots()}
            self._send(path, diagnostics(closed[path], self._app) if path in closed else [])

    def _send(self, path: str, found: list[types.Diagnostic]) -> None:
        if self._sent.get(path, []) == found:
            return
        self._sent[path] = found
        document = self._app.documents.get(path)
        version = document.version if document is not None else None
        params = types.PublishDiagnosticsParams(self._app.uri(path), found, version)
        self._app.server.text_document_publish_diagnostics(params)


def diagnostics(snapshot: Snapshot, app: App) -> list[types.Diagnostic]:
    """Everything that is wrong in one file, as the client wants it; what an open file shows itself is not repeated."""
    return [_out(snapshot, problem, app) for problem in all_problems(snapshot, app.documents)]


def _out(snapshot: Snapshot, problem: Problem, app: App) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(app.uri(span.path), app.border.range_out(app.engine.text(span.path), span)), visible(text)
        )
        for span, text in problem.related
    ]
    return types.Diagnostic(
        range=app.border.range_out(snapshot.text, problem.span),
        message=visible(problem.message, keep="\n"),
        severity=_SEVERITIES.get(problem.severity, types.DiagnosticSeverity.Error),
        code=problem.code,
        source="fx-lsp",
        related_information=related or None,
    )
