"""How the size of a layer is written by what the layer before it makes: both stay what they are to each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._numbers import Follow
from fx_lsp.analysis.mends._origin import PARAMETER, Origin
from fx_lsp.analysis.mends._produced import Place, before
from fx_lsp.analysis.mends._statements import innermost


def related(broken: Broken, name: str, size: int) -> Iterator[Edit]:
    """As the nearest layer writes it that is made in the same function: `hidden // 2` of what is split into halves."""
    for made in broken.made[:1]:
        node, given = made.argument(name), broken.place(0, "input")
        origins = [*before(Place(made.source, made.callers, files=broken.files), made.node)]
        origins += broken.origins(given) if given is not None else ()
        for origin in origins[:1] if isinstance(node, ast.expr) else ():
            text = _made(broken, made, origin, size)
            if text and isinstance(node, ast.expr) and text != _text.written(made.source, node):
                shown = _text.title(_text.written(made.source, made.node.func))
                title = f"Change {name} of {shown} to {_text.title(text)}"
                yield Edit(title, made.source.path, _text.instead(made.source, node, text))


def _made(broken: Broken, made: Made, origin: Origin, wanted: int) -> str:
    """What the other layer makes, as an expression; empty where that is a number, or something else than is wanted."""
    size = broken.making(origin).argument(origin.output(-1)) if origin.target != PARAMETER else None
    near = origin.source.path == made.source.path
    if size is None or isinstance(size, ast.Constant) or not near:
        return ""
    if innermost(origin.source, origin.node) is not innermost(made.source, made.node):
        return ""
    text, wanted = _text.written(origin.source, size), wanted * origin.parts // origin.ways
    known = {*Follow(origin.source, broken.files()).known(size)}
    if wanted not in (known or {made.known.get(text, wanted)}):
        return ""
    if origin.ways > 1 and origin.parts == 1:
        return f"{origin.ways} * {_text.alone(origin.source, size)}"
    if origin.parts == 1:
        return text
    sides = (size.left, size.right) if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Mult) else ()
    halves = [sides[1 - place] for place, one in enumerate(sides)
              if isinstance(one, ast.Constant) and one.value == origin.parts]  # fmt: skip
    whole = f"{_text.alone(origin.source, size)} // {origin.parts}"
    return "" if origin.ways > 1 else _text.written(origin.source, halves[0]) if halves else whole
