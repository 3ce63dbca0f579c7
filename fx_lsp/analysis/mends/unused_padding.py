"""Sequences that do not fit, where a convolution shortens them and a padding that was computed is used nowhere.

self.left = (kernel_size - 1) * dilation  # nothing reads it; meant is `F.pad(x, (self.left, 0))`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.source import Source, walk

_SEQUENCES = 3
"""Dims of a batch of them."""


def propose(broken: Broken) -> Iterator[Edit]:
    """What is called in the class that computed it is padded at its start, or at both ends."""
    if not any(one.shape is not None and len(one.shape) == _SEQUENCES for one in broken.call.operands):
        return
    for step in path(broken):
        owner = around(step.source, step.node)[0]
        functional = imported(step.source, "torch.nn.functional")
        call = step.node if isinstance(step.node, ast.Call) and len(step.node.args) == 1 else None
        if owner is None or call is None or not functional or not _own(call):
            continue
        for name, whole in _unread(step.source, owner):
            ways = f"(self.{name}, 0)", f"(self.{name}, self.{name})", f"self.{name}"
            for ends in reversed(ways) if whole else ways[:2]:
                text = f"{functional}.pad({_text.written(step.source, call.args[0])}, {ends})"
                title = f"Use {_text.title(text)}"
                yield Edit(title, step.source.path, _text.instead(step.source, call.args[0], text))


def _own(call: ast.Call) -> bool:
    """`super().forward(x)`, `self.conv(x)`."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    return (isinstance(held, ast.Call) and getattr(held.func, "id", "") == "super") or getattr(held, "id", "") == "self"


def _unread(source: Source, owner: ast.ClassDef) -> list[tuple[str, bool]]:
    """What its constructor computes as an attribute, or is given as a padding, and nothing in the file reads; whether
    it is the second."""
    read = {one.attr for one in source.every(ast.Attribute) if isinstance(one.ctx, ast.Load)}
    bound = [one for one in walk(owner) if isinstance(one, ast.Assign)]
    both = [(target, one.value) for one in bound if isinstance(target := one.targets[0], ast.Attribute)]
    return [(target.attr, isinstance(value, ast.Name)) for target, value in both if target.attr not in read
            and (isinstance(value, ast.BinOp) or (isinstance(value, ast.Name) and "pad" in target.attr))]  # fmt: skip


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes"}), propose, sure=True)
