"""Who is told what the engine finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fx_lsp.server.ahead import State
from fx_lsp.server.supervisor import WorkerState


class Listener:
    """What the engine tells; each method may be overridden."""

    def on_snapshot(self, path: str) -> None:
        """There is a new snapshot of a file, or it was closed."""

    def on_idle(self) -> None:
        """Nothing is pending any more."""

    def on_worker(self, root: str, state: WorkerState) -> None:
        """The worker of a root changed its state."""

    def on_ahead(self, root: str, state: State) -> None:
        """How far the files of a root are that are not open."""

    def on_progress(self) -> None:
        """More runs were asked for, or one has ended."""

    def on_message(self, text: str) -> None:
        """One sentence for the user, not said before."""

    def on_refused(self, root: str) -> None:
        """There is something to run in this root, which nobody trusts.  Called at every pass."""


@dataclass(frozen=True)
class Reports:
    """Whom a session tells what."""

    snapshot: Callable[[str], None]
    """There is a new snapshot of this file."""
    done: Callable[[], None]
    """The session has nothing pending any more."""
    say: Callable[[str], None]
    """One sentence for the user."""
    refused: Callable[[str], None]
    """There is something to run in this root, and it is not trusted."""
    ahead: Callable[[str, State], None]
    """How far the files of a root are that nobody has open."""
    log: Callable[[str], None]
