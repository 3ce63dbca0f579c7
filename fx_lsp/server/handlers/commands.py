"""Commands: write an example or annotations, choose which example is shown, start the worker anew."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.actions.annotate_forward import around
from fx_lsp.server.app import App
from fx_lsp.server.edits import all_actions, workspace_edit

ADD_EXAMPLE = "fx.addExample"
ANNOTATE = "fx.annotate"
CHOOSE_EXAMPLE = "fx.chooseExample"
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
        path = app.path(uri)
        return path is not None and app.engine.prefer(path, number)

    @app.server.command(RESTART)
    def restart() -> None:
        app.engine.restart()


async def _written(app: App, edit: Edit | None) -> bool:
    if edit is None:
        return False
    params = types.ApplyWorkspaceEditParams(workspace_edit(app, edit), edit.title)
    return (await app.server.workspace_apply_edit_async(params)).applied
