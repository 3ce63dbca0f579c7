"""Edits that leave the meaning of a file alone: nothing runs, and what is shown is what a run would say."""

from __future__ import annotations

import ast
import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.example import OUTSIDE, PROGRAM
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, Operation, OperationVariant, Variant
from fx_lsp.model.value import TensorType
from tests.analysis.rewording import rewordings
from tests.server.workers import MODEL, Bench

pytestmark = pytest.mark.asyncio

CALL = "Net()(f32[2, 3])"
OTHER = '''# fx: Other()(f32[4, 5])
class Other(nn.Module):
    def forward(self, x):
        """Doc."""
        return x + 1
'''
BOTH = MODEL + "\n\n" + OTHER


@pytest.fixture
def reading(bench: Bench) -> Bench:
    """Its worker finds a binding at each parameter and an operation at each sum and call of the files it reads."""

    async def trace(request: TraceRequest) -> TraceReply:
        reply = await answer(request)
        overlays = {overlay.path: overlay.text for overlay in request.overlays}
        trees = {path: ast.parse(overlays.get(path) or Path(path).read_text()) for path in reply.files}
        places = [(path, node) for path, tree in trees.items() for node in ast.walk(tree)]
        value = TensorType("f32", (len(request.call),))
        return replace(
            reply,
            bindings=tuple(
                Binding(_span(path, node), node.arg, "parameter", (Variant(value),))
                for path, node in places
                if isinstance(node, ast.arg)
            ),
            operations=tuple(
                Operation(_span(path, node), "add", "function", (OperationVariant((value,), value),))
                for path, node in places
                if isinstance(node, (ast.BinOp, ast.Call))
            ),
        )

    answer, bench.worker.trace = bench.worker.trace, trace  # type: ignore[method-assign]
    return bench


def _span(path: str, node: ast.expr | ast.arg) -> Span:
    return Span(path, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


async def shown(bench: Bench, path: str) -> Snapshot:
    snapshot = bench.engine.snapshot(path)
    assert snapshot is not None
    return snapshot


async def fresh(bench: Bench, path: str) -> Snapshot:
    """What is shown when everything runs again."""
    bench.engine.restart()
    await bench.idle()
    bench.worker.requests.clear()
    return await shown(bench, path)


@pytest.mark.parametrize(
    "new",
    [
        "# a comment\n\n" + BOTH,
        BOTH.replace("return x\n", "return x  # é\n"),
        BOTH.replace("(self, x)", "(\n        self,  # c\n        x,\n    )"),
        BOTH.replace("Doc.", "Another\n        text."),
        BOTH.replace("        return x\n", '        """New."""\n        return (x)\n'),
        BOTH.replace("class Net(nn.Module):", "class Net(nn.Module):  # c"),
        BOTH.replace("\n", "\r\n"),
        BOTH.replace("    ", "\t"),
    ],
)
async def test_nothing_runs_and_hints_are_true_at_once(reading: Bench, new: str) -> None:
    path = reading.path("a.py", BOTH)
    reading.engine.update(path, BOTH)
    await reading.idle()
    assert len(reading.worker.calls) == 2
    reading.engine.update(path, new)
    at_once = await shown(reading, path)
    assert (at_once.text, at_once.stale, at_once.pending) == (new, False, True)
    await reading.idle()
    assert reading.worker.calls == []
    later = await shown(reading, path)
    assert replace(at_once, pending=False) == later
    assert later == await fresh(reading, path)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=rewordings())
async def test_any_rewording(reading: Bench, texts: tuple[str, str]) -> None:
    directive = "# fx: f()\n"
    old, new = (directive + text for text in texts)
    path = reading.path("a.py", old)
    reading.engine.restart()
    reading.engine.update(path, old)
    await reading.idle()
    reading.worker.requests.clear()
    reading.engine.update(path, new)
    await reading.idle()
    assert reading.worker.calls == []
    assert await shown(reading, path) == await fresh(reading, path)


async def test_files_that_read_the_edited_one_are_not_run_either(reading: Bench) -> None:
    path, helper = reading.path("a.py", MODEL), reading.path("helper.py", "def f(x):\n    return x + 1\n")
    reading.worker.reads = {path: [helper]}
    for file in (path, helper):
        reading.engine.update(file, Path(file).read_text())
    await reading.idle()
    reading.worker.requests.clear()
    reading.engine.update(helper, "def f(x):\n    # more\n    return x + 1\n")
    for file in (path, helper):
        assert not (await shown(reading, file)).stale
    await reading.idle()
    assert reading.worker.calls == []
    places = {operation.span.line for operation in (await shown(reading, helper)).traces[0].reply.operations}
    assert places == {3}


async def test_an_edited_directive_runs_only_itself(reading: Bench) -> None:
    path = reading.path("a.py", BOTH)
    reading.engine.update(path, BOTH)
    await reading.idle()
    reading.worker.requests.clear()
    reading.engine.update(path, BOTH.replace("4, 5", "6, 5"))
    at_once = await shown(reading, path)
    assert at_once.stale
    assert {trace.call for trace in at_once.traces} == {CALL, "Other()(f32[4, 5])"}
    await reading.idle()
    assert reading.worker.calls == ["Other()(f32[6, 5])"]
    assert [trace.call for trace in (await shown(reading, path)).traces] == [CALL, "Other()(f32[6, 5])"]


