"""A layer gets what was viewed in other sizes: viewed with the size that the layer takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes._spatial import channel_dim, dims_of
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called

_VIEWS = ("view", "reshape", "unflatten")
_SIZES = ("in_features", "in_channels", "num_features", "num_channels", "normalized_shape", "input_size", "embed_dim")
_LAST = ("in_features", "normalized_shape", "input_size", "embed_dim")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where another size is left open, and so takes what is over."""
    shape, settings = broken.call.shape(0, "input", "query"), broken.call.settings
    name = next((one for one in _SIZES if one in settings), None)
    wanted = numbers(settings[name]) if name is not None else None
    source, node = broken.origin(broken.place(0, "input", "query"))
    if not shape or not wanted or not isinstance(node, ast.Call) or called(node) not in _VIEWS:
        return
    given = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], ast.Tuple | ast.List) else node.args
    space = dims_of(broken.call.target)
    channel = channel_dim(broken.call.operand(0, "input"), space) if space else 1
    dim = len(shape) - 1 if name in _LAST else 1 if channel is None else channel
    if len(given) == len(shape) and 0 <= dim < len(shape) and shape[dim] != wanted[-1] > 0:
        text = str(wanted[-1])
        old = _text.title(_text.written(source, given[dim]))
        yield Edit(f"Change {old} to `{text}` in the view", source.path, _text.instead(source, given[dim], text))


MEND = Mend(
    frozenset({"linear-features", "conv-channels", "norm-features", "recurrent-features", "attention-sizes"}), propose
)
