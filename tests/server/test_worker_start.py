"""An interpreter that is a script, and does not become a worker."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fx_lsp.server.greeting import StartError
from fx_lsp.server.worker_process import WorkerProcess
from tests.e2e.processes import gone
from tests.policies import unprotected

SECONDS = 100.0
"""Much longer than it may take to see what is the matter."""


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("sleep 1000 & echo $! > pid\n", "ended before it was ready"),
        ("(sleep 1000 & echo $! > pid)\nkill -STOP $$\n", "was stopped"),
    ],
)
async def test_what_it_leaves_behind_is_ended_at_once(tmp_path: Path, script: str, said: str) -> None:
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\ncd {tmp_path}\n{script}")
    interpreter.chmod(0o755)
    launch = WorkerProcess.launch(
        str(interpreter),
        unprotected(tmp_path, execute=("/bin", "/usr/bin", "/lib", "/usr/lib", str(interpreter))),
        log=lambda text: None,
        ended=lambda worker, why: None,
        seconds=SECONDS,
    )
    with pytest.raises(StartError, match=said):
        await asyncio.wait_for(launch, SECONDS / 2)
    await gone([int((tmp_path / "pid").read_text())])
