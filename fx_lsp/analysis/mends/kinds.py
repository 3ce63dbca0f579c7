"""A layer for another number of dims of space: the layer of the same name that takes what it gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends import _text as text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called


def propose(broken: Broken) -> Iterator[Edit]:
    """`BatchNorm1d` for `BatchNorm2d`, where the input has a batch, its channels and one dim of space."""
    shape, space, settings = broken.call.shape(0, "input"), dims_of(broken.call.target), broken.call.settings
    wanted = len(shape) - 2 if shape else 0
    channels = next((settings[name] for name in ("in_channels", "num_features") if name in settings), None)
    if not shape or not space or wanted == space or wanted not in (1, 2, 3) or channels != shape[1]:
        return
    for made in broken.made:
        old = broken.call.target
        new = old.replace(f"{space}d", f"{wanted}d")
        if isinstance(made.node.func, ast.Name | ast.Attribute) and called(made.node) == old:
            name = text.written(made.source, made.node.func).removesuffix(old) + new
            if "." in name:  # an imported name may not be there
                changes = text.instead(made.source, made.node.func, name)
                yield Edit(f"Change {text.title(old)} to {text.title(new)}", made.source.path, changes)


MEND = Mend(frozenset({"norm-features", "conv-dims"}), propose)
