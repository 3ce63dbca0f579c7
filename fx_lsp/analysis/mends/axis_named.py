"""Sizes that do not fit, where a pattern on the way is told how long the other axis of a dim is.

rearrange(out, "(b h) n d -> b n (h d)", b=self.heads)  # meant is `h=self.heads`
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path

_PAIR = re.compile(r"\(\s*(\w+)\s+(\w+)\s*\)")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each pattern on the way, the nearest first: the number for the other of two axes that a dim is made of."""
    for step in path(broken):
        node = step.node
        pattern = node.args[1] if isinstance(node, ast.Call) and len(node.args) == 2 else None
        text = pattern.value if isinstance(pattern, ast.Constant) else None
        if not isinstance(node, ast.Call) or not isinstance(text, str) or "->" not in text:
            continue
        partner = {one: other for pair in _PAIR.findall(text.partition("->")[0]) for one, other in (pair, pair[::-1])}
        told = {one.arg for one in node.keywords}
        for keyword in node.keywords:
            other = partner.get(keyword.arg or "", "")
            if other and other not in told:
                new = f"{other}={_text.written(step.source, keyword.value)}"
                place = _text.instead(step.source, keyword, new)
                yield Edit(f"Use {_text.title(new)}", step.source.path, place)


_CAUSES = ("broadcast-sizes", "linear-features", "norm-features", "matmul-sizes", "attention-sizes", "cat-sizes",
           "einsum-sizes", "axes-pattern", "conv-channels")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
