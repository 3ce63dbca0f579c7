"""Sizes that do not fit, of a layer made for one more than there are, or one fewer: without what is added to its size.

self.pred = nn.Conv2d(8, anchors * (classes + 1), 3)  # is viewed as `classes` for each anchor
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._origin import OUTPUTS
from fx_lsp.analysis.mends._parameters import SIZES
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import walk

LARGEST = 2
"""That is added: a class for what is none of the others, a token at either end."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of what the layer that fails takes, and of what those make that made what it is given."""
    for made in broken.made:
        taken = ["num_embeddings"] if broken.cause == "embedding-ids" else SIZES - OUTPUTS
        yield from (edit for name in made.parameters if name in taken for edit in _without(made, made.argument(name)))
    for key in broken.written:
        node = broken.place(-1, key)
        for origin in broken.origins(node) if node is not None else ():
            made = broken.making(origin)
            yield from _without(made, made.argument(origin.output(-1)))


def _without(made: Made, node: ast.expr | None) -> Iterator[Edit]:
    for one in walk(node) if node is not None else ():
        added = number(one.right) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub) else None
        if isinstance(one, ast.BinOp) and node is not None and added is not None and 0 < added <= LARGEST:
            old, new = _text.written(made.source, node), ast.unparse(_Without(one).visit(copy.deepcopy(node)))
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
