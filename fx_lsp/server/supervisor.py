"""Keeps a worker running, and turns everything that may happen to it into an answer."""

from __future__ import annotations

import asyncio
import dataclasses
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from fx_lsp.model import wire
from fx_lsp.model.graph import Level
from fx_lsp.model.graph_rewrite import GraphRule
from fx_lsp.model.messages import MAX_REQUEST, Ahead, Prepare, TraceReply, TraceRequest
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.server import pulse
from fx_lsp.server.greeting import StartError
from fx_lsp.server.replies import LONG_IMPORT, failed, large, reply_of
from fx_lsp.server.worker_process import WorkerDied, WorkerProcess

AT_ONCE = 2
"""Traces that run at the same time."""
START_SECONDS = 120.0
"""Until the hello: torch on a cold disk takes its time."""
START_TRIES = 3
GRACE_SECONDS = 15.0
"""A zygote that has not answered this long after the time limit of a trace hangs."""
LONGEST_PAUSE = 30.0
"""Seconds between two starts of a worker that dies again and again."""
SUSPECT = 10.0
"""Seconds after it was told what to prepare in which a worker that ends may have ended over that."""
EAGER = 3
"""Deaths in a row after which it is started again only when there is something to run."""


@dataclass(frozen=True)
class WorkerState:
    """What to tell the user about the worker."""

    phase: str = "stopped"
    """`stopped`, `starting`, `ready` or `failed`."""
    message: str = ""
    """One sentence, for `failed` with what to do; after a death, for `stopped`, how it ended."""
    torch: str = ""
    python: str = ""
    """Versions, once ready."""
    levels: tuple[Level, ...] = ()
    """Levels of graph that it can make, once ready."""
    layers: tuple[LayerReport, ...] = ()
    """The sandbox as it holds, once ready."""
    rules: tuple[GraphRule, ...] = ()
    """Rewrites of graphs that it knows, once ready."""


class Supervisor:
    """Runs traces in the worker of one interpreter."""

    def __init__(
        self,
        interpreter: str,
        policy: Policy,
        *,
        log: Callable[[str], None],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.state = WorkerState()
        self._interpreter, self._policy = interpreter, policy
        self._log, self._changed = log, changed
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._worker: WorkerProcess | None = None
        self._starting: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._deaths = 0
        self._prepares = True
        """Whether the worker may prepare for later runs: one that hung, or ended soon after, perhaps over it."""
        self._prepared_at = -SUSPECT
        self._last_id = 0
        self._closed = False

    async def start(self) -> None:
        """Get a worker; returns when `state` is ready or failed.  After a failure, another call tries again."""
        if self._worker is not None and not self._worker.alive:
            self._lost(self._worker, "The worker process ended.")
        if self._closed or self._worker is not None:
            return
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(self._started)
        await asyncio.wait({self._starting})

    async def trace(self, request: TraceRequest) -> TraceReply:
        """Run one example; the request gets an id of our own.

        Whatever happens becomes a `Failure` in the reply.  If the task that waits is cancelled, the run is killed.
        """
        self._last_id += 1
        request = dataclasses.replace(request, id=self._last_id)
        body = await asyncio.to_thread(wire.encode, request) if large(request) else wire.encode(request)
        if len(body) > MAX_REQUEST:
            return failed(request, "protocol", f"the unsaved files are larger than {MAX_REQUEST >> 20} MiB")
        async with self._slots:
            while self._worker is None or not self._worker.alive:
                if self._closed:
                    return failed(request, "cancelled", "the worker was stopped")
                if self.state.phase == "failed":
                    return failed(request, "start", self.state.message)
                await self.start()
            return await self._ask(self._worker, request, body)

    async def close(self) -> None:
        """End the worker; whoever still waits for a trace gets a failure.  No process is left when this returns."""
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await worker.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._become(WorkerState())

    async def _ask(self, worker: WorkerProcess, request: TraceRequest, body: bytes) -> TraceReply:
        try:
            answer = await worker.ask(request, body, GRACE_SECONDS)
        except TimeoutError:
            self._lost(worker, pulse.HUNG)
            return failed(request, "worker", pulse.HUNG, worker.stderr)
        except WorkerDied as died:
            if self._closed:
                return failed(request, "cancelled", str(died))
            self._lost(worker, str(died))
            return failed(request, "worker", str(died), died.detail)
        reply = await reply_of(answer, request)
        learnt = reply.dispatched, reply.imported, reply.vain
        if (reply.files or any(learnt)) and self._prepares:
            self._prepared_at = asyncio.get_running_loop().time()
            worker.tell(wire.encode(Prepare(request.root, reply.files, *learnt)))
        if reply.import_ms >= LONG_IMPORT and request.is_ordinary and not request.patient and not large(request):
            ahead = Ahead(request.root, request.scope, request.overlays, request.seconds)
            worker.tell(wire.encode(ahead))
        ready = reply.imported if self._prepares else ""
        reply = dataclasses.replace(reply, dispatched="", imported=ready, vain="")
        self._deaths = 0
        return reply

    def _lost(self, worker: WorkerProcess, message: str) -> None:
        """Forget a worker that is dead or of no use, and start another."""
        if self._worker is not worker or self._closed:
            return
        self._worker = None
        self._deaths += 1
        self._prepares = self._prepares and message != pulse.HUNG and not self._just_prepared()
        self._in_background(worker.kill(message))
        self._log(message)
        self._become(WorkerState("stopped", message))
        if self._deaths <= EAGER:
            self._in_background(self.start())

    def _just_prepared(self) -> bool:
        return asyncio.get_running_loop().time() < self._prepared_at + SUSPECT

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _start(self) -> None:
        self._become(WorkerState("starting", f"Starting {self._interpreter}"))
        for left in reversed(range(START_TRIES)):
            await asyncio.sleep(self._pause())
            try:
                worker = await WorkerProcess.launch(
                    self._interpreter,
                    self._policy,
                    log=self._log,
                    ended=self._lost,
                    seconds=START_SECONDS,
                )
            except StartError as error:
                self._log(f"{error}\n{error.detail}".strip())
                self._deaths += 1
                if error.final or not left:
                    self._become(WorkerState("failed", str(error)))
                    return
                continue
            self._worker, hello = worker, worker.hello
            self._log(f"worker ready: Python {hello.python}, torch {hello.torch}, process {hello.pid}")
            self._log(f"sandbox: {_said(hello.layers)}")
            known = (hello.levels, hello.layers, hello.rules)
            self._become(WorkerState("ready", "", hello.torch, hello.python, *known))
            return

    def _started(self, task: asyncio.Task[None]) -> None:
        self._starting = None
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log("".join(traceback.format_exception(error)))
            self._become(WorkerState("failed", f"The worker could not be started: {error}"))

    def _pause(self) -> float:
        """None after the first death, then longer and longer."""
        return min(0.25 * 2 ** (self._deaths - 2), LONGEST_PAUSE) if self._deaths > 1 else 0.0

    def _become(self, state: WorkerState) -> None:
        if state == self.state:
            return
        self.state = state
        try:
            self._changed()
        except Exception:  # a listener's mistake is not the worker's
            self._log(traceback.format_exc())


def _said(layers: tuple[LayerReport, ...]) -> str:
    """Every layer, and why one does not hold."""
    return ", ".join(
        f"{layer.name} ({layer.stage}) {layer.status}{f' ({layer.why})' if layer.why else ''}" for layer in layers
    )
