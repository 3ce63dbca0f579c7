"""Sizes in space that do not fit: a convolution with the padding, the stride or the kernel with which they do."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._spatial import dims_of
from fx_lsp.analysis.examples._arguments import defaults, parameters
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._origin import Origin
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path_of
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._produced import Place
from fx_lsp.analysis.mends._statements import innermost

MAX_LAYERS = 4
"""Before the last one."""


def propose(broken: Broken) -> Iterator[Edit]:
    """For the convolutions that made each operand, where only sizes in space differ, all in the same way."""
    if broken.cause in _LAID_OUT:
        yield from _LAID_OUT[broken.cause](broken)
        return
    for (node, shape), (_, other), differ in pairs(broken):
        if node is None or not differ:
            continue
        for origin in _made(broken.origins(node)):
            space = dims_of(origin.target)
            if "Conv" not in origin.target or len(shape) != space + 2 or not _spatial(origin, differ, space):
                continue
            made = broken.making(origin)
            sizes = {(shape[dim], other[back]) for dim, back in differ}
            if len({wanted - size for size, wanted in sizes}) == 1:
                yield from _fitted(made, "Transpose" in origin.target, *min(sizes))
            elif len({Fraction(*both) for both in sizes if both[1]}) == 1 and "Transpose" not in origin.target:
                yield from _strided(made, *max(sizes))


def _made(origins: Iterable[Origin], steps: int = MAX_LAYERS) -> Iterator[Origin]:
    """These layers, and those that made what they are given: a linear layer leaves sizes in space as they are."""
    for origin in origins:
        yield origin
        source, call = origin.callers[0] if origin.callers else (origin.source, None)
        if steps and isinstance(call, ast.Call) and call.args:
            before = Place(source, origin.callers[1:]).origins(call.args[0])
            yield from (replace(one, turned=one.turned or origin.turned) for one in _made(before, steps - 1))


def _counted(broken: Broken) -> Iterator[Edit]:
    """For the convolution that made the maps that a linear layer gets as features: all places of them, or a row."""
    shape, wanted, node = broken.call.shape(0, "input"), broken.call.settings.get("in_features"), broken.place(0)
    if node is None or not shape or type(wanted) is not int:
        return
    for step in path_of(broken, node):
        for origin in Place(step.source, step.callers, files=broken.files).origins(step.node):
            made, space = broken.making(origin), dims_of(origin.target)
            channels = number(made.argument("out_channels")) if "Conv" in origin.target else None
            if channels and shape[-1] % channels == 0 and wanted % channels == 0:
                sizes = [(shape[-1] // channels, wanted // channels)]
                roots = tuple(round(math.pow(one, 1 / space)) for one in sizes[0])
                sizes += [roots] if all(one**space == all_ for one, all_ in zip(roots, sizes[0], strict=True)) else []
                for one, other in sizes[::-1]:
                    yield from _fitted(made, "Transpose" in origin.target, one, other)
                return


def _viewed(broken: Broken) -> Iterator[Edit]:
    """For the convolution that made what is viewed in other sizes, where as many places up as across were meant."""
    shape, sizes = broken.call.shape(0, "input"), broken.call.numbers("shape", "size") or []
    node, rest = broken.place(0, "input"), math.prod(size for size in sizes[1:] if size > 0)
    if node is None or not shape or len(sizes) < 2:
        return
    if len(sizes) > len(shape) > 2 and shape[1] == sizes[1 - len(shape)]:
        # The batch is several dims there: what follows are the channels and the places.
        rest = math.prod(sizes[1 - len(shape) :])
    elif sizes[0] not in (-1, shape[0]) or -1 in sizes[1:]:
        return
    for origin in broken.origins(node):
        space = dims_of(origin.target)
        if "Conv" not in origin.target or len(shape) != space + 2 or len({*shape[2:]}) > 1 or not shape[1]:
            continue
        wanted = round(math.pow(rest / shape[1], 1 / space))
        if shape[1] * math.pow(wanted, space) == rest:
            made = broken.making(origin)
            yield from _fitted(made, "Transpose" in origin.target, shape[2], wanted)


def _spatial(origin: Origin, differ: list[tuple[int, int]], space: int) -> bool:
    """Whether only sizes in space differ; where dims are moved afterwards, any but the batch may be one."""
    return all(-space - origin.turned <= dim for dim, _ in differ)


def _fitted(made: Made, up: bool, size: int, wanted: int) -> Iterator[Edit]:
    """From so many to as many as are wanted; small differences are padding, multiples are strides."""
    kernel, stride, padding = (_number(made, name) for name in ("kernel_size", "stride", "padding"))
    growth = (wanted - size) * (-1 if up else 1)
    if not up and growth and stride and stride > 1 and kernel is not None and padding is not None:
        for one in dict.fromkeys((kernel // 2, padding + 1, padding - 1)):
            least = (size - 1) * stride + kernel + 2 * (one - padding)  # of the sizes that leave so many now
            if one >= 0 and wanted in {(least + more - kernel) // stride + 1 for more in range(stride)}:
                yield from _set(made, "padding", one)
    if growth and growth % 2 == 0 and padding is not None and padding + growth // 2 >= 0:
        yield from _set(made, "padding", padding + growth // 2)
    if growth and kernel is not None and kernel - growth > 0:
        yield from _set(made, "kernel_size", kernel - growth)
    if up:
        if kernel is not None and stride and padding is not None:
            yield from _stretched(made, size + 2 * padding - kernel, stride, wanted + 2 * padding - kernel)
        return
    if growth and stride == 1 and padding is None:
        yield from made.changed("padding", {"padding": '"same"'})
    yield from _strided(made, size, wanted)


def _stretched(made: Made, length: int, stride: int, wanted: int) -> Iterator[Edit]:
    """From the first place of the kernel to the last one."""
    steps = length // stride if length % stride == 0 else 0
    if steps > 0 and wanted > 0 and wanted % steps == 0 and wanted != length:
        yield from _set(made, "stride", wanted // steps)


def _strided(made: Made, size: int, wanted: int) -> Iterator[Edit]:
    stride = _number(made, "stride")
    for factor in (size // wanted if size > wanted > 0 else 0, wanted // size if wanted > size > 0 else 0):
        if factor > 1 and stride is not None:
            new = stride * factor if size > wanted else stride // factor
            yield from _set(made, "stride", new) if new > 0 else ()


def _set(made: Made, name: str, value: int) -> Iterator[Edit]:
    made, own = _passed(made, name)
    _, function = around(made.source, made.node)
    given = [*function.args.args, *function.args.kwonlyargs] if function is not None else []
    known = made.argument(own) is not None
    # A constructor that is given a stride means it for its layers.
    if name in {one.arg for one in given}:
        yield from made.changed(name, {own: name}) if known else made.added(f"{own}={name}")
    yield from made.changed(name, {own: str(value)}) if known else made.added(f"{own}={value}")


def _number(made: Made, name: str) -> int | None:
    """What is written; what torch, or the function that makes the layer, takes where nothing is."""
    above, own = _passed(made, name)
    node = above.argument(own)
    if node is not None:
        return number(node)
    if above is made:
        return {"stride": 1, "padding": 0}.get(name)
    function = innermost(made.source, made.node)
    default = defaults(function).get(own) if function is not None else None
    return number(default) if default is not None else None


def _passed(made: Made, name: str) -> tuple[Made, str]:
    """The call of the function that makes the layer, and what the parameter is called there, where it passes it on."""
    function, node = innermost(made.source, made.node), made.argument(name)
    source, call = made.callers[0] if made.callers else (made.source, None)
    names = [one.arg for one in parameters(function)] if function is not None else []
    helper = function is not None and isinstance(call, ast.Call) and called(call) == function.name
    if not helper or not isinstance(call, ast.Call) or not isinstance(node, ast.Name) or node.id not in names:
        return made, name
    return Made(source, call, tuple(names), {}, made.callers[1:], files=made.files), node.id


_LAID_OUT = {"view-elements": _viewed, "linear-features": _counted}
MEND = Mend(frozenset({"broadcast-sizes", "cat-sizes", *_LAID_OUT}), propose)
