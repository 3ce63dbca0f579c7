"""What else there is to find out about an example that ran, when there is nothing else to do: one file per study,
found by folder, in the order of their names.

To add one, copy a file: its `STUDY` says what is run for an example, and puts what came of it into a snapshot.  What is
asked for has a field in `Key` and one in `TraceRequest`, the answer one in `TraceReply`.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache
from typing import Protocol

from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.model.registry import collect
from fx_lsp.server.document import Document
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Cancelled, Key
from fx_lsp.server.settings import Settings
from fx_lsp.server.turns import Urgency

HURRIED = 2.0
"""Seconds between two edits of somebody who goes on editing."""
Studied = Mapping[Key, TraceReply]
"""What came of a study, by the runs whose examples it is about."""


class Study(Protocol):
    """One kind of further run."""

    @property
    def reports(self) -> bool:
        """Whether it finds problems: `check` waits for those."""
        ...

    @property
    def rest(self) -> float:
        """Seconds without a keystroke before it is run, where one edit follows the other: they would wait for it."""
        ...

    def wanted(self, settings: Settings) -> bool:
        """Whether the editor wants it."""
        ...

    def key(self, folder: Folder, trace: Trace) -> Key | None:
        """The run that is asked for; None where nobody wants it."""
        ...

    def request(self, folder: Folder, key: Key) -> TraceRequest:
        """What the worker is asked for."""
        ...

    def shown(self, snapshot: Snapshot, studied: Studied) -> Snapshot:
        """The snapshot with what was found about its examples; some have not been studied, or not to the end."""
        ...


@cache
def studies() -> dict[str, Study]:
    """Every study in this folder, by its name."""
    return collect(sys.modules[__name__], "STUDY")


def refined(snapshot: Snapshot, studied: Mapping[str, Studied]) -> Snapshot:
    """The snapshot with all that was found."""
    for name, found in studied.items():
        snapshot = studies()[name].shown(snapshot, found)
    return snapshot


class Studies:
    """Those of the open files of one root."""

    def __init__(self, folder: Folder, found: Callable[[Document], None]) -> None:
        """`found` is told of a document about which more is known now."""
        self._folder, self._found = folder, found
        self._task: asyncio.Task[None] | None = None
        self.wanted: frozenset[Key] = frozenset()
        """Runs that go on while something else is to be done; an edit of what they read ends them."""
        self.settings = Settings()
        self.hurried = False
        """Whether one edit followed the other."""

    def resume(self, documents: Sequence[Document]) -> None:
        """Go on with the files, whose plans are at their end."""
        self.pause()
        wanted = {
            (name, Key.of(trace)): key
            for document in documents
            for trace in filter(_runs, document.snapshot.traces)
            for name, study in self._wanted().items()
            if (key := study.key(self._folder, trace)) is not None
        }
        self.wanted = frozenset(wanted.values())
        for document in documents:
            document.studied = {
                name: {key: reply for key, reply in found.items() if (name, key) in wanted}
                for name, found in document.studied.items()
            }
            self._found(document)
        if wanted:
            self._task = asyncio.get_running_loop().create_task(self._run(documents))

    def pause(self) -> None:
        """Something else is to be done."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    def _wanted(self) -> dict[str, Study]:
        return {name: study for name, study in studies().items() if study.wanted(self.settings)}

    async def _run(self, documents: Sequence[Document]) -> None:
        rested = 0.0
        for name, study in self._wanted().items():
            for document in documents:
                for trace in filter(_runs, document.snapshot.traces):
                    key = study.key(self._folder, trace)
                    unknown = key is not None and self._folder.runs.kept(key) is None
                    if self.hurried and study.rest > rested and unknown:
                        await asyncio.sleep(study.rest - rested)
                        rested = study.rest
                    try:
                        reply = await find(self._folder, study, trace, Urgency.AHEAD)
                    except Cancelled:
                        return  # there is an edit, after which it goes on
                    except Exception:  # a defect in one study must not take the others along
                        self._folder.log(traceback.format_exc())
                        continue
                    if reply is not None:
                        of_study = document.studied.get(name, {})
                        document.studied = {**document.studied, name: {**of_study, Key.of(trace): reply}}
                        self._found(document)


async def find(folder: Folder, study: Study, trace: Trace, urgency: Urgency) -> TraceReply | None:
    """What a study finds about one example; None where nobody wants it.  The log has why it is not all.

    Raises:
        Cancelled: a newer edit cancelled the run.
    """
    key = study.key(folder, trace)
    if key is None:
        return None
    ran = folder.runs.kept(key)
    if ran is None:
        ran = await folder.runs.run(key, lambda: study.request(folder, key), urgency)
        if ran.reply.failure is not None:
            folder.log(f"{key.scope}: {key.call}: {ran.reply.failure.message}")
    return ran.reply


async def reports(folder: Folder, traces: Sequence[Trace], also: Container[str] = ()) -> dict[str, Studied]:
    """What those that find problems find, for `check`, and those that are asked for by name."""
    found: dict[str, Studied] = {}
    for name, study in studies().items():
        wanted = study.reports or name in also
        once = {Key.of(trace): trace for trace in traces if _runs(trace)} if wanted else {}
        replies = await asyncio.gather(*(find(folder, study, trace, Urgency.ASKED_FOR) for trace in once.values()))
        found[name] = {key: reply for key, reply in zip(once, replies, strict=True) if reply is not None}
    return found


def _runs(trace: Trace) -> bool:
    special = trace.example.search is not None or trace.example.origin == "program"
    return trace.reply.failure is None and not special and not trace.older
