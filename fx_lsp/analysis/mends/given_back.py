"""None where a tensor is taken: what a function made and did not give back, or a layer that is told to leave it out.

def encode(self, x):
    h = self.norm(x)  # and no `return h`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._operand import operand
from fx_lsp.analysis.mends._path import functions, path_of
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source
from fx_lsp.model.span import Span


def propose(broken: Broken) -> Iterator[Edit]:
    """The calls that it comes from, the nearest first: their flags, then the functions that they run."""
    node = operand(broken)
    for step in path_of(broken, node) if node is not None else ():
        if not isinstance(step.node, ast.Call):
            continue
        for one in step.node.keywords:
            if isinstance(one.value, ast.Constant) and one.value.value is False:
                title = f"Use `{one.arg}=True`, line {one.value.lineno}"
                yield Edit(title, step.source.path, _text.instead(step.source, one.value, "True"))
        for source, function in functions(step.source, step.node, step.files, step.callers):
            yield from _returned(source, function)


def _returned(source: Source, function: ast.FunctionDef) -> Iterator[Edit]:
    """What it bound last, or computes last, where it gives nothing back."""
    inside = [one for one in ast.walk(function) if isinstance(one, ast.Return) and innermost(source, one) is function]
    if any(one.value is not None for one in inside):
        return
    last = function.body[-1]
    if isinstance(last, ast.Return):
        last = function.body[-2] if len(function.body) > 1 else last
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant | ast.Yield | ast.Await):
        text = f"return {_text.written(source, last.value)}"
        yield Edit(f"Use {_text.title(text)}", source.path, _text.instead(source, last, text))
    while isinstance(last, ast.For | ast.With | ast.While | ast.If):
        last = last.body[-1]
    names = _names(last)
    if names:
        text = f"return {', '.join(names)}"
        yield Edit(f"Insert {_text.title(text)}", source.path, _at_the_end(source, function, text))


def _names(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AugAssign | ast.AnnAssign) else targets
    parts = targets[-1].elts if targets and isinstance(targets[-1], ast.Tuple) else targets[-1:]
    return [one.id for one in parts if isinstance(one, ast.Name)]


def _at_the_end(source: Source, function: ast.FunctionDef, text: str) -> tuple[tuple[Span, str], ...]:
    places, line = columns(source.text), function.end_lineno or function.lineno
    first = places.lines[function.body[0].lineno - 1]
    indent = first[: len(first) - len(first.lstrip())]
    tail = len(places.lines[line - 1].encode())
    return ((Span(source.path, line, tail, line, tail), f"{places.newline}{indent}{text}"),)


MEND = Mend(frozenset({"none-given"}), propose)
