"""Programs are run where the sandbox is whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fx_lsp.model.example import OUTSIDE, PROGRAM
from fx_lsp.model.sandbox import LayerReport
from fx_lsp.server.ran import Key
from tests.server.workers import MODEL, Bench

PROGRAM_FILE = MODEL + "\n\nif __name__ == '__main__':\n    print(Net()(torch.ones(2, 3)))\n"


@pytest.mark.parametrize("call", [PROGRAM, OUTSIDE])
def test_a_program_has_a_process_of_its_own(call: str) -> None:
    assert Key("/w/a.py", "", call).single


@pytest.mark.asyncio
@pytest.mark.parametrize(("status", "runs"), [("active", True), ("missing", False), ("off", False)])
async def test_a_program_is_run_in_a_whole_sandbox_only(bench: Bench, status: str, runs: bool) -> None:
    layers = (LayerReport("environment", "launcher", "active"), LayerReport("landlock", "launcher", status))
    bench.worker.state = replace(bench.worker.state, layers=layers)
    path = bench.path("a.py", PROGRAM_FILE)
    bench.engine.update(path, PROGRAM_FILE)
    await bench.idle()
    patient = {request.call: request.patient for request in bench.worker.requests}
    assert patient == {"Net()(f32[2, 3])": False, **({OUTSIDE: True} if runs else {})}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("old", "new", "first"), [("return x", "return +x", True), ("from torch", "width = 1\nfrom torch", False)]
)
async def test_after_an_edit_of_a_model_its_program_waits_for_its_examples(
    bench: Bench, old: str, new: str, first: bool
) -> None:
    layers = (LayerReport("environment", "launcher", "active"), LayerReport("landlock", "launcher", "active"))
    bench.worker.state = replace(bench.worker.state, layers=layers)
    path = bench.path("a.py", PROGRAM_FILE)
    bench.engine.update(path, PROGRAM_FILE)
    await bench.idle()
    bench.worker.requests.clear()
    bench.engine.update(path, PROGRAM_FILE.replace(old, new))
    await bench.idle()
    assert [(one.call, one.patient) for one in bench.worker.requests] == [
        ("Net()(f32[2, 3])", False),
        (OUTSIDE, first),
    ]
