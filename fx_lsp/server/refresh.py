"""Asks the client to ask again, at most once at a time for each kind of answer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from pygls.lsp.server import LanguageServer

from fx_lsp.server.client import Client


class Refresher:
    """Many snapshots in a row become few requests: the next goes out when the last was answered."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._waiting: set[str] = set()
        self._again: set[str] = set()

    def all(self, client: Client) -> None:
        """Everything that the client can be asked to ask for again."""
        if client.refresh_hints:
            self._ask("hints", self._server.workspace_inlay_hint_refresh)
        if client.refresh_lenses:
            self._ask("lenses", self._server.workspace_code_lens_refresh)
        if client.pulls_diagnostics:
            self._ask("diagnostics", self._server.workspace_diagnostic_refresh)

    def _ask(self, name: str, request: Callable[[None], Future[None]]) -> None:
        if name in self._waiting:
            self._again.add(name)
            return
        self._waiting.add(name)
        request(None).add_done_callback(lambda future: self._answered(name, request, future))

    def _answered(self, name: str, request: Callable[[None], Future[None]], future: Future[None]) -> None:
        self._waiting.discard(name)
        if name in self._again:
            self._again.discard(name)
            if not future.cancelled():
                self._ask(name, request)
