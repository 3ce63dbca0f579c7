"""An index one beyond the end, of a tensor that is made of sizes: made with one place more.

value = torch.zeros(steps, n)
value[steps] = critic(last)  # meant is `torch.zeros(steps + 1, n)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.index_range import beyond
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import bindings
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost

_MAKERS = frozenset({"ones", "zeros", "rand", "randn", "empty", "full", "new_ones", "new_zeros", "new_empty"})


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the variable is bound last before it."""
    found, shape, node = beyond(broken.call), broken.call.shape(0), broken.place(0)
    within = innermost(broken.source, broken.node) or broken.source.tree
    if found is None or shape is None or found[1] != shape[found[0]] or not isinstance(node, ast.Name):
        return
    bound = [one for _, one in bindings(within, node.id) if one.lineno < node.lineno] if within is not None else []
    made = bound[-1] if bound else None
    if not isinstance(made, ast.Call) or called(made) not in _MAKERS:
        return
    whole = made.args[0] if made.args else None
    sizes = whole.elts if isinstance(whole, ast.Tuple | ast.List) else made.args
    if len(sizes) == len(shape):
        size = sizes[found[0]]
        number = size.value if isinstance(size, ast.Constant) and type(size.value) is int else None
        text = str(number + 1) if number is not None else f"{_text.written(broken.source, size)} + 1"
        title = f"Make {_text.title(text)} in place of {_text.title(ast.unparse(size))}, line {made.lineno}"
        yield Edit(title, broken.source.path, _text.instead(broken.source, size, text))


MEND = Mend(frozenset({"index-range"}), propose, sure=True)
