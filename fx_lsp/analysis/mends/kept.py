"""Sizes that cannot be broadcast, where one operand was summed or the like: with the dim kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, attribute
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import arguments
from fx_lsp.analysis.mends.reduced import REDUCING
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Of what has fewer dims than another operand, in what its name or attribute is bound to."""
    given = [(str(key), one.shape) for key, one in (*enumerate(broken.call.operands), *broken.call.named.items())]
    most = max((len(shape) for _, shape in given if shape is not None), default=0)
    for key, shape in given:
        node = broken.place(-1, key)
        if node is None or not shape or len(shape) >= most:
            continue
        source, held = broken.origin(node)
        name = attribute(node)
        found = assigned(broken.source, node, name) if name is not None else [held] if held is not None else []
        for one in found:
            yield from _kept(source, one)


def _kept(source: Source, node: ast.expr) -> Iterator[Edit]:
    for call in (one for one in walk(node) if isinstance(one, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name not in REDUCING or any(one.arg == "keepdim" for one in call.keywords):
            continue
        given = arguments(call)
        last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0), default=None)
        if last is not None and not isinstance(last, ast.Starred):
            text = f"{_text.written(source, last)}, keepdim=True"
            yield Edit(f"Keep the dim of {_text.title(name)}", source.path, _text.instead(source, last, text))


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
