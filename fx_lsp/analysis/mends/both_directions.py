"""Sizes that do not fit, where a layer goes in both directions and the last state is that of one: both of them joined.

return h[-1]  # of a bidirectional one; meant is `torch.cat([h[-2], h[-1]], dim=-1)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, layer_called
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.mends.last_state import states
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Wherever on the way the last state is taken."""
    for step in path(broken):
        node = step.node
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and number(node.slice) == -1:
            torch, name = imported(step.source, "torch"), node.value.id
            if torch and name in _of_both(step.source, node):
                text = f"{torch}.cat([{name}[-2], {name}[-1]], dim=-1)"
                yield Edit(f"Use {_text.title(text)}", step.source.path, _text.instead(step.source, node, text))


def _of_both(source: Source, node: ast.expr) -> set[str]:
    """The states of layers that go in both directions."""
    function, found = innermost(source, node), set[str]()
    for one in walk(function) if function is not None else ():
        call = one.value if isinstance(one, ast.Assign) else None
        layer = layer_called(source, call.func) if isinstance(call, ast.Call) else None
        made = assigned(source, one, layer) if isinstance(one, ast.Assign) and layer is not None else []
        options = [option for value in made if isinstance(value, ast.Call) for option in value.keywords]
        if isinstance(one, ast.Assign) and any(option.arg == "bidirectional" for option in options):
            found.update(states(source, one))
    return found


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "linear-features", "recurrent-state")
MEND = Mend(frozenset(_CAUSES), propose)
