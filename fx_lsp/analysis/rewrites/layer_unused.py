"""A layer that the class makes and never uses: its weights are saved, moved and decayed for nothing.

Before:
    self.proj = nn.Linear(512, 512)
After:
    (nothing)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, removed

_SAYS = "its entries are gone from the state dict"


def find(flow: Flow) -> Iterator[Found]:
    """Statements of `__init__` that make a layer which no other line of the file names."""
    if flow.function.name != "__init__" or flow.owner is None:
        return
    layers = flow.file.layers(flow.owner)
    for statement in flow.function.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if not isinstance(target, ast.Attribute) or target.attr not in layers or len(flow.function.body) < 3:
            continue
        if flow.file.source.text.count(target.attr) == 1 and "getattr(" not in flow.file.text(flow.owner):
            try:
                yield Found(statement, (removed(flow.file, statement),), _SAYS)
            except Unwritable:
                continue


RULE = Rewrite("layer-unused", "Take the layer away", find)
