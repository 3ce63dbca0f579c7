"""A server in this process, fed with bytes, and what it answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from fx_lsp.server.app import App
from fx_lsp.server.incoming import Incoming, Protocol

PATIENCE = 15.0


def frame(message: Any, lie: int = 0) -> bytes:
    """As a client sends it; `lie` is added to the length."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % max(len(body) + lie, 0) + body


def request(number: Any, method: str, params: Any = None) -> dict[str, Any]:
    """One that has an answer."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def notification(method: str, params: Any = None) -> dict[str, Any]:
    """One that has none."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def initialize(root: Path | None, **more: Any) -> list[dict[str, Any]]:
    """The hand shake."""
    params = {"processId": None, "rootUri": root.as_uri() if root else None, "capabilities": {}, **more}
    return [request("begin", "initialize", params), notification("initialized", {})]


def parsed(data: bytes) -> list[dict[str, Any]]:
    """The messages of a stream, which must be well formed."""
    found: list[dict[str, Any]] = []
    while data:
        header, _, rest = data.partition(b"\r\n\r\n")
        size = int(header.split(b"\r\n")[0].removeprefix(b"Content-Length: "))
        found.append(json.loads(rest[:size], parse_constant=lambda constant: pytest_fail(constant)))
        data = rest[size:]
    return found


def pytest_fail(constant: str) -> Any:
    """`NaN` is no JSON."""
    raise AssertionError(f"{constant} was sent")


class _Writer:
    def __init__(self) -> None:
        self.data = bytearray()
        self._read = 0

    def write(self, data: bytes) -> None:
        """Kept; one message at a time."""
        self.data += data

    def has(self, wanted: Any) -> bool:
        """Whether a request is answered by what was written since the last question."""
        start, self._read = self._read, len(self.data)
        return any(message.get("id", ...) == wanted for message in parsed(bytes(self.data[start:])))

    def close(self) -> None:
        """Nothing to do."""


async def talk(chunks: Sequence[bytes], wanted: Any) -> list[dict[str, Any]]:
    """Feed the chunks, wait until the request `wanted` is answered, and end; what the server sent."""
    loop = asyncio.get_running_loop()
    defects: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: defects.append(context))
    app, writer = App(), _Writer()
    app.server.protocol.set_writer(cast(Any, writer))
    incoming = Incoming(cast("Protocol", app.server.protocol))
    try:
        for chunk in chunks:
            incoming.feed(chunk)
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE):
            while not writer.has(wanted):
                await asyncio.sleep(0.001)
    finally:
        app.gone = True
        await app.engine.stop()
    assert not defects, defects
    return parsed(bytes(writer.data))
