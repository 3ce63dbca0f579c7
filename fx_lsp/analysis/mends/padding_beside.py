"""Sizes in space that do not fit, where one of two convolutions beside each other has no padding: that of the other.

nn.Sequential(nn.Conv2d(8, 8, kernel, padding=padding), nn.GELU(), nn.Conv2d(8, 8, kernel))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._parameters import PARAMETERS, called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """In each class, where two have the same kernel in the same function."""
    shapes = [one.shape for one in broken.call.tensors]
    if broken.cause == "broadcast-sizes" and all(
        len(one or ()) < len(("batch", "channels", "places")) for one in shapes
    ):
        return
    for source, owner in broken.classes:
        made = [*convolutions(source, owner), *_helped(source, owner)]
        for one in made:
            padded = [_padding(one, other) for other in made if other is not one]
            text = next((text for text in padded if text), None)
            if one.argument("padding") is None and text is not None:
                yield from one.added(f"padding={text}")


def convolutions(source: Source, owner: ast.ClassDef) -> Iterator[Made]:
    """Those that a class makes."""
    for call in walk(owner):
        if isinstance(call, ast.Call) and called(call).startswith("Conv") and "Transpose" not in called(call):
            yield Made(source, call, PARAMETERS.get(called(call), ()), {})


def _helped(source: Source, owner: ast.ClassDef) -> Iterator[Made]:
    """Those that a function of the file makes, which takes a kernel and a padding."""
    for call in walk(owner):
        if not isinstance(call, ast.Call) or not any(one.arg == "kernel_size" for one in call.keywords):
            continue
        helpers = [one for one in source.every(ast.FunctionDef) if one.name == called(call) != "__init__"]
        given = [{one.arg for one in walk(helper.args) if isinstance(one, ast.arg)} for helper in helpers]
        if any({"kernel_size", "padding"} <= one for one in given):
            yield Made(source, call, (), {})


def _padding(one: Made, other: Made) -> str:
    """What the other one has, made in the same function with the same kernel; half of a kernel where it has that."""
    own, beside = one.argument("kernel_size"), other.argument("kernel_size")
    given = other.argument("padding")
    if own is None or beside is None or given is None or called(one.node) != called(other.node):
        return ""
    if innermost(one.source, one.node) is not innermost(other.source, other.node):
        return ""
    size, half = number(own), number(given)
    halves = size is not None and size % 2 == 1 and size > 1 and half is not None and half * 2 + 1 == number(beside)
    same = ast.unparse(own) == ast.unparse(beside)
    return ast.unparse(given) if same else str(size // 2) if halves and size is not None else ""


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes", "conv-kernel"}), propose)
