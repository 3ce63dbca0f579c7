"""Traces that ran and traces that run: each example once for each state of the files it read.

An example during which the worker ended is run again alone; one that ends the worker again and again is set aside.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import replace
from typing import Protocol

from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.server.ran import Cancelled, Key, Ran, reach
from fx_lsp.server.replies import lean, stage_of, still_importing
from fx_lsp.server.rewording import Rewording, Wordings
from fx_lsp.server.texts import Moment, Texts
from fx_lsp.server.turns import Turns, Urgency

REMEMBERED = 4
"""States kept for each example, so that undoing an edit needs no run."""

ASKED = 8
"""Graphs and trials that are kept: they are large."""

UNWANTED = 64
"""Examples that nobody asks for any more whose answers are kept: their text may come back."""

DEATHS = 3
"""Times that a worker may end during the same example."""

LATE = 3
"""Times that an example is run again because its imports took too long, as long as each had packages to import that the
next one has ready."""

ASIDE = "it ended the worker process three times and is not run again until its code changes"

ANY = "?"
"""Stands for the hash of a file that changed in the middle of a run: it is not known which version was read."""

_NOT_KEPT = frozenset({"start", "cancelled"})
"""Failures that say nothing about the code."""


class Store(Protocol):
    """Keeps answers beyond the session, see `Answers`."""

    async def recall(self, request: TraceRequest) -> Ran | None:
        """The answer for the files as they are now, if it is known."""
        ...

    def keep(self, request: TraceRequest, ran: Ran) -> None:
        """Remember it some time, if it is worth it."""
        ...


class Runs:
    """Runs what is asked for, keeps the answers, and knows which files each one depends on."""

    def __init__(
        self,
        trace: Callable[[TraceRequest], Awaitable[TraceReply]],
        texts: Texts,
        progressed: Callable[[], None] = lambda: None,
        imports: Callable[[str], Awaitable[Collection[str]]] | None = None,
        store: Store | None = None,
    ) -> None:
        """`imports` tells which files a file imports, as far as its text says so."""
        self._store = store
        self._progressed = progressed
        self._imports = imports
        self.done = self.total = 0
        """Runs that ended, and runs that somebody waits for, since there were none."""
        self._texts = texts
        self._turns = Turns(trace)
        self._wordings = Wordings(texts)
        self._kept: dict[Key, list[Ran]] = {}
        self._running: dict[Key, asyncio.Task[Ran]] = {}
        self._deaths: dict[Key, int] = {}

    @property
    def last_seconds(self) -> float:
        """How long the last run took that somebody waited for."""
        return self._turns.last_seconds

    def kept(self, key: Key) -> Ran | None:
        """The answer for the files as they are now, if there is one."""
        for ran in reversed(self._kept.get(key, ())):
            if all(self._texts.digest(path) == digest for path, digest in ran.digests):
                return ran
        return None

    def depends(self, key: Key, path: str, *, unknown: bool) -> bool:
        """Whether running `key` would read `path`, as far as earlier runs tell; `unknown` where none does."""
        earlier = self._kept.get(key)
        if path == key.scope:
            return True
        return earlier[-1].reads(path) if earlier and earlier[-1].digests else unknown

    def read(self) -> set[str]:
        """Every file that a known answer depends on; a folder whose entries count ends with a separator."""
        return {path for answers in self._kept.values() for ran in answers for path, _ in ran.digests}

    async def answer(self, key: Key, request: Callable[[], TraceRequest], urgency: Urgency = Urgency.LOOKED_AT) -> Ran:
        """What is kept, else what comes of a run.

        Raises:
            Cancelled: a newer edit cancelled the run.
        """
        return self.kept(key) or await self.run(key, request, urgency)

    async def run(self, key: Key, request: Callable[[], TraceRequest], urgency: Urgency = Urgency.LOOKED_AT) -> Ran:
        """Wait for the answer.  The run goes on when the one who waits is cancelled: another may want it.

        Raises:
            Cancelled: a newer edit cancelled the run.
        """
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(self._run(key, request, urgency))
            counted = urgency is not Urgency.AHEAD
            task.add_done_callback(lambda done: self._forget(key, done, counted))
            self.total += counted
            self._progressed()
        await asyncio.wait({task})
        if task.cancelled():
            raise Cancelled
        return task.result()

    def begin(self, keys: Iterable[Key], broken: Collection[str], request: Callable[[Key], TraceRequest]) -> None:
        """Start these before anybody has looked whether they are wanted; none that reads a `broken` file."""
        for key in keys:
            if self.kept(key) is None and not any(self.depends(key, path, unknown=False) for path in broken):
                begun = asyncio.ensure_future(self.run(key, lambda key=key: request(key)))
                begun.add_done_callback(lambda done: done.cancelled() or done.exception())

    def edited(self, path: str) -> Rewording | None:
        """Cancel the runs that read `path`, and drop the answers that may depend on it without saying so.

        All answers stay, and those about `path` are about its new text, when that means the same.
        """
        for key, task in list(self._running.items()):
            if self.depends(key, path, unknown=True):
                task.cancel()
                self._running.pop(key, None)
        if (reworded := self._wordings.edited(path)) is not None:
            self._kept = {key: [reworded.ran(ran) or ran for ran in answers] for key, answers in self._kept.items()}
            return reworded
        kept = {key: [ran for ran in answers if ran.digests] for key, answers in self._kept.items()}
        self._kept = {key: answers for key, answers in kept.items() if answers}
        for key in [key for key in self._deaths if self.depends(key, path, unknown=False)]:
            del self._deaths[key]
        return None

    def forget_failed(self) -> None:
        """Drop the answers that are failures: what they lacked may be there now."""
        fine = {
            key: [ran for ran in answers if ran.reply.failure is None or ran.aside]
            for key, answers in self._kept.items()
        }
        self._kept = {key: answers for key, answers in fine.items() if answers}

    def clear(self) -> None:
        """Cancel everything and forget every answer."""
        for task in self._running.values():
            task.cancel()
        self._running.clear()
        self._kept.clear()
        self._deaths.clear()

    def keep_only(self, wanted: Collection[Key]) -> None:
        """Cancel the runs that nobody asks for any more, and forget the oldest of their answers."""
        for key in [key for key in self._running if key not in wanted and not key.asked]:
            self._running.pop(key).cancel()
        unwanted = [key for key in self._kept if key not in wanted and not key.asked]
        asked = [key for key in self._kept if key.asked]
        for key in (*unwanted[: max(len(unwanted) - UNWANTED, 0)], *asked[: max(len(asked) - ASKED, 0)]):
            del self._kept[key]

    async def _run(
        self, key: Key, request: Callable[[], TraceRequest], urgency: Urgency, *, again: bool = False
    ) -> Ran:
        # What was run in this session is kept here; graphs are large, and searches are remembered by what they found.
        special = key.asked or key.search is not None
        stored = self._store if not special else None
        if stored is not None and key not in self._kept and (known := await stored.recall(request())) is not None:
            self._keep(key, known)
            return known
        began, overlaid = Moment(), frozenset[str]()

        def asked() -> TraceRequest:
            nonlocal overlaid
            made = request()
            overlaid = frozenset(overlay.path for overlay in made.overlays)
            return made

        reply, accompanied = await self._turns.run(key.scope, asked, urgency, single=key.single)
        for number in range(LATE):
            if not still_importing(reply, key.search) or (number and not reply.imported):
                break
            reply, accompanied = await self._turns.run(key.scope, asked, urgency, single=key.single, prepared=True)
        while (stage := stage_of(reply)) == "worker" or (stage == "crash" and accompanied):
            if stage == "worker":
                self._deaths[key] = self._deaths.get(key, 0) + 1
                if self._deaths[key] >= DEATHS:
                    return await self._set_aside(key, reply)
            # Perhaps the other run took the worker down: what crashes alone has crashed by itself.
            reply, accompanied = await self._turns.run(key.scope, asked, urgency, alone=True)
        self._deaths.pop(key, None)
        reached = reach(key, reply)
        read = sorted({*reached, *reply.files, *reply.data}) if reply.files else ()
        # An edit during the run has cancelled it, so the texts of now are those it read; of the disk nobody may have
        # told yet, nor ever tell, where it was not known that this is read.
        doubtful = [path for path in read if path not in overlaid and not self._texts.settled(path, began)]
        if doubtful and not again:
            return await self._run(key, request, urgency, again=True)
        digests = ((path, ANY if path in doubtful else self._texts.digest(path)) for path in read)
        ran = Ran(lean(reply), reached, tuple(digests))
        if stage_of(reply) not in _NOT_KEPT:
            self._keep(key, ran)
            if stored is not None and not doubtful:
                stored.keep(request(), ran)
        return ran

    async def _set_aside(self, key: Key, reply: TraceReply) -> Ran:
        """Answer with a failure, until one of the files changes that the example reads by the look of it."""
        del self._deaths[key]
        earlier = {path for ran in self._kept.get(key, ()) for path, _ in ran.digests}
        imported = await self._imports(key.scope) if self._imports is not None else ()
        read = sorted({key.scope, *earlier, *imported})
        failure = Failure("crash", ASIDE, detail=reply.failure.detail if reply.failure else "", proven=False)
        digests = tuple((path, self._texts.digest(path)) for path in read)
        ran = Ran(replace(reply, failure=failure), frozenset({key.scope}), digests, aside=True)
        self._keep(key, ran)
        return ran

    def _keep(self, key: Key, ran: Ran) -> None:
        answers = self._kept.setdefault(key, [])
        answers.append(ran)
        self._wordings.answered(path for path, _ in ran.digests)
        del answers[: -1 if key.asked else -REMEMBERED]

    def _forget(self, key: Key, task: asyncio.Task[Ran], counted: bool) -> None:
        if self._running.get(key) is task:
            del self._running[key]
        self.done += counted
        if self.done == self.total:
            self.done = self.total = 0
        self._progressed()
