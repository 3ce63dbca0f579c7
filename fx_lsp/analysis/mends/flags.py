"""Sizes that do not fit, in a model that is made in one of two ways by a flag: the flag the other way round.

self.out_channels = in_channels * 2 if learn_sigma else in_channels  # learn_sigma is False
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._numbers import Follow
from fx_lsp.analysis.source import walk

MAX_FLAGS = 4


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the classes that led there, then of the others in their files."""
    found: dict[int, Edit] = {}
    for source, owner in broken.classes:
        for flag in _flags(owner):
            for where, value, name in Follow(source, broken.files()).flags(flag):
                title = f"Change `{name}` to `{not value.value}`, line {value.lineno}"
                found[id(value)] = Edit(title, where.path, _text.instead(where, value, str(not value.value)))
        if len(found) >= MAX_FLAGS:
            break
    yield from islice(found.values(), MAX_FLAGS)


def _flags(owner: ast.ClassDef) -> Iterator[ast.expr]:
    """What decides something by itself, as it is or turned round."""
    for one in walk(owner):
        test = one.test if isinstance(one, ast.If | ast.IfExp) else None
        plain = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
        if isinstance(plain, ast.Name | ast.Attribute):
            yield plain


_CAUSES = ("unpack-dims", "broadcast-sizes", "cat-sizes", "conv-channels", "linear-features", "norm-features",
           "matmul-sizes", "view-elements", "attention-sizes", "recurrent-features", "recurrent-state", "conv-dims",
           "loss-sizes", "einsum-sizes", "tensor-expected")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
