"""A convolution or normalisation for other channels: given them in their dim, or made for what it gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes._spatial import channel_dim, dims_of
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._numbers import rewritten
from fx_lsp.analysis.mends._related import related
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, shrunk
from fx_lsp.analysis.mends._sizes import possible

_SIZES = ("in_channels", "num_features", "num_channels")
_LAST = ("normalized_shape",)
_FIRST = 3


def propose(broken: Broken) -> Iterator[Edit]:
    """By where the channels are."""
    call, shape = broken.call, broken.call.shape(0, "input")
    if not shape:
        return
    sizes = numbers(call.settings.get("normalized_shape", call.plain(1, "normalized_shape")))
    if "ayer" in call.target or "RMS" in call.target or "rms" in call.target:
        yield from _last(broken, shape, tuple(sizes or ()))
        return
    wanted = next((call.settings[name] for name in _SIZES if name in call.settings), None)
    weight = call.shape(1, "weight")
    wanted = weight[1] if wanted is None and weight and len(weight) > 2 else wanted
    space = dims_of(call.target)
    unbatched = "Batch" not in call.target and channel_dim(call.operand(0, "input"), space) == 0
    channel = 0 if space and unbatched else 1
    if not isinstance(wanted, int) or len(shape) <= channel:
        return
    x = broken.place(0, "input")
    ways = [way for way in moved(shape) if way[1][channel] == wanted and way[1][:channel] == shape[:channel]]
    # Channels that come last are moved as a whole: height and width keep their order.
    ways.sort(key=lambda way: way[0] != f".movedim(-1, {channel})")
    ways += [way for way in grown(shape) if len(way[1]) == space + 2 and way[1][1] == wanted]
    turned, made = broken.after(x, (suffix for suffix, _ in ways[:2])), _made(broken, shape[channel])
    # A size that is by chance that of another dim: the layer has its turn before all ways to turn the input.
    yield from (*islice(turned, 1), *islice(made, _FIRST), *turned, *made)
    fewer = (suffix for suffix, new in shrunk(shape) if len(new) == space + 2 and new[1] == wanted)
    yield from broken.after(x, fewer)


def _made(broken: Broken, size: int) -> Iterator[Edit]:
    """With its groups, which divide the channels."""
    old, groups, out = (broken.call.settings.get(name) for name in ("in_channels", "groups", "out_channels"))
    if isinstance(groups, int) and groups > 1 and groups == old:
        yield from islice((edit for made in broken.made for edit in _of_name(made, size)), _FIRST)
        for made in broken.made:
            texts = {"in_channels": str(size), "groups": str(size)}
            yield from made.changed("channels", texts if out != old else {**texts, "out_channels": str(size)})
        return
    if isinstance(groups, int) and groups > 1 and size % groups:
        return
    for name in _SIZES:
        yield from related(broken, name, size)
        yield from broken.sized(name, size)
    count = broken.call.settings.get("num_groups")
    if isinstance(count, int) and count > 0 and size % count:
        divisor = next(one for one in range(count, 0, -1) if size % one == 0)
        for made in broken.made:
            yield from made.changed("num_groups", {"num_groups": str(divisor), "num_channels": str(size)})


def _of_name(made: Made, size: int) -> Iterator[Edit]:
    """Another number where the variable comes from that channels and groups are."""
    channels, groups = made.argument("in_channels"), made.argument("groups")
    if not isinstance(channels, ast.Name | ast.Attribute) or groups is None:
        return
    if ast.unparse(channels) != ast.unparse(groups):
        return
    here = (made.source.path, channels.lineno)
    for edit in made.sized("in_channels", size):
        if here not in [(span.path, span.line) for span, _ in edit.changes]:  # which would be one of the two
            yield edit


def _last(broken: Broken, shape: Shape, wanted: Shape) -> Iterator[Edit]:
    """A normalisation over the last dims."""
    if len(wanted) > len(shape) or not wanted:
        return
    ways = [way for way in moved(shape) if way[1][len(shape) - len(wanted) :] == wanted and way[1][0] == shape[0]]
    yield from broken.after(broken.place(0, "input"), (suffix for suffix, _ in ways[:2]))
    for made in broken.made if len(wanted) > 1 else ():
        yield from _each(made, shape[len(shape) - len(wanted) :], wanted)
    for name in _LAST:
        yield from related(broken, name, shape[-1])
        yield from broken.sized(name, shape[-1])
    if "normalized_shape" not in broken.call.settings:
        texts = (str(shape[-1:] if len(wanted) == 1 else list(shape[len(shape) - len(wanted) :])),)
        yield from broken.instead(broken.place(1, "normalized_shape"), texts)


def _each(made: Made, shape: Shape, wanted: Shape) -> Iterator[Edit]:
    """Of several sizes each that is another one."""
    node = made.argument("normalized_shape")
    nodes = node.elts if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(wanted) else []
    for place, (old, size) in enumerate(zip(wanted, shape, strict=True) if nodes else ()):
        if old != size:
            texts = [*possible(made.source, made.node, nodes[place], {}), str(size)]
            for text in dict.fromkeys(texts):
                title = f"Change {_text.title(_text.written(made.source, nodes[place]))} to {_text.title(text)}"
                yield Edit(title, made.source.path, _text.instead(made.source, nodes[place], text))
            yield from rewritten(made.source, nodes[place], old, size, made.files())


MEND = Mend(frozenset({"conv-channels", "norm-features"}), propose)
