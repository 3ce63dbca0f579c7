"""Programs are run where the sandbox is whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fx_lsp.model.example import OUTSIDE
from fx_lsp.model.sandbox import LayerReport
from tests.server.workers import MODEL, Bench

pytestmark = pytest.mark.asyncio

PROGRAM_FILE = MODEL + "\n\nif __name__ == '__main__':\n    print(Net()(torch.ones(2, 3)))\n"


@pytest.mark.parametrize(("status", "runs"), [("active", True), ("missing", False), ("off", False)])
async def test_a_program_is_run_in_a_whole_sandbox_only(bench: Bench, status: str, runs: bool) -> None:
    layers = (LayerReport("environment", "launcher", "active"), LayerReport("landlock", "launcher", status))
    bench.worker.state = replace(bench.worker.state, layers=layers)
    path = bench.path("a.py", PROGRAM_FILE)
    bench.engine.update(path, PROGRAM_FILE)
    await bench.idle()
    calls = bench.worker.calls
    assert calls[0] == "Net()(f32[2, 3])"
    assert (OUTSIDE in calls) is runs
