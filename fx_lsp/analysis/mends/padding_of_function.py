"""Sizes in space that do not fit, where a convolution is a function and is given no padding: as much as keeps them.

x = F.conv2d(x, kernel, bias).flatten(1)
x @ weight  # made for maps as large as the input; meant is `F.conv2d(x, kernel, bias, padding=1)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path

_STRIDE = 3


def propose(broken: Broken) -> Iterator[Edit]:
    """Each on the way, without a stride: torch refuses to keep sizes with one."""
    for step in path(broken):
        call = step.node
        if not isinstance(call, ast.Call) or called(call) not in ("conv1d", "conv2d", "conv3d"):
            continue
        given = {one.arg for one in call.keywords}
        if (
            isinstance(call.func, ast.Attribute)
            and len(call.args) <= _STRIDE
            and not given & {None, "padding", "stride"}
        ):
            changes = _text.added(step.source, call, 'padding="same"')
            if changes is not None:
                yield Edit(f'Pass `padding="same"` to `{called(call)}`', step.source.path, changes)


_CAUSES = ("broadcast-sizes", "cat-sizes", "conv-kernel", "linear-features", "loss-sizes", "matmul-sizes",
           "view-elements")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
