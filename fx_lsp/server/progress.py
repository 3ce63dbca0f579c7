"""Shows that a worker starts (`import torch` takes a second or two), and how far files are that are not open."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from fx_lsp.server.ahead import State
from fx_lsp.server.supervisor import WorkerState


class WorkerProgress:
    """One progress bar for each worker that is starting."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._tokens: dict[str, str] = {}

    def show(self, root: str, state: WorkerState) -> None:
        """The worker of `root` is in this state."""
        if state.phase == "starting" and root not in self._tokens:
            token = self._tokens[root] = str(uuid.uuid4())
            self._server.work_done_progress.create(token, lambda _: self._begin(root, token))
        elif state.phase != "starting" and root in self._tokens:
            token = self._tokens.pop(root)
            if token in self._server.work_done_progress.tokens:
                done = f"torch {state.torch}" if state.phase == "ready" else state.phase
                self._server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=done))

    def _begin(self, root: str, token: str) -> None:
        """Only once the client knows the token, and only while there is something to wait for."""
        if self._tokens.get(root) == token:
            self._server.work_done_progress.begin(token, types.WorkDoneProgressBegin("fx-lsp: starting torch"))


class AheadProgress:
    """One progress bar for each root; cancelling it ends the work."""

    def __init__(self, server: LanguageServer, cancelled: Callable[[str], None]) -> None:
        self._server, self._cancelled = server, cancelled
        self._tokens: dict[str, str] = {}
        self._states: dict[str, State] = {}

    def show(self, root: str, state: State) -> None:
        """The work on `root` has come so far; it rests when no path is named."""
        self._states[root] = state
        progress = self._server.work_done_progress
        token = self._tokens.get(root)
        if not state.path:
            self._tokens.pop(root, None)
            if token in progress.tokens:
                progress.end(token, types.WorkDoneProgressEnd(message=f"{state.done} of {state.total} files"))
        elif token is None:
            token = self._tokens[root] = str(uuid.uuid4())
            progress.create(token, lambda _: self._begin(root, token))
        elif token in progress.tokens:
            progress.report(token, types.WorkDoneProgressReport(message=_words(state), percentage=_percentage(state)))

    def _begin(self, root: str, token: str) -> None:
        """Only once the client knows the token, and only while there is something to do."""
        if self._tokens.get(root) != token:
            return
        progress, state = self._server.work_done_progress, self._states[root]
        begin = types.WorkDoneProgressBegin(
            "fx-lsp: models of the workspace", cancellable=True, message=_words(state), percentage=_percentage(state)
        )
        progress.begin(token, begin)
        progress.tokens[token].add_done_callback(lambda future: self._cancelled(root) if future.cancelled() else None)


def _words(state: State) -> str:
    return f"{state.done} of {state.total}: {os.path.basename(state.path)}"


def _percentage(state: State) -> int:
    return 100 * state.done // max(state.total, 1)
