"""Fixtures of the end-to-end tests: real servers, stopped in the proper way when a test is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.editor import Editor

Start = Callable[..., Awaitable[Editor]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One session for the tests of a module, so that torch is imported once; each test has files of its own."""
    editor = await Editor.start(tmp_path_factory.mktemp("workspace"))
    yield editor
    assert await editor.stop() == 0


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a session of its own, in an empty workspace."""
    started: list[Editor] = []

    async def start_one(**options: Any) -> Editor:
        editor = await Editor.start(options.pop("root", tmp_path), **options)
        started.append(editor)
        return editor

    yield start_one
    for editor in started:
        await editor.stop()
