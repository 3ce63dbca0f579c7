"""A programmer at work: files on a disk, some of them open, and the engine of an editor that is told of all of it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.hints import all_hints, kinds
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.server.cache import Cache
from fx_lsp.server.engine import Engine
from fx_lsp.server.host import Launch
from fx_lsp.server.listener import Listener
from fx_lsp.server.settings import Settings
from fx_lsp.server.trust import Trust
from tests.fuzz.half import Known
from tests.fuzz.texts import DATA, FILES, parses

PATIENCE = 60.0
"""Seconds after which a wait has failed."""


class Desk(Listener):
    """Files are named by their path below the root."""

    def __init__(
        self, root: Path, launch: Launch, settings: Settings, environment: Mapping[str, str], place: Path | None = None
    ) -> None:
        """`place`: where answers are kept for the next engine."""
        self.root, self.open = root, dict[str, str]()
        self.log: list[str] = []
        self.known = Known()
        self._idle = asyncio.Event()
        self._writes = 0
        self._start: Callable[[], Engine] = lambda: Engine(
            self,
            settings=settings,
            environment=environment,
            log=self.log.append,
            launch=launch,
            trust=Trust(word=True),
            cache=Cache(self.log.append, str(place)) if place is not None else None,
        )
        self.engine = self._start()

    def on_snapshot(self, path: str) -> None:
        """Remembered, as far as it is true."""
        if (snapshot := self.engine.snapshot(path)) is not None:
            self.known.shown(snapshot)

    def on_idle(self) -> None:
        """Ends `idle`."""
        self._idle.set()

    def path(self, name: str) -> str:
        """Of a file, whether it is there or not."""
        return str(self.root / name)

    def on_disk(self) -> dict[str, str]:
        """The files, without `pyproject.toml`."""
        return {file.name: file.read_text() for file in sorted(self.root.iterdir()) if file.suffix in (".py", ".json")}

    # -- the disk --------------------------------------------------------------------------------------------------

    def write(self, name: str, text: str) -> None:
        """As editors and version control do: another file under the same name, with a time of its own."""
        new = self.root / f".{name}.new"
        new.write_text(text)
        self._date(new)
        os.replace(new, self.root / name)
        self._date(self.root)

    def _date(self, path: Path) -> None:
        """By the clock of now, which may have jumped, and each time another."""
        self._writes += 1
        stamp = int(time.time() * 1e9) + self._writes
        os.utime(path, ns=(stamp, stamp))

    def told(self, *names: str, listed: bool) -> None:
        """A watcher of files says that these have changed; see the handler."""
        paths = [self.path(name) for name in names if not name.endswith(".json")]
        others = [self.path(name) for name in names if name.endswith(".json")]
        if others:
            read = set[str]().union(*(folder.runs.read() for folder in self.engine.folders))
            paths += [path for path in others if path in read]
        if paths:
            self.engine.disk_changed(paths, listed=listed)

    def put(self, name: str, text: str) -> None:
        """Written by another program."""
        new = not (self.root / name).exists()
        self.write(name, text)
        self.told(name, listed=new)

    # -- the editor ------------------------------------------------------------------------------------------------

    def update(self, name: str, text: str) -> None:
        """Opened, or edited."""
        self.open[name] = text
        self.engine.update(self.path(name), text)

    def save(self, name: str) -> None:
        """The buffer goes to the disk."""
        new = not (self.root / name).exists()
        self.write(name, self.open[name])
        self.engine.save(self.path(name))
        self.told(name, listed=new)

    def close(self, name: str) -> None:
        """Without saving."""
        del self.open[name]
        self.engine.close(self.path(name))

    def rename(self, old: str, new: str) -> None:
        """On the disk and in the editor, as editors do it: an open file is closed and opened under its new name."""
        os.replace(self.path(old), self.path(new))
        self._date(self.root)
        if old in self.open:
            text = self.open[old]
            self.close(old)
            self.update(new, text)
        self.told(old, new, listed=True)

    def delete(self, name: str) -> None:
        """The file goes; an editor that has it open keeps it."""
        os.remove(self.path(name))
        self._date(self.root)
        self.told(name, listed=True)

    # -- what is seen ----------------------------------------------------------------------------------------------

    async def idle(self) -> None:
        """Wait until nothing is pending, and everything about the examples is known."""
        if not self.engine.idle:
            self._idle.clear()
            await asyncio.wait_for(self._idle.wait(), PATIENCE)
        studies = [session.studies._task for session in self.engine._sessions.values()]
        if running := [task for task in studies if task is not None]:
            await asyncio.wait(running, timeout=PATIENCE)

    def parses(self) -> bool:
        """Whether no open file is in the middle of something."""
        return all(map(parses, self.open.values()))

    def snapshots(self) -> dict[str, Snapshot]:
        """Of each open file."""
        found = {name: self.engine.snapshot(self.path(name)) for name in sorted(self.open)}
        assert [snapshot and snapshot.text for snapshot in found.values()] == [
            text for _, text in sorted(self.open.items())
        ]
        return {name: snapshot for name, snapshot in found.items() if snapshot is not None}

    def shown(self) -> dict[str, Any]:
        """All that the user could see of each open file."""
        return {name: seen(snapshot) for name, snapshot in self.snapshots().items()}

    async def restart(self) -> None:
        """Another engine, with the same files open."""
        await self.engine.stop()
        self.engine = self._start()
        for name, text in self.open.items():
            self.update(name, text)

    async def empty(self) -> None:
        """Nothing open, and the files of the beginning."""
        await self.engine.stop()
        self.open.clear()
        for name in self.on_disk():
            os.remove(self.path(name))
        for name, text in {**FILES, DATA: "2", "pyproject.toml": ""}.items():
            self.write(name, text)
        self.engine = self._start()


def seen(snapshot: Snapshot) -> dict[str, Any]:
    """What can be seen of a snapshot, and does not differ from run to run."""
    constant = replace(snapshot, traces=tuple(map(_constant, snapshot.traces)))
    return {
        "text": snapshot.text,
        "hints": [(hint.span.line, hint.span.end_column, hint.label) for hint in hints(constant)],
        "problems": all_problems(constant),
        "state": (snapshot.pending, snapshot.stale),
        "modules": snapshot.modules,
        "traces": constant.traces,
        "coverage": [(one.module.name, one.status, one.reason) for one in coverage(constant)],
    }


def hints(snapshot: Snapshot) -> Iterable[Any]:
    """Of every kind."""
    return all_hints(snapshot, {kind.id for kind in kinds()}, log=print)


def _constant(trace: Trace) -> Trace:
    """Where a run looked for modules in vain depends on what its process had imported before."""
    failure = trace.reply.failure
    failure = replace(failure, detail="") if failure is not None else None
    return replace(trace, reply=replace(trace.reply, id=0, ms=0.0, import_ms=0.0, failure=failure, absent=()))
