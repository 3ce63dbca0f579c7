"""Sizes that do not fit, where two arguments are named after each other's parameters: in each other's place.

class Layer(nn.Module):
    def __init__(self, latent_dim, data_dim): ...
self.layer = Layer(data_dim, latent_dim)  # meant is `Layer(latent_dim, data_dim)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._classes import defined
from fx_lsp.analysis.mends._parameters import called, passed, passed_to
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the classes that led there make their parts, and where they are made themselves."""
    seen: set[int] = set()
    calls = [(source, one) for source, owner in broken.owners for one in walk(owner) if isinstance(one, ast.Call)]
    calls += [(made.source, made.node) for made in broken.made]
    for source, call in calls:
        there = defined(called(call), source, broken.files) if id(call) not in seen else None
        seen.add(id(call))
        inits = [one for one in (there[1].body if there is not None else ()) if isinstance(one, ast.FunctionDef)]
        function = next((one for one in inits if one.name == "__init__"), None)
        if function is not None:
            yield from _exchanged(source, passed(call, passed_to(function)))


def _exchanged(source: Source, given: dict[str, ast.expr]) -> Iterator[Edit]:
    names = {parameter: ast.unparse(node).rpartition(".")[2] for parameter, node in given.items()}
    for one, other in names.items():
        if one < other and names.get(other) == one:
            texts = [_text.written(source, given[name]) for name in (one, other)]
            spans = [source.span(given[name]) for name in (one, other)]
            title = f"Exchange {' and '.join(map(_text.title, texts))}, line {given[one].lineno}"
            yield Edit(title, source.path, tuple(zip(spans, reversed(texts), strict=True)))


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "linear-features", "conv-channels", "norm-features",
           "recurrent-features", "attention-sizes", "view-elements", "einsum-sizes", "embedding-ids")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
