"""Shows that a worker starts: `import torch` takes a second or two."""

from __future__ import annotations

import uuid

from lsprotocol import types
from pygls.lsp.server import LanguageServer

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
