"""Sizes that do not fit, where a variable is made nearly as another one is: made in the same way.

q = self.q(x).view(b, t, h, -1).transpose(1, 2)
k = self.k(x).view(b, t, h, -1)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_NAME = re.compile(r"\b[a-zA-Z_]\w*\b")
_NUMBER = re.compile(r"\b\d+\b")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each variable in the expression that fails, or in those that led to it, each assignment before."""
    for source, node in ((broken.source, broken.node), *broken.callers[:2]):
        function = innermost(source, node)
        inside = walk(function) if function is not None else ()
        statements = [one for one in inside if isinstance(one, ast.Assign) and _name(one)]
        names = {one.id for one in walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        for own in (one for one in statements if _name(one) in names and one.lineno <= node.lineno):
            for other in (one for one in statements if _name(one) != _name(own)):
                yield from _alike(source, own.value, other.value)


def _alike(source: Source, own: ast.expr, other: ast.expr) -> Iterator[Edit]:
    """One step more, one less, other numbers, or another keyword."""
    yield from _keywords(source, own, other)
    text, there = _text.written(source, own), _text.written(source, other)
    inner, outer = _inner(own), _inner(other)
    if outer is not None and _shape(outer) == _shape(own):
        suffix = there[len(_text.written(source, outer)) :]
        yield Edit(f"Use {_text.title(text + suffix)}", source.path, _text.after(source, own, suffix))
    elif inner is not None and _shape(inner) == _shape(other):
        new = _text.written(source, inner)
        yield Edit(f"Use {_text.title(new)}", source.path, _text.instead(source, own, new))
    elif _shape(own) != _shape(other) and _NUMBER.sub("0", _shape(own)) == _NUMBER.sub("0", _shape(other)):
        numbers = iter(_NUMBER.findall(there))
        new = _NUMBER.sub(lambda match: next(numbers, match[0]), text)
        yield Edit(f"Use {_text.title(new)}", source.path, _text.instead(source, own, new))


def _keywords(source: Source, own: ast.expr, other: ast.expr) -> Iterator[Edit]:
    """A keyword as the other one has it, where the same is called with the same ones and not all of them differ."""
    if (
        not isinstance(own, ast.Call)
        or not isinstance(other, ast.Call)
        or ast.unparse(own.func) != ast.unparse(other.func)
    ):
        return
    given = [{one.arg: one.value for one in call.keywords} for call in (own, other)]
    if given[0].keys() != given[1].keys() or len(given[0]) < 2:
        return
    differ = [name for name in given[0] if ast.unparse(given[0][name]) != ast.unparse(given[1][name])]
    for name in differ if len(differ) < len(given[0]) else ():
        text = _text.written(source, given[1][name])
        title = f"Use {_text.title(text)} for `{name}`, line {own.lineno}"
        yield Edit(title, source.path, _text.instead(source, given[0][name], text))


def _inner(node: ast.expr) -> ast.expr | None:
    """What a method is called on, or an index taken of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value
    return node.value if isinstance(node, ast.Subscript) else None


def _shape(node: ast.expr) -> str:
    """How it is written, whatever things are called; a name alone is like nothing."""
    return _NAME.sub("_", ast.unparse(node)) if not isinstance(node, ast.Name) else node.id


def _name(statement: ast.Assign) -> str:
    """The one name that is bound, if it is one."""
    target = statement.targets[0]
    return target.id if len(statement.targets) == 1 and isinstance(target, ast.Name) else ""


_CAUSES = ("broadcast-sizes", "matmul-sizes", "attention-sizes", "cat-sizes", "einsum-sizes", "linear-features",
           "view-elements", "axes-pattern", "conv-channels", "norm-features", "index-range")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
