"""An id that an embedding has no row for: as many rows as are asked for.

nn.Embedding(moves + tools, 16)  # is asked for each pair; meant is `moves * tools`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import Source


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the number of rows is written; ids that are less than 0 are another mistake."""
    rows, call = broken.call.shape(1, "weight"), broken.call
    smallest, largest = (call.plain(len(call.operands), name) for name in ("smallest", "largest"))
    if rows and type(smallest) is int and type(largest) is int and smallest >= 0 and largest >= rows[0]:
        if rows[1] > largest:  # the two sizes of the layer in each other's place
            for made in broken.made:
                yield from made.swapped("num_embeddings", rows[1])
        for made in broken.made:
            node = made.argument("num_embeddings")
            if node is None:
                continue
            for text in _pairs(made.source, node, rows[0], largest):
                title = f"Change num_embeddings to {_text.title(text)}"
                yield Edit(title, made.source.path, _text.instead(made.source, node, text))
        for made in broken.made:
            yield from made.numbered("num_embeddings", largest + 1)


def _pairs(source: Source, node: ast.expr, rows: int, largest: int) -> Iterator[str]:
    """For a sum a product, and for a name its square where that is as many: ids of pairs."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = (node.left, node.right)
        if not any(isinstance(one, ast.Constant) for one in sides):
            yield " * ".join(_text.alone(source, one) for one in sides)
    elif not isinstance(node, ast.Constant) and rows > 1 and largest + 1 == rows**2:
        yield f"{_text.alone(source, node)} ** 2"


MEND = Mend(frozenset({"embedding-ids"}), propose)
