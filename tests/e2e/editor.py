"""An editor: a real client that talks to a real server process, waits on `fx/idle`, and says what a user would see."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient
from pytest_lsp.client import make_test_lsp_client

from fx_lsp.server.convert import to_uri

REPOSITORY = Path(__file__).parents[2]

MAX_CHANGES = 20
"""How often a hint may be another one before it is asked for more."""
PATIENCE = 120.0
"""Seconds after which a wait has failed; a busy machine takes long to import torch."""

COMMAND = (sys.executable, "-m", "fx_lsp.cli", "serve")

PUSH = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        apply_edit=True,
        inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
    ),
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
        code_action=types.CodeActionClientCapabilities(
            code_action_literal_support=types.ClientCodeActionLiteralOptions(
                types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
            )
        ),
    ),
    window=types.WindowClientCapabilities(work_done_progress=True),
)
"""A client to which diagnostics are published."""


class Editor:
    """One session.  Files are named by their path below the root."""

    def __init__(self, root: Path, client: LanguageClient) -> None:
        self.root = root
        self.client = client
        self.versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.refreshes = {"hints": 0, "lenses": 0, "diagnostics": 0}
        self.registered: list[str] = []
        self.edits: list[types.WorkspaceEdit] = []
        self.statuses: list[Any] = []
        self.questions: list[types.ShowMessageRequestParams] = []
        self.answer_to_questions = "Not now"
        self.answer: types.InitializeResult | None = None
        self._idles = 0
        self._idle: dict[str, int] = {}
        self._changed = asyncio.Condition()
        self._listen()

    @classmethod
    async def start(
        cls,
        root: Path,
        *,
        capabilities: types.ClientCapabilities = PUSH,
        options: Any = None,
        settings: Any = None,
        environment: Mapping[str, str] | None = None,
        command: Sequence[str] = COMMAND,
        folders: Sequence[Path] = (),
        of_folders: Mapping[Path, Any] = {},
        trusted: bool | None = True,
    ) -> Editor:
        """Start a server for the workspace at `root` and shake hands; `trusted`: what the editor says of trust."""
        editor = cls(root, make_test_lsp_client())
        editor.client.set_configuration(settings, section="fx-lsp")
        for folder in folders:
            uri = to_uri(str(folder))
            editor.client.set_configuration(of_folders.get(folder, settings), section="fx-lsp", scope_uri=uri)
        await editor.client.start_io(*command, cwd=str(REPOSITORY), env=clean_environment(environment))
        if trusted is not None:
            options = {"trusted": trusted, **(options or {})}
        await editor.shake_hands(capabilities, options, folders or (root,))
        return editor

    @classmethod
    async def connect(cls, root: Path, host: str, port: int) -> Editor:
        """Talk to a server that listens."""
        editor = cls(root, make_test_lsp_client())
        await editor.client.start_tcp(host, port)
        await editor.shake_hands(PUSH, {"trusted": True}, (root,))
        return editor

    async def shake_hands(self, capabilities: types.ClientCapabilities, options: Any, folders: Sequence[Path]) -> None:
        """`initialize` and `initialized`."""
        (self.root / "pyproject.toml").touch()
        params = types.InitializeParams(
            capabilities=capabilities,
            root_uri=to_uri(str(self.root)),
            workspace_folders=[types.WorkspaceFolder(to_uri(str(folder)), folder.name) for folder in folders],
            initialization_options=options,
        )
        self.answer = await asyncio.wait_for(self.client.initialize_session(params), PATIENCE)

    async def stop(self) -> int:
        """Shut down in the proper way; the server's exit status."""
        server = self.client._server
        assert server is not None
        if server.returncode is None and server.stdin is not None and not server.stdin.is_closing():
            await asyncio.wait_for(self.client.shutdown_session(), PATIENCE)
        await asyncio.wait_for(self.client.stop(), PATIENCE)
        assert server.returncode is not None
        return server.returncode

    @property
    def pid(self) -> int:
        """Of the server."""
        assert self.client._server is not None
        return self.client._server.pid

    # -- what a user does ----------------------------------------------------------------------------------------

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file to the disk."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    async def open(self, name: str, text: str | None = None) -> None:
        """Open a file, written to the disk first when it is not there, and wait until its traces are done."""
        file = self.root / name
        if text is not None and not file.exists():
            self.write(name, text)
        shown = text if text is not None else file.read_text()
        self.versions[name], self.texts[name] = 1, shown
        document = types.TextDocumentItem(self.uri(name), types.LanguageKind.Python, 1, shown)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        await self.settled()

    async def edit(self, name: str, old: str, new: str, *, wait: bool = True) -> None:
        """Replace the first `old` by `new` in the buffer, as an incremental change; nothing is saved."""
        text = self.texts[name]
        start = text.index(old)
        where = types.Range(self.position(text, start), self.position(text, start + len(old)))
        self.texts[name] = text[:start] + new + text[start + len(old) :]
        self._send(name, types.TextDocumentContentChangePartial(where, new))
        if wait:
            await self.settled()

    async def replace(self, name: str, text: str) -> None:
        """Replace the whole buffer."""
        self.type(name, text)
        await self.settled()

    def type(self, name: str, text: str) -> None:
        """As `replace`, and do not wait."""
        self.texts[name] = text
        self._send(name, types.TextDocumentContentChangeWholeDocument(text))

    async def close(self, name: str) -> None:
        """Close the file."""
        del self.versions[name]
        del self.texts[name]
        closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        await self.after(lambda: self.client.text_document_did_close(closed))

    async def settled(self) -> None:
        """Wait until nothing is pending for the texts as they are now."""
        wanted = {self.uri(name): version for name, version in self.versions.items()}
        await self._until(lambda: wanted.items() <= self._idle.items(), f"no fx/idle for {self.versions}")

    async def after(self, action: Callable[[], Any]) -> None:
        """Do something else than an edit, and wait until the server is idle again."""
        before = self._idles
        done = action()
        if asyncio.iscoroutine(done):
            await asyncio.wait_for(done, PATIENCE)
        await self._until(lambda: self._idles > before, "no fx/idle after that")

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait until something that the server sends makes `done` true."""
        await self._until(done, "what was waited for did not happen")

    # -- what a user sees ----------------------------------------------------------------------------------------

    async def hints(self, name: str) -> list[str]:
        """The inlay hints in place: the text of each line that has some, with its hints in brackets."""
        hints = await self.raw_hints(name)
        lines = self.texts[name].split("\n")
        for hint in sorted(hints, key=lambda hint: (hint.position.line, hint.position.character), reverse=True):
            line, place = lines[hint.position.line], self.index(lines[hint.position.line], hint.position.character)
            lines[hint.position.line] = f"{line[:place]}⟦{hint.label}⟧{line[place:]}"
        shown = sorted({hint.position.line for hint in hints})
        return [lines[number].strip() for number in shown]

    async def until_hints(self, name: str, wanted: Sequence[str]) -> None:
        """Wait until these are the inlay hints of the file, asking when the server says so."""
        while True:
            before = self.refreshes["hints"]
            found = await self.hints(name)
            if found == wanted:
                return
            await self._until(
                lambda before=before: self.refreshes["hints"] > before, f"the hints stay {found}, not {wanted}"
            )

    async def raw_hints(self, name: str, first: int = 0, last: int = 10_000) -> Sequence[types.InlayHint]:
        """The inlay hints as sent."""
        where = types.Range(types.Position(first, 0), types.Position(last, 0))
        params = types.InlayHintParams(self.document(name), where)
        return await self.ask(self.client.text_document_inlay_hint_async(params)) or []

    async def resolved_hint(self, name: str, number: int = 0) -> types.InlayHint:
        """An inlay hint with what is asked for later.

        Names of dims come after sizes: a hint that has changed between the two questions is asked for again, as an
        editor does when it is told to refresh.
        """
        for _ in range(MAX_CHANGES):
            hint = (await self.raw_hints(name))[number]
            full = await self.ask(self.client.inlay_hint_resolve_async(hint))
            if full.tooltip is not None or full.text_edits is not None:
                return full
        raise AssertionError(f"hint {number} of {name} is never resolved")

    async def hover(self, name: str, needle: str, offset: int = 0) -> str | None:
        """The hover at the first `needle`, and the text that it is about."""
        params = types.HoverParams(self.document(name), self.place(name, needle, offset))
        found = await self.ask(self.client.text_document_hover_async(params))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def lenses(self, name: str) -> list[str]:
        """The code lenses: line from 1 and title."""
        found = await self.ask(self.client.text_document_code_lens_async(types.CodeLensParams(self.document(name))))
        return [f"{lens.range.start.line + 1}: {lens.command.title}" for lens in found or [] if lens.command]

    def problems(self, name: str) -> list[str]:
        """The published diagnostics: place, severity, code and message."""
        return [shown(diagnostic) for diagnostic in self.client.diagnostics.get(self.uri(name), [])]

    async def actions(self, name: str, needle: str) -> Sequence[types.CodeAction]:
        """The code actions on offer at the first `needle`."""
        place = self.place(name, needle)
        context = types.CodeActionContext([])
        params = types.CodeActionParams(self.document(name), types.Range(place, place), context)
        found = await self.ask(self.client.text_document_code_action_async(params))
        return [action for action in found or [] if isinstance(action, types.CodeAction)]

    def apply(self, name: str, edit: types.WorkspaceEdit | None) -> str:
        """The text of the file with the edit applied."""
        assert edit is not None
        edits: Sequence[Any] = (edit.changes or {}).get(self.uri(name)) or []
        for change in edit.document_changes or []:
            assert isinstance(change, types.TextDocumentEdit)
            assert change.text_document.uri == self.uri(name)
            edits = [*edits, *change.edits]
        text = self.texts[name]
        for one in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
            start, end = self.offset(text, one.range.start), self.offset(text, one.range.end)
            text = text[:start] + one.new_text + text[end:]
        return text

    async def ask(self, request: Coroutine[Any, Any, Any]) -> Any:
        """The answer; none in time is a failure."""
        return await asyncio.wait_for(request, PATIENCE)

    # -- places: this client counts in UTF-16 --------------------------------------------------------------------

    def uri(self, name: str) -> str:
        """Of a file of the root."""
        return to_uri(str(self.root / name))

    def document(self, name: str) -> types.TextDocumentIdentifier:
        """As requests name it."""
        return types.TextDocumentIdentifier(self.uri(name))

    def place(self, name: str, needle: str, offset: int = 0) -> types.Position:
        """Where the first `needle` starts, `offset` characters further."""
        return self.position(self.texts[name], self.texts[name].index(needle) + offset)

    @staticmethod
    def position(text: str, index: int) -> types.Position:
        """The place before the character at `index`."""
        before = text[:index].rpartition("\n")[2]
        return types.Position(text.count("\n", 0, index), len(before.encode("utf-16-le")) // 2)

    @classmethod
    def offset(cls, text: str, position: types.Position) -> int:
        """The index of a place."""
        start = sum(len(line) + 1 for line in text.split("\n")[: position.line])
        return start + cls.index(text[start:].partition("\n")[0], position.character)

    @staticmethod
    def index(line: str, character: int) -> int:
        """The index of a UTF-16 column in a line."""
        return len(line.encode("utf-16-le")[: character * 2].decode("utf-16-le"))

    # -- inside --------------------------------------------------------------------------------------------------

    def _send(self, name: str, change: types.TextDocumentContentChangeEvent) -> None:
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def _until(self, done: Callable[[], bool], what: str) -> None:
        async with self._changed:
            try:
                await asyncio.wait_for(self._changed.wait_for(done), PATIENCE)
            except TimeoutError:
                raise AssertionError(f"{what}; the server's log:\n{self.log()}") from None

    def log(self) -> str:
        """What the server said in the log."""
        return "\n".join(message.message for message in self.client.log_messages)

    def _listen(self) -> None:
        for method, name in (
            (types.WORKSPACE_INLAY_HINT_REFRESH, "hints"),
            (types.WORKSPACE_CODE_LENS_REFRESH, "lenses"),
            (types.WORKSPACE_DIAGNOSTIC_REFRESH, "diagnostics"),
        ):
            self._answer(method, lambda params, name=name: self._refreshed(name))
        self._answer("fx/idle", self._became_idle)
        self._answer("fx/status", self.statuses.append)
        self._answer(types.CLIENT_REGISTER_CAPABILITY, self._registers)
        self._answer(types.WINDOW_SHOW_MESSAGE_REQUEST, self._asked)
        self._answer(types.WORKSPACE_APPLY_EDIT, self._applies)
        handlers = self.client.protocol.fm.features
        for method in (types.WINDOW_SHOW_MESSAGE, types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, types.PROGRESS):
            self._answer(method, handlers[method])

    def _answer(self, method: str, handler: Callable[[Any], Any]) -> None:
        async def answer(params: Any) -> Any:
            result = handler(params)
            async with self._changed:
                self._changed.notify_all()
            return result

        self.client.protocol.fm.features[method] = answer

    def _became_idle(self, params: Any) -> None:
        self._idles += 1
        self._idle = {document.uri: document.version for document in params.documents}

    def _refreshed(self, name: str) -> None:
        self.refreshes[name] += 1

    def _registers(self, params: types.RegistrationParams) -> None:
        self.registered += [registration.method for registration in params.registrations]

    def _asked(self, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        self.questions.append(params)
        return next((action for action in params.actions or () if action.title == self.answer_to_questions), None)

    def _applies(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)


def shown(diagnostic: types.Diagnostic) -> str:
    """A diagnostic on one line; line from 1, columns as sent."""
    start, end = diagnostic.range.start, diagnostic.range.end
    severity = diagnostic.severity.name.lower() if diagnostic.severity else "none"
    place = f"{start.line + 1}:{start.character}-{end.line + 1}:{end.character}"
    return f"{place} {severity} {diagnostic.code}: {diagnostic.message}"


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without what chooses an interpreter, and with a user who configured nothing."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    return {**kept, "XDG_CONFIG_HOME": os.devnull, **(extra or {})}
