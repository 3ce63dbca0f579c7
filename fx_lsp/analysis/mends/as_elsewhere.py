"""Sizes that do not fit, of what a function made of a size: given what is computed of that size elsewhere in the file.

cos, sin = rotary(cfg.ctx, cfg.dim)  # is met by heads of `cfg.dim // cfg.heads`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import arguments, called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.source import Source

_COMPUTED = (ast.FloorDiv, ast.Mult)


def propose(broken: Broken) -> Iterator[Edit]:
    """Each size that is given to one on the way, divided or multiplied as it is elsewhere."""
    for step in path(broken):
        for node in _sizes(step.node) if isinstance(step.node, ast.Call) else ():
            for text in dict.fromkeys(_elsewhere(step.source, node)):
                function = f"`{called(step.node)}`" if isinstance(step.node, ast.Call) else ""
                title = f"Give {_text.title(text)} to {function} in place of {_text.title(ast.unparse(node))}"
                yield Edit(title, step.source.path, _text.instead(step.source, node, text))


def _sizes(call: ast.Call) -> list[ast.expr]:
    """Of a function that is written by itself: what may be a size."""
    given = arguments(call) if isinstance(call.func, ast.Name) else []
    return [one for one in given if isinstance(one, ast.Attribute | ast.Name | ast.Subscript)]


def _elsewhere(source: Source, node: ast.expr) -> Iterator[str]:
    # A name may be another one in another function; a field of a configuration is not.
    for one in source.every(ast.BinOp) if isinstance(node, ast.Attribute | ast.Subscript) else ():
        sized = isinstance(one.op, _COMPUTED) and isinstance(one.right, ast.Name | ast.Attribute | ast.Subscript)
        if sized and ast.unparse(one.left) == ast.unparse(node):
            yield ast.unparse(one)


MEND = Mend(frozenset({"broadcast-sizes", "matmul-sizes"}), propose)
