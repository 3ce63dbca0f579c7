"""Sizes in space that do not fit, where a convolution has a padding by which maps shrink: the one by which they do not.

nn.Conv2d(inp, out, kernel_size=3, stride=stride, padding=0, dilation=dilation)  # meant is `padding=dilation`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._parameters import PARAMETERS, called
from fx_lsp.analysis.mends._places import number

MAX_LAYERS = 3
_MAPS = 3
"""Dims of the smallest batch that has places."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the files in which it fails, those whose padding is written as a number first; of functions, too."""
    shapes = [one.shape for one in broken.call.tensors]
    known = [shape for shape in shapes if shape is not None and len(shape) >= _MAPS]
    if len(known) < len(shapes) or len({shape[2:] for shape in known}) == 1:
        return
    sources = {source.path: source for source, _ in broken.places}.values()
    calls = [(source, call) for source in sources for call in source.every(ast.Call) if _convolution(call)]
    made = [Made(source, call, PARAMETERS.get(called(call), ()), {}) for source, call in calls]
    made.sort(key=lambda one: one.argument("padding") is None)
    yield from islice((edit for one in made for edit in _kept(one)), MAX_LAYERS)


def _convolution(call: ast.Call) -> bool:
    return called(call) in ("Conv1d", "Conv2d", "Conv3d")


def _kept(made: Made) -> Iterator[Edit]:
    """Half of what a kernel of a known, odd size spans."""
    kernel, padding, dilation = (made.argument(name) for name in ("kernel_size", "padding", "dilation"))
    size, half = number(kernel), (number(kernel) or 0) // 2
    if not size or size % 2 == 0 or not half or (padding is not None and number(padding) is None):
        return
    text = str(half)
    if dilation is not None:
        if not isinstance(dilation, ast.Name | ast.Attribute | ast.Constant):
            return
        text = ast.unparse(dilation) if half == 1 else f"{half} * {ast.unparse(dilation)}"
    if padding is None:
        yield from made.added(f"padding={text}")
    elif ast.unparse(padding) != text:
        yield from made.changed("padding", {"padding": text})


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes"}), propose, guess=True)
