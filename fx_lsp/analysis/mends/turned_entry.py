"""A layer of a sequence that is given dims in another order: an entry that turns them back, as another one turned them.

nn.Sequential(
    Permute([0, 2, 3, 1]),  # without it
    nn.LayerNorm(dim),
    Permute([0, 3, 1, 2]),
)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import entries
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import Source, walk
from fx_lsp.model.span import Span

MAX_BEFORE = 3
"""Entries before which it may stand: the layer, then those before it."""


def propose(broken: Broken) -> Iterator[Edit]:
    """What undoes each turn in the sequence of the layer, then the turn itself; right before the layer first."""
    for made in broken.made:
        for given, place in _sequences(made):
            turns = list(dict.fromkeys(text for one in given for text in _turns(made.source, one)))
            for before in range(place, max(place - MAX_BEFORE, -1), -1):
                for text in turns:
                    yield _inserted(made.source, given[before], text)


def _sequences(made: Made) -> Iterator[tuple[list[ast.expr], int]]:
    for call in made.source.every(ast.Call):
        given = entries(call)
        places = [place for place, one in enumerate(given) if any(part is made.node for part in walk(one))]
        if places and len(given) > 1 and call is not made.node:
            yield given, places[0]


def _turns(source: Source, entry: ast.expr) -> list[str]:
    """What undoes an entry that only turns dims, and the entry as it is written."""
    if not isinstance(entry, ast.Call) or not entry.args:
        return []
    first, head, own = entry.args[0], _text.written(source, entry.func), _text.written(source, entry)
    if isinstance(first, ast.Constant) and isinstance(first.value, str) and len(entry.args) == 1:
        left, arrow, right = first.value.partition("->")
        plain = bool(arrow) and sorted(left.split()) == sorted(right.split()) and not set("().") & set(first.value)
        quote = _text.written(source, first)[-1:]
        return [f"{head}({quote}{right.strip()} -> {left.strip()}{quote})", own] if plain else []
    nodes = first.elts if isinstance(first, ast.List | ast.Tuple) and len(entry.args) == 1 else entry.args
    dims = [dim for one in nodes if (dim := number(one)) is not None]
    if len(dims) != len(nodes) or len(dims) < 3 or sorted(dims) != list(range(len(dims))):
        return []
    back = ", ".join(str(dims.index(dim)) for dim in range(len(dims)))
    ends = ("", "") if nodes is entry.args else ("[", "]") if isinstance(first, ast.List) else ("(", ")")
    return [f"{head}({ends[0]}{back}{ends[1]})", own]


def _inserted(source: Source, entry: ast.expr, text: str) -> Edit:
    span = source.span(entry)
    start = Span(span.path, span.line, span.column, span.line, span.column)
    title = f"Insert {_text.title(text)} before {_text.title(_text.written(source, entry))}"
    return Edit(title, source.path, ((start, f"{text}, "),))


MEND = Mend(frozenset({"norm-features", "conv-channels", "linear-features", "recurrent-features"}), propose)
