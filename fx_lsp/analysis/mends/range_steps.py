"""Every second place of a tensor set to as many numbers as it has places: a range that it is made of takes steps, too.

table[:, 0::2] = torch.sin(position * torch.exp(torch.arange(0, dim) * scale))  # meant is `torch.arange(0, dim, 2)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.assigned_sizes import taken
from fx_lsp.analysis.causes.index_range import parts
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path_of
from fx_lsp.analysis.mends._statements import around


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the last dim has as many times more as the index takes steps."""
    shape, value, index = broken.call.shape(0), broken.call.shape(2), broken.call.operand(1)
    part = taken(shape, parts(index.value) or []) if shape is not None and index is not None else None
    statement = around(broken.source, broken.node) if isinstance(broken.node, ast.expr) else None
    if not part or not value or not isinstance(statement, ast.Assign) or not part[-1] or value[-1] % part[-1]:
        return
    times = value[-1] // part[-1]
    for step in path_of(broken, statement.value) if times > 1 else ():
        node = step.node
        if (
            not isinstance(node, ast.Call)
            or called(node) != "arange"
            or any(one.arg == "step" for one in node.keywords)
        ):
            continue
        if len(node.args) in (1, 2) and not any(isinstance(one, ast.Starred) for one in node.args):
            first = "0, " if len(node.args) == 1 else ""
            old = _text.written(step.source, node.args[-1])
            text = f"{first}{old}, {times}"
            yield Edit(f"Use a step of {times} in `arange`", step.source.path,
                       _text.instead(step.source, node.args[-1], text))  # fmt: skip


MEND = Mend(frozenset({"assigned-sizes"}), propose)
