"""Serves one client over stdio or TCP, and leaves no process behind when it goes."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from typing import Any, BinaryIO

from pygls.io_ import StdoutWriter, run_async

from fx_lsp.server.app import App

CHUNK = 1 << 16

_log = logging.getLogger(__name__)


def serve_io() -> None:
    """Serve the client on stdin and stdout until it says `exit` or goes away.

    Raises:
        SystemExit: with 0 after `shutdown` and `exit`, with 1 after `exit` alone.
    """
    stdin, stdout = sys.stdin.buffer, _claim_stdout()
    asyncio.run(_serve_io(stdin, stdout))


def serve_tcp(host: str, port: int) -> None:
    """Serve the first client that connects, until it goes away; the address is printed to stderr.

    Raises:
        OSError: the address cannot be had.
        SystemExit: as with `serve_io`.
    """
    asyncio.run(_serve_tcp(host, port))


def _claim_stdout() -> BinaryIO:
    """The pipe becomes the protocol's; whatever else is printed goes to stderr."""
    sys.stdout.flush()
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return channel


async def _serve_io(stdin: BinaryIO, stdout: BinaryIO) -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_pump, args=(stdin, reader, loop), name="stdin", daemon=True).start()
    await _session(reader, StdoutWriter(stdout))


def _pump(stdin: BinaryIO, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """In a daemon thread, since a blocked read cannot be cancelled and must not keep the process alive."""
    try:
        while data := os.read(stdin.fileno(), CHUNK):
            loop.call_soon_threadsafe(reader.feed_data, data)
        loop.call_soon_threadsafe(reader.feed_eof)
    except (OSError, RuntimeError) as error:
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
    await _session(reader, writer)


async def _session(reader: asyncio.StreamReader, writer: Any) -> None:
    app = App()
    app.server.protocol.set_writer(writer)
    try:
        await run_async(threading.Event(), reader, app.server.protocol, _log, app.server.report_server_error)
    except (asyncio.IncompleteReadError, ConnectionError, ValueError) as error:
        _log.warning("the client's messages ended: %s", error)
    finally:
        app.gone = True
        await app.engine.stop()
