"""Parts that get shorter and shorter, since a slice ends at a length in place of that far from where it starts.

window = signal[offset:length]  # meant is `offset : offset + length`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import statement_of
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Slices that are written alike in one statement together, since they are of tensors that are used together."""
    for step in path(broken):
        inside = walk(step.node.slice) if isinstance(step.node, ast.Subscript) else ()
        for part in (one for one in inside if isinstance(one, ast.Slice)):
            lower, upper = part.lower, part.upper
            if not isinstance(lower, ast.Name | ast.Attribute) or upper is None or number(upper) is not None:
                continue
            if ast.dump(lower) not in map(ast.dump, walk(upper)):
                start, statement = _text.written(step.source, lower), statement_of(step.source, step.node) or step.node
                end = _text.written(step.source, upper) if _is_sum(upper) else _text.alone(step.source, upper)
                alike = [one for one in walk(statement) if isinstance(one, ast.Slice) and one.upper is not None]
                ends = [one.upper for one in alike if ast.dump(one) == ast.dump(part) and one.upper is not None]
                title = f"Use {_text.title(f'[{start}:{start} + {end}]')}, line {part.lineno}"
                changes = tuple((step.source.span(one), f"{start} + {end}") for one in ends)
                yield Edit(title, step.source.path, changes)


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult)


_CAUSES = ("assigned-sizes", "broadcast-sizes", "cat-sizes", "view-elements", "matmul-sizes", "einsum-sizes",
           "index-range", "linear-features", "loss-sizes", "attention-sizes", "unpack-dims")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
