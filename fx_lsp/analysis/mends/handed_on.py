"""Sizes that do not fit, where a constructor has a number that a part of it takes too, and does not hand it on.

def __init__(self, features, heads=8):
    self.first = Layer(features, 16)  # heads is 4 there; meant is `Layer(features, 16, heads=heads)`
    self.second = Layer(16 * heads, 7)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._classes import defined
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 4


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the classes that led there; first what their constructors compute sizes with."""
    found = [one for source, owner in broken.owners for one in _left_out(broken, source, owner)]
    found.sort(key=lambda one: not one[0])
    yield from islice((edit for _, edit in found), MAX_FOUND)


def _left_out(broken: Broken, source: Source, owner: ast.ClassDef) -> Iterator[tuple[bool, Edit]]:
    """Whether sizes are computed with the parameter, and the call with it."""
    function = _constructor(owner)
    given = _parameters(function) if function is not None else {}
    for call in (one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Call)):
        there = defined(called(call), source, broken.files)
        part = _constructor(there[1]) if there is not None else None
        if part is None or there is None or there[1] is owner or any(one.arg is None for one in call.keywords):
            continue
        taken = _parameters(part)
        told = {*[*taken][: len(call.args)], *(one.arg for one in call.keywords)}
        for name in given:
            if taken.get(name) and name not in told and not any(isinstance(one, ast.Starred) for one in call.args):
                yield from ((_computed(function, name), edit) for edit in _with(source, call, name))


def _constructor(owner: ast.ClassDef) -> ast.FunctionDef | None:
    return next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)


def _parameters(function: ast.FunctionDef) -> dict[str, bool]:
    """Names, without `self`, and whether each has a default that is a number."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(plain) - len(given.defaults)), *given.defaults, *given.kw_defaults]
    pairs = [*zip([*plain, *given.kwonlyargs], defaults, strict=True)][1:]
    return {one.arg: isinstance(default, ast.Constant) and type(default.value) is int for one, default in pairs}


def _computed(function: ast.FunctionDef | None, name: str) -> bool:
    """Whether it is a factor of a size in the constructor."""
    products = (one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.BinOp))
    return any(isinstance(part, ast.Name) and part.id == name for one in products for part in (one.left, one.right))


def _with(source: Source, call: ast.Call, name: str) -> Iterator[Edit]:
    changes = _text.added(source, call, f"{name}={name}")
    if changes is not None:
        title = f"Hand `{name}` on to {_text.title(ast.unparse(call.func))}, line {call.lineno}"
        yield Edit(title, source.path, changes)


_CAUSES = ("broadcast-sizes", "cat-sizes", "conv-channels", "linear-features", "norm-features", "matmul-sizes",
           "view-elements", "attention-sizes", "recurrent-features", "conv-dims")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
