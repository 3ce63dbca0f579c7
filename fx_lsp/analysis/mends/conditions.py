"""Sizes that do not fit, where a class is made in one of two ways: the condition the other way round.

if stride != 1 and inp != out:  # meant is `or`
    self.shortcut = nn.Conv2d(inp, out, 1, stride)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.source import Source

_OTHER: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">", ast.Gt: "<", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip


def propose(broken: Broken) -> Iterator[Edit]:
    """In the constructor of the class in which it fails."""
    owner, _ = around(broken.source, broken.node)
    functions = [one for one in (owner.body if owner is not None else ()) if isinstance(one, ast.FunctionDef)]
    for function in (one for one in functions if one.name == "__init__"):
        for one in ast.walk(function):
            test = (
                one.test if isinstance(one, ast.If | ast.IfExp) else one.value if isinstance(one, ast.Assign) else None
            )
            for node, text in _turned(broken.source, test) if test is not None else ():
                title = f"Use {_text.title(text)} in place of {_text.title(_text.written(broken.source, node))}"
                yield Edit(title, broken.source.path, _text.instead(broken.source, node, text))


def _turned(source: Source, test: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """`or` for `and`; `!=` for `==`."""
    if isinstance(test, ast.BoolOp):
        word = " and " if isinstance(test.op, ast.Or) else " or "
        yield test, word.join(_text.written(source, one) for one in test.values)
        for one in test.values:
            yield from _turned(source, one)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OTHER:
        sides = [_text.written(source, one) for one in (test.left, test.comparators[0])]
        yield test, f" {_OTHER[type(test.ops[0])]} ".join(sides)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield test, _text.written(source, test.operand)


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes", "conv-channels", "linear-features", "norm-features"}), propose,
            guess=True)  # fmt: skip
