"""A convolution pads with zeros itself; before it they are a copy of the whole input.

Before:
    self.conv = nn.Conv2d(3, 8, 3)
    y = self.conv(F.pad(x, (1, 1, 1, 1)))
After:
    self.conv = nn.Conv2d(3, 8, 3, padding=1)
    y = self.conv(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._class import Made, is_closed, made, reads
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.analysis.rewrites._write import Unwritable, end_of_arguments, replaced, without
from fx_lsp.model.span import Span

_DIMS = {"nn.Conv1d": 1, "nn.Conv2d": 2, "nn.Conv3d": 3}
_PADS = {"nn.ZeroPad1d": 1, "nn.ZeroPad2d": 2, "nn.ZeroPad3d": 3}
_SAYS = "hooks on the layer that pads are not called any more"
_BEFORE_PADDING = 4
"""Positional arguments of a convolution that come first."""


def find(flow: Flow) -> Iterator[Found]:
    """Convolutions without a padding of their own, of what is padded for them alone."""
    layers = made(flow.file, flow.owner)
    for term, statement in flow.roots if layers else ():
        call = term.node
        if term.op not in _DIMS or len(term.args) != 2 or not isinstance(call, ast.Call):
            continue
        definition = flow.defined(term.args[0])
        pad = definition.term if definition is not None else term.args[0]
        layer = layers.get(call.func.attr) if isinstance(call.func, ast.Attribute) else None
        padding = _padding(_sizes(flow, pad, layers, layer), _DIMS[term.op]) if layer is not None else ""
        if not padding or layer is None or flow.owner is None or reads(flow.file, flow.owner, layer.name) != 1:
            continue
        try:
            argument = _argument(flow, layer.value, padding)
            if is_closed(flow.file, flow.owner):
                changes = (argument, *_unpadded(flow, term.args[0], pad.args[0], statement))
                yield Found(call, changes, _SAYS if pad.op in _PADS else "")
        except Unwritable:
            continue


def _sizes(flow: Flow, pad: Term, layers: Mapping[str, Made], layer: Made) -> list[Any]:
    """By how much it pads with zeros, as `F.pad` is told; nothing where it does something else."""
    if pad.op == "pad" and len(pad.args) > 1:
        others = [plain(one) for one in (pad.get(2, "mode"), pad.get(3, "value")) if one is not None]
        sizes = [plain(one) if one.op == "constant" else _set_before(flow, one, layer) for one in pad.args[1].args]
        return sizes if all(one in ("constant", 0) for one in others) else []
    called = pad.node.func if isinstance(pad.node, ast.Call) and pad.op in _PADS else None
    padder = layers.get(called.attr) if isinstance(called, ast.Attribute) else None
    given = [*padder.value.args, *(one.value for one in padder.value.keywords)] if padder is not None else []
    try:
        sizes = ast.literal_eval(given[0]) if len(given) == 1 else ()
    except ValueError:
        return []
    return [sizes] * 2 * _PADS[pad.op] if isinstance(sizes, int) else [*sizes]


def _set_before(flow: Flow, term: Term, layer: Made) -> str:
    """`self.pad`, or what is computed of such attributes and numbers, where the constructor sets them before it makes
    the layer, and nobody does again; else empty."""
    bound = flow.bound(term) if term.op == "name" and isinstance(term.node, ast.Name) else term
    node = bound.node if bound is not None else None
    own = ast.unparse(layer.target.value)
    before = layer.init.body[: layer.init.body.index(layer.statement)]
    plain_ones = [one for one in before if isinstance(one, ast.Assign) and len(one.targets) == 1]
    set_by_then = {ast.unparse(one.targets[0]) for one in plain_ones}
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.Attribute):
            if ast.unparse(part) not in set_by_then or len(flow.file.stores(part.attr)) != 1:
                return ""
        elif isinstance(part, ast.Name):
            if part.id != own:
                return ""
        elif not isinstance(part, ast.BinOp | ast.Constant | ast.operator | ast.Load):
            return ""
    return ast.unparse(node) if node is not None else ""


def _padding(sizes: Sequence[Any], dims: int) -> str:
    """What the convolution is to be given for it; empty where it cannot do the same."""
    if len(sizes) != 2 * dims or not all(one if type(one) is str else type(one) is int and one >= 0 for one in sizes):
        return ""
    if sizes[::2] != sizes[1::2]:
        return ""
    each = sizes[::-2]
    return str(each[0]) if len({*each}) == 1 else f"({', '.join(map(str, each))})"


def _unpadded(flow: Flow, given: Term, inner: Term, statement: ast.stmt) -> Changes:
    """The edits that give the convolution what was padded before.

    Raises:
        Unwritable: that is not at hand there.
    """
    definition = flow.defined(given)
    if definition is None:
        return replaced(flow, given, statement, "x", {"x": inner})
    gone = without(flow, (definition,), statement)
    if inner.op == "name" and inner.value[0] == given.value[0]:
        return gone  # the same variable
    return *replaced(flow, given, statement, "x", {"x": inner}), *gone


def _argument(flow: Flow, layer: ast.Call, padding: str) -> tuple[Span, str]:
    """The edit that gives a layer its padding.

    Raises:
        Unwritable: it may have one.
    """
    says = any(one.arg in (None, "padding", "padding_mode") for one in layer.keywords)
    if (
        says
        or not layer.args
        or len(layer.args) > _BEFORE_PADDING
        or any(isinstance(one, ast.Starred) for one in layer.args)
    ):
        raise Unwritable
    return end_of_arguments(flow.file, layer), f", padding={padding}"


RULE = Rewrite("padding-before-convolution", "Let the convolution pad", find)
