"""Half the features that are wanted, where the sine and cosine of angles meet features: each angle twice.

angles = torch.outer(steps, rates)  # meant is `torch.cat((angles, angles), dim=-1)`
x * angles.cos()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import bindings
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path_of
from fx_lsp.analysis.mends._statements import following, innermost

_WAVES = ("sin", "cos")


def propose(broken: Broken) -> Iterator[Edit]:
    """Joined with itself where a variable on the way is bound."""
    for (node, shape), (_, other), differ in pairs(broken):
        if node is None or [one for one, _ in differ] != [-1] or other[-1] != 2 * shape[-1]:
            continue
        steps = path_of(broken, node)
        if not any(isinstance(one.node, ast.Call) and called(one.node) in _WAVES for one in steps):
            continue
        for step in steps:
            function = innermost(step.source, step.node) if isinstance(step.node, ast.Name) else None
            if not isinstance(step.node, ast.Name) or function is None:
                continue
            line = max((line for line, _ in bindings(function, step.node.id) if line < step.node.lineno), default=0)
            after = following(function, line)
            torch = imported(step.source, "torch")
            if line and after is not None and torch:
                text = f"{step.node.id} = {torch}.cat(({step.node.id}, {step.node.id}), dim=-1)"
                yield Edit(f"Insert {_text.title(text)}", step.source.path, _text.before(step.source, after, text))


MEND = Mend(frozenset({"broadcast-sizes"}), propose, sure=True)
