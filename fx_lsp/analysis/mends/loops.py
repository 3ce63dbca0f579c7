"""A loop that goes on too long for what is taken in it: over the dim that is indexed, or one round fewer.

for t in range(x.size(2)):  # meant is `x.size(1)`
    step(x[:, t])
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import loop_over
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """By the part of the index that is the loop's, alone or with more or less."""
    shape, index = broken.call.shape(0), broken.place(1)
    if shape is None or index is None or not isinstance(broken.node, ast.Subscript):
        return
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if any(isinstance(one, ast.Constant) and one.value in (None, ...) for one in parts):
        return
    for dim, part in enumerate(parts[: len(shape)]):
        for name in (one for one in walk(part) if isinstance(one, ast.Name)):
            over = loop_over(innermost(broken.source, broken.node), name)
            if isinstance(over, ast.Call) and called(over) == "range" and over.args:
                yield from _shorter(broken, over, dim, name is part)


def _shorter(broken: Broken, over: ast.Call, dim: int, alone: bool) -> Iterator[Edit]:
    """To the end of the dim; or one round fewer, where the round before or after is taken."""
    end = over.args[min(len(over.args) - 1, 1)]
    text, x = broken.text(end), broken.alone(broken.node.value) if isinstance(broken.node, ast.Subscript) else ""
    size = f"{x}.size({dim})"
    first = [size, f"{text} - 1"] if alone else [f"{text} - 1", size, f"{size} - 1"]
    inner = end.left if isinstance(end, ast.BinOp) and isinstance(end.op, ast.Add) and number(end.right) else None
    first[:0] = [broken.text(inner)] if inner is not None else []
    for other in first:
        title = f"Go up to {_text.title(other)} in place of {_text.title(text)}"
        yield Edit(title, broken.source.path, _text.instead(broken.source, end, other))
    if len(over.args) == 1 and not alone:
        yield from broken.instead(end, (f"1, {text}",))


MEND = Mend(frozenset({"index-range"}), propose)
