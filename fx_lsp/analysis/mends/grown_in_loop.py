"""Sizes that do not fit, where a loop makes layers and a sum does not grow with it: times the variable of the loop.

for i in range(layers):
    self.add(Layer(width + growth))  # meant is `i * growth`
for layers in depths:
    width = width + growth  # meant is `layers * growth`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import arguments
from fx_lsp.analysis.source import Source, walk

_PLAIN = (ast.Name, ast.Attribute)


def propose(broken: Broken) -> Iterator[Edit]:
    """In the classes that led there, the innermost first: in methods that may make layers, all but `forward`."""
    for source, owner in broken.owners:
        made = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name != "forward"]
        for loop in (one for function in made for one in walk(function) if isinstance(one, ast.For)):
            counters = [one.id for one in walk(loop.target) if isinstance(one, ast.Name)]
            for part in (part for statement in loop.body for part in walk(statement)):
                given = arguments(part) if isinstance(part, ast.Call) else []
                sums = [part.value] if isinstance(part, ast.Assign) and _adds(part) else given
                for one in sums:
                    yield from _times(source, one, counters)


def _adds(statement: ast.Assign) -> bool:
    """`width = width + growth`."""
    value = statement.value
    return isinstance(value, ast.BinOp) and ast.unparse(value.left) == ast.unparse(statement.targets[0])


def _times(source: Source, node: ast.expr, counters: list[str]) -> Iterator[Edit]:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add) or not isinstance(node.right, _PLAIN):
        return
    if any(isinstance(one, ast.Name) and one.id in counters for one in walk(node)):
        return
    for name in counters:
        text = f"{name} * {_text.written(source, node.right)}"
        title = f"Use `{text}` in place of {_text.title(_text.written(source, node.right))}, line {node.lineno}"
        yield Edit(title, source.path, _text.instead(source, node.right, text))


_CAUSES = ("norm-features", "conv-channels", "linear-features", "cat-sizes", "broadcast-sizes")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
