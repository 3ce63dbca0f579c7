"""Files that nobody has open: their examples are run when there is nothing else to do, so that their hints are there at
once when one is opened.  What is found goes where all answers go; nothing is shown."""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass

from fx_lsp.server.folder import Folder
from fx_lsp.server.ran import Cancelled
from fx_lsp.server.rounds import rounds
from fx_lsp.server.turns import Urgency

QUIET = 2.0
"""Seconds in which nothing was pending, after which it begins."""
MAX_FILES = 2000
"""Files of one root that are looked at."""


@dataclass(frozen=True)
class State:
    """How far it has come."""

    done: int
    total: int
    """Files."""
    path: str = ""
    """The one it is at; empty when it rests."""


class Ahead:
    """Works through the files of one root, pauses whenever something else is to be done."""

    def __init__(
        self,
        folder: Folder,
        told: Callable[[str, State], None],
        forget: Callable[[], None],
        log: Callable[[str], None],
    ) -> None:
        """`told` gets the root with each state; `forget` drops the answers that nobody with an open file wants."""
        self._folder, self._told, self._forget, self._log = folder, told, forget, log
        self._done: dict[str, frozenset[str]] = {}
        """Files that were worked through, and what was read for each."""
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self.refused = False
        """The user wants none of it, until the worker is started anew."""

    def resume(self, open_files: Collection[str]) -> None:
        """Go on soon, with files near those that are open."""
        self.pause()
        if not self.refused:
            near = frozenset(map(os.path.dirname, open_files))
            known = frozenset(open_files)
            self._timer = asyncio.get_running_loop().call_later(QUIET, lambda: self._start(near, known))

    def pause(self) -> None:
        """Something else is to be done."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
        self._timer = self._task = None

    def stop(self) -> None:
        """The user wants no more of it."""
        self.refused = True
        self.pause()

    def restart(self) -> None:
        """Everything anew."""
        self.refused = False
        self._done.clear()

    def changed(self, path: str) -> None:
        """The file has another text: it is worked through again, and so is what read it."""
        self._done = {file: reads for file, reads in self._done.items() if path != file and path not in reads}

    def _start(self, near: frozenset[str], known: frozenset[str]) -> None:
        self._timer = None
        self._task = asyncio.get_running_loop().create_task(self._run(near, known))

    async def _run(self, near: frozenset[str], known: frozenset[str]) -> None:
        """Every file once."""
        sources = (path for path in self._folder.files() if path.endswith(".py"))
        files = [path for path in sources if path not in known and not self._folder.excludes(path)]
        files.sort(key=lambda path: os.path.dirname(path) not in near)
        del files[MAX_FILES:]
        left = [path for path in files if path not in self._done]
        try:
            for path in left:
                self._told(self._folder.root, State(len(self._done), len(files), path))
                read = await self._file(path)
                if self._folder.unavailable:
                    break  # said by whoever has a file open
                self._done[path] = read
                self._forget()
        except Cancelled:
            return  # there is an edit, after which it goes on
        except Exception:
            self._log(traceback.format_exc())
        finally:
            self._told(self._folder.root, State(len(self._done), len(files)))

    async def _file(self, path: str) -> frozenset[str]:
        """Run what its plan asks for; what was read."""
        if not await self._folder.mentions(path, "forward"):
            return frozenset()
        plan = await self._folder.plan(path)
        outcomes = await rounds(self._folder, {path: plan}, Urgency.AHEAD) if plan.modules else {}
        return frozenset(file for _, ran in outcomes.values() for file, _ in ran.digests)
