"""Sizes in space that do not fit, of a convolution with a dilation that its padding does not know.

nn.Conv2d(cin, cout, k, padding=k // 2, dilation=dilation)  # meant is `dilation * (k // 2)`
nn.Conv2d(cin, cout, 3, padding=1, dilation=rate)           # meant is `rate`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called, parameters_of
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the layer that fails, of the convolutions that made an operand; then of all in the classes of the file."""
    seen: set[int] = set()
    for made in _convolutions(broken):
        padding, dilation = made.argument("padding"), made.argument("dilation")
        yield from _kept(made) if padding is None and dilation is not None and number(dilation) is None else ()
        if padding is None or dilation is None or isinstance(padding, ast.Tuple | ast.List) or id(padding) in seen:
            continue
        seen.add(id(padding))
        own = {ast.unparse(one) for one in walk(padding)}
        if ast.unparse(dilation) not in own and number(dilation) is None:
            fixed = isinstance(padding, ast.Constant)
            times = _text.written(made.source, padding) if fixed else _text.alone(made.source, padding)
            both = f"{_text.alone(made.source, dilation)} * {times}"
            both = _text.written(made.source, dilation) if number(padding) == 1 else both
            name = _text.title(_text.written(made.source, made.node.func))
            title = f"Change padding of {name} to {_text.title(both)}, line {padding.lineno}"
            yield Edit(title, made.source.path, _text.instead(made.source, padding, both))


def _kept(made: Made) -> Iterator[Edit]:
    """What its class keeps of the kernel to pad by, as often as it is dilated."""
    kernel, dilation = made.argument("kernel_size"), made.argument("dilation")
    owner = around(made.source, made.node)[0]
    if not isinstance(kernel, ast.Name) or not isinstance(dilation, ast.Name) or owner is None:
        return
    for one in (part for part in walk(owner) if isinstance(part, ast.Assign)):
        names = {part.id for part in walk(one.value) if isinstance(part, ast.Name)}
        if isinstance(one.value, ast.BinOp) and kernel.id in names and dilation.id not in names:
            text = f"{_text.alone(made.source, one.value)} * {dilation.id}"
            title = f"Use {_text.title(text)}, line {one.lineno}"
            yield Edit(title, made.source.path, _text.instead(made.source, one.value, text))


def _convolutions(broken: Broken) -> Iterator[Made]:
    for (node, _), _, differ in pairs(broken):
        yield from map(broken.making, broken.origins(node)) if node is not None and differ else ()
    yield from broken.made
    for source, owner in broken.classes:
        for call in (one for one in walk(owner) if isinstance(one, ast.Call) and "Conv" in called(one)):
            yield Made(source, call, parameters_of(source, call), {}, files=broken.files)


MEND = Mend(frozenset({"cat-sizes", "broadcast-sizes", "conv-kernel"}), propose)
