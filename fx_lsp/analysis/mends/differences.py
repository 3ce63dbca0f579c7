"""Sizes that differ by one, where differences were taken along a dim: with that of the first one to itself.

deltas = torch.diff(times)  # one fewer than `times`; meant is `torch.diff(times, prepend=times[..., :1])`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import subject
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each on the way, the nearest first."""
    for step in path(broken):
        node = step.node
        if not isinstance(node, ast.Call) or called(node) != "diff":
            continue
        x, named = subject(step.source, node), {one.arg: one.value for one in node.keywords}
        dim = number(named["dim"]) if "dim" in named else -1
        if x is None or dim is None or {"prepend", "append"} & {*named}:
            continue
        index = f"[..., :1{', :' * (-dim - 1)}]" if dim < 0 else f"[{':, ' * dim}:1]"
        last = [*node.args, *named.values()][-1] if node.args or named else None
        text = f"prepend={_text.alone(step.source, x)}{index}"
        if last is not None:
            old = _text.written(step.source, last)
            yield Edit(f"Use {_text.title(text)}", step.source.path, _text.instead(step.source, last, f"{old}, {text}"))
        else:
            whole = f"{_text.written(step.source, node.func)}({text})"
            yield Edit(f"Use {_text.title(whole)}", step.source.path, _text.instead(step.source, node, whole))


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes"}), propose)
