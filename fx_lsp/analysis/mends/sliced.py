"""Sizes that do not fit, where one operand is cut to a length: cut to that of the other, or not at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._pairs import pairs


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each operand that is cut, by itself or by its name, in the dims in which they differ."""
    for (node, shape), (other, wanted), differ in pairs(broken):
        yield from _beside(broken, node, other)
        source, held = broken.origin(node)
        if not isinstance(held, ast.Subscript):
            continue
        cut = _cut(held, len(shape))
        for dim, back in differ:
            part = cut.get(dim % len(shape))
            if part is None or part.step is not None or (part.lower is None and part.upper is None):
                continue
            start = f"{_text.written(source, part.lower)}:" if part.lower is not None else ":"
            named = isinstance(other, ast.Name) and source is broken.source
            end = f"{other.id}.size({back % len(wanted)})" if named and isinstance(other, ast.Name) else wanted[back]
            for text in (f": {end}", start if part.upper is not None else ":"):
                yield Edit(f"Cut at {_text.title(f'[{text}]')}", source.path, _text.instead(source, part, text))


def _beside(broken: Broken, node: ast.expr | None, other: ast.expr | None) -> Iterator[Edit]:
    """Of two parts of the same: cut in the same dim, `x[:, 1:] - x[:, :-1]`."""
    if not isinstance(node, ast.Subscript) or not isinstance(other, ast.Subscript):
        return
    parts, there = (one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice] for one in (node, other))
    cuts = [[place for place, part in enumerate(one) if broken.text(part) != ":"] for one in (parts, there)]
    plain = all(isinstance(part, ast.Slice) for part in (*parts, *there))
    same = broken.text(node.value) == broken.text(other.value)
    if plain and same and len(cuts[0]) == len(cuts[1]) == 1 and cuts[0] != cuts[1]:
        text = ", ".join([*[":"] * cuts[1][0], broken.text(parts[cuts[0][0]])])
        yield from broken.instead(node.slice, (text,))


def _cut(node: ast.Subscript, rank: int) -> dict[int, ast.Slice]:
    """The slices of an index, by the dim of what it makes."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    kept = [part for part in parts if isinstance(part, ast.Slice) or _is_constant(part, None, ...)]
    if len(kept) != sum(isinstance(part, ast.Slice) or not _is_number(part) for part in parts):
        return {}
    dots = next((place for place, part in enumerate(kept) if _is_constant(part, ...)), None)
    first = kept if dots is None else kept[:dots]
    last = [] if dots is None else kept[dots + 1 :]
    placed = [*enumerate(first), *((rank - len(last) + place, part) for place, part in enumerate(last))]
    return {dim: part for dim, part in placed if isinstance(part, ast.Slice)}


def _is_constant(part: ast.expr, *values: object) -> bool:
    return isinstance(part, ast.Constant) and part.value in values


def _is_number(part: ast.expr) -> bool:
    plain = part.operand if isinstance(part, ast.UnaryOp) else part
    return isinstance(plain, ast.Constant) and type(plain.value) is int


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes", "matmul-sizes"}), propose)
