"""Samples of different lengths that are padded by one number each, where it is how long all of them are to be.

F.pad(x, (0, longest))  # meant is `(0, longest - x.shape[-1])`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import listed
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """By the rest, at the end of each dim."""
    joined = broken.place(0, "tensors")
    given = [value for _, value in listed(broken.source, joined)] if isinstance(joined, ast.Name) else []
    nodes = [(step.source, step.node) for step in path(broken)]
    nodes += [(broken.source, one) for one in (joined, *given) if one is not None]
    for source, call in {id(call): (source, call) for source, node in nodes for call in _pads(node)}.values():
        yield from _by_the_rest(source, call)


def _pads(node: ast.AST) -> Iterator[ast.Call]:
    return (one for one in walk(node) if isinstance(one, ast.Call) and called(one) == "pad" and len(one.args) > 1)


def _by_the_rest(source: Source, call: ast.Call) -> Iterator[Edit]:
    sizes = call.args[1].elts if isinstance(call.args[1], ast.Tuple | ast.List) else []
    for place, size in enumerate(sizes):
        inside = [type(one) for one in ast.walk(size)]
        if place % 2 and number(size) is None and ast.Sub not in inside:
            text = f"{_text.alone(source, size)} - {_text.alone(source, call.args[0])}.shape[{-(place // 2) - 1}]"
            title = f"Use {_text.title(text)} in place of {_text.title(_text.written(source, size))}"
            yield Edit(f"{title}, line {size.lineno}", source.path, _text.instead(source, size, text))


MEND = Mend(frozenset({"cat-sizes"}), propose, sure=True)
