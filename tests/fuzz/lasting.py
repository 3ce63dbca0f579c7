"""What outlives the engines of many days: workers, and the clock."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.model.sandbox import Policy
from fx_lsp.server.supervisor import Supervisor, WorkerState
from tests.e2e.processes import children, started_by


class Clock:
    """That of the whole computer."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now, self.jumped = now, 0.0

    def __call__(self) -> float:
        return self._now() + self.jumped


clock = Clock(time.time)


async def cancelled() -> None:
    """End what still goes on in the loop."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


class Lasting:
    """A worker that outlives its engines."""

    def __init__(self, *, prepares: bool) -> None:
        self._prepares = prepares
        self._worker: Supervisor | None = None

    def launch(self, interpreter: str, policy: Policy, **reports: Any) -> Lasting:
        """Stands for `Supervisor`."""
        if self._worker is None:
            self._worker = Supervisor(interpreter, policy, log=lambda text: None)
            self._worker._prepares = self._prepares
        return self

    @property
    def state(self) -> WorkerState:
        assert self._worker is not None
        return self._worker.state

    async def start(self) -> None:
        assert self._worker is not None
        await self._worker.start()

    async def trace(self, request: TraceRequest) -> TraceReply:
        assert self._worker is not None
        return await self._worker.trace(request)

    async def close(self) -> None:
        """Not yet."""

    async def end(self) -> None:
        """Now."""
        if self._worker is not None:
            await self._worker.close()

    def kill(self, *, launcher: bool) -> bool:
        """Whether there was something to kill."""
        process = self._worker._worker if self._worker is not None else None
        if process is None or process._process.pid not in started_by(os.getpid()):
            return False
        first, zygote = process._process.pid, process.hello.pid
        os.kill(first if launcher or zygote not in children(first) else zygote, signal.SIGKILL)
        return True


@dataclass(frozen=True)
class Workers:
    """What lasts."""

    place: Path
    loop: asyncio.AbstractEventLoop
    mine: Lasting = field(default_factory=lambda: Lasting(prepares=True))
    fresh: Lasting = field(default_factory=lambda: Lasting(prepares=False))
    """Has learned nothing from earlier runs."""
