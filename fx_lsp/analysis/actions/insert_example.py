"""Write an example above a module class, as a comment to fill in.

Before:
    class Net(nn.Module):
        def __init__(self, width, depth=2): ...
        def forward(self, x): ...
After:
    # fx: Net(width=width)(f32[B, ...])
    class Net(nn.Module): ...
"""

from __future__ import annotations

import ast

from fx_lsp.analysis.actions import Action, Edit
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.coverage import Coverage, coverage, definition, needed
from fx_lsp.analysis.origins import STATED
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.source import parse_small
from fx_lsp.model.example import Example
from fx_lsp.model.span import Span

MAX_LINE = 2000
"""Characters that are still something to edit."""
INPUT = "f32[B, ...]"
"""What stands for a tensor until the user writes its sizes."""


def find(snapshot: Snapshot, line: int, column: int) -> Edit | None:
    """On offer on the line of `class`, and inside a class that did not run.

    A class that ran with an example which was found gets that one, to edit, with the statements before its call; one
    whose example is written gets none.
    """
    inside = [entry for entry in coverage(snapshot) if entry.module.line <= line <= entry.module.end_line]
    if not inside or snapshot.pending:
        return None
    entry = max(inside, key=lambda entry: entry.module.line)
    node = definition(snapshot, entry.module)
    example = _example(entry, node, snapshot, line)
    if node is None or example is None:
        return None
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    above = columns(snapshot.text).lines[first - 1]
    indent = above[: len(above) - len(above.lstrip())]
    place = Span(snapshot.path, first, 0, first, 0)
    title = f"Write an example for {entry.module.name}"
    return Edit(title, snapshot.path, ((place, f"{indent}# fx: {example}{columns(snapshot.text).newline}"),))


def _example(entry: Coverage, node: ast.ClassDef | None, snapshot: Snapshot, line: int) -> str | None:
    if entry.status in ("skipped", "failed"):
        written = any(snapshot.traces[number].example.origin in STATED for number in entry.examples)
        return None if written or entry.module.abstract or node is None else _draft(node, entry.module.name)
    if line != entry.module.line or entry.trace is None:
        return None
    example = entry.trace.example
    mine = example.target == entry.module.name and example.scope == snapshot.path
    return _written(example) if mine and example.origin not in STATED else None


def _written(example: Example) -> str | None:
    """In one line, with the statements that it needs; None where that cannot be."""
    tree = parse_small(example.setup).tree
    if tree is None:
        return None
    text = "; ".join([*map(ast.unparse, tree.body), example.call])
    return text if "\n" not in text and len(text) <= MAX_LINE else None


def _draft(node: ast.ClassDef, name: str) -> str:
    """Names stand for values that only the user knows."""
    given = ", ".join(f"{argument.arg}={argument.arg}" for argument in needed(node, "__init__"))
    inputs = [argument.arg for argument in needed(node, "forward")]
    tensors = ", ".join(f"{argument}={INPUT}" for argument in inputs) if len(inputs) > 1 else INPUT
    return f"{name}({given})({tensors})"


ACTION = Action(id="insert-example", title="Write an example", find=find)
