"""Sizes unlike those of a shortcut, which is projected on a condition that leaves the channels out.

if stride != 1:  # meant is `stride != 1 or cin != cout`
    self.shortcut = nn.Conv2d(cin, cout, 1, stride)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import PARAMETERS, called
from fx_lsp.analysis.source import Source, walk

_INPUTS = (("in_features",), ("in_channels",), ("in_",))
_SIZES = (ast.Name, ast.Attribute, ast.BinOp)


def propose(broken: Broken) -> Iterator[Edit]:
    """For each condition of a constructor under which a layer is made of two sizes that it does not compare.

    Only where the tensors differ in their channels, or in their features.
    """
    shapes = [one.shape for one in broken.call.tensors[:2] if one.shape]
    if len(shapes) < 2 or len(shapes[0]) != len(shapes[1]):
        return
    differ = {dim for dim, (one, other) in enumerate(zip(*shapes, strict=True)) if one != other}
    if not differ or not differ <= {1, len(shapes[0]) - 1}:
        return
    for source, owner in broken.classes:
        made = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        for one in (one for part in made for one in walk(part)):
            if not isinstance(one, ast.If | ast.IfExp) or isinstance(one.test, ast.Constant | ast.NamedExpr):
                continue
            plain = isinstance(one.test, ast.Name | ast.Attribute | ast.Compare | ast.Call | ast.UnaryOp)
            either = isinstance(one.test, ast.BoolOp) and isinstance(one.test.op, ast.Or)
            text = _text.written(source, one.test)
            for compared in _compared(source, one):
                new = f"{text if plain or either else f'({text})'} or {compared}"
                yield Edit(f"Use {_text.title(new)}", source.path, _text.instead(source, one.test, new))


def _compared(source: Source, made: ast.If | ast.IfExp) -> Iterator[str]:
    """`cin != cout` for the first layer that is made of both, where the condition has not both of them already."""
    body = made.body if isinstance(made.body, list) else [made.body]
    calls = [part for one in body for part in walk(one) if isinstance(part, ast.Call) and len(part.args) > 1]
    known = _names(made.test)
    for call in (one for one in calls if _is_layer(called(one))):
        one, other = call.args[:2]
        texts = _text.written(source, one), _text.written(source, other)
        sized = isinstance(one, _SIZES) and isinstance(other, _SIZES) and texts[0] != texts[1]
        if sized and not _names(one) | _names(other) <= known:
            yield f"{texts[0]} != {texts[1]}"
            return


def _is_layer(name: str) -> bool:
    """Whether it makes a layer of an input and an output size, as far as its name says: a class, `conv1x1`."""
    return "conv" in name.lower() or (name[:1].isupper() and PARAMETERS.get(name, ("in_",))[:1] in _INPUTS)


def _names(node: ast.expr) -> set[str]:
    """All that it reads, but `self`."""
    inside = [one for one in walk(node) if isinstance(one, ast.Name | ast.Attribute)]
    return {one.id if isinstance(one, ast.Name) else one.attr for one in inside} - {"self"}


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
