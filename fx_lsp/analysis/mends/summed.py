"""A layer given several things joined, made for fewer of them: its size as a sum with the one that is missing.

self.gates = nn.Linear(inp, 4 * hidden)  # is given torch.cat([x, h], dim=-1); meant is `inp + hidden`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes._spatial import channel_dim, dims_of
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path

_LAST = ("in_features", "input_size", "normalized_shape")
_SIZES = (*_LAST, "in_channels", "num_features")
_JOINS = ("cat", "concat", "concatenate", "hstack")


def propose(broken: Broken) -> Iterator[Edit]:
    """With a size that nothing uses, where the layer is made or its size is passed; then with others."""
    shape, settings = broken.call.shape(0, "input"), broken.call.settings
    name = next((one for one in _SIZES if len(numbers(settings.get(one)) or ()) == 1), None)
    if not shape or name is None:
        return
    channel = channel_dim(broken.call.operand(0, "input"), dims_of(broken.call.target))
    dim = len(shape) - 1 if name in _LAST else 1 if channel is None else channel
    joined = any(isinstance(step.node, ast.Call) and called(step.node) in _JOINS for step in path(broken))
    makers = broken.made if joined and dim < len(shape) else ()
    for made in makers:
        yield from made.started(name, shape[dim])
    for spare in (True, False):
        for made in makers:
            yield from made.summed(name, shape[dim], spare)


MEND = Mend(frozenset({"linear-features", "conv-channels", "norm-features", "recurrent-features"}), propose)
