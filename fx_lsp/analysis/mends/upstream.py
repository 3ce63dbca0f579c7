"""Sizes that do not fit, by what an operand was made of: a step on the way to it done in another way.

q, k, v = self.qkv(x).chunk(3, dim=1)  # fails where q is used; meant is the last dim
h = self.time(h)                       # whose last line returns `x.permute(0, 3, 2, 1)`; meant is another order
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import zip_longest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import layer_called
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._otherwise import otherwise
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk
from fx_lsp.model.value import Group, TensorType

MAX_FIRST = 2
"""Ways to write one step, before those of others."""
_BATCHED = ("conv-dims", "recurrent-features", "attention-sizes")
_RANKS = ("conv-dims", "index-range", "unpack-dims")
"""Causes by which there are other dims than are wanted."""
MAX_RANK = 3
"""Dims of a batch of sequences."""


def propose(broken: Broken) -> Iterator[Edit]:
    """The nearest step first, few ways for each; then the other ways."""
    ways = [[*_ways(broken, step), *_merged(broken, step), *_back(step)] for step in path(broken)]
    yield from _passed(broken)
    for found in ways:
        yield from found[:MAX_FIRST]
    for turn in zip_longest(*(found[MAX_FIRST:] for found in ways)):
        yield from (edit for edit in turn if edit is not None)


def _merged(broken: Broken, step: Step) -> Iterator[Edit]:
    """What a layer on the way makes with two dims as one batch, where there is a dim too much."""
    shape, given = broken.call.shape(0, "input", "query"), broken.place(0, "input", "query")
    layer = layer_called(step.source, step.node.func) if isinstance(step.node, ast.Call) else None
    if broken.cause in _BATCHED and shape and len(shape) > MAX_RANK and layer is not None and step.node is not given:
        yield _text.suffixed(step.source, step.node, ".flatten(0, 1)")


def _passed(broken: Broken) -> Iterator[Edit]:
    """What a model is given further up with two dims as one batch, where there is a dim too much."""
    shape = broken.call.shape(0, "input", "query")
    outermost = reversed(broken.callers) if broken.cause in _BATCHED and shape and len(shape) > MAX_RANK else ()
    for source, call in outermost:
        if isinstance(call, ast.Call) and len(call.args) == 1 and isinstance(call.args[0], ast.Name):
            yield _text.suffixed(source, call.args[0], ".flatten(0, 1)")


def _back(step: Step) -> Iterator[Edit]:
    """What a model gives back turned back, where it turned what it was given."""
    function = innermost(step.source, step.node) if step.returned else None
    inside = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.Call)]
    for suffix in dict.fromkeys(undone for one in inside if (undone := _undone(one))):
        yield _text.suffixed(step.source, step.node, suffix)


def _undone(call: ast.Call) -> str:
    """What brings the dims back to where they were."""
    if (merged := _merging(call)) is not None:
        return merged
    name, dims = called(call), [dim for one in call.args if (dim := number(one)) is not None]
    if name in ("transpose", "swapaxes", "movedim") and len(dims) == len(call.args) == 2:
        return f".{name}({dims[1]}, {dims[0]})" if name == "movedim" else f".{name}({dims[0]}, {dims[1]})"
    if name == "permute" and len(dims) == len(call.args) and sorted(dims) == list(range(len(dims))):
        return f".permute({', '.join(str(dims.index(dim)) for dim in range(len(dims)))})"
    return ""


def _merging(call: ast.Call) -> str | None:
    """For what takes the first dims, or the last ones, as one: what makes them several again."""
    first, *rest = call.args if called(call) in ("view", "reshape") and len(call.args) > 1 else [None]
    if isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mult):
        return f".unflatten(0, ({ast.unparse(first.left)}, {ast.unparse(first.right)}))"
    if isinstance(first, ast.Subscript) and number(first.slice) == 0 and len(rest) == 1 and number(rest[0]) == -1:
        return f".unflatten(1, {ast.unparse(first.value)}[1:])" if isinstance(first.value, ast.Name) else None
    return None


def _uneven(broken: Broken) -> bool:
    """Whether what is joined has different numbers of dims."""
    given = broken.call.operand(0, "tensors") if broken.cause == "cat-sizes" else None
    items = given.value.items if given is not None and isinstance(given.value, Group) else ()
    return len({len(one.shape) for one in items if isinstance(one, TensorType)}) > 1


def _ways(broken: Broken, step: Step) -> Iterator[Edit]:
    for node, text in otherwise(step.source, step.node, broken.cause in _RANKS or _uneven(broken)):
        title = f"Use {_text.title(text)}"
        if isinstance(step.node, ast.Call) and isinstance(node, ast.expr) and number(node) is not None:
            title = f"Use dim {text} in place of {number(node)} in `{called(step.node)}`"
        elif isinstance(node, ast.Subscript | ast.Name):
            title += f" in place of {_text.title(_text.written(step.source, node))}"
        yield Edit(title, step.source.path, _text.instead(step.source, node, text))


_CAUSES = ("assigned-sizes", "attention-sizes", "axes-pattern", "broadcast-sizes", "cat-sizes", "conv-channels",
           "conv-dims", "dim-range", "einsum-sizes", "expand-sizes", "grid-sizes", "index-mask", "index-range",
           "index-tensor", "linear-features", "loss-sizes", "matmul-sizes", "norm-features", "recurrent-features",
           "recurrent-state", "split-sizes", "unpack-dims", "view-elements")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, guess=True)
