"""Commands: write an example above a class, start the worker anew."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.server.app import App
from fx_lsp.server.edits import all_actions, workspace_edit

ADD_EXAMPLE = "fx.addExample"
RESTART = "fx.restart"


def register(app: App) -> None:
    """Answer `workspace/executeCommand`."""

    @app.server.command(ADD_EXAMPLE)
    async def add_example(uri: str, line: int) -> bool:
        """Line as LSP counts; whether there was a class to write one for, and the client wrote it."""
        snapshot = app.snapshot(uri)
        edit = all_actions()["insert-example"].find(snapshot, line + 1, 0) if snapshot is not None else None
        if edit is None:
            return False
        params = types.ApplyWorkspaceEditParams(workspace_edit(app, edit), edit.title)
        return (await app.server.workspace_apply_edit_async(params)).applied

    @app.server.command(RESTART)
    def restart() -> None:
        app.engine.restart()
