"""Features that do not fit, of a part of a sequence that is made with another size than the part before: with that one.

nn.Sequential(Block(width, 2 * width), Scale(width), Block(2 * width, width))  # meant is `Scale(2 * width)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.source import Source, walk

MAX_DEPTH = 2
_SIZES = (ast.Name, ast.Attribute, ast.BinOp)


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the parts that the layer is or is in: what the one before is given, the last first."""
    for made in (part for one in broken.made for part in _parts(one, MAX_DEPTH)):
        own = made.node.args[0] if made.node.args else None
        before = _before(made.source, made.node) if isinstance(own, _SIZES) else None
        if own is None or before is None:
            continue
        old = _text.written(made.source, own)
        texts = [_text.written(made.source, one) for one in reversed(before.args) if isinstance(one, _SIZES)]
        for text in dict.fromkeys(one for one in texts if one != old):
            title = f"Use {_text.title(text)} in place of {_text.title(old)}, line {own.lineno}"
            yield Edit(title, made.source.path, _text.instead(made.source, own, text))


def _parts(made: Made, depth: int) -> Iterator[Made]:
    """The layer, then what makes the class or function that makes it, where it passes on a size."""
    yield made
    names = {one.id: one for one in walk(made.node) if isinstance(one, ast.Name)} if depth else {}
    seen: set[int] = set()
    for above in (part for name in names.values() for part in made.above(name)):
        if id(above.node) not in seen:
            seen.add(id(above.node))
            yield from _parts(above, depth - 1)


def _before(source: Source, part: ast.Call) -> ast.Call | None:
    """The nearest part before it that is made with sizes."""
    for one in (*source.every(ast.Call), *source.every(ast.List)):
        parts = one.args if isinstance(one, ast.Call) else one.elts
        sized = [other for other in parts if isinstance(other, ast.Call)
                 and any(isinstance(given, _SIZES) for given in other.args)]  # fmt: skip
        for first, second in pairwise(sized):
            if second is part:
                return first
    return None


_CAUSES = ("linear-features", "conv-channels", "norm-features", "recurrent-features")
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
