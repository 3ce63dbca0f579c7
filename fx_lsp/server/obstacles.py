"""What stops torch's compilers, where the workspace asks for it: one run for each example that reaches a file, when
there is nothing else to do."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace

from fx_lsp.analysis import compilers
from fx_lsp.analysis.snapshot import Problem, Trace
from fx_lsp.model.failure import Obstacle
from fx_lsp.server.document import Document
from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Cancelled, Key
from fx_lsp.server.turns import Urgency


class Obstacles:
    """Of the open files of one root."""

    def __init__(self, folder: Folder, found: Callable[[Document], None]) -> None:
        """`found` is told of a document for which there are others now."""
        self._folder, self._found = folder, found
        self._asked: tuple[str, ...] = ()
        self._task: asyncio.Task[None] | None = None
        self.wanted: frozenset[Key] = frozenset()
        """Runs that go on while something else is to be done; an edit of what they read ends them."""

    def resume(self, documents: Sequence[Document]) -> None:
        """Look for those of the files, whose plans are at their end."""
        self.pause()
        asked = self._folder.config.compilers
        keys = (key_of(self._folder, trace) for one in documents for trace in one.snapshot.traces if _runs(trace))
        self.wanted = frozenset(keys) if asked else frozenset()
        if asked != self._asked:
            self._asked = asked
            for document in documents:
                self._show(document, ())
        if asked:
            self._task = asyncio.get_running_loop().create_task(self._run(documents))

    def pause(self) -> None:
        """Something else is to be done."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    async def _run(self, documents: Sequence[Document]) -> None:
        try:
            for document in documents:
                for trace in filter(_runs, document.snapshot.traces):
                    obstacles = await find(self._folder, trace, Urgency.AHEAD)
                    self._show(document, (*document.obstacles, *compilers.problems(document.path, obstacles)))
        except Cancelled:
            return  # there is an edit, after which it goes on
        except Exception:
            self._folder.log(traceback.format_exc())

    def _show(self, document: Document, obstacles: Sequence[Problem]) -> None:
        document.obstacles = tuple(dict.fromkeys(obstacles))
        self._found(document)


def key_of(folder: Folder, trace: Trace) -> Key:
    """The run that is asked for."""
    return replace(Key.of(trace), compilers=folder.config.compilers)


async def find(folder: Folder, trace: Trace, urgency: Urgency) -> tuple[Obstacle, ...]:
    """Those of one example, in all files; the log has why they are not all.

    Raises:
        Cancelled: a newer edit cancelled the run.
    """
    key = key_of(folder, trace)
    ran = folder.runs.kept(key)
    if ran is None:
        asked = key.compilers
        ran = await folder.runs.run(key, lambda: replace(folder.request(key, "real"), compilers=asked), urgency)
    if ran.reply.failure is not None:
        folder.log(f"{key.scope}: torch's compilers and {key.call}: {ran.reply.failure.message}")
    return ran.reply.obstacles


async def of_files(folder: Folder, traces: Sequence[Trace], urgency: Urgency) -> list[Obstacle]:
    """Those of several examples; none where the workspace does not ask."""
    wanted = {Key.of(trace): trace for trace in traces if _runs(trace)} if folder.config.compilers else {}
    found = await asyncio.gather(*(find(folder, trace, urgency) for trace in wanted.values()))
    return [obstacle for obstacles in found for obstacle in obstacles]


def _runs(trace: Trace) -> bool:
    return trace.reply.failure is None and trace.example.search is None and not trace.older
