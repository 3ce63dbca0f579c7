"""Fixtures of the server's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.server.workers import Bench


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """An engine over an empty root, with a scripted worker."""
    bench = Bench(tmp_path)
    yield bench
    await bench.engine.stop()
