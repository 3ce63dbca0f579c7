"""Sizes that do not fit, where something was joined in place of stacked, or stacked in place of joined."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._otherwise import JOINED, joined
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path, returned


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand that is one of these, by itself or by its name; then of a list further back."""
    for key in broken.written:
        source, node = broken.origin(broken.place(-1, key))
        inside = returned(source, node, broken.files) if isinstance(node, ast.Call) else []
        for where, one in ((source, node), *inside):
            if isinstance(one, ast.Call) and called(one) in JOINED:
                text = joined(where, one)
                yield Edit(f"Use {_text.title(text)}", where.path, _text.instead(where, one.func, text))
    for step in path(broken):
        one = step.node
        if not isinstance(one, ast.Call) or called(one) not in JOINED or len(one.args) != 1 or one.keywords:
            continue
        if isinstance(one.args[0], ast.Name):
            text = joined(step.source, one)
            yield Edit(f"Use {_text.title(text)}", step.source.path, _text.instead(step.source, one.func, text))


_CAUSES = ("broadcast-sizes", "linear-features", "conv-channels", "conv-dims", "norm-features", "recurrent-features",
           "matmul-sizes", "loss-sizes", "attention-sizes", "view-elements", "cat-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
