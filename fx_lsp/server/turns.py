"""Whose turn it is: two runs at a time, the most urgent first.

Examples of one file that nobody looks at yet, or whose file takes long to import, go together, so that it is imported
once.  What did not come to a good end in company runs again alone: it may have failed because of the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from fx_lsp.model.messages import Further, TraceReply, TraceRequest
from fx_lsp.server.replies import LONG_IMPORT, still_importing
from fx_lsp.server.supervisor import AT_ONCE

PATIENT_AT_ONCE = 1
"""Of `AT_ONCE`, such as nobody waits for: an edit finds the other one free."""
TOGETHER = 8
"""Examples of one file in one process."""
GATHERING = 0.02
"""Seconds in which those that nobody looks at wait for company."""


class Urgency(IntEnum):
    """How much somebody waits for a run; the lowest goes first."""

    LOOKED_AT = 0
    """It belongs to an open file."""
    ASKED_FOR = 1
    """All are waited for, none of them first."""
    AHEAD = 2
    """Nobody asked yet."""


@dataclass(eq=False)
class _Turn:
    request: Callable[[], TraceRequest]
    scope: str
    urgency: Urgency
    alone: bool
    single: bool
    """To be run without company."""
    prepared: bool
    """To be run when what earlier ones have read is ready."""
    done: asyncio.Future[tuple[TraceReply, bool]]


@dataclass(eq=False)
class _Batch:
    turns: list[_Turn]
    accompanied: bool = False
    task: asyncio.Task[None] | None = None
    left: set[_Turn] = field(default_factory=set)
    """Those that are still wanted."""


class Turns:
    """The queue, and what runs.  Used from the event loop."""

    def __init__(self, trace: Callable[[TraceRequest], Awaitable[TraceReply]]) -> None:
        self._trace = trace
        self._queue: list[_Turn] = []
        self._batches: set[_Batch] = set()
        self._import_ms: dict[str, float] = {}
        self.last_seconds = 0.0
        """How long the last run took that somebody waited for."""

    async def run(
        self,
        scope: str,
        request: Callable[[], TraceRequest],
        urgency: Urgency = Urgency.LOOKED_AT,
        *,
        alone: bool = False,
        single: bool = False,
        prepared: bool = False,
    ) -> tuple[TraceReply, bool]:
        """The answer, and whether another run went on meanwhile; cancelled, the run is.

        `alone`: beside nothing else.  `single`: in a process of its own.  `prepared`: once all is ready that the
        worker knows to be read.
        """
        done = asyncio.get_running_loop().create_future()
        turn = _Turn(request, scope, urgency, alone, single or alone, prepared, done)
        self._queue.append(turn)
        if urgency is Urgency.LOOKED_AT:
            self._next()
        else:  # others of its file are about to come
            asyncio.get_running_loop().call_later(GATHERING, self._next)
        try:
            return await turn.done
        finally:
            self._leave(turn)

    def _leave(self, turn: _Turn) -> None:
        if turn in self._queue:
            self._queue.remove(turn)
        for batch in self._batches:
            batch.left.discard(turn)
            if not batch.left and batch.task is not None:
                batch.task.cancel()
        self._next()

    def _next(self) -> None:
        """Start what may start."""
        while (turn := self._first()) is not None:
            self._queue.remove(turn)
            company = self._company(turn)
            for one in company:
                self._queue.remove(one)
            turns = [turn, *company]
            batch = _Batch(turns, bool(self._batches), left=set(turns))
            for other in self._batches:
                other.accompanied = True
            self._batches.add(batch)
            batch.task = asyncio.create_task(self._run(batch))
            batch.task.add_done_callback(lambda _, batch=batch: self._ended(batch))

    def _first(self) -> _Turn | None:
        """The most urgent one, if there is room for it."""
        turn = min(self._queue, key=lambda turn: (turn.urgency, not turn.alone), default=None)
        running = [one for batch in self._batches for one in batch.turns]
        if turn is None or len(self._batches) >= AT_ONCE or any(one.alone for one in running):
            return None
        if turn.alone and running:
            return None
        patient = sum(batch.turns[0].urgency is Urgency.AHEAD for batch in self._batches)
        return None if turn.urgency is Urgency.AHEAD and patient >= PATIENT_AT_ONCE else turn

    def _company(self, turn: _Turn) -> list[_Turn]:
        """Those that run in the same process."""
        looked_at = turn.urgency is Urgency.LOOKED_AT
        if turn.single or (looked_at and not self._imports_long(turn)):
            return []
        fits = (
            one for one in self._queue if one.scope == turn.scope and one.urgency is turn.urgency and not one.single
        )
        return [one for one, _ in zip(fits, range(TOGETHER - 1), strict=False)]

    def _imports_long(self, turn: _Turn) -> bool:
        return self._import_ms.get(turn.scope, 0.0) >= LONG_IMPORT

    async def _run(self, batch: _Batch) -> None:
        first, *company = batch.turns
        requests = [turn.request() for turn in company]
        further = tuple(Further(request.setup, request.call) for request in requests)
        patient = first.urgency is Urgency.AHEAD
        started = asyncio.get_running_loop().time()
        unhurried = first.prepared or self._imports_long(first) or first.urgency is not Urgency.LOOKED_AT
        reply = await self._trace(replace(first.request(), further=further, patient=patient, unhurried=unhurried))
        if not patient:
            self.last_seconds = asyncio.get_running_loop().time() - started
        self._import_ms[first.scope] = reply.import_ms
        answers = dict(zip(company, reply.further, strict=False))
        lost = reply.failure is not None and not answers and not still_importing(reply)
        for turn in company:
            answer = answers.get(turn)
            if answer is not None and answer.failure is None and not answer.fallback:
                self._give(turn, answer, batch)
            elif turn in batch.left:
                turn.single = answer is not None or lost
                batch.left.discard(turn)
                batch.turns.remove(turn)
                self._queue.append(turn)
        batch.accompanied = batch.accompanied or bool(company)
        self._give(first, replace(reply, further=()), batch)

    def _give(self, turn: _Turn, reply: TraceReply, batch: _Batch) -> None:
        if not turn.done.done():
            turn.done.set_result((reply, batch.accompanied))

    def _ended(self, batch: _Batch) -> None:
        self._batches.discard(batch)
        task = batch.task
        error = task.exception() if task is not None and not task.cancelled() else None
        for turn in batch.turns:
            if not turn.done.done():
                if error is not None:
                    turn.done.set_exception(error)
                else:
                    turn.done.cancel()
        self._next()
