"""None where a tensor is taken: what a function made and did not give back, or a layer that is told to leave it out.

def encode(self, x):
    h = self.norm(x)  # and no `return h`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._operand import operand
from fx_lsp.analysis.mends._path import functions, path_of
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk


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
    inside = [one for one in walk(function) if isinstance(one, ast.Return) and innermost(source, one) is function]
    if any(one.value is not None for one in inside):
        return
    last = function.body[-1]
    if function.body[0].lineno == function.lineno:  # all in one line
        return
    before = function.body[-2] if isinstance(last, ast.Return) and len(function.body) > 1 else last
    if isinstance(before, ast.Expr) and isinstance(before.value, ast.Call | ast.BinOp | ast.Name) and before is last:
        text = f"return {_text.written(source, before.value)}"
        yield Edit(f"Use {_text.title(text)}", source.path, _text.instead(source, before, text))
    while isinstance(before, ast.For | ast.With | ast.While | ast.If):
        before = before.body[-1]
    if names := _names(before):
        text = f"return {', '.join(names)}"
        changes = (_text.instead if isinstance(last, ast.Return) else _text.below)(source, last, text)
        yield Edit(f"Insert {_text.title(text)}", source.path, changes)


def _names(statement: ast.stmt) -> list[str]:
    """What it binds, where all of it has names."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AugAssign | ast.AnnAssign) else targets
    parts = targets[-1].elts if targets and isinstance(targets[-1], ast.Tuple) else targets[-1:]
    names = [one.id for one in parts if isinstance(one, ast.Name)]
    return names if len(names) == len(parts) else []


MEND = Mend(frozenset({"none-given"}), propose)
