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

_SIZES = (ast.Name, ast.Attribute, ast.BinOp)


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the parts that the layer is or is in: what the one before is given, the last first."""
    calls = [(source, node) for made in broken.made for source, node in ((made.source, made.node), *made.callers)]
    for source, part in calls:
        before = _before(broken, part) if isinstance(part, ast.Call) and part.args else None
        own = part.args[0] if isinstance(part, ast.Call) and part.args else None
        if before is None or not isinstance(own, _SIZES):
            continue
        texts = [_text.written(source, one) for one in reversed(before.args) if isinstance(one, _SIZES)]
        for text in dict.fromkeys(texts):
            if text != _text.written(source, own):
                title = (
                    f"Use {_text.title(text)} in place of {_text.title(_text.written(source, own))}, line {own.lineno}"
                )
                yield Edit(title, source.path, _text.instead(source, own, text))


def _before(broken: Broken, part: ast.Call) -> ast.Call | None:
    """The nearest part before it that is made with sizes."""
    for source in {source.path: source for source, _ in broken.places}.values():
        for one in (*source.every(ast.Call), *source.every(ast.List)):
            parts = one.args if isinstance(one, ast.Call) else one.elts
            sized = [other for other in parts if isinstance(other, ast.Call)
                     and any(isinstance(given, _SIZES) for given in other.args)]  # fmt: skip
            for first, second in pairwise(sized):
                if second is part:
                    return first
    return None


_CAUSES = ("linear-features", "conv-channels", "norm-features", "recurrent-features")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
