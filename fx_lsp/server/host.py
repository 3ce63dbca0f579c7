"""The worker of one root: started under the policy of that moment, ended when another policy holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Protocol

from fx_lsp.model.comparison import COMPARISON
from fx_lsp.model.example import PROGRAMS
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.server.crowding import patience
from fx_lsp.server.ladder import climb
from fx_lsp.server.layers import lacking, sentence
from fx_lsp.server.permit import Permit
from fx_lsp.server.supervisor import WorkerState


class Worker(Protocol):
    """What runs the examples, see `Supervisor`."""

    state: WorkerState

    async def start(self) -> None:
        """Get ready before the first trace asks for it."""
        ...

    async def trace(self, request: TraceRequest) -> TraceReply:
        """The answer; every way to fail is one.  Cancelling the one who waits kills the run."""
        ...

    async def close(self) -> None:
        """End it."""
        ...


class Launch(Protocol):
    """Makes a worker for an interpreter; nothing is started before the first trace."""

    def __call__(
        self, interpreter: str, policy: Policy, *, log: Callable[[str], None], changed: Callable[[], None]
    ) -> Worker: ...


class Host:
    """Has a worker once one is needed.  Used from the event loop."""

    def __init__(
        self,
        root: str,
        launch: Launch,
        policy: Callable[[], Policy],
        log: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        """`policy` makes the one that holds now; it may raise OSError."""
        self._root, self._launch, self._policy, self._log, self._changed = root, launch, policy, log, changed
        self._worker: Worker | None = None
        self._permit: Permit | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def state(self) -> WorkerState | None:
        """State of the worker; None when there is none."""
        return self._worker.state if self._worker is not None else None

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Python files that the worker is to be given, because it may not read them itself."""
        return self._permit.sources if self._permit is not None else ()

    def outgrown(self, key: object) -> bool:
        """Whether the worker has to be ended because another policy holds now, which follows from `key` and files."""
        try:
            return self._permit is not None and self._permit.outgrown(self._policy, key)
        except OSError:
            return True

    def warm(self, interpreter: str) -> None:
        """Start a worker; why there is none is said when a run asks for it."""
        try:
            worker = self._have(interpreter)
        except OSError:
            return
        self._in_background(worker.start())

    async def trace(self, interpreter: str, request: TraceRequest, *, guarded: bool = False) -> TraceReply:
        """Run an example, `guarded` only in a sandbox that is whole; whatever happens is an answer."""
        try:
            worker = self._have(interpreter)
        except OSError as error:
            why = f"There is no place for the home folder of the sandbox: {error}."
            return TraceReply(request.id, failure=Failure("start", why, proven=False))
        assert self._permit is not None
        allowed = self._permit.policy
        if guarded and (lost := sentence(await self._layers(worker))):
            # What a survey told before may be less: in this interpreter something may have started a thread.
            why = f"{lost}\nNothing was run. If you trust {self._root}, run `fx-lsp trust` in it once."
            return TraceReply(request.id, failure=Failure("start", why, proven=False))
        if request.call in PROGRAMS and (why := await self._not_as_program(worker, request)):
            return TraceReply(request.id, failure=Failure("construct", why, proven=False))
        compares = request.comparison is not None or request.rewrite is not None
        longest = allowed.seconds / (1 if compares else COMPARISON)
        seconds, memory = min(request.seconds, longest), min(request.memory, allowed.memory)
        if request.unhurried and not compares:
            seconds = patience(seconds)
        return await climb(worker, replace(request, seconds=seconds, memory=memory))

    async def _not_as_program(self, worker: Worker, request: TraceRequest) -> str:
        """Why a program is not run: it does more than a model, and nobody asked for it."""
        compared = None if request.comparison is None or request.comparison.function else request.comparison
        studies = (compared, request.rewrite, request.costs, request.naming)
        if request.compilers or any(study is not None for study in studies):
            return "it runs in a program only; write an example for it, a comment `# fx: …` on the class"
        whole = not lacking(await self._layers(worker))
        return "" if whole else "programs are run in a sandbox that is whole, and this one is not"

    async def _layers(self, worker: Worker) -> tuple[LayerReport, ...]:
        await worker.start()
        return worker.state.layers

    def end(self) -> None:
        """End the worker; the next run starts another."""
        worker, self._worker, self._permit = self._worker, None, None
        if worker is not None:
            self._in_background(worker.close())

    async def ended(self) -> None:
        """Wait until no process is left of the workers that were ended."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _have(self, interpreter: str) -> Worker:
        if self._worker is None:
            self._permit = Permit(self._policy(), self._root)
            self._worker = self._launch(interpreter, self._permit.policy, log=self._log, changed=self._changed)
        return self._worker

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
