"""Sizes that do not fit, where a class is made in one of two ways: the condition the other way round.

if stride != 1 and inp != out:  # meant is `or`
    self.shortcut = nn.Conv2d(inp, out, 1, stride)
if inp != out:  # meant is `stride != 1 or inp != out`
    self.shortcut = nn.Conv2d(inp, out, 1, stride)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._parameters import PARAMETERS, called, passed
from fx_lsp.analysis.source import Source, walk

_OTHER: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">", ast.Gt: "<", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip


def propose(broken: Broken) -> Iterator[Edit]:
    """In the constructor of the class in which it fails."""
    owner, _ = around(broken.source, broken.node)
    functions = [one for one in (owner.body if owner is not None else ()) if isinstance(one, ast.FunctionDef)]
    for function in (one for one in functions if one.name == "__init__"):
        for one in walk(function):
            test = (
                one.test if isinstance(one, ast.If | ast.IfExp) else one.value if isinstance(one, ast.Assign) else None
            )
            ways = [*_strided(broken.source, one), *(_turned(broken.source, test) if test is not None else ())]
            for node, text in ways:
                title = f"Use {_text.title(text)} in place of {_text.title(_text.written(broken.source, node))}"
                yield Edit(title, broken.source.path, _text.instead(broken.source, node, text))


def _strided(source: Source, node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Also where the layer that is made has a stride that is not 1."""
    if not isinstance(node, ast.If | ast.IfExp):
        return
    known = {one.id for one in walk(node.test) if isinstance(one, ast.Name)}
    inside = [one for part in (node.body if isinstance(node.body, list) else [node.body]) for one in walk(part)]
    for call in (one for one in inside if isinstance(one, ast.Call)):
        given = passed(call, PARAMETERS.get(called(call), ())).get("stride")
        if isinstance(given, ast.Name) and given.id not in known:
            known.add(given.id)
            yield node.test, f"{given.id} != 1 or {_text.written(source, node.test)}"


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
