"""Sizes that do not fit, where a function on the way was given another field of a configuration than is meant.

cos, sin = frequencies(cfg.dim, cfg.length)  # meant is `cfg.head_dim`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._origin import PARAMETER
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.source import Source, walk

MAX_FOUND = 6
_INPUTS = ("in_features", "in_channels", "input_size", "num_features", "normalized_shape", "embed_dim")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each call on the way, the nearest first: fields whose names share a word, those used beside it first."""
    yield from islice(_others(broken), MAX_FOUND)


def _others(broken: Broken) -> Iterator[Edit]:
    sources = {one.path: one for one in (broken.source, *broken.files())}
    for source, node in _given(broken):
        for other in _alike(node, [source, *sources.values()]):
            text = f"{_text.written(source, node.value)}.{other}"
            title = f"Use {_text.title(text)} in place of {_text.title(ast.unparse(node))}, line {node.lineno}"
            yield Edit(title, source.path, _text.instead(source, node, text))


def _given(broken: Broken) -> Iterator[tuple[Source, ast.Attribute]]:
    """Of functions on the way; of the layers that made the operands, and of the one that fails, their sizes."""
    for step in path(broken):
        if isinstance(step.node, ast.Call) and not called(step.node)[:1].isupper():
            yield from ((step.source, one) for one in _fields(step.node, step.node.args))
    made = [(made, name) for made in broken.made[:1] for name in _INPUTS]
    for node in broken.written.values():
        made += [(broken.making(one), one.output(-1)) for one in broken.origins(node) if one.target != PARAMETER]
    for one, name in made:
        size = one.argument(name)
        yield from ((one.source, part) for part in _fields(one.node, [size])) if size is not None else ()


def _fields(call: ast.Call, given: Sequence[ast.expr]) -> list[ast.Attribute]:
    """Those that are given as they are: no method, and no tensor that one is called on."""
    roots = [one.func for one in walk(call) if isinstance(one, ast.Call)]
    methods = {id(part) for one in roots for part in walk(one)}
    inside = [part for one in given for part in walk(one)]
    return [one for one in inside if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
            and isinstance(one.ctx, ast.Load) and id(one) not in methods]  # fmt: skip


def _alike(node: ast.Attribute, sources: list[Source]) -> list[str]:
    """Other fields of something that is called alike."""
    words, found, own = {*node.attr.split("_")}, dict[str, None](), ast.unparse(node.value) == "self"
    for source in sources[:1] if own else sources:
        owner = around(source, node)[0] if own else None
        inside = [*walk(owner)] if owner is not None else [*source.every(ast.Attribute), *source.every(ast.Call)]
        layers = {id(one.func) for one in inside if isinstance(one, ast.Call)}
        called_so = {one.attr for one in inside if isinstance(one, ast.Attribute) and id(one) in layers}
        for one in inside:
            alike = isinstance(one, ast.Attribute) and ast.unparse(one.value) == ast.unparse(node.value)
            if isinstance(one, ast.Attribute) and alike and one.attr not in (node.attr, *called_so):
                found.setdefault(one.attr)
    return [one for one in found if words & {*one.split("_")}]


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "einsum-sizes", "view-elements", "expand-sizes",
           "linear-features", "conv-channels", "norm-features", "recurrent-features", "attention-sizes")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
