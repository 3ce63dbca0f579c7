"""Diagnostics of a snapshot, and their way to clients that do not ask for them."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from fx_lsp.analysis.diagnostics import all_problems, by_rule, told
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


LATER = 0.05
"""Seconds in which a client asks for its hints, and gets them: all rules of a large file take that long."""


class Publisher:
    """Publishes what changed.  A client that pulls gets only what it cannot pull: mistakes in a closed file."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._sent: dict[str, list[types.Diagnostic]] = {}
        self._cells: dict[str, tuple[str, ...]] = {}
        """URIs of the cells of each notebook, as they were told of last."""

        self._due: set[str] = set()
        self._then: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def soon(self, path: str) -> None:
        """Publish the file's diagnostics, once the client has its hints."""
        self._due.add(path)
        if self._timer is None and self._task is None:
            self._timer = asyncio.get_running_loop().call_later(LATER, self._begin)

    def afterwards(self, then: Callable[[], None]) -> None:
        """Do this when nothing is left to publish; it takes the place of what was to be done before."""
        self._then = then
        if self._timer is None and self._task is None:
            self._begin()

    def _begin(self) -> None:
        self._timer = None
        self._task = asyncio.get_running_loop().create_task(self._publish_all())

    async def _publish_all(self) -> None:
        while self._due and not self._app.gone:
            path = min(self._due)
            self._due.discard(path)
            try:
                await self._publish(path)
            except Exception:  # a defect in one file must not take the others along, nor what comes then
                self._app.log(traceback.format_exc())
        self._task = None
        then, self._then = self._then, None
        if then is not None and not self._app.gone:
            then()

    async def _publish(self, path: str) -> None:
        """Those that differ from what was sent last."""
        snapshot = self._app.engine.snapshot(path)
        if snapshot is not None and self._app.client.pulls_diagnostics:
            self._send(path, {})
        elif snapshot is not None:
            # A candidate that failed may be forgotten when the next one runs: wait for the end of the plan.
            if not snapshot.pending:
                await self._work_out(path, snapshot)
        else:
            closed = {config.path: config for config in self._app.engine.config_snapshots()}
            self._send(path, diagnostics(closed[path], self._app) if path in closed else {})

    async def _work_out(self, path: str, snapshot: Snapshot) -> None:
        """One rule after the other, so that whoever asks meanwhile is answered."""
        found: list[Problem] = []
        for problems in by_rule(snapshot, self._app.documents, self._app.log):
            found += problems
            await asyncio.sleep(0)
            if path in self._due:
                return  # there is a newer one
        self._send(path, _by_document(snapshot, told(snapshot, found), self._app))

    def _send(self, path: str, found: dict[str, list[types.Diagnostic]]) -> None:
        versions = documents(self._app, path)
        for uri in (*versions, *self._cells.pop(path, ())):
            if self._sent.get(uri, []) != found.get(uri, []):
                self._sent[uri] = found.get(uri, [])
                params = types.PublishDiagnosticsParams(uri, self._sent[uri], versions.get(uri))
                self._app.server.text_document_publish_diagnostics(params)
        if path in self._app.notebooks:
            self._cells[path] = tuple(versions)


def documents(app: App, path: str) -> dict[str, int | None]:
    """What the client calls documents of a file, with their versions: the cells of a notebook, else the file."""
    if (notebook := app.notebooks.get(path)) is not None:
        return {cell.uri: cell.version for cell in notebook.cells}
    document = app.documents.get(path)
    return {app.uri(path): document.version if document is not None else None}


def diagnostics(snapshot: Snapshot, app: App) -> dict[str, list[types.Diagnostic]]:
    """Everything that is wrong in one file, as the client wants it, by document; what an open file shows itself is not
    repeated."""
    return _by_document(snapshot, all_problems(snapshot, app.documents, app.log), app)


def _by_document(snapshot: Snapshot, problems: Sequence[Problem], app: App) -> dict[str, list[types.Diagnostic]]:
    notebook = app.notebooks.get(snapshot.path)
    found: dict[str, list[types.Diagnostic]] = {}
    for problem in (*(notebook.problems() if notebook is not None else ()), *problems):
        place = app.location(problem.span)
        found.setdefault(place.uri, []).append(_out(problem, place.range, app))
    return found


def _out(problem: Problem, where: types.Range, app: App) -> types.Diagnostic:
    related = [types.DiagnosticRelatedInformation(app.location(span), visible(text)) for span, text in problem.related]
    return types.Diagnostic(
        range=where,
        message=visible(problem.message, keep="\n"),
        severity=_SEVERITIES.get(problem.severity, types.DiagnosticSeverity.Error),
        code=problem.code,
        source="fx-lsp",
        related_information=related or None,
    )
