"""One round over the open files of a root."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from fx_lsp.server.ran import Key


@dataclass
class Pass:
    """Every edit ends it and starts another; what it ran so far is kept."""

    timer: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None
    wanted: set[Key] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    """Open files that do not parse."""
    awaited: set[Key] = field(default_factory=set)
    """Runs that cannot be repeated now: facts of theirs stay."""
    again: set[str] = field(default_factory=set)
    """Files that are to be settled once more: a run that went through them no plan asks for any more, or it was taken
    for granted that one of another file's plan will."""

    def cancel(self) -> None:
        """Whatever it is at."""
        if self.timer is not None:
            self.timer.cancel()
        if self.task is not None:
            self.task.cancel()
