"""Bytes that are no messages, sent to a real server that may use little memory: the next proper request is answered."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.e2e.editor import COMMAND, REPOSITORY

MEMORY = 1 << 30
"""Bytes of address space; a server takes about a third of it."""

PATIENCE = 120.0


def message(body: object) -> bytes:
    """With its header."""
    data = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def request(number: int, method: str, params: object = None) -> bytes:
    """A proper one."""
    return message({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def garbage(seed: int) -> Iterator[bytes]:
    """Nothing that is a message, everything that looks like one."""
    dice = random.Random(seed)
    kinds = [
        lambda: dice.randbytes(dice.randrange(1, 400)).replace(b"Content-Length", b""),
        lambda: b"Content-Length: banana\r\n\r\n",
        lambda: b"Content-Length: -5\r\n\r\n",
        lambda: b"Content-Length: 999999999999999999999\r\n\r\n",
        lambda: b"X" * dice.randrange(100_000) + b"\r\n\r\n",
        lambda: b"Content-Length: 7\r\n\r\n{{{{{{{",
        lambda: message(["no", "object"]),
        lambda: message({"jsonrpc": "2.0", "method": 5, "params": "?"}),
        lambda: message({"jsonrpc": "2.0", "id": {}, "method": "textDocument/hover"}),
        lambda: message({"jsonrpc": "2.0", "id": 10**30, "method": "nobody/knows"}),
        lambda: b"Content-Length: 40000\r\n\r\n" + b"[" * 40_000,
        lambda: b"Content-Length: 2\r\nContent-Type: \xff\xfe\r\n\r\n{}",
    ]
    for _ in range(40):
        yield dice.choice(kinds)()


@pytest.mark.parametrize("seed", range(3))
def test_a_real_server_answers_after_garbage(seed: int, tmp_path: Path) -> None:
    root = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=REPOSITORY,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    ) as server:
        pipe, out = server.stdin, server.stdout
        assert pipe is not None
        assert out is not None
        sent = b"".join([request(1, "initialize", root), *garbage(seed), b"\r\n\r\n", request(777, "shutdown")])
        writer = threading.Thread(target=lambda: (pipe.write(sent), pipe.flush()))
        writer.start()
        found = answers(out)
        assert {"jsonrpc": "2.0", "id": 777, "result": None} in found
        writer.join()
        server.communicate(message({"jsonrpc": "2.0", "method": "exit"}), timeout=PATIENCE)
    assert server.returncode == 0


def answers(out: IO[bytes]) -> Iterator[object]:
    """What the server says, until it ends."""
    while header := out.readline():
        size = int(header.split(b": ")[1]) if header.startswith(b"Content-Length") else 0
        while size and out.readline().strip():
            pass
        if size:
            yield json.loads(out.read(size))
