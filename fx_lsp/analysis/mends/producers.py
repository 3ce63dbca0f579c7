"""Sizes that do not fit: the layer that made an operand made in the size that fits."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import zip_longest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.causes.divided_dims import undivided
from fx_lsp.analysis.causes.recurrent_state import expected
from fx_lsp.analysis.causes.split_sizes import parts
from fx_lsp.analysis.causes.unflatten_sizes import split
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._origin import PARAMETER, Origin
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._produced import Place, before
from fx_lsp.analysis.mends._shapes import Shape

_INPUTS = ("in_features", "in_channels", "num_features", "num_channels", "normalized_shape", "input_size")
_LAYERS = frozenset({"linear-features", "conv-channels", "norm-features", "recurrent-features"})
_LAST = ("Linear", "LayerNorm", "RMSNorm", "RNN", "LSTM", "GRU")
"""Layers that take their features in the last dim."""
Wanted = tuple[Origin, Shape, int, int]
"""A layer, what it made, and in which dim another size fits."""


def propose(broken: Broken) -> Iterator[Edit]:
    """For each layer in turn the likeliest size that is left."""
    if broken.cause in _LAYERS:
        found = iter([*_of_layer(broken), *_of_weight(broken)])
    else:
        found = _OF.get(broken.cause, _of_operands)(broken)
    makers = [(_made(broken, origin, dim, shape), origin.output(dim), size * origin.parts // origin.ways + origin.less)
              for origin, shape, dim, size in found if _makes(origin, shape, dim)]  # fmt: skip
    known = {text: size for made in (*(one for one, *_ in makers), *broken.made) for text, size in made.known.items()}
    ways = [made.beside(known).sized(name, size) for made, name, size in makers if size > 0 and _agrees(made, name)]
    yield from (edit for turn in zip_longest(*ways) for edit in turn if edit is not None)


def _made(broken: Broken, origin: Origin, dim: int, shape: Shape) -> Made:
    known = {origin.output(dim): shape[dim] * origin.parts // origin.ways + origin.less}
    return broken.making(origin, known)


def _agrees(made: Made, name: str) -> bool:
    written = made.argument(name)
    return not isinstance(written, ast.Constant) or written.value == made.settings[name]


def _of_layer(broken: Broken) -> Iterator[Wanted]:
    """With the size that the layer takes."""
    shape, settings = broken.call.shape(0, "input"), broken.call.settings
    size = next((found[-1] for name in _INPUTS if (found := numbers(settings.get(name)))), None)
    if not shape or size is None:
        return
    space = dims_of(broken.call.target) if "Conv" in broken.call.target else 0
    dim = len(shape) - 1 - space if space or broken.call.target.removesuffix("Cell") in _LAST else 1
    origins = [one for made in broken.made for one in _before(broken, made)]
    given = broken.place(0, "input")
    if given is not None:
        origins += broken.origins(given)
    yield from ((origin, shape, dim, size) for origin in origins if 0 <= dim < len(shape))


def _before(broken: Broken, made: Made) -> Iterator[Origin]:
    """The layers that stand before it in its sequence."""
    return before(Place(made.source, made.callers, files=broken.files), made.node)


def _of_attention(broken: Broken) -> Iterator[Wanted]:
    """Queries, keys and values with the features that the layer takes."""
    settings = broken.call.settings
    for number, (name, size) in enumerate((("query", "embed_dim"), ("key", "kdim"), ("value", "vdim"))):
        wanted, shape = settings.get(size, settings.get("embed_dim")), broken.call.shape(number, name)
        node = broken.place(number, name)
        if node is not None and shape and type(wanted) is int and shape[-1] != wanted:
            for origin in broken.origins(node):
                yield origin, shape, len(shape) - 1, wanted


def _of_parts(broken: Broken) -> Iterator[Wanted]:
    """With as many features as the parts have together."""
    shape, found, node = broken.call.shape(0, "input", "tensor"), parts(broken.call), broken.place(0, "input", "tensor")
    if node is not None and shape and found is not None:
        for origin in broken.origins(node):
            yield origin, shape, found[0], sum(found[2])


def _of_divided(broken: Broken) -> Iterator[Wanted]:
    """With the next multiple of the parts that a dim is taken apart into."""
    shape, found, node = broken.call.shape(0, "input"), undivided(broken.call), broken.place(0, "input")
    if node is not None and shape and found is not None:
        dim, size, count = found
        for origin in broken.origins(node):
            yield origin, shape, dim, -(-size // count) * count


def _of_unflattened(broken: Broken) -> Iterator[Wanted]:
    """With the product of the sizes that a dim is split into."""
    shape, found, node = broken.call.shape(0, "input"), split(broken.call), broken.place(0, "input")
    if node is not None and shape and found is not None and -1 not in found[2]:
        for origin in broken.origins(node):
            yield origin, shape, found[0], math.prod(found[2])


def _of_weight(broken: Broken) -> Iterator[Wanted]:
    """A weight with the size of what a function is given."""
    number = {"linear": 1, "layer_norm": 2, "rms_norm": 2}.get(broken.call.target, -1)
    x, weight, node = broken.call.shape(0, "input"), broken.call.shape(number, "weight"), broken.place(number, "weight")
    if x and weight and node is not None and not broken.call.settings:
        origins = broken.origins(node)
        yield from ((origin, weight, len(weight) - 1, x[-1]) for origin in origins)


def _of_state(broken: Broken) -> Iterator[Wanted]:
    """A state with each size that the layer takes, where one differs."""
    wanted, node, shape = expected(broken.call), broken.place(1, "hx"), broken.call.shape(1, "hx")
    differ = [dim for dim, (one, other) in enumerate(zip(shape or (), wanted or (), strict=False)) if one != other]
    if node is not None and wanted and shape and len(shape) == len(wanted) and len(differ) == 1:
        for origin in broken.origins(node):
            yield origin, shape, differ[0], wanted[differ[0]]


def _of_view(broken: Broken) -> Iterator[Wanted]:
    """With as many features as there are in the sizes of a view."""
    shape, sizes, node = broken.call.shape(0, "input"), broken.call.numbers("shape", "size"), broken.place(0, "input")
    if sizes and shape and len(shape) > 2 and sizes[0] > 0 and sizes[-1] == -1:
        sizes = [*sizes[:-1], shape[-1]]  # what is left open is the last dim as it is
    if node is None or not shape or not sizes or not shape[0] or any(size < 1 for size in sizes[1:]):
        return
    has = math.prod(shape) if sizes[0] > 0 else math.prod(shape[1:])
    wanted = math.prod(sizes if sizes[0] > 0 else sizes[1:])
    for origin in broken.origins(node):
        own = len(shape) - 1 - dims_of(origin.target) if len(shape) > 1 else 0
        for dim in range(1, len(shape)) if origin.turned and len(shape) > 1 else (own,):
            if (dim > 0 or len(shape) == 1) and has and wanted * shape[dim] % has == 0:
                yield origin, shape, dim, wanted * shape[dim] // has


def _of_operands(broken: Broken) -> Iterator[Wanted]:
    """With the size that another operand has in the one dim in which they differ."""
    for (node, shape), (_, other), differ in pairs(broken):
        if node is not None and len(differ) == 1:
            dim, back = differ[0]
            for origin in broken.origins(node):
                yield origin, shape, dim % len(shape), other[back]


def _makes(origin: Origin, shape: Shape, dim: int) -> bool:
    """Whether this dim has the size that the layer is made with."""
    space = dims_of(origin.target)
    if origin.target == PARAMETER:
        return len(origin.parameters) == len(shape) and not origin.turned
    return origin.turned or (dim == len(shape) - 1 - space and (not space or dim < 2))


_OF = {"recurrent-state": _of_state, "view-elements": _of_view, "attention-sizes": _of_attention,
       "split-sizes": _of_parts, "divided-dims": _of_divided, "unflatten-sizes": _of_unflattened}  # fmt: skip
_OPERANDS = {"broadcast-sizes", "cat-sizes", "matmul-sizes", "loss-sizes", "einsum-sizes"}
MEND = Mend(_LAYERS | _OF.keys() | _OPERANDS, propose)
