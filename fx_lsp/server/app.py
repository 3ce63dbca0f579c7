"""The language server: what a client said it can do, the engine, and the handlers found by folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import fx_lsp
from fx_lsp.analysis.markdown import title
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.visible import visible
from fx_lsp.analysis.workspace import DOCUMENTS
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span
from fx_lsp.server import convert, handlers
from fx_lsp.server.ahead import State
from fx_lsp.server.answers import own_cache
from fx_lsp.server.asking import Asking
from fx_lsp.server.chosen import MAX_FILES, read
from fx_lsp.server.client import Client
from fx_lsp.server.convert import Border
from fx_lsp.server.engine import Engine
from fx_lsp.server.incoming import Protocol
from fx_lsp.server.listener import Listener
from fx_lsp.server.notebooks import SYNC, Notebook
from fx_lsp.server.progress import AheadProgress, WorkerProgress
from fx_lsp.server.protocol import Status
from fx_lsp.server.publish import Publisher
from fx_lsp.server.refresh import Refresher
from fx_lsp.server.settings import Settings, read_settings
from fx_lsp.server.status import status
from fx_lsp.server.supervisor import WorkerState
from fx_lsp.server.view import View, lifted


class Server(LanguageServer):
    """Errors of ours go to the client's log: a window that pops up helps nobody."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Say it in the log; requests are answered with the error as well."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"{source.__name__}: {error}"))


