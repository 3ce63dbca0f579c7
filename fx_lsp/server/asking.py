"""Asks the user whether a folder is to be trusted, where the editor does not say it by itself."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from fx_lsp.analysis.markdown import title
from fx_lsp.server.trust import UNTRUSTED

if TYPE_CHECKING:
    from fx_lsp.server.app import App

TRUST = "Trust this folder"
NOT_NOW = "Not now"


class Asking:
    """One question for each root in a session; where the client can show no question, one message."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._asked: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, root: str) -> None:
        """Something in `root` could be run.  An editor that said that it is not trusted has its own ways to ask."""
        if root in self._asked or self._app.engine.trust.word is not None:
            return
        self._asked.add(root)
        self._app.log(f"{title(root)}: {UNTRUSTED}")
        if not self._app.client.asks:
            self._app.on_message(f"{title(root)}: {UNTRUSTED}.")
            return
        task = asyncio.get_running_loop().create_task(self._ask(root))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, root: str) -> None:
        actions = [types.MessageActionItem(TRUST), types.MessageActionItem(NOT_NOW)]
        question = f"Run the models of {title(root)}, in a sandbox?"
        params = types.ShowMessageRequestParams(types.MessageType.Info, question, actions)
        try:
            answer = await self._app.server.window_show_message_request_async(params)
        except Exception as error:
            self._app.log(f"the client did not ask: {type(error).__name__}: {error}")
            return
        if answer is None or answer.title != TRUST:
            return
        try:
            self._app.engine.trust.grant(root)
        except (OSError, ValueError) as error:
            self._app.on_message(f"That {title(root)} is trusted could not be written down: {error}.")
        self._app.engine.reconsider()
