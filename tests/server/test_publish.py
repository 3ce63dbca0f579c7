"""What one file's diagnostics come to does not concern the others."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.server.app import App
from fx_lsp.server.publish import Publisher

pytestmark = pytest.mark.asyncio


async def test_a_defect_in_one_file_takes_no_other_along_and_idle_is_said() -> None:
    done, log, asked = asyncio.Event(), list[str](), list[str]()

    def snapshot(path: str) -> Snapshot:
        asked.append(path)
        raise ZeroDivisionError(path)

    app = SimpleNamespace(gone=False, engine=SimpleNamespace(snapshot=snapshot), log=log.append)
    publisher = Publisher(cast(App, cast(Any, app)))
    publisher.soon("a.py")
    publisher.soon("b.py")
    publisher.afterwards(done.set)
    await asyncio.wait_for(done.wait(), 20)
    assert asked == ["a.py", "b.py"]
    assert ["ZeroDivisionError" in text for text in log] == [True, True]
