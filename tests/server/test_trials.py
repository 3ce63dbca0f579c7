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
from fx_lsp.server.folder import Folder
from fx_lsp.server.trials import verdict

PATH, MAIN = "/w/net.py", "/w/train.py"
HERE = Span(PATH, 9, 4, 9, 20)
LIMIT = "DynamicOutputShapeException: aten.nonzero.default"


def reply(*lines: int, path: str = MAIN, proven: bool = False, fallback: str = LIMIT) -> TraceReply:
    """Of an example that comes by these lines of a file to a place in `PATH`, or that ends in the last of them."""
    *calls, span = [Span(path, line, 4, line, 20) for line in lines]
    span = span if not calls else Span(PATH, span.line, 4, span.line, 20)
    failure = Failure("trace", fallback or "sizes differ", span, calls=tuple(calls), proven=proven)
    return TraceReply(1, fallback=fallback, failure=failure)


@pytest.mark.parametrize(
    ("after", "good"),
    [
        (reply(21, 30), True),  # a later call of the program
        (reply(20, 30), True),  # further on in the function
        (reply(20, 10), False),  # where the edit may have moved the place to
        (reply(20, 9), False),
        (reply(20, 5), False),
        (reply(19, 30), False),
        (reply(22), True),
        (reply(18), False),
        (reply(21, 30, path="/w/other.py"), False),
        (reply(21, 30, fallback=""), False),
        (reply(21, 30, proven=True), False),
    ],
)
def test_an_example_that_ends_further_on_where_nothing_can_be_followed(after: TraceReply, good: bool) -> None:
    async def answer(*_: Any) -> Any:
        return SimpleNamespace(reply=after)

    folder = cast(Folder, SimpleNamespace(runs=SimpleNamespace(answer=answer)))
    before = reply(20, HERE.line, proven=True, fallback="")
    trace = Trace(Example(MAIN, PROGRAM, "program"), PROGRAM, (), before)
    proposal = Proposal("linear-features", "Change it", HERE, Edit("Change it", PATH, ((HERE, "x"),)), True, (trace,))
    found = asyncio.run(verdict(folder, proposal, lambda path: "x = 1\n" * 40))
    assert found.good is good
    assert LIMIT in found.says or after.failure is None or not after.fallback
