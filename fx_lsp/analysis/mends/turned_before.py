"""A layer gets what was flattened or viewed: with two dims in each other's place before that.

x = (weights @ v).flatten(2)                  # [batch, heads, time, size]
x = (weights @ v).transpose(1, 2).flatten(2)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken, is_torch
from fx_lsp.analysis.mends._parameters import called

_MERGES = {"flatten": "flatten", "reshape": "reshape", "view": "reshape"}
_TURNS = (".transpose(1, 2)", ".transpose(-2, -1)")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of what is merged by a method, itself or by its name; what is turned has no view."""
    for key in ("0", "input", "query"):
        source, node = broken.origin(broken.written.get(key))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) in _MERGES:
            if is_torch(node.func.value):
                yield from (_text.suffixed(source, given, turn) for given in node.args[:1] for turn in _TURNS)
                continue
            for turn in _TURNS:
                text = f"{_text.alone(source, node.func.value)}{turn}.{_MERGES[called(node)]}"
                yield Edit(f"Use {_text.title(text)}", source.path, _text.instead(source, node.func, text))


_CAUSES = ("linear-features", "norm-features", "recurrent-features", "attention-sizes", "broadcast-sizes",
           "conv-channels", "cat-sizes", "matmul-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
