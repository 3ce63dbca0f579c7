"""The custom notification `fx/trust`: the user trusts the workspace, or does so no more."""

from __future__ import annotations

from typing import Any

from fx_lsp.server.app import App
from fx_lsp.server.handlers.initialize import ask_for_settings


def register(app: App) -> None:
    """Heed `{trusted: true | false}`; anything else changes nothing."""
    said: list[bool] = []

    @app.server.feature("fx/trust")
    async def trust(params: Any) -> None:
        word = getattr(params, "trusted", None)
        if not isinstance(word, bool):
            return
        said[:] = [word]
        if word and app.client.configuration:
            await ask_for_settings(app)  # an editor keeps back what a workspace sets while it is not trusted
        if said == [word] and word != app.engine.trust.word:
            app.engine.trust.word = word
            app.engine.reconsider()