class App(Listener):
    """One client's server.  Handlers get it as their only argument."""

    def __init__(self, at_rest: Callable[[Callable[[], bool]], None] = lambda idle: None) -> None:
        """`at_rest` is called when nothing is to be done, with what says whether that is still so."""
        self._at_rest = at_rest
        self.server = Server("fx-lsp", fx_lsp.__version__, protocol_cls=Protocol, notebook_document_sync=SYNC)
        self.engine = Engine(self, log=self.log, cache=own_cache(self.log))
        self.border = Border()
        self.client = Client()
        self.documents: dict[str, types.VersionedTextDocumentIdentifier] = {}
        """The open files and notebooks as the client knows them, by path."""
        self.notebooks: dict[str, Notebook] = {}
        """The open notebooks, by path."""
        self.gone = False
        """The client is: nothing is sent any more."""
        self.on_begin: list[Callable[[], None]] = []
        """Called once it is known what the client can do, before it is told what the server can."""
        self._publisher = Publisher(self)
        self._refresher = Refresher(self.server)
        self._progress = WorkerProgress(self.server)
        self._ahead = AheadProgress(self.server, self.engine.stop_ahead)
        self._asking = Asking(self)
        self._status: Status | None = None
        self._interpreters: dict[str, str] = {}
        for register in collect(handlers, "register").values():
            register(self)

    @property
    def settings(self) -> Settings:
        """What the user set."""
        return self.engine.settings

    def path(self, uri: str) -> str | None:
        """The path of a file, or of the notebook that a cell belongs to."""
        cells = (path for path, notebook in self.notebooks.items() if notebook.named(uri) is not None)
        return next(cells, None) or convert.to_path(uri)

    def snapshot(self, uri: str) -> Snapshot | None:
        """The last snapshot of an open document."""
        path = self.path(uri)
        return self.engine.snapshot(path) if path is not None else None

    def view(self, uri: str) -> View | None:
        """What is known of an open document, and which lines of it the client means."""
        snapshot = self.snapshot(uri)
        if snapshot is None:
            return None
        notebook = self.notebooks.get(snapshot.path)
        cell = notebook.named(uri) if notebook is not None else None
        if notebook is None or cell is None:
            return View(uri, snapshot, self.border, snapshot.text, range(1, sys.maxsize))
        return View(uri, snapshot, self.border, cell.text, notebook.lines(cell))

    def location(self, span: Span) -> types.Location:
        """A place of any file, as the client knows it: in a cell where the file is an open notebook."""
        notebook = self.notebooks.get(span.path)
        cell = notebook.cell(span.line) if notebook is not None else None
        if notebook is None or cell is None:
            return types.Location(self.uri(span.path), self.border.range_out(self.engine.text(span.path), span))
        place = lifted(span, notebook.lines(cell).start - 1)
        return types.Location(cell.uri, self.border.range_out(cell.text, place))

    def uri(self, path: str) -> str:
        """The file's URI, spelt as the client does when it is open."""
        document = self.documents.get(path)
        return document.uri if document is not None else convert.to_uri(path)

    def begin(self, params: types.InitializeParams) -> None:
        """What the client can do, and what it wants."""
        self.client = Client.of(params.capabilities)
        encoding = self.server.workspace.position_encoding or "utf-16"
        self.border = Border(encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding)
        folders = [folder.uri for folder in self.server.workspace.folders.values()]
        for uri in folders or [params.root_uri or ""]:
            if (path := convert.to_path(uri)) is not None:
                self.engine.open_folder(path)
        for offer in self.on_begin:
            offer()
        options = params.initialization_options
        word = options.get("trusted") if isinstance(options, dict) else None
        self.engine.trust.word = word if isinstance(word, bool) else None
        kept = options.get("chosen") if isinstance(options, dict) else None
        for uri, one in islice(kept.items() if isinstance(kept, dict) else (), MAX_FILES):
            if (path := convert.to_path(str(uri))) is not None:
                self.engine.chosen[path] = read(one)
        self.configure(options)

    def configure(self, data: Any, of_folders: Mapping[str, Any] | None = None) -> None:
        """New settings as the client sent them, and those of each folder of the workspace by path, where it has them;
        what is wrong in them is said once and left out."""
        if isinstance(data, dict) and isinstance(data.get("fx-lsp"), dict):
            data = data["fx-lsp"]
        settings, wrong = read_settings(data)
        if wrong:
            self.on_message(wrong)
        interpreters = {path: read_settings(one)[0].interpreter for path, one in (of_folders or {}).items()}
        if (settings, interpreters) != (self.settings, self._interpreters):
            self._interpreters = interpreters
            self.engine.configure(settings, interpreters)
            self._refresher.all(self.client)

    def on_snapshot(self, path: str) -> None:
        """Tell the client, in the way it can be told."""
        self._publisher.soon(path)
        snapshot = self.engine.snapshot(path)
        if snapshot is not None and not (snapshot.traces and all(trace.older for trace in snapshot.traces)):
            self._refresher.all(self.client)

    def on_idle(self) -> None:
        """Nothing is pending: said with the versions of the documents that the facts belong to."""
        self.on_progress()
        self._publisher.afterwards(self._say_idle)
        self._at_rest(lambda: self.engine.idle)

    def _say_idle(self) -> None:
        if self.engine.idle:  # else it is said later
            self.server.protocol.notify("fx/idle", {"documents": list(self.documents.values())})

    def on_progress(self) -> None:
        """Say what is going on, when that is news."""
        now = status(self.engine)
        if now != self._status and not self.gone:
            self._status = now
            self.server.protocol.notify("fx/status", asdict(now))

    def on_worker(self, root: str, state: WorkerState) -> None:
        """Show that a worker starts."""
        if self.client.progress:
            self._progress.show(root, state)

    def on_ahead(self, root: str, state: State) -> None:
        """Show how far it is."""
        if self.client.progress and not self.gone:
            self._ahead.show(root, state)

    def on_refused(self, root: str) -> None:
        """Say how it can be allowed."""
        self._asking.ask(root)

    def on_message(self, text: str) -> None:
        """One sentence for the user."""
        self.server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, title(text)))

    def log(self, text: str) -> None:
        """One entry of the client's log."""
        if self.server.protocol.writer is not None and not self.gone:
            text = visible(text, keep="\n\t")
            self.server.window_log_message(types.LogMessageParams(types.MessageType.Log, text))


def is_searched(path: str) -> bool:
    """Whether the engine looks at the file, or for examples in it."""
    return is_python(path) or path.endswith(DOCUMENTS)


def is_python(path: str) -> bool:
    """Whether the engine looks at the file."""
    return path.endswith(".py") or os.path.basename(path) == "pyproject.toml"
