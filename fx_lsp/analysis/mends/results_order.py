"""Sizes or types that do not fit, where several things are put together in another order than they are taken apart.

return deep, middle, shallow            # meant is `shallow, middle, deep`
stored = (self.text, self.length)       # length, text = stored
for map, size in zip(maps, sizes): ...  # meant is `maps[::-1]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import listed
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._shapes import neighbours_swapped
from fx_lsp.analysis.mends._statements import before
from fx_lsp.analysis.mends.unpacked_as_returned import label
from fx_lsp.analysis.source import Source

MAX_PARTS = 5


def propose(broken: Broken) -> Iterator[Edit]:
    """On the way to the operands: in the order of names that are unpacked somewhere; turned round; two exchanged."""
    for step in path(broken):
        node = step.node
        if isinstance(node, ast.Tuple) and 1 < len(node.elts) <= MAX_PARTS:
            for order in _orders([label(one) for one in node.elts], broken):
                yield _ordered(step, node, order)
        elif isinstance(node, ast.Name) and _is_list(step.source, node):
            yield from _turned(step.source, node)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
            text = _text.written(step.source, node.value)
            title = f"Use {_text.title(text)} in its own order, line {node.lineno}"
            yield Edit(title, step.source.path, _text.instead(step.source, node, text))


def _orders(labels: list[str], broken: Broken) -> Iterator[list[int]]:
    """None of results that have no name of their own."""
    places = [*range(len(labels))]
    if len({*labels}) < len(labels):
        return
    for source in broken.sources:
        for one in source.every(ast.Assign):
            target = one.targets[0]
            names = [label(part) for part in target.elts] if isinstance(target, ast.Tuple) else []
            if sorted(names) == sorted(labels) and names != labels:
                yield [labels.index(name) for name in names]
    if len(places) > 2:
        yield places[::-1]
    for place in places[:-1]:
        yield neighbours_swapped(places, place)


def _ordered(step: Step, node: ast.Tuple, order: list[int]) -> Edit:
    texts = [_text.written(step.source, node.elts[place]) for place in order]
    changes = [(step.source.span(one), text) for one, text in zip(node.elts, texts, strict=True)
               if _text.written(step.source, one) != text]  # fmt: skip
    verb = "Return" if step.returned else "Use"
    return Edit(f"{verb} {_text.title(', '.join(texts))}, line {node.lineno}", step.source.path, tuple(changes))


def _turned(source: Source, name: ast.Name) -> Iterator[Edit]:
    """A list from its end on, where it is used; before that, where it is used more than once."""
    statement = before(source, name, name.id)
    if statement is not None:
        text = f"{name.id} = {name.id}[::-1]"
        yield Edit(f"Insert {_text.title(text)}", source.path, _text.before(source, statement, text))
    yield _text.suffixed(source, name, "[::-1]")


def _is_list(source: Source, name: ast.Name) -> bool:
    """Whether it is made or added to as a list in its function."""
    return any(isinstance(value, ast.List) for _, value in listed(source, name))


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "linear-features", "conv-channels", "conv-dims",
           "norm-features", "loss-sizes", "loss-dtypes", "attention-sizes", "recurrent-state", "recurrent-features",
           "index-tensor", "index-dtype", "embedding-ids", "mixed-dtypes", "einsum-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
