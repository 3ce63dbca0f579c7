"""A view with one dim less than what it meets: the size that this was made with, in the view as well.

self.weight = nn.Parameter(torch.empty(1, heads, size))
h = self.lin(x).view(-1, self.size)  # meant is `.view(-1, self.heads, self.size)`
y = h * self.weight
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import attribute, parts
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import PARAMETER
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._shapes import broadcast
from fx_lsp.analysis.source import Source
from fx_lsp.model.span import Span

_VIEWS = ("view", "reshape")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of a view whose first size is open, by the parameter that it meets."""
    for (node, shape), (other, wanted), _ in pairs(broken):
        source, made = broken.origin(node) if node is not None else (broken.source, None)
        view = made if isinstance(made, ast.Call) and called(made) in _VIEWS else None
        if view is None or other is None or len(view.args) != len(shape) or len(wanted) != len(shape) + 1:
            continue
        for place in range(1, len(shape) + 1) if ast.unparse(view.args[0]) == "-1" else ():
            new = (shape[0] // max(wanted[place], 1), *shape[1:place], wanted[place], *shape[place:])
            if wanted[place] > 1 and shape[0] % wanted[place] == 0 and broadcast(new, wanted) is not None:
                size = _written(broken, other, source, place, len(wanted)) or str(wanted[place])
                end = source.span(view.args[place - 1])
                at = Span(source.path, end.end_line, end.end_column, end.end_line, end.end_column)
                yield Edit(f"Use `{size}` as size {place} of the view", source.path, ((at, f", {size}"),))


def _written(broken: Broken, other: ast.expr, source: Source, place: int, rank: int) -> str:
    """The attribute that holds the size with which the parameter is made, if there is one."""
    for origin in broken.origins(other):
        written = origin.node.args
        size = written[place] if origin.target == PARAMETER and len(written) == rank else None
        if not isinstance(size, ast.Name):
            continue
        for one in source.every(ast.Assign):
            for part, value in (pair for target in one.targets for pair in parts(target, one.value)):
                if isinstance(value, ast.Name) and value.id == size.id and attribute(part) is not None:
                    return ast.unparse(part)
    return ""


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
