"""A server with a client that asks it everything an editor would ask."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile.client import PATIENCE, Client
from tests.hostile.world import HOME, HOST, TEMPORARY, TOKENS

SERVER = (sys.executable, "-P", "-m", "fx_lsp.cli", "serve")
"""`-P`: an editor starts it in the folder of the workspace, and Python would import what lies there."""

GUARD = (f"--data={3584 << 20}", f"--fsize={256 << 20}", "--nproc=300")
"""Of the tests, not of the product: what modules may take from this machine where the layers are off."""

MOST = 20.0
"""Seconds after which a server that is asked something that needs no work is taken for dead."""

CAPABILITIES = {
    "workspace": {"configuration": True, "applyEdit": True, "inlayHint": {"refreshSupport": True}},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True},
        "hover": {"contentFormat": ["markdown"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
    "window": {"workDoneProgress": True, "showMessage": {}},
}


@dataclass
class Document:
    """An open one."""

    path: Path
    text: str
    version: int = 1

    @property
    def uri(self) -> str:
        """As the client names it."""
        return self.path.as_uri()


class Session:
    """One server process, started as `user` in `folder`, told `trusted`."""

    def __init__(
        self, user: int, folders: Sequence[Path], trusted: bool | None, settings: Mapping[str, Any] | None = None
    ) -> None:
        process = subprocess.Popen(
            ["prlimit", *GUARD, *SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folders[0],
            env=environment(),
            user=user,
            group=user,
            extra_groups=[],
            start_new_session=True,
        )
        self.pid = process.pid
        # What ran is known only while nothing runs by itself.
        self.client = Client(process, {"runAhead": False, **(settings or {})})
        self.documents: dict[Path, Document] = {}
        named = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        options = {} if trusted is None else {"trusted": trusted}
        params = {"processId": None, "rootUri": None, "workspaceFolders": named, "capabilities": CAPABILITIES}
        self.client.ask("initialize", {**params, "initializationOptions": options})
        self.client.tell("initialized", {})

    def open(self, path: Path, text: str) -> Document:
        """Open a file; nothing is awaited."""
        document = self.documents[path] = Document(path, text)
        item = {"uri": document.uri, "languageId": "python", "version": 1, "text": text}
        self.client.tell("textDocument/didOpen", {"textDocument": item})
        return document

    def replace(self, document: Document, text: str) -> None:
        """Another text; nothing is awaited."""
        document.version += 1
        document.text = text
        named = {"uri": document.uri, "version": document.version}
        self.client.tell("textDocument/didChange", {"textDocument": named, "contentChanges": [{"text": text}]})

    def close(self, document: Document) -> None:
        """Close a file."""
        del self.documents[document.path]
        self.client.tell("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def is_idle(self, document: Document, start: int) -> bool:
        """Whether nothing is pending for this version, said since message number `start`."""
        wanted = (document.uri, document.version)
        idles = self.client.notifications("fx/idle", start)
        return any(wanted == (one["uri"], one["version"]) for idle in idles for one in idle["documents"])

    def settle(self, document: Document, patience: float = PATIENCE) -> None:
        """Wait until nothing is pending for the document.

        Raises:
            Silence: it does not become so in time.
        """
        self.client.until(lambda: self.is_idle(document, 0), patience, f"fx/idle for {document.path.name}")

    def latency(self, document: Document) -> float:
        """Seconds that a request takes that needs no work."""
        start = time.monotonic()
        self.client.ask("textDocument/hover", about(document, 0, 0), MOST)
        return time.monotonic() - start

    def hints(self, document: Document) -> list[str]:
        """The labels of the inlay hints, and where they are."""
        found = self.client.ask("textDocument/inlayHint", {**about(document), "range": whole(document)})
        if not isinstance(found, list):
            return [f"no hints: {found}"]
        return [f"{hint['position']['line']}: {hint['label']}" for hint in found]

    def everything(self, document: Document, graph: bool) -> list[Any]:
        """All answers about a document."""
        return list(self._everything(document, graph))

    def _everything(self, document: Document, graph: bool) -> Iterator[Any]:
        ask, here = self.client.ask, about(document)
        hints = ask("textDocument/inlayHint", {**here, "range": whole(document)})
        yield hints
        for hint in hints[:10] if isinstance(hints, list) else []:
            yield ask("inlayHint/resolve", hint)
        for line, text in list(enumerate(document.text.splitlines()))[-30:]:
            columns = {len(text) - len(text.lstrip()), text.find("=") + 2, len(text)} if text.strip() else set[int]()
            for column in columns:
                yield ask("textDocument/hover", about(document, line, column))
        yield ask("textDocument/codeLens", here)
        yield ask("textDocument/codeAction", {**here, "range": whole(document), "context": {"diagnostics": []}})
        yield ask("fx/examples", {**here, "name": "Model"})
        if graph:
            for method in ("fx/graph", "fx/code"):
                yield ask(method, {**here, "name": "Model", "level": "operator"})
            yield ask("fx/rewriteGraph", {**here, "name": "Model"}, PATIENCE)
            for form in ("svg", "html"):
                yield ask("fx/export", {**here, "name": "Model", "level": "operator", "format": form})
            last = document.text.count("\n") - 1
            for command, arguments in (("fx.annotate", [last]), ("fx.chooseCall", [last, 0])):
                yield ask("workspace/executeCommand", {"command": command, "arguments": [document.uri, *arguments]})
            yield ask("textDocument/inlayHint", {**here, "range": whole(document)})

    def diagnostics(self, document: Document) -> list[str]:
        """The messages published last."""
        found: list[str] = []
        for params in self.client.notifications("textDocument/publishDiagnostics"):
            if params["uri"] == document.uri:
                found = [diagnostic["message"] for diagnostic in params["diagnostics"]]
        return found

    def stop(self) -> int:
        """Shut down in the proper way; the exit status."""
        self.client.ask("shutdown", None)
        self.client.tell("exit", None)
        return self.client.process.wait(PATIENCE)


def about(document: Document, line: int | None = None, column: int = 0) -> dict[str, Any]:
    """Parameters that name a document, and a place in it."""
    named: dict[str, Any] = {"textDocument": {"uri": document.uri}}
    return named if line is None else {**named, "position": {"line": line, "character": column}}


def whole(document: Document) -> dict[str, Any]:
    """The range of all of it."""
    return {"start": {"line": 0, "character": 0}, "end": {"line": document.text.count("\n") + 1, "character": 0}}


def environment() -> dict[str, str]:
    """Of the server: with tokens, as a developer has them."""
    return {
        **TOKENS,
        "PATH": "/usr/bin:/bin",
        "HOME": str(HOME),
        "USER": "me",
        "LOGNAME": "me",
        "TMPDIR": str(TEMPORARY),
        "LANG": "C.UTF-8",
        "SSH_AUTH_SOCK": str(HOST / "sockets" / "stream"),
        "OMP_NUM_THREADS": "1",  # without its layer that is all that keeps the worker to one thread, and so to forks
        "MKL_NUM_THREADS": "1",
    }


def install_configuration(off: Sequence[str], user: int) -> None:
    """The configuration of the user, outside of every workspace: the layers in `off` are left out."""
    file = HOME / ".config" / "fx-lsp" / "config.toml"
    names = ", ".join(f'"{name}"' for name in off)
    file.write_text(f"[sandbox]\noff = [{names}]\n" if off else "")
    os.chown(file, user, user)
