"""Layers made in a loop over sizes, in the wrong order or with one too many: the other way round, or another part.

for width in widths:  # the way up: meant is `reversed(widths)`
    self.up.append(Up(last, width))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import Source, walk

_PARTS: dict[tuple[int | None, int | None], tuple[str, ...]] = {(1, None): ("[:-1]", ""), (None, -1): ("[1:]", "")}
"""Cuts, by their ends, and what may be meant."""


def propose(broken: Broken) -> Iterator[Edit]:
    """In the constructors of the classes that led there, and of those in which the layer is made."""
    places = [*((one.source, one.node) for one in broken.made), *broken.places]
    seen: set[int] = set()
    for source, node in places:
        owner, _ = around(source, node)
        for function in owner.body if owner is not None and id(owner) not in seen else ():
            if isinstance(function, ast.FunctionDef) and (function.name == "__init__" or _around(function, node)):
                for held in sorted(_held(function), key=lambda one: isinstance(one, ast.Attribute)):
                    for text in _others(source, held):
                        title = f"Go over {_text.title(text)} in place of {_text.title(_text.written(source, held))}"
                        yield Edit(title, source.path, _text.instead(source, held, text))
        seen.add(id(owner))


def _around(function: ast.FunctionDef, node: ast.expr | ast.stmt) -> bool:
    """Whether what led there is in a loop over several things at once: of which one may be the other way round."""
    loops = [one for one in walk(function) if isinstance(one, ast.For) and isinstance(one.iter, ast.Call)]
    return any(one.lineno <= node.lineno <= (one.end_lineno or 0) and called(one.iter) == "zip"
               for one in loops if isinstance(one.iter, ast.Call))  # fmt: skip


def _held(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What loops go over."""
    for one in walk(function):
        if isinstance(one, ast.For | ast.comprehension):
            yield from _lists(one.iter)


def _lists(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and called(node) in ("zip", "enumerate"):
        for one in node.args:
            yield from _lists(one)
    elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or (
        isinstance(node, ast.Call) and called(node) == "reversed" and len(node.args) == 1
    ):
        yield node


def _others(source: Source, held: ast.expr) -> Iterator[str]:
    inner = held.args[0] if isinstance(held, ast.Call) else held
    text = _text.written(source, inner)
    yield text if isinstance(held, ast.Call) else f"reversed({text})"
    if isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Slice) and inner.slice.step is None:
        ends = number(inner.slice.lower), number(inner.slice.upper)
        whole = _text.written(source, inner.value)
        for cut in _PARTS.get(ends, ()):
            yield f"reversed({whole}{cut})" if isinstance(held, ast.Call) else f"{whole}{cut}"


_CAUSES = ("conv-channels", "linear-features", "norm-features", "cat-sizes")
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
