"""The open files of one root, and the passes that bring their snapshots up to date."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from dataclasses import replace

from fx_lsp.analysis.notebook import SUFFIX
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.example import Example
from fx_lsp.server.ahead import Ahead
from fx_lsp.server.chosen import Chosen
from fx_lsp.server.document import Document, compose
from fx_lsp.server.folder import Folder, Unavailable
from fx_lsp.server.listener import Reports
from fx_lsp.server.passes import Pass
from fx_lsp.server.ran import Cancelled, Key, Outcome
from fx_lsp.server.settings import Settings
from fx_lsp.server.studies import HURRIED, Studies, refined
from fx_lsp.server.trust import UNTRUSTED, Standing

TYPING, FAST = 0.3, 0.15
"""Seconds between two keys of somebody who types on, and of somebody who types faster than anything is run."""
QUIET, LULL = 0.08, 0.16
"""Seconds of quiet awaited then, where a trace takes as long; a single key is answered at once."""


class Session:
    """A root that an editor has files open in."""

    def __init__(self, folder: Folder, reports: Reports) -> None:
        self.folder = folder
        self.documents: dict[str, Document] = {}
        self.refused = ""
        """Why nothing is run, and only what the texts say is shown; empty when examples are run."""
        self.held = False
        """Passes wait: the settings are not known yet."""
        self._reports = reports
        self._pass = Pass()
        self._published = asyncio.Event()
        self._goes_ahead = True
        self._needed: frozenset[Key] = frozenset()
        """What the last pass that came to its end asked for."""
        self._edited = 0.0
        """When the last keystroke was, by the clock of the event loop."""
        self.ahead = Ahead(folder, reports.ahead, lambda: folder.runs.keep_only(self._pass.wanted), reports.log)
        """The files that are not open."""
        self.studies = Studies(folder, lambda document: self._publish(document, self._pass))

    @property
    def idle(self) -> bool:
        """Whether nothing is pending."""
        return not self.held and self._pass.timer is None and self._pass.task is None

    def set_up(self, interpreter: str, standing: Standing, settings: Settings, *, settled: bool = True) -> None:
        """What the user wishes; see `Folder.configure`."""
        self.folder.configure(interpreter, standing, settled=settled)
        off = "" if settings.run else "running is switched off"
        self.refused = off if self.folder.standing.runs else UNTRUSTED
        self._goes_ahead, self.studies.settings = settings.run_ahead, settings

    def warm(self) -> None:
        """Start the worker before it is known what there is to run, if there will be something by the looks of it."""
        texts = (document.snapshot.text for path, document in self.documents.items() if path.endswith((".py", SUFFIX)))
        if not self.refused and not self.held and any("torch" in text for text in texts):
            self.folder.warm()

    def changed(self, path: str) -> None:
        """The text of `path` is another: what depended on it is out of date, and its runs are cancelled.

        When it means what it did before, only places are others.
        """
        reworded = self.folder.runs.edited(path)
        gone: set[Key] = set()
        for document in self.documents.values():
            after = [reworded.outcome(one) if reworded else None if one[1].reads(path) else one for one in document.own]
            gone.update(Key.of(one[0]) for one, now in zip(document.own, after, strict=True) if now is None)
            document.own = tuple(now for now in after if now is not None)
        if reworded is not None and path in self.documents:
            self.documents[path].reword(reworded)
        for document in self.documents.values():
            if any(Key.of(trace) in gone for trace in document.snapshot.traces):
                document.outdate()
            if reworded is not None:
                self._publish(document, self._pass)
        if reworded is None:
            self.ahead.changed(path)

    def hold(self) -> None:
        """Run nothing until `release`."""
        self.held = True
        self.cancel()

    def release(self) -> None:
        """Run what was asked for since `hold`."""
        self.held = False
        self.warm()
        self.schedule(quiet=False)

    def restart(self) -> None:
        """Start the worker anew and run everything again; what is shown stays until then."""
        self.folder.restart()
        self.folder.answers.renew(afresh=True)
        self.ahead.restart()
        for document in self.documents.values():
            document.own = ()
            document.outdate()
        self.schedule(quiet=False)

    def choose(self, path: str, chosen: Chosen) -> None:
        """What comes first of an open file from now on."""
        self.documents[path].chosen = chosen
        self._publish(self.documents[path], self._pass)

    async def settled(self, path: str) -> None:
        """Wait until nothing is pending for the file; returns at once when it is not open."""
        while (document := self.documents.get(path)) is not None and document.snapshot.pending:
            await self._published.wait()

    def schedule(self, *, quiet: bool) -> None:
        """Start a pass, after a moment without keystrokes when `quiet`; it takes the place of the one before."""
        self.cancel()
        running = self._pass = Pass(wanted=set(self.studies.wanted))
        if not self.held:
            loop = asyncio.get_running_loop()
            since = loop.time() - self._edited
            if quiet:
                self._edited, self.studies.hurried = loop.time(), since < HURRIED
            wait = (LULL if since < FAST else QUIET) if quiet and since < TYPING else 0.0
            running.timer = loop.call_later(min(wait, self.folder.runs.last_seconds), lambda: self._start(running))

    def cancel(self) -> None:
        """No pass any more, and nothing ahead."""
        self._pass.cancel()
        self.studies.pause()
        self.ahead.pause()

    def _start(self, running: Pass) -> None:
        running.task = asyncio.get_running_loop().create_task(self._run(running))
        running.timer = None

    async def _run(self, running: Pass) -> None:
        """Settle the open files, the one edited last first; then nothing is pending."""
        await self._guarded(self._look(running))
        documents = sorted(self.documents.values(), key=lambda document: -document.touched)
        if documents and not self.refused and not self.folder.unavailable:
            likely = (key for key in documents[0].likely() if key in self._needed)
            self.folder.runs.begin(likely, running.broken, self.folder.request)
        held = [one for one in documents if not await self._guarded(self._settle(one, running))]
        again = [one for one in documents if one.path in running.again and one not in held]
        held += [one for one in again if not await self._guarded(self._settle(one, running))]
        self.folder.runs.keep_only(running.wanted)
        self._needed = frozenset(running.wanted)
        running.awaited.update(*(document.asked for document in held))
        for document in documents:
            document.pending = False
            if document not in held:
                document.former = document.of_former(running.awaited)
            self._publish(document, running)
        running.task = None
        self._wake()  # a file that someone waits for may have been closed
        if self.folder.unavailable:
            self._reports.say(self.folder.unavailable)
        self._reports.done()
        if self.documents and not self.refused and not self.folder.unavailable:
            self.studies.resume(documents)
            running.wanted |= self.studies.wanted
            if self._goes_ahead:
                self.ahead.resume(self.documents)

    async def _guarded(self, work: Awaitable[bool]) -> bool:
        """What `work` says; False when it has a defect, which is said in the log: the next edit tries again."""
        try:
            return await work
        except Exception:
            self._reports.log(traceback.format_exc())
            return False

    async def _look(self, running: Pass) -> bool:
        """What can be said before any plan: mistakes in the configuration, files that do not parse."""
        self.folder.renew()
        await self.folder.look_at_config()
        config = self.folder.config_path
        if config not in self.documents:
            self._reports.snapshot(config)
        for path in self.documents:
            if path != config and not await self.folder.parses(path):
                running.broken.add(path)
        for path, document in self.documents.items():
            asked = (key for key in document.asked if path in running.broken or self._waits({key}, running))
            running.awaited.update(asked)
        return True

    async def _settle(self, document: Document, running: Pass) -> bool:
        """Run what the document's plan asks for; False when its older facts are to stay."""
        if document.path == self.folder.config_path:
            document.problems = self.folder.problems
            return True
        if document.path in running.broken:
            return False
        known = self._known(document, running)
        plan = await self.folder.plan(document.path, known)
        document.modules, document.problems = plan.modules, plan.problems
        self._publish(document, running)
        own: dict[Key, Outcome] = {}
        tried: dict[Example, Trace] = {}
        wave = plan.wave
        if self.refused:
            self._not_run(document, {}, wave, self.refused, running)
            if wave and not self.folder.standing.runs:
                self._reports.refused(self.folder.root)
            return True
        while fresh := {key for example in wave if example not in tried and (key := self.folder.key(example))}:
            if self._waits(fresh, running):
                return False
            running.wanted.update(fresh)
            try:
                async for outcome in self.folder.traces(example for example in wave if example not in tried):
                    tried[outcome[0].example] = outcome[0]
                    own[Key.of(outcome[0])] = outcome
                    self._arrived(document, outcome, running)
            except Cancelled:
                return False
            except Unavailable as error:
                self._not_run(document, own, wave, str(error), running)
                return False
            others = self._elsewhere(document)
            wave = await self.folder.next(document.path, [*tried.values(), *others, *known])
        left = (ran.reach for trace, ran in document.own if Key.of(trace) not in own)
        running.again.update(*left)
        document.own, document.asked, document.pending = tuple(own.values()), frozenset(own), False
        document.unfound = self.folder.inventions.unfound(self.folder.workspace, document.path)
        document.severities = self.folder.config.severities(self.folder.workspace.relative(document.path))
        self._publish(document, running)
        return True

    def _known(self, document: Document, running: Pass) -> list[Trace]:
        """What plans of other files find out about this one: what stays, what is there, and what was, where it is
        likely to be again."""
        others = [other for other in self.documents.values() if other is not document]
        pending = {key for other in others if other.pending for key in other.asked} - document.asked
        former = document.of_former(pending - running.awaited)
        supposed = [trace for trace in former if trace.reply.failure is None]
        if supposed:
            running.again.add(document.path)
        there = [trace for trace in self._elsewhere(document) if trace.reply.failure is None]
        return [*document.of_former(running.awaited - document.asked), *there, *supposed]

    def _elsewhere(self, document: Document) -> list[Trace]:
        """What runs that plans of other files asked for found in this one, with the texts as they are now."""
        others = (one for other in self.documents.values() if other is not document for one in other.own)
        return [trace for trace, ran in others if document.path in ran.reach]

    def _waits(self, keys: Iterable[Key], running: Pass) -> bool:
        """Whether one of the runs reads a file that does not parse."""
        return any(self.folder.runs.depends(key, path, unknown=False) for key in keys for path in running.broken)

    def _not_run(
        self, document: Document, own: dict[Key, Outcome], wave: Sequence[Example], why: str, running: Pass
    ) -> None:
        """Say so of the examples of which nothing is known, now or from before."""
        known = {*own, *map(Key.of, document.former)}
        unrun = self.folder.unrun((example for example in wave if self.folder.key(example) not in known), why)
        document.own, document.pending = (*own.values(), *unrun), False
        self._publish(document, running)

    def _arrived(self, document: Document, outcome: Outcome, running: Pass) -> None:
        key = Key.of(outcome[0])
        document.own = (*(one for one in document.own if Key.of(one[0]) != key), outcome)
        for other in self.documents.values():
            if other is document or other.path in outcome[1].reach:
                self._publish(other, running)

    def _outcomes(self) -> Iterator[Outcome]:
        for document in self.documents.values():
            yield from document.own

    def _publish(self, document: Document, running: Pass) -> None:
        try:
            snapshot = refined(compose(document, self._outcomes(), running.wanted), document.studied)
        except Exception:  # what is shown stays, and whoever waits is told
            self._reports.log(traceback.format_exc())
            snapshot = replace(document.snapshot, pending=document.pending)
        if snapshot != document.snapshot:
            document.snapshot = snapshot
            self._reports.snapshot(document.path)
        self._wake()

    def _wake(self) -> None:
        published, self._published = self._published, asyncio.Event()
        published.set()
