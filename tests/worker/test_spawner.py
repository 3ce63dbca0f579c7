"""Processes that are started anew for each request."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from fx_lsp.worker import spawner


def test_a_process_that_is_ended_at_once_leaves_no_thread_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[threading.ExceptHookArgs] = []
    read = spawner.skip_to_marker

    def late(fd: int) -> None:
        time.sleep(0.1)
        read(fd)

    monkeypatch.setattr(spawner, "skip_to_marker", late)
    monkeypatch.setattr(threading, "excepthook", failed.append)
    owner = spawner.Spawner(-1, -1, [])
    process = spawner.Process([sys.executable, "-c", "input()"], lambda event: None, owner)
    process.end()
    for thread in threading.enumerate():
        if thread.daemon:
            thread.join(5)
    assert failed == []
