"""Files of a process that runs user code: it reads what it needs, and there is no place where it may write."""

from __future__ import annotations

import os

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _landlock, _paths, _threads
from fx_lsp.worker.sandbox._layer import Layer

NAME = "landlock-child"


def _available() -> str:
    """It holds one thread, and user code can reach into the others, since they share their memory."""
    running = _threads.count()
    several = f"{running} threads are running already, and it could hold only one of them" if running > 1 else ""
    return _landlock.available() or several


def apply(policy: Policy) -> None:
    """To be called by the process itself: of /proc it keeps the entry with its own number."""
    rules = _landlock.Ruleset(_landlock.version())
    own = f"/proc/{os.getpid()}"
    for path in (*_paths.SYSTEM, *_paths.PROC, own, _paths.OURS):
        rules.allow(path, _landlock.READ, links=True)
    rules.allow_policy(policy)
    rules.restrict()


LAYER = Layer(
    name=NAME,
    stage="child",
    protects="A model writes no file, starts no program, and sees and signals no other process.",
    apply=apply,
    available=_available,
    detail=lambda policy: _landlock.lacking(_landlock.version()),
)
