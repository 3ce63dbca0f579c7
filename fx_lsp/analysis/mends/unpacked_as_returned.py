"""Sizes that do not fit, where results are unpacked to names in another order than they are returned in: in that one.

mu, logvar, recon = vae(images)  # `return self.decode(z), mu, logvar`
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import attribute
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

_PAIR = 2


@dataclass(frozen=True)
class Returned:
    """A tuple that a function gives back."""

    name: str
    """Of the function."""
    labels: list[str]
    source: Source
    value: ast.Tuple


def propose(broken: Broken) -> Iterator[Edit]:
    """In the functions that led there, or in the program itself, by what a function of the same files returns."""
    sources = broken.sources
    made = {one.name for source in sources for one in source.every(ast.FunctionDef)}
    gave = [*returned(sources)]
    for source, node in broken.places:
        function = innermost(source, node)
        inside = walk(function) if function is not None else source.every(ast.Assign)
        for one in inside:
            value = one.value if isinstance(one, ast.Assign) else None
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if not isinstance(value, ast.Call | ast.Name) or not isinstance(target, ast.Tuple):
                continue
            parts = [part for part in target.elts if isinstance(part, ast.Name)]
            names = [part.id for part in parts]
            if len(parts) != len(target.elts):
                continue
            for back in (back for back in gave if _gave(back, value, names, made)):
                ordered = _ordered(names, back.labels)
                if ordered != names:
                    title = f"Unpack {_text.title(', '.join(ordered))}, line {target.lineno}"
                    both = zip(parts, ordered, strict=True)
                    changes = [(source.span(part), name) for part, name in both if part.id != name]
                    yield Edit(title, source.path, tuple(changes))
                    yield from _turned(back, names, ordered)


def returned(sources: Iterable[Source]) -> Iterator[Returned]:
    """Each tuple that a function of these files gives back."""
    for source in sources:
        for one in source.every(ast.Return):
            around = innermost(source, one) if isinstance(one.value, ast.Tuple) else None
            if isinstance(one.value, ast.Tuple) and around is not None:
                yield Returned(around.name, [label(part) for part in one.value.elts], source, one.value)


def _function(call: ast.Call, made: set[str]) -> str:
    """What is called, where these files have it; else it may be a model, by a variable or an attribute."""
    plain = isinstance(call.func, ast.Name) or attribute(call.func) is not None
    return called(call) if called(call) in made else "forward" if plain else ""


def _turned(back: Returned, names: list[str], ordered: list[str]) -> Iterator[Edit]:
    """What is given back in the order in which it is unpacked, for all that unpack it."""
    if len({*names}) < len(names):
        return
    texts = [_text.written(back.source, back.value.elts[ordered.index(name)]) for name in names]
    changes = tuple((back.source.span(part), text) for part, text in zip(back.value.elts, texts, strict=True)
                    if _text.written(back.source, part) != text)  # fmt: skip
    yield Edit(f"Return {_text.title(', '.join(texts))}", back.source.path, changes)


def _gave(back: Returned, value: ast.Call | ast.Name, names: list[str], made: set[str]) -> bool:
    """Whether it is what the call gives; what a function was given, where it has all names that are unpacked."""
    if isinstance(value, ast.Call):
        return back.name == _function(value, made)
    return len(names) > _PAIR and sorted(names) == sorted(back.labels)


def _ordered(names: list[str], labels: list[str]) -> list[str]:
    """The names where they are returned, the others in their order; as they are where too few of them are."""
    known = [name for name in names if labels.count(name) == 1 and names.count(name) == 1]
    # Of a pair one is enough.
    if len(names) != len(labels) or len(known) < (_PAIR if len(names) > _PAIR else 1):
        return names
    others = iter(name for name in names if name not in known)
    return [label if label in known else next(others) for label in labels]


def label(node: ast.expr) -> str:
    """What a result is called: a variable, an attribute, or what makes it."""
    if isinstance(node, ast.Call):
        return called(node)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "linear-features", "conv-channels", "norm-features",
           "loss-sizes", "attention-sizes", "recurrent-state", "loss-dtypes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
