"""Dims that were merged for a layer, and are wanted apart again: what the layer makes taken apart.

x = self.cnn(clips.flatten(0, 1))                                # [batch * time, size]
x = self.cnn(clips.flatten(0, 1)).unflatten(0, clips.shape[:2])  # [batch, time, size]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.source import Source, walk

_VIEWS = ("view", "reshape")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand, or what it is a part of: where its name is bound, else where it is used."""
    for key in broken.written:
        node = broken.place(-1, key)
        while isinstance(node, ast.Subscript):
            node = node.value
        source, value = broken.origin(node)
        if value is None or (isinstance(value, ast.Call) and called(value) in ("unflatten", *_VIEWS)):
            continue
        for suffix in _suffixes(source, value):
            yield _text.suffixed(source, value, suffix)


def _suffixes(source: Source, value: ast.expr) -> Iterator[str]:
    """What undoes each merging inside it."""
    for one in walk(value):
        if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute):
            continue
        inner = _text.alone(source, one.func.value)
        if called(one) == "flatten" and [ast.unparse(part) for part in one.args] == ["0", "1"]:
            yield f".unflatten(0, {inner}.shape[:2])"
        first = one.args[0] if called(one) in _VIEWS and len(one.args) > 1 else None
        if isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mult):
            sizes = [_text.written(source, part) for part in (first.left, first.right)]
            yield f".unflatten(0, ({', '.join(sizes)}))"


_CAUSES = ("linear-features", "norm-features", "recurrent-features", "attention-sizes", "broadcast-sizes", "dim-range",
           "conv-channels", "conv-dims", "cat-sizes", "matmul-sizes", "loss-sizes", "view-elements", "unpack-dims",
           "index-range", "einsum-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
