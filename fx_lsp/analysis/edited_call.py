"""A call that was cut out of a program, after an edit of that program: its text is not that of any file.

x = torch.randn(2, 5, 8)  # an edit makes this `torch.randn(2, 6, 8)`
net(x)                    # and so the example `Net()(torch.randn(2, 5, 8))`, which names what it needs
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from fx_lsp.analysis.actions import Changes, applied
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.source import Source, parsed
from fx_lsp.model import syntax
from fx_lsp.model.example import Example
from fx_lsp.model.span import Span


def edited_call(example: Example, call: str, changes: Changes, read: Callable[[str], str]) -> tuple[str, str]:
    """Setup and call with the expressions that the edit changes, where they are there once; else as they were."""
    setup, path = example.setup, example.span.path if example.span is not None else ""
    own = [(span, new) for span, new in changes if span.path == path]
    if example.origin != "call" or not own:
        return setup, call
    text = read(path)
    source, after, places = parsed(path, text), applied(text, own), columns(text)
    moved = [(*places.offsets(span), len(new)) for span, new in own]
    spans = [span for span, _ in own]
    together = _around(source, _whole(spans))  # what is exchanged is so within one expression
    for nodes in [together] if together else [_around(source, span) for span in spans]:
        for node in nodes:
            first, last = places.offsets(source.span(node))
            # What is written at either end belongs to it.
            before = sum(size - (end - start) for start, end, size in moved if end <= first and start < first)
            behind = sum(size - (end - start) for start, end, size in moved if end <= last)
            old, new = _written(ast.unparse(node)), _plain(after[first + before : last + behind])
            if new is not None and len(old.findall(setup)) + len(old.findall(call)) == 1:
                setup, call = (old.sub(lambda _, new=new: new, one) for one in (setup, call))
                break
    return setup, call


def _whole(spans: list[Span]) -> Span:
    first, last = min(spans), max(spans, key=lambda one: (one.end_line, one.end_column))
    return Span(first.path, first.line, first.column, last.end_line, last.end_column)


def _around(source: Source, span: Span) -> list[ast.expr]:
    """Expressions with all that is changed there, the smallest first."""
    places, found = columns(source.text), list[tuple[int, ast.expr]]()
    start, end = places.offsets(span)
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if not isinstance(node, ast.expr) or isinstance(node, ast.Slice):
            continue
        if node.lineno <= span.line and span.end_line <= (node.end_lineno or 0):
            first, last = places.offsets(source.span(node))
            if first <= start and end <= last:
                found.append((last - first, node))
    return [node for _, node in sorted(found, key=lambda one: one[0])]


def _written(code: str) -> re.Pattern[str]:
    """The expression, and no part of a longer name."""
    return re.compile(rf"(?<![\w.]){re.escape(code)}(?!\w)")


def _plain(text: str) -> str | None:
    """An expression as examples write it; None for what is none."""
    try:
        return ast.unparse(syntax.expression(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
