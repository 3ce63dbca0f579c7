"""The end of a session: no process is left behind."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.server.app import App


def register(app: App) -> None:
    """End the engine before the answer to `shutdown`."""

    @app.server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:
        await app.engine.stop()
