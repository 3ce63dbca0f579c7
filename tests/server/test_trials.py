"""What is said of an edit that was tried, by what the example came to with it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.proposals import Proposal
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.example import PROGRAM, Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import TensorType
from fx_lsp.server.folder import Folder
from fx_lsp.server.trials import verdict

PATH = "/w/net.py"
HERE = Span(PATH, 9, 4, 9, 20)
LIMIT = "DynamicOutputShapeException: aten.nonzero.default"


def reply(operations: int, line: int, *, path: str = PATH, proven: bool = False, fallback: str = LIMIT) -> TraceReply:
    """Of an example that came to a line after so many operations."""
    span = Span(path, line, 4, line, 20)
    ran = OperationVariant((), TensorType("f32", (2,)), count=operations)
    failure = Failure("trace", fallback or "sizes differ", span, proven=proven)
    return TraceReply(1, operations=(Operation(span, "relu", "function", (ran,)),), fallback=fallback, failure=failure)


@pytest.mark.parametrize(
    ("after", "good"),
    [
        (reply(9, 30), True),
        (reply(9, 9, path="/w/train.py"), True),
        (reply(9, 9), False),  # as far as ever
        (reply(9, 10), False),
        (reply(5, 30), False),
        (reply(9, 30, fallback=""), False),
        (reply(9, 30, proven=True), False),
    ],
)
def test_an_example_that_ends_further_on_where_nothing_can_be_followed(after: TraceReply, good: bool) -> None:
    async def answer(*_: Any) -> Any:
        return SimpleNamespace(reply=after)

    folder = cast(Folder, SimpleNamespace(runs=SimpleNamespace(answer=answer)))
    before = reply(4, HERE.line, proven=True, fallback="")
    trace = Trace(Example(PATH, PROGRAM, "program"), PROGRAM, (), before)
    proposal = Proposal("linear-features", "Change it", HERE, Edit("Change it", PATH, ((HERE, "x"),)), True, (trace,))
    found = asyncio.run(verdict(folder, proposal, lambda path: "x = 1\n" * 40))
    assert found.good is good
    assert LIMIT in found.says or after.failure is None or not after.fallback
