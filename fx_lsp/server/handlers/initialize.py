"""The start of a session: what the client can do, what it wants, and what it is asked to tell."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from fx_lsp.analysis.workspace import DOCUMENTS
from fx_lsp.server import convert
from fx_lsp.server.app import App
from fx_lsp.server.settings import SECTION

WATCHED = ("**/*.py", "**/pyproject.toml", "**/*.{json,yaml,yml,toml,txt,csv,cfg,ini}")
"""Files whose changes the client tells of: sources, and what models read."""

PATIENCE = 5.0
"""Seconds to wait for the client's settings before the defaults hold."""


def register(app: App) -> None:
    """Answer `initialize`, and act on `initialized`."""

    @app.server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        app.begin(params)
        if app.client.configuration:
            app.engine.hold()

    @app.server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        try:
            if app.client.configuration:
                await ask_for_settings(app)
        finally:
            app.engine.release()
            app.on_progress()
        await _watch(app)

    @app.server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if app.client.configuration:
            await ask_for_settings(app)
        else:
            app.configure(params.settings)


async def ask_for_settings(app: App) -> None:
    """Ask the client for its settings, those of each folder too; without an answer those known so far hold."""
    folders = list(app.server.workspace.folders.values())
    items = [types.ConfigurationItem(section=SECTION)]
    items += [types.ConfigurationItem(scope_uri=folder.uri, section=SECTION) for folder in folders]
    params = types.ConfigurationParams(items)
    try:
        answer = await asyncio.wait_for(app.server.workspace_configuration_async(params), PATIENCE)
    except Exception as error:
        app.log(f"the client did not give its settings: {type(error).__name__}: {error}")
        return
    if answer and answer[0] is not None:
        paths = [convert.to_path(folder.uri) for folder in folders]
        of_folders = {path: one for path, one in zip(paths, answer[1:], strict=False) if path is not None and one}
        app.configure(answer[0], of_folders)


async def _watch(app: App) -> None:
    wanted: list[types.Registration] = []
    if app.client.watches_files:
        watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        # what a document says is read again anyway; that there is one has to be told
        come_or_gone = types.WatchKind.Create | types.WatchKind.Delete
        watchers += [types.FileSystemWatcher(f"**/*{ending}", come_or_gone) for ending in DOCUMENTS]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("fx-watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if app.client.told_of_settings:
        section = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        wanted.append(types.Registration("fx-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    if wanted:
        await app.server.client_register_capability_async(types.RegistrationParams(wanted))
