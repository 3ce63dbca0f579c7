"""Commands: write an example or annotations, choose which example or call is shown, start the worker anew."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.actions.annotate_forward import around
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.server.app import App
from fx_lsp.server.chosen import Chosen
from fx_lsp.server.edits import all_actions, workspace_edit

ADD_EXAMPLE = "fx.addExample"
ANNOTATE = "fx.annotate"
CHOOSE_EXAMPLE = "fx.chooseExample"
CHOOSE_CALL = "fx.chooseCall"
RESTART = "fx.restart"


def register(app: App) -> None:
    """Answer `workspace/executeCommand`."""

    @app.server.command(ADD_EXAMPLE)
    async def add_example(uri: str, line: int) -> bool:
        """Line as LSP counts; whether there was a class to write one for, and the client wrote it."""
        view = app.view(uri)
        edit = all_actions()["insert-example"].find(view.snapshot, view.line(line), 0) if view is not None else None
        return await _written(app, edit)

    @app.server.command(ANNOTATE)
    async def annotate(uri: str, line: int) -> bool:
        """The function around a line, else the `forward` of its class; whether there was anything to annotate, and the
        client wrote it."""
        view = app.view(uri)
        return await _written(app, around(view.snapshot, view.line(line)) if view is not None else None)

    @app.server.command(CHOOSE_EXAMPLE)
    def choose_example(uri: str, number: int) -> bool:
        """Number in the list of `fx/examples`; whether there was such an example."""
        return _chosen(app, uri, lambda snapshot, before: before.with_example(snapshot, number))

    @app.server.command(CHOOSE_CALL)
    def choose_call(uri: str, line: int, number: int) -> bool:
        """Number among the calls that `fx/examples` lists for a line; whether there was such a call."""
        view = app.view(uri)
        at = view.line(line) if view is not None else 0
        return _chosen(app, uri, lambda snapshot, before: before.with_call(snapshot, at, number))

    @app.server.command(RESTART)
    def restart() -> None:
        app.engine.restart()


async def _written(app: App, edit: Edit | None) -> bool:
    if edit is None:
        return False
    params = types.ApplyWorkspaceEditParams(workspace_edit(app, edit), edit.title)
    return (await app.server.workspace_apply_edit_async(params)).applied


def _chosen(app: App, uri: str, changed: Callable[[Snapshot, Chosen], Chosen | None]) -> bool:
    """Whether there was something to choose."""
    snapshot = app.snapshot(uri)
    if snapshot is None:
        return False
    new = changed(snapshot, app.engine.chosen.get(snapshot.path, Chosen()))
    if new is not None:
        app.engine.choose(snapshot.path, new)
    return new is not None