async def test_what_did_not_parse_meanwhile_needs_no_run(reading: Bench) -> None:
    path = reading.path("a.py", MODEL)
    for text in (MODEL, '"' + MODEL, '"""' + MODEL, '"""text' + MODEL, '"""text"""\n' + MODEL):
        reading.engine.update(path, text)
        await reading.idle()
    assert reading.worker.calls == [CALL]
    assert await shown(reading, path) == await fresh(reading, path)


async def test_a_file_that_is_closed_or_formatted_on_disk(reading: Bench) -> None:
    path, helper = reading.path("a.py", MODEL), reading.path("helper.py", "def f(x):\n    return x + 1\n")
    reading.worker.reads = {path: [helper]}
    reading.engine.update(path, MODEL)
    reading.engine.update(helper, "def f(x):\n    # unsaved\n    return x + 1\n")
    await reading.idle()
    reading.worker.requests.clear()
    reading.engine.close(helper)
    await reading.idle()
    reading.path("helper.py", "def f( x ):\n    return  x+1\n")
    reading.engine.disk_changed([helper], listed=False)
    await reading.idle()
    assert reading.worker.calls == []
    (found,) = {o.span for o in (await shown(reading, path)).traces[0].reply.operations if o.span.path == helper}
    assert (found.line, found.column, found.end_column) == (2, 12, 15)


async def test_undo_of_an_edit_before_it_needs_no_run(reading: Bench) -> None:
    path, edited = reading.path("a.py", MODEL), MODEL.replace("return x", "return x + 1")
    for text in (MODEL, edited, "# c\n" + edited):
        reading.engine.update(path, text)
        await reading.idle()
    assert len(reading.worker.calls) == 2
    for text in (edited, MODEL):
        reading.engine.update(path, text)
        await reading.idle()
        assert (await shown(reading, path)).traces[0].reply.bindings[0].span.line == 6
    assert reading.worker.calls == []


async def test_what_has_no_certain_place_runs_again(reading: Bench) -> None:
    path, answer = reading.path("a.py", MODEL), reading.worker.trace
    failure = Failure("trace", "no", Span(path, 7, 1, 7, 3))

    async def failing(request: TraceRequest) -> TraceReply:
        return replace(await answer(request), failure=failure)

    reading.worker.trace = failing  # type: ignore[method-assign]
    reading.engine.update(path, MODEL)
    await reading.idle()
    reading.engine.update(path, MODEL.replace("return x", "return  x"))
    assert (await shown(reading, path)).stale
    await reading.idle()
    assert reading.worker.calls == [CALL] * 4  # each time on fake tensors and on real ones


async def test_a_run_that_never_said_what_it_read_stays(reading: Bench) -> None:
    path, answer = reading.path("a.py", BOTH), reading.worker.trace

    async def silent(request: TraceRequest) -> TraceReply:
        reply = await answer(request)
        return reply if request.call == CALL else TraceReply(request.id, failure=Failure("timeout", "too long"))

    reading.worker.trace = silent  # type: ignore[method-assign]
    reading.engine.update(path, BOTH)
    await reading.idle()
    reading.worker.requests.clear()
    reading.engine.update(path, "# c\n" + BOTH)
    await reading.idle()
    assert reading.worker.calls == []


async def test_an_edit_during_the_first_run_runs_again(reading: Bench) -> None:
    path = reading.path("a.py", MODEL)
    reading.worker.gate = asyncio.Event()
    reading.engine.update(path, MODEL)
    await reading.running()
    reading.engine.update(path, "# c\n" + MODEL)
    await reading.running()
    reading.worker.gate.set()
    await reading.idle()
    assert reading.worker.cancelled == [CALL]
    assert (await shown(reading, path)).traces[0].reply.bindings[0].span.line == 7


NOTEBOOK = MODEL + "\nmodel = Net()\nfor step in range(3):\n    model(step)\n"


@pytest.mark.parametrize(
    "new",
    [
        NOTEBOOK.replace("model = Net()\n", "model = Net()\n\n"),
        NOTEBOOK.replace("class Net", "\n\n# a remark\nclass Net") + "# another",
    ],
)
async def test_a_remark_in_a_notebook_moves_what_is_shown(reading: Bench, new: str) -> None:
    path = reading.path("book.ipynb", "{}")
    reading.engine.update(path, NOTEBOOK)
    await reading.idle()
    assert reading.worker.calls == [CALL, OUTSIDE]
    reading.engine.update(path, new)
    await reading.idle()
    assert reading.worker.calls == []
    assert await shown(reading, path) == await fresh(reading, path)


async def test_a_call_in_a_notebook_takes_its_example_along(reading: Bench) -> None:
    calls = MODEL.replace("# fx: Net()(f32[2, 3])\n", "") + "\nNet()(torch.zeros(2, 3))\nprint()\n"
    path = reading.path("book.ipynb", "{}")
    reading.engine.update(path, calls)
    await reading.idle()
    # Nothing says that it ran: then a search, and the notebook as a program.
    assert reading.worker.calls == ["Net()(torch.zeros(2, 3))", "", PROGRAM]
    reading.engine.update(path, calls.replace("2, 3", "4, 5"))
    assert (await shown(reading, path)).stale
    await reading.idle()
    assert reading.worker.calls == ["Net()(torch.zeros(4, 5))", "", PROGRAM]
    reading.engine.update(path, calls.replace("2, 3", "4, 5").replace("print()", "print( )"))
    assert not (await shown(reading, path)).stale
    await reading.idle()
    assert reading.worker.calls == []
