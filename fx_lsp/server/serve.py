"""Serves one client over stdio or TCP, and leaves no process behind when it goes."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any, BinaryIO, cast

from pygls.io_ import StdoutWriter

from fx_lsp.server.app import App
from fx_lsp.server.garbage import Collector
from fx_lsp.server.incoming import Incoming, Protocol

SWITCH = 0.0005
"""Seconds that the analysis, in its own thread, may keep an answer waiting before it lets go of the interpreter."""
CHUNK = 1 << 16
STACK = 16 << 20
"""Bytes of the stack of a thread: Python's parser takes some for every bracket, and some systems give it few."""

_log = logging.getLogger(__name__)


def serve_io() -> None:
    """Serve the client on stdin and stdout until it says `exit` or goes away.

    Raises:
        SystemExit: with 0 after `shutdown` and `exit`, with 1 after `exit` alone.
    """
    threading.stack_size(STACK)
    stdin, stdout = sys.stdin.buffer, _claim_stdout()
    asyncio.run(_serve_io(stdin, stdout))


def serve_tcp(host: str, port: int) -> None:
    """Serve the first client that connects, until it goes away; the address is printed to stderr.

    Raises:
        OSError: the address cannot be had.
        SystemExit: as with `serve_io`.
    """
    threading.stack_size(STACK)
    asyncio.run(_serve_tcp(host, port))


def _claim_stdout() -> BinaryIO:
    """The pipe becomes the protocol's; whatever else is printed goes to stderr."""
    sys.stdout.flush()
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return channel


async def _serve_io(stdin: BinaryIO, stdout: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue(1)
    threading.Thread(target=_pump, args=(stdin, chunks, loop), name="stdin", daemon=True).start()
    await _session(chunks.get, StdoutWriter(stdout))


def _pump(stdin: BinaryIO, chunks: asyncio.Queue[bytes], loop: asyncio.AbstractEventLoop) -> None:
    """In a daemon thread, since a blocked read cannot be cancelled and must not keep the process alive.

    Nothing is read before what came earlier was handled: what a client sends waits in its pipe, not in memory.
    """
    try:
        while data := os.read(stdin.fileno(), CHUNK):
            asyncio.run_coroutine_threadsafe(chunks.put(data), loop).result()
        asyncio.run_coroutine_threadsafe(chunks.put(b""), loop).result()
    except (OSError, RuntimeError, concurrent.futures.CancelledError) as error:
        _log.info("stdin ended: %s", error)


async def _serve_tcp(host: str, port: int) -> None:
    first: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Future()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if first.done():
            writer.close()
        else:
            first.set_result((reader, writer))

    listener = await asyncio.start_server(connected, host, port)
    for address in (socket.getsockname() for socket in listener.sockets):
        print(f"fx-lsp: waiting for a client on {address[0]}:{address[1]}", file=sys.stderr, flush=True)
    reader, writer = await first
    listener.close()
    await _session(lambda: reader.read(CHUNK), writer)


async def _session(read: Callable[[], Awaitable[bytes]], writer: Any) -> None:
    sys.setswitchinterval(SWITCH)
    collector = Collector()
    collector.install()
    app = App(collector.rest)
    app.server.protocol.set_writer(writer)
    incoming = Incoming(cast("Protocol", app.server.protocol))
    try:
        while data := await read():
            incoming.feed(data)
    except ConnectionError as error:
        _log.warning("the client's messages ended: %s", error)
    finally:
        app.gone = True
        await app.engine.stop()
        collector.remove()
