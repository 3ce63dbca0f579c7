"""A row for each sample that is joined with maps or sequences: laid out as a map, or repeated at each place.

x = torch.cat([x, self.label_map(labels)], dim=1)  # f32[8, 3, 32, 32] and f32[8, 1024]: a map of 32 by 32
x = torch.cat([x, self.label(labels)], dim=1)  # f32[8, 3, 32, 32] and f32[8, 10]: ten numbers at each place
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import held
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import Shape, grown
from fx_lsp.model.value import Group, TensorType


def propose(broken: Broken) -> Iterator[Edit]:
    """For each of two that has fewer dims than the other one."""
    given, place = broken.call.operand(0, "tensors"), broken.place(0, "tensors")
    items = given.value.items if given is not None and isinstance(given.value, Group) else ()
    shapes = [one.shape for one in items if isinstance(one, TensorType)]
    dim = broken.call.plain(1, "dim", "axis") or 0
    nodes = held(broken.source, place, len(items))
    if broken.call.target == "stack" or len(shapes) != len(items) or len(nodes) != 2 or not isinstance(dim, int):
        return
    for own, other in ((0, 1), (1, 0)):
        if 1 < len(shapes[own]) < len(shapes[other]) and -len(shapes[other]) <= dim < len(shapes[other]):
            suffixes = _suffixes(shapes[own], shapes[other], dim % len(shapes[other]), nodes[other])
            yield from broken.after(nodes[own], suffixes)


def _suffixes(shape: Shape, wanted: Shape, along: int, other: ast.expr) -> Iterator[str]:
    name, rest = other.id if isinstance(other, ast.Name) else "", wanted[2:]
    ways = [(suffix, new, [dim for dim in range(len(new)) if dim != along and new[dim] != wanted[dim]])
            for suffix, new in grown(shape, len(wanted) - len(shape))]  # fmt: skip
    if not all(differ for *_, differ in ways):
        return  # It only lacks dims.
    if along == 1 and len(shape) == 2 and shape == (wanted[0], math.prod(rest)):
        yield f".view(-1, 1, {f'*{name}.shape[2:]' if name else ', '.join(map(str, rest))})"
    for suffix, new, differ in ways:
        if all(new[dim] == 1 for dim in differ):
            sizes = [(f"{name}.size({dim})" if name else str(wanted[dim])) if dim in differ else "-1"
                     for dim in range(len(new))]  # fmt: skip
            yield f"{suffix}.expand({', '.join(sizes)})"


MEND = Mend(frozenset({"cat-sizes"}), propose)
