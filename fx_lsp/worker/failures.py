"""How an exception is told."""

from __future__ import annotations

from typing import Optional

from fx_lsp.model.span import Span
from fx_lsp.worker.capture.frames import message_of


class Deadline(BaseException):
    """The time for a trace is nearly over: what is known so far is worth more than nothing."""


def sentence(error: BaseException, seconds: float) -> str:
    """The error in one line, as torch or Python words it."""
    if isinstance(error, Deadline):
        return f"did not finish within {seconds:g} s"
    if isinstance(error, SystemExit):
        return "the code calls sys.exit()"
    text = message_of(error).strip().split("\n")[0]
    if type(error) is RuntimeError and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def syntax_span(error: BaseException) -> Optional[Span]:
    """Where a text is no Python; None for every other error."""
    if not isinstance(error, SyntaxError) or not error.filename or not error.lineno:
        return None
    column = max((error.offset or 1) - 1, 0)
    text = (error.text or "")[:column]
    start = len(text.encode())
    return Span(error.filename, error.lineno, start, error.lineno, start + 1)
