"""Calls that were cut out of a program follow an edit of it."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.edited_call import edited_call
from fx_lsp.model.example import Example
from fx_lsp.model.span import Span
from tests.analysis.test_mends import place

PATH = "/w/model.py"
TEXT = """import torch
def batch(n):
    return torch.zeros(n, 8)
x = torch.randn(2, 5, 8)
words = torch.ones(2, 9)
scores = model(batch(3), words[:, :-1])
out = net(x, scores.flatten(), words.flatten())
"""
SETUP = "def batch(n):\n    return torch.zeros(n, 8)"
CALL = "Net()(torch.randn(2, 5, 8), model(batch(3), words[:, :-1]).flatten(), words.flatten())"
EXAMPLE = Example(PATH, CALL, "call", SETUP, "Net", place(TEXT, "net(x, scores.flatten(), words.flatten())"))


def _end(part: str) -> Span:
    span = place(TEXT, part)
    return Span(PATH, span.end_line, span.end_column, span.end_line, span.end_column)


@pytest.mark.parametrize(
    ("changes", "setup", "call"),
    [([(place(TEXT, "5"), "6")], SETUP, CALL.replace("2, 5, 8", "2, 6, 8")),
     ([(_end("words.flatten()"), ".long()")], SETUP, CALL.replace("words.flatten()", "words.flatten().long()")),
     ([(_end("net(x, scores.flatten(), words"), "[:, 1:]")], SETUP,
      CALL.replace("words.flatten()", "words[:, 1:].flatten()")),
     ([(place(TEXT, "n, 8"), "n, 8, 1")], SETUP.replace("n, 8", "n, 8, 1"), CALL),
     ([(place(TEXT, "2, 5, 8"), "5, 2, 8")], SETUP, CALL.replace("2, 5, 8", "5, 2, 8")),
     ([(place(TEXT, "batch(3)"), "words[:, :-1]"), (place(TEXT, "words[:, :-1]"), "batch(3)")], SETUP,
      CALL.replace("batch(3), words[:, :-1]", "words[:, :-1], batch(3)")),
     ([(place(TEXT, "torch.ones(2, 9)"), "torch.ones(2, 8)")], SETUP, CALL),
     ([(Span("/w/other.py", 4, 20, 4, 21), "6")], SETUP, CALL)],
    ids=str)  # fmt: skip
def test_what_is_written_there_is_part_of_the_call(changes: list[tuple[Span, str]], setup: str, call: str) -> None:
    assert edited_call(EXAMPLE, CALL, tuple(changes), lambda _: TEXT) == (setup, call)


def test_what_somebody_wrote_stays() -> None:
    written = Example(PATH, CALL, "directive", SETUP, "Net", EXAMPLE.span)
    assert edited_call(written, CALL, ((place(TEXT, "5"), "6"),), lambda _: TEXT) == (SETUP, CALL)
