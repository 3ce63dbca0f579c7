"""A normalisation of features that stand last, where it takes them in dim 1: turned for it, and turned back after it.

h = self.bn(h)  # of f32[4, 14, 32]; meant is `self.bn(h.transpose(1, 2)).transpose(1, 2)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken

_RANKS = (3, 4)


def propose(broken: Broken) -> Iterator[Edit]:
    """Where another dim is as large as the features: the last one, else one before it."""
    shape, node = broken.call.shape(0, "input"), broken.place(0, "input")
    size = next((broken.call.settings.get(one) for one in ("num_features", "num_channels")
                 if type(broken.call.settings.get(one)) is int), None)  # fmt: skip
    if shape is None or node is None or len(shape) not in _RANKS or size not in shape[2:] or shape[1] == size:
        return
    if isinstance(broken.node, ast.Call) and broken.node.args == [node]:
        there = back = ".transpose(1, 2)"
        if len(shape) > 3 and shape[-1] == size:
            there, back = ".permute(0, 3, 1, 2)", ".permute(0, 2, 3, 1)"
        given = f"{broken.alone(node)}{there}"
        text = f"{broken.text(broken.node.func)}({given}){back}"
        yield Edit(f"Use {_text.title(text)}", broken.source.path, _text.instead(broken.source, broken.node, text))


MEND = Mend(frozenset({"norm-features"}), propose)
