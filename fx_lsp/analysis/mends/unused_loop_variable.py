"""Sizes that do not fit, where layers are made in a loop of which one variable is never used: so many times a size.

[nn.Conv2d(channels, 4, 1) for channels, anchors in pairs]  # meant is `4 * anchors`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import walk

MAX_FOUND = 6


def propose(broken: Broken) -> Iterator[Edit]:
    """In the classes that led there, then in the others of their files: the second size of each call first."""
    yield from islice(_found(broken), MAX_FOUND)


def _found(broken: Broken) -> Iterator[Edit]:
    for source, owner in broken.classes:
        for loop in (one for one in walk(owner) if isinstance(one, ast.ListComp | ast.GeneratorExp)):
            targets = [part for one in loop.generators for part in walk(one.target) if isinstance(part, ast.Name)]
            used = {one.id for one in walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            unused = [one.id for one in targets if one.id not in used and not one.id.startswith("_")]
            call = loop.elt if isinstance(loop.elt, ast.Call) and len(targets) > 1 else None
            for name in unused if call is not None else ():
                sizes = call.args if call is not None else []
                for one in (*sizes[1:2], *sizes[:1]):
                    old = _text.written(source, one) if isinstance(one, ast.Constant) else _text.alone(source, one)
                    text = f"{name} * {old}"
                    title = f"Use `{text}` in place of {_text.title(_text.written(source, one))}, line {one.lineno}"
                    yield Edit(title, source.path, _text.instead(source, one, text))


_CAUSES = ("broadcast-sizes", "cat-sizes", "loss-sizes", "view-elements", "linear-features", "conv-channels")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
