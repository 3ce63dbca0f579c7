"""Files and folders that change behind the editor's back."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.server import convert
from fx_lsp.server.app import App, is_searched


def register(app: App) -> None:
    """Tell the engine."""

    @app.server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        changes = [(convert.to_path(change.uri), change.type) for change in params.changes]
        paths = [path for path, _ in changes if path is not None and is_searched(path)]
        if paths:
            listed = any(kind != types.FileChangeType.Changed for _, kind in changes)
            app.engine.disk_changed(paths, listed=listed)

    @app.server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_workspace_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.added:
            if (path := convert.to_path(folder.uri)) is not None:
                app.engine.open_folder(path)
        for folder in params.event.removed:
            if (path := convert.to_path(folder.uri)) is not None:
                await app.engine.close_folder(path)
