"""Sizes that do not fit, of a layer made for one more than there are, or one fewer: without what is added to its size.

self.pred = nn.Conv2d(8, anchors * (classes + 1), 3)  # is viewed as `classes` for each anchor
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._places import number

LARGEST = 2
"""That is added: a class for what is none of the others, a token at either end."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the layer that fails, and of those that made what it is given."""
    for made in (*broken.made, *_makers(broken)):
        for node in (*made.node.args, *(one.value for one in made.node.keywords)):
            yield from _without(made, node)


def _makers(broken: Broken) -> Iterator[Made]:
    for key in broken.written:
        node = broken.place(-1, key)
        yield from map(broken.making, broken.origins(node)) if node is not None else ()


def _without(made: Made, node: ast.expr) -> Iterator[Edit]:
    for one in ast.walk(node):
        added = number(one.right) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub) else None
        if isinstance(one, ast.BinOp) and added is not None and 0 < added <= LARGEST:
            old, new = _text.written(made.source, node), ast.unparse(_Without(one).visit(ast.parse(ast.unparse(node))))
            title = f"Change {_text.title(old)} to {_text.title(new)}, line {node.lineno}"
            yield Edit(title, made.source.path, _text.instead(made.source, node, new))


class _Without(ast.NodeTransformer):
    """Leaves one side of each sum that is written like this one."""

    def __init__(self, sum_: ast.BinOp) -> None:
        self._text = ast.unparse(sum_)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """The left side of the sum; of another one both as they are to be."""
        if ast.unparse(node) == self._text:
            return node.left
        self.generic_visit(node)
        return node


_CAUSES = ("view-elements", "broadcast-sizes", "cat-sizes", "matmul-sizes", "loss-sizes", "linear-features",
           "conv-channels", "norm-features", "recurrent-features", "embedding-ids")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
