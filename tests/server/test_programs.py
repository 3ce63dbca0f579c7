"""Programs are run where the sandbox is whole, and so is all of a folder that nobody trusts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.model.example import OUTSIDE, PROGRAM
from fx_lsp.model.sandbox import LayerReport
from fx_lsp.server.ran import Key
from fx_lsp.server.trust import Standing, Trust
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
@pytest.mark.parametrize(("status", "runs"), [("active", True), ("missing", False)])
async def test_what_the_worker_says_of_its_sandbox_decides_where_nobody_gave_their_word(
    tmp_path: Path, status: str, runs: bool
) -> None:
    """The survey before it cannot know that something in the interpreter starts a thread, which no Landlock holds."""
    bench = Bench(tmp_path, trust=Trust(otherwise=Standing.GUARDED))
    layers = (LayerReport("landlock-child", "child", status, "why", "No file is written."),)
    bench.worker.state = replace(bench.worker.state, layers=layers)
    path = bench.path("a.py", MODEL)
    bench.engine.update(path, MODEL)
    await bench.idle()
    await bench.engine.stop()
    assert bool(bench.worker.requests) == runs
    assert bool(bench.messages) != runs
    assert all("without landlock-child (why)" in message for message in bench.messages)


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
