"""Files and folders that change behind the editor's back."""

from __future__ import annotations

import os

from lsprotocol import types

from fx_lsp.server import convert
from fx_lsp.server.app import App, is_searched


def register(app: App) -> None:
    """Tell the engine."""

    @app.server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        changes = [(convert.to_path(change.uri), change.type) for change in params.changes]
        paths = [path for path, _ in changes if path is not None and is_searched(path)]
        listed = any(kind != types.FileChangeType.Changed for path, kind in changes if path in paths)
        others = [path for path, _ in changes if path is not None and path not in paths]
        if others:  # of the many files of a folder few are read by its models
            read = set[str]().union(*(folder.runs.read() for folder in app.engine.folders))
            near = [one for path in others for one in (path, os.path.join(os.path.dirname(path), ""))]
            paths += [one for one in near if one in read]
        if paths:
            app.engine.disk_changed(paths, listed=listed)

    @app.server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_workspace_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.added:
            if (path := convert.to_path(folder.uri)) is not None:
                app.engine.open_folder(path)
        for folder in params.event.removed:
            if (path := convert.to_path(folder.uri)) is not None:
                await app.engine.close_folder(path)
