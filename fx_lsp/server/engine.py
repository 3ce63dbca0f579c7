"""Opens files, runs their plans in the background, and publishes snapshots.  No method waits for a trace."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.server import check, graphs
from fx_lsp.server.chosen import Chosen
from fx_lsp.server.document import Document
from fx_lsp.server.folder import Folder
from fx_lsp.server.graphs import Found, Wanted
from fx_lsp.server.host import Launch
from fx_lsp.server.listener import Listener, Reports
from fx_lsp.server.roots import Roots, is_below, root_of
from fx_lsp.server.rounds import Progress
from fx_lsp.server.session import Session
from fx_lsp.server.settings import Settings
from fx_lsp.server.supervisor import Supervisor
from fx_lsp.server.texts import Texts
from fx_lsp.server.trust import Trust
from fx_lsp.server.world import World

if TYPE_CHECKING:
    from fx_lsp.server.cache import Cache


class Engine:
    """The state of the server.  To be used inside a running event loop."""

    def __init__(
        self,
        listener: Listener | None = None,
        *,
        settings: Settings | None = None,
        environment: Mapping[str, str] | None = None,
        log: Callable[[str], None] = lambda text: None,
        launch: Launch = Supervisor,
        trust: Trust | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.trust = trust or Trust()
        self.torch = ""
        """Version of torch in the worker that started last; empty when none did."""
        self.chosen: dict[str, Chosen] = {}
        """What the user wants to see first, by path; of files that are not open, too."""
        self._listener = told = listener or Listener()
        self._reports = Reports(told.on_snapshot, self._done, self._say, told.on_refused, told.on_ahead, log)
        self._texts = Texts()
        environment = os.environ if environment is None else environment
        self._world = World(self._texts, environment, launch, self.trust.user, log, cache)
        self._sessions: dict[str, Session] = {}
        self._roots = Roots(self._texts.exists)
        self._held, self._edits = False, 0
        self._said: set[str] = set()

    # -- what the editor does ------------------------------------------------------------------------------------

    def update(self, path: str, text: str) -> None:
        """The file is open with this text; its new snapshot is there when this returns."""
        before = self._texts.read(path)
        self._texts.open(path, text)
        session = self._session(path)
        document = session.documents.get(path)
        self._edits += 1
        if document is None:
            self._look_again(session)
            opened = Snapshot(path, text, pending=True)
            session.documents[path] = Document(path, opened, self._edits, chosen=self.chosen.get(path, Chosen()))
            session.warm()
        elif document.snapshot.text != text:
            document.touched = self._edits
            document.edit(text)
        if text != before:
            self._changed(session, path)
        self._listener.on_snapshot(path)
        session.schedule(quiet=document is not None)

    def save(self, path: str) -> None:
        """The buffer is on disk now."""
        session = self._session(path)
        self._look_again(session)
        if path == session.folder.config_path:
            self._set_up(session)
        if path.endswith(".py") and path not in session.folder.files():
            session.folder.files_changed()
        session.schedule(quiet=False)

    def close(self, path: str) -> None:
        """The file is no longer open; the disk holds."""
        session = self._session(path)
        if session.documents.pop(path, None) is None:
            return
        before = self._texts.digest(path)
        self._texts.close(path)
        if self._texts.digest(path) != before:
            self._changed(session, path)
        self._listener.on_snapshot(path)
        session.schedule(quiet=False)

    def disk_changed(self, paths: Sequence[str], *, listed: bool) -> None:
        """Files changed behind the editor's back; `listed`: some came or went."""
        if listed:
            self._find_homes()
        for session in list(self._sessions.values()):
            inside = [path for path in paths if self.root(path) == session.folder.root]
            if inside and listed:
                session.folder.files_changed()
            for path in [path for path in inside if path not in session.documents]:
                self._changed(session, path)
            if inside:
                session.schedule(quiet=True)

    def configure(self, settings: Settings, interpreters: Mapping[str, str] | None = None) -> None:
        """The editor's settings are these; `interpreters` that of each folder of the workspace, where they differ."""
        self.settings = settings
        self._roots.interpreters = interpreters or {}
        self.reconsider()

    def reconsider(self) -> None:
        """Something else than a text has changed: what the user trusts, or how they want it to run."""
        for session in self._sessions.values():
            self._set_up(session)
            session.warm()
            session.schedule(quiet=False)

    def hold(self) -> None:
        """Run nothing until `release`: the settings are not known yet."""
        self._held = True
        for session in self._sessions.values():
            session.hold()

    def release(self) -> None:
        """Run what was asked for since `hold`."""
        self._held = False
        for session in self._sessions.values():
            session.release()

    def restart(self) -> None:
        """Start the workers anew and run everything again."""
        self._said.clear()
        for session in self._sessions.values():
            session.restart()

    def stop_ahead(self, root: str) -> None:
        """Run nothing of this root that is not open."""
        if root in self._sessions:
            self._sessions[root].ahead.stop()

    def open_folder(self, path: str) -> None:
        """A folder of the workspace: the root of what lies in it and has no nearer one."""
        self._roots.open(path)
        self._find_homes()

    async def close_folder(self, path: str) -> None:
        """A folder left the workspace: end the workers of the roots in it that have no open file."""
        self._roots.close(path)
        self._find_homes()
        for root, session in list(self._sessions.items()):
            if not session.documents and (root == path or is_below(root, path)):
                session.cancel()
                del self._sessions[root]
                await session.folder.close()

    async def stop(self) -> None:
        """End everything; no process is left when this returns."""
        for session in self._sessions.values():
            session.cancel()
        await asyncio.gather(*(session.folder.close() for session in self._sessions.values()))
        await self._world.close()

    # -- what is known -------------------------------------------------------------------------------------------

    def snapshot(self, path: str) -> Snapshot | None:
        """The last snapshot of an open file."""
        session = self._sessions.get(self.root(path))
        document = session.documents.get(path) if session is not None else None
        return document.snapshot if document is not None else None

    async def graph(self, snapshot: Snapshot, wanted: Wanted) -> Found:
        """The graph of a class of the file, from a run of its own unless it is known.

        Raises:
            Cancelled: a newer edit cancelled the run.
        """
        session = self._session(snapshot.path)
        return await graphs.find(session.folder, snapshot, wanted, session.refused)

    async def settled(self, path: str) -> Snapshot | None:
        """The snapshot of an open file, once nothing is pending for it."""
        await self._session(path).settled(path)
        return self.snapshot(path)

    def choose(self, path: str, chosen: Chosen) -> None:
        """What the user wants to see first of an open file, from now on."""
        self.chosen[path] = chosen
        self._session(path).choose(path, chosen)

    def folder(self, path: str) -> Folder:
        """What is kept for the root of a file."""
        return self._session(path).folder

    @property
    def folders(self) -> tuple[Folder, ...]:
        """Everything that is kept, for each root in use."""
        return tuple(session.folder for session in self._sessions.values())

    def text(self, path: str) -> str:
        """The text of any file, as far as it can be read."""
        return self._texts.read(path) or ""

    def config_snapshots(self) -> Iterator[Snapshot]:
        """For each root's `pyproject.toml`: what is wrong in it."""
        for folder in self.folders:
            yield Snapshot(folder.config_path, self.text(folder.config_path), problems=folder.problems)

    @property
    def idle(self) -> bool:
        """Whether nothing is pending."""
        return not self._held and all(session.idle for session in self._sessions.values())

    # -- the command line ----------------------------------------------------------------------------------------

    def root(self, path: str) -> str:
        """The folder that the file belongs to."""
        return self._roots.of(path)

    async def check(
        self, paths: Iterable[str], progress: Callable[[Progress], None] = lambda state: None, *, named: bool = False
    ) -> AsyncIterator[Snapshot]:
        """Run all examples of `paths` (files, or folders with everything in them) to the end, `named`: and name dims.

        Yields one snapshot for each file, after the last run of its root, since a file can be reached from another's
        example; then one for each `pyproject.toml` that has mistakes.
        """
        given = [os.path.abspath(path) for path in paths]
        for path in given:
            self.open_folder(root_of(path))
        files = check.expand(given, self._session)
        async for snapshot in check.run_all(files, self._texts, progress, self._say, named=named):
            yield snapshot
        for snapshot in (one for one in self.config_snapshots() if one.problems):
            yield snapshot

    def _session(self, path: str) -> Session:
        root = self.root(path)
        session = self._sessions.get(root)
        if session is None:
            session = self._sessions[root] = Session(Folder(root, self._world, self._worker_changed), self._reports)
            session.held = self._held
            self._set_up(session)
        return session

    def _set_up(self, session: Session, *, settled: bool = True) -> None:
        root = session.folder.root
        wished = self._roots.interpreter(root, self.settings.interpreter)
        session.set_up(wished, self.trust.of(root), self.settings, settled=settled)

    def _look_again(self, session: Session) -> None:
        """The user may have changed their mind about the folder, or torch may have been installed."""
        if self.trust.of(session.folder.root) is not session.folder.standing:
            self._set_up(session)
        session.folder.try_again()

    def _find_homes(self) -> None:
        """Roots came or went: an open file whose root is another now moves there."""
        self._roots.forget()
        for session in list(self._sessions.values()):
            for path in [path for path in session.documents if self.root(path) != session.folder.root]:
                home = self._session(path)
                home.documents[path] = session.documents.pop(path)
                home.documents[path].own = ()
                home.documents[path].outdate()
                home.schedule(quiet=False)

    def _changed(self, session: Session, path: str) -> None:
        if path == session.folder.config_path:
            self._set_up(session, settled=path not in session.documents)
        session.changed(path)

    def _done(self) -> None:
        if self.idle:
            self._listener.on_idle()

    def _worker_changed(self, folder: Folder) -> None:
        self._listener.on_progress()
        if folder.remark:
            self._say(folder.remark)
        if folder.state is not None:
            self.torch = folder.state.torch or self.torch
            self._listener.on_worker(folder.root, folder.state)

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._listener.on_message(text)
