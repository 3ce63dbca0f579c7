"""A layer that takes other dims: one of 1 is added, taken away, or two become one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import dims_of, lacks_space
from fx_lsp.analysis.causes.conv_dims import wants_weight
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import grown, moved, shrunk

_NORMALISED = ("Batch", "Instance")


def propose(broken: Broken) -> Iterator[Edit]:
    """What gives it the dims with the channels in their place; without channels, all that give it the dims."""
    call, shape, dims = broken.call, broken.call.shape(0, "input"), dims_of(broken.call.target)
    wanted = call.settings.get("in_channels", call.settings.get("num_features"))
    weight = call.shape(1, "weight")
    if wants_weight(call) and weight is not None:
        ways = [*grown(weight, max(dims + 2 - len(weight), 1)), *shrunk(weight)]
        # What is added is most likely a kernel of 1.
        fitting = sorted((one for one in ways if len(one[1]) == dims + 2), key=lambda one: one[1][:2] != weight[:2])
        yield from broken.after(broken.place(1, "weight"), (suffix for suffix, _ in fitting))
        return
    lacking = lacks_space(call.operand(0, "input"), dims, wanted)
    if not broken.written and "Norm" in call.target and shape is not None and len(shape) == dims + 1 and dims > 1:
        yield from _batched(broken)
    if shape is None or not dims or (len(shape) in (dims + 1, dims + 2) and not lacking):
        return
    x = broken.place(0, "input")
    missing = dims + 2 - len(shape)
    ways = [*(way for count in (missing, missing - 1) for way in grown(shape, count)), *shrunk(shape)]
    fitting = [(suffix, new) for suffix, new in ways if len(new) in (dims + 1, dims + 2)]
    fitting.sort(key=lambda way: way[1][len(way[1]) - len(shape) :] != shape)
    sized = [suffix for suffix, new in fitting if new[-dims - 1] == wanted]
    yield from broken.after(x, sized if sized or isinstance(wanted, int) else (suffix for suffix, _ in fitting))
    if len(shape) == dims and isinstance(wanted, int):
        turned = [(one, new) for first, middle in moved(shape) for one, new in _grown(first, middle)]
        yield from broken.after(x, (suffix for suffix, new in turned if new[-dims - 1] == wanted))


def _batched(broken: Broken) -> Iterator[Edit]:
    """A batch of one for a norm: convolutions before it do without one."""
    node = broken.node
    if isinstance(node, ast.Call) and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
        yield from broken.after(node.args[0], (".unsqueeze(0)",))


def _grown(first: str, shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    return ((first + suffix, new) for suffix, new in grown(shape))


MEND = Mend(frozenset({"conv-dims", "norm-features"}), propose)
