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
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source


def propose(broken: Broken) -> Iterator[Edit]:
    """In each class, where two have the same kernel in the same function."""
    shapes = [one.shape for one in broken.call.tensors]
    if broken.cause == "broadcast-sizes" and all(
        len(one or ()) < len(("batch", "channels", "places")) for one in shapes
    ):
        return
    for source, owner in broken.classes:
        made = [*convolutions(source, owner)]
        for one in made:
            padded = [other.argument("padding") for other in made if other is not one and _alike(one, other)]
            text = next((ast.unparse(node) for node in padded if node is not None), None)
            if one.argument("padding") is None and text is not None:
                yield from one.added(f"padding={text}")


def convolutions(source: Source, owner: ast.ClassDef) -> Iterator[Made]:
    """Those that a class makes."""
    for call in ast.walk(owner):
        name = called(call) if isinstance(call, ast.Call) else ""
        sized = isinstance(call, ast.Call) and any(one.arg == "kernel_size" for one in call.keywords)
        # A function that makes one is named like it: `self.depthwise_conv(8, 8, kernel_size=3, padding=1)`.
        made = name.startswith("Conv") or ("conv" in name.lower() and sized)
        if isinstance(call, ast.Call) and made and "transpose" not in name.lower():
            yield Made(source, call, PARAMETERS.get(name, ()), {})


def _alike(one: Made, other: Made) -> bool:
    """Whether they are made in the same function, with the same kernel."""
    kernels = [made.argument("kernel_size") for made in (one, other)]
    if kernels[0] is None or kernels[1] is None or called(one.node) != called(other.node):
        return False
    own = innermost(one.source, one.node) is innermost(other.source, other.node)
    return own and ast.unparse(kernels[0]) == ast.unparse(kernels[1])


MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes"}), propose)
