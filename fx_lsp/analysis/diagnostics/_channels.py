"""Views that take the channels of a convolution apart as if they came last: predictions without their permute."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.diagnostics._flows import layer_of, made, operation_of
from fx_lsp.analysis.rewrites._file import assigned_once
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.model.value import TensorType


def sizes_of(view: Term) -> Sequence[Term]:
    """What a view is asked for, one by one or in one tuple."""
    wanted = view.args[1:]
    return wanted[0].args if len(wanted) == 1 and wanted[0].op == "tuple" else wanted


def is_of_channels(flow: Flow, view: Term) -> bool:
    """Whether its last size is a factor of the channels that a convolution was made with, in their place before all
    others: `x.view(b, -1, classes)` of what `nn.Conv2d(64, anchors * classes, 1)` gives, at more places than one."""
    sizes, given = sizes_of(view), made(flow, view.args[0])
    layer = layer_of(flow, given) if given is not None else None
    while layer is not None and flow.file.dotted(layer.func) == "torch.nn.Sequential":
        last = layer.args[-1] if layer.args else None
        layer = last if isinstance(last, ast.Call) else None
    if layer is None or len(sizes) < 2 or not flow.file.dotted(layer.func).startswith("torch.nn.Conv"):
        return False
    named = next((one.value for one in layer.keywords if one.arg == "out_channels"), None)
    channels = named if named is not None else layer.args[1] if len(layer.args) > 1 else None
    factors = {ast.dump(one) for one in _factors(channels)}
    if not any(ast.dump(one) in factors for one in _meanings(flow, sizes[-1])):
        return False
    operation = operation_of(flow, view)
    variants = [(one.inputs[0], one.output) for one in operation.variants if one.inputs] if operation else []
    return bool(variants) and all(
        isinstance(old, TensorType)
        and isinstance(new, TensorType)
        and len(old.shape) > 2
        and math.prod(old.shape[2:]) > 1
        and old.shape[-1] != new.shape[-1]
        and old.shape[1] % new.shape[-1] == 0
        for old, new in variants
    )


def _factors(channels: ast.expr | None) -> Iterator[ast.expr]:
    """Of a product of names."""
    if isinstance(channels, ast.BinOp) and isinstance(channels.op, ast.Mult):
        for one in (channels.left, channels.right):
            yield from _factors(one) if isinstance(one, ast.BinOp) else (one,)


def _meanings(flow: Flow, size: Term) -> Iterator[ast.expr]:
    """An attribute, and what it is bound to where that is done once; a name may mean something else in `__init__`."""
    node = size.node
    if isinstance(node, ast.Attribute) and flow.owner is not None:
        yield node
        value = assigned_once(flow.owner).get(node.attr)
        yield from [value] if value is not None else []
