"""What a client sends, cut into messages and handed to the protocol, however wrong it is.

A request that cannot be understood is answered with an error and not with silence; after bytes that are no message at
all, the next header is looked for.  In a message that is JSON, no raw line end stands inside a string, so that no text
in it can pass for a header.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

MAX_MESSAGE = 64 << 20
"""Bytes of one message; a file that somebody edits has a few megabytes at most."""
MAX_HEADER = 4096
"""Bytes of the lines before it."""

MAX_LIES = 1000
"""Bodies that were not what their header said; each costs as much as it said."""

_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_END = b"\r\n\r\n"

_log = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """Keeps no documents of its own: the engine does, and an edit is made once."""

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Any:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Any:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Any:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> Any:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Any:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> Any:
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CLOSE], (params,), None

    @property
    def begun(self) -> bool:
        """Whether `initialize` was understood."""
        return self._workspace is not None

    def refuse(self, identity: Any, error: JsonRpcException) -> None:
        """Answer a request with an error; without a number of its own, as JSON-RPC wants it."""
        if identity is not None:
            self._send_response(identity, error=error.to_response_error())
        else:
            answer = {"jsonrpc": self.VERSION, "id": None, "error": {"code": error.code, "message": error.message}}
            self._send_data(answer)

    def fail(self, identity: Any, error: JsonRpcException) -> None:
        """End a request of ours whose answer cannot be understood."""
        self._result_types.pop(identity, None)
        self._handle_response(identity, error=error.to_response_error())


class Incoming:
    """The messages of one client."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._buffer = bytearray()
        self._length = -1
        """Of the body that is waited for; -1: a header is."""
        self._ending = False
        self._lies = 0

    def feed(self, data: bytes) -> None:
        """Handle the messages that `data` completes.

        Raises:
            SystemExit: the client said `exit`.
            ConnectionError: it is gone, or what it sends is not this protocol.
        """
        self._buffer += data
        while self._body() if self._length >= 0 else self._header():
            pass

    def _header(self) -> bool:
        """Take a header off; False when there is none yet."""
        end = self._buffer.find(_END)
        if end < 0:
            if len(self._buffer) > MAX_HEADER:  # bytes that belong to nothing: only the last may be part of a header
                del self._buffer[: -MAX_HEADER // 2]
            return False
        lengths = _LENGTH.findall(self._buffer, max(end - MAX_HEADER, 0), end + 2)
        del self._buffer[: end + len(_END)]
        if not lengths:
            self._say("there is no length before a message of the client")
        elif int(lengths[-1]) > MAX_MESSAGE:
            self._say(f"a message of the client is larger than {MAX_MESSAGE >> 20} MiB")
        else:
            self._length = int(lengths[-1])
        return True

    def _body(self) -> bool:
        """Take a body off and handle it; False when it is not complete yet."""
        if len(self._buffer) < self._length:
            return False
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._length = -1
        message = _parsed(body)
        if message is None and (header := _LENGTH.search(body)) is not None:
            # The length was a lie: where the message should have gone on, the next one starts.
            self._lies += 1
            if self._lies > MAX_LIES:
                raise ConnectionError("the lengths of the client's messages are wrong")
            self._buffer[:0] = body[header.start() :]
            message = _parsed(body[: header.start()])
        if message is None:
            self._guarded(lambda: self._protocol.refuse(None, JsonRpcParseError()))
        else:
            self._message(message)
        return True

    def _message(self, message: Any) -> None:
        data = cast("dict[str, Any]", message) if isinstance(message, dict) else {}
        identity, method = data.get("id"), data.get("method")
        if type(identity) not in (str, int, type(None)) or data.get("jsonrpc") != "2.0":
            self._guarded(lambda: self._protocol.refuse(None, JsonRpcInvalidRequest()))
        elif type(method) is str:
            self._call(data, identity, method)
        elif method is None and identity is not None and ("result" in data or "error" in data):
            self._guarded(lambda: self._deliver(data), lambda error: self._protocol.fail(identity, error))
        else:
            self._guarded(lambda: self._protocol.refuse(identity, JsonRpcInvalidRequest()))

    def _call(self, data: dict[str, Any], identity: str | int | None, method: str) -> None:
        """A request, or a notification when it has no number."""
        refused = self._refused(method)
        if refused is None:
            self._ending = self._ending or (method == types.SHUTDOWN and identity is not None)
            message = {key: data[key] for key in ("jsonrpc", "id", "method") if key in data}
            message["params"] = data.get("params")
            if identity is None:
                message.pop("id", None)
                self._guarded(lambda: self._deliver(message))
            else:
                self._guarded(lambda: self._deliver(message), lambda error: self._protocol.refuse(identity, error))
        elif identity is not None:
            self._guarded(lambda: self._protocol.refuse(identity, refused))

    def _refused(self, method: str) -> JsonRpcException | None:
        """Why nothing of the kind may be asked now."""
        if method == types.EXIT:
            return None
        if self._ending:
            return JsonRpcInvalidRequest("the server is shutting down")
        if (method == types.INITIALIZE) == self._protocol.begun:
            again = JsonRpcInvalidRequest("the server is initialized already")
            return again if self._protocol.begun else JsonRpcServerNotInitialized()
        return None

    def _deliver(self, data: dict[str, Any]) -> None:
        message: Any = self._protocol.structure_message(data)
        self._protocol.handle_message(message)

    def _guarded(self, work: Callable[[], None], failed: Callable[[JsonRpcException], None] | None = None) -> None:
        """Do it; whatever goes wrong is said to the one who asked, else in the log."""
        try:
            work()
        except ConnectionError:
            raise
        except Exception as error:
            if failed is None:
                self._say(f"a message of the client failed: {type(error).__name__}: {error}")
                return
            answer = error if isinstance(error, JsonRpcException) else JsonRpcInternalError(f"{type(error).__name__}")
            self._guarded(lambda: failed(answer))

    def _say(self, text: str) -> None:
        _log.warning("%s", text)


def _parsed(body: bytes) -> Any:
    """The JSON; None when it is none, or nested so deep that nobody means it."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError, MemoryError):
        return None
