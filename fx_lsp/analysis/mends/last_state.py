"""Sizes that do not fit, where the states of all layers of a recurrent one are taken: that of the last layer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, layer_called
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_RECURRENT = ("RNN", "LSTM", "GRU")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the expression that fails, or a statement before it, reads them as a whole."""
    function = innermost(broken.source, broken.node)
    inside = [one for one in (walk(function) if function is not None else ()) if hasattr(one, "lineno")]
    read = {name for one in inside if isinstance(one, ast.Assign) for name in states(broken.source, one)}
    taken = {id(one.value) for one in inside if isinstance(one, ast.Subscript | ast.Attribute)}
    names = [one for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    last = broken.node.end_lineno or broken.node.lineno
    for name in sorted(names, key=lambda one: -one.lineno):
        if name.id in read and id(name) not in taken and name.lineno <= last:
            yield _text.suffixed(broken.source, name, "[-1]")


def states(source: Source, statement: ast.Assign) -> list[str]:
    """The names of the states in `out, h = self.gru(x)`, `out, (h, c) = self.lstm(x)`."""
    target, call = statement.targets[0], statement.value
    layer = layer_called(source, call.func) if isinstance(call, ast.Call) else None
    made = assigned(source, call, layer) if layer is not None else []
    if not isinstance(target, ast.Tuple) or len(target.elts) < 2:
        return []
    if not any(isinstance(one, ast.Call) and called(one) in _RECURRENT for one in made):
        return []
    return [one.id for one in walk(target.elts[1]) if isinstance(one, ast.Name)]


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "loss-sizes", "linear-features", "view-elements",
           "norm-features", "einsum-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
