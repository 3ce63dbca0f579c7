"""Sizes that do not fit after a pixel shuffle, which takes its factor twice out of the channels: made with both.

self.conv = nn.Conv2d(dim, out * scale, 3, padding=1)  # meant is `out * scale * scale`
self.up = nn.PixelShuffle(scale)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, attribute, subject
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._classes import held
from fx_lsp.analysis.mends._origin import PARAMETER, Origin
from fx_lsp.analysis.mends._parameters import arguments, called
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._produced import Place, before
from fx_lsp.analysis.source import Source, walk

Shuffled = tuple[Origin, Source, ast.expr]
"""A layer, and the factor by which what it makes is shuffled, in its file."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the layers before each shuffle on the way, the nearest first."""
    for origin, source, factor in (*_on_the_way(broken), *_in_sequences(broken)):
        size = broken.making(origin).argument(origin.output(-1))
        for text in _texts(origin.source, size, source, factor) if size is not None else ():
            title = f"Change {_text.title(_text.written(origin.source, size))} to {_text.title(text)}" if size else ""
            yield Edit(f"{title}, line {origin.node.lineno}", origin.source.path,
                       _text.instead(origin.source, size, text) if size is not None else ())  # fmt: skip


def _on_the_way(broken: Broken) -> Iterator[Shuffled]:
    for step in path(broken):
        if not isinstance(step.node, ast.Call):
            continue
        given, source, factor = _call(step, step.node)
        place = Place(step.source, step.callers, files=step.files)
        for origin in place.origins(given) if given is not None and factor is not None else ():
            if factor is not None and origin.target != PARAMETER:
                yield origin, source, factor


def _call(step: Step, node: ast.Call) -> tuple[ast.expr | None, Source, ast.expr | None]:
    """What is shuffled, and by what."""
    if called(node) == "pixel_shuffle":
        given = subject(step.source, node)
        rest = [one for one in arguments(node) if one is not given]
        return given, step.source, rest[0] if rest else None
    for source, made, _ in held(step.source, node.func, step.files):
        if isinstance(made, ast.Call) and called(made) == "PixelShuffle" and node.args:
            return node.args[0], source, _factor(made)
    return None, step.source, None


def _in_sequences(broken: Broken) -> Iterator[Shuffled]:
    for source in {source.path: source for source, _ in broken.places}.values():
        for made in (one for one in source.every(ast.Call) if called(one) == "PixelShuffle"):
            factor, place = _factor(made), Place(source, files=broken.files)
            yield from ((origin, source, factor) for origin in before(place, made) if factor is not None)


def _factor(made: ast.Call) -> ast.expr | None:
    given = arguments(made)
    return given[0] if given else None


def _texts(source: Source, size: ast.expr, there: Source, factor: ast.expr) -> Iterator[str]:
    """With the factor once more where it is in the size once, squared where it is not."""
    names, written = {_text.written(there, factor)}, _text.alone(source, size)
    if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Mult):
        written = _text.written(source, size)
    if (name := attribute(factor)) is not None:
        names |= {ast.unparse(one) for one in assigned(there, factor, name) if isinstance(one, ast.Name)}
    count = sum(isinstance(one, ast.Name | ast.Attribute | ast.Constant) and ast.unparse(one) in names
                for one in walk(size))  # fmt: skip
    power = any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Pow) for one in walk(size))
    plain = number(factor)
    if count == 1 and not power:
        once = next(ast.unparse(one) for one in walk(size)
                    if isinstance(one, ast.expr) and ast.unparse(one) in names)  # fmt: skip
        yield f"{written} * {once}"
    elif not count and plain is not None:
        yield f"{written} * {plain * plain}"
    elif not count:
        local = sorted(one for one in names if one.isidentifier())
        yield f"{written} * {local[0] if local else _text.alone(there, factor)}**2"


_CAUSES = ("broadcast-sizes", "cat-sizes", "conv-channels", "divided-dims", "loss-sizes", "norm-features")
MEND = Mend(frozenset(_CAUSES), propose)
