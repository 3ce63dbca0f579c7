"""Other ways to write an expression that moves, joins, splits, sums or takes dims: those that people mix up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations, pairwise

from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._bound import assigned, last_bound, layer_called, unpacked
from fx_lsp.analysis.mends._broken import is_torch
from fx_lsp.analysis.mends._origin import FILLED
from fx_lsp.analysis.mends._parameters import arguments, called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._shapes import neighbours_swapped
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.mends.reduced import REDUCING
from fx_lsp.analysis.source import Source

Other = tuple[ast.expr | ast.keyword, str]
"""What is written, and what may be in its place."""
_ONE_DIM = {"cat": 1, "concat": 1, "concatenate": 1, "stack": 1, "chunk": 2, "split": 2, "tensor_split": 2,
            "unbind": 1, "unsqueeze": 1, "squeeze": 1, "repeat_interleave": 2, "flip": 1, "roll": 2, "cumsum": 1,
            "select": 1, "narrow": 1, "index_select": 1, "flatten": 1, **dict.fromkeys(REDUCING, 1)}  # fmt: skip
"""Functions, and after how many arguments their dim is given."""
JOINED = {"cat": "stack", "concat": "stack", "concatenate": "stack", "stack": "cat"}
"""Functions that join, and those that are meant in their place."""
_SIZED = ("expand", "repeat", "zeros", "ones", "empty", "full", "arange")
"""Functions that are given sizes; `repeat` is that of patterns, too."""
_MOVES = frozenset({"transpose", "swapaxes", "permute", "movedim", "squeeze", "unsqueeze", "flatten", "t"})
_FLAGS = frozenset({"batch_first", "bidirectional", "keepdim", "ceil_mode"})
_HEADS = 4
"""Dims of a sequence that is taken apart, whose parts are wanted before its places."""
_PLACES = (-1, 1, 2, 0)
"""Dims, the usual ones first."""


def otherwise(source: Source, node: ast.expr, fewer: bool) -> Iterator[Other]:
    """The likeliest first; `fewer`: what fails wants other dims, not other sizes."""
    if isinstance(node, ast.Subscript):
        yield from _taken(source, node, fewer)
    if not isinstance(node, ast.Call):
        return
    name, method = called(node), _is_method(node)
    yield from _flags(source, node)
    if name[:1].isupper():
        yield from _entry(source, node)
    if name in JOINED and fewer:
        yield node.func, joined(source, node)
    if name in _ONE_DIM:
        more = [*_reduced(node, _ONE_DIM[name])]
        along = [*_flattened(source, node), *_along(source, node, _ONE_DIM[name])]
        kept = [*_kept(source, node, _ONE_DIM[name])]
        yield from (*kept, *more, *along) if fewer else (*along[:1], *kept, *along[1:], *more)
    if name == "nonzero" and not node.args[1 - _is_method(node) :] and not node.keywords:
        yield node, f"{_text.written(source, node)}.t()"
    if name in ("transpose", "swapaxes"):
        yield from _pairs(source, node)
    if name == "permute":
        yield from _orders(source, node)
    if name in ("view", "reshape") and _is_method(node):
        if len(node.args) >= _HEADS:
            yield node, f"{_text.written(source, node)}.transpose(1, 2)"
        yield from _viewed(source, node)
    if name in _SIZED:
        yield from _measured(source, node)
    if name in FILLED:
        yield from _exchanged(source, node)
    if name == "pop" and method and (not node.args or number(node.args[0]) == 0):
        yield node, f"{_text.written(source, node.func)}({'' if node.args else '0'})"
    if name in JOINED and not fewer:
        yield node.func, joined(source, node)
    if name in _MOVES and method and isinstance(node.func, ast.Attribute):
        yield node, _text.alone(source, node.func.value)


def _entry(source: Source, node: ast.Call) -> Iterator[Other]:
    """Of an entry of a sequence: another dim, another order of the dims that it is given."""
    if any(one.arg in ("dim", "axis", "start_dim") for one in node.keywords):
        yield from _along(source, node, 0)
    first = node.args[0] if node.args else None
    nodes = first.elts if isinstance(first, ast.List | ast.Tuple) else []
    dims = [dim for one in nodes if (dim := number(one)) is not None]
    if first is not None and len(nodes) > 2 and sorted(dims) == list(range(len(nodes))):
        ends = ("[", "]") if isinstance(first, ast.List) else ("(", ")")
        yield from ((first, f"{ends[0]}{', '.join(map(str, order))}{ends[1]}") for order in _reordered(dims))


def _along(source: Source, node: ast.Call, place: int) -> Iterator[Other]:
    """Another dim, where one is written, or the usual one where it may be left out."""
    written = _dim(node, place)
    old = number(written)
    if written is not None and old is not None:
        yield from ((written, str(dim)) for dim in _PLACES if dim != old)
    elif called(node) == "flatten" and not node.args and not node.keywords and _is_method(node):
        yield from ((node, f"{_text.written(source, node.func)}({dim})") for dim in (1, -2, 2))
    elif written is None and called(node) in ("cat", "concat", "concatenate", "stack") and node.args:
        first = _text.written(source, node.args[0])
        yield from ((node.args[0], f"{first}, dim={dim}") for dim in _PLACES if dim)


def _flattened(source: Source, node: ast.Call) -> Iterator[Other]:
    """What is stacked, each as a row: `torch.stack((x.flatten(), y.flatten()), dim=1)`."""
    first = node.args[0] if called(node) == "stack" and node.args else None
    items = first.elts if isinstance(first, ast.List | ast.Tuple) else []
    if first is not None and len(items) > 1 and all(isinstance(one, ast.Name) for one in items):
        ends = ("[", "]") if isinstance(first, ast.List) else ("(", ")")
        yield first, f"{ends[0]}{', '.join(f'{_text.written(source, one)}.flatten()' for one in items)}{ends[1]}"


def _dim(node: ast.Call, place: int) -> ast.expr | None:
    """What is written for its dim."""
    plain = node.args[place - _is_method(node) :][:1]
    named = next((one.value for one in node.keywords if one.arg in ("dim", "axis", "start_dim")), None)
    return named if named is not None else plain[0] if plain else None


def _reduced(node: ast.Call, place: int) -> Iterator[Other]:
    written = _dim(node, place)
    if written is not None and called(node) in REDUCING:
        yield from ((written, text) for text in _more(written))


def _more(written: ast.expr) -> Iterator[str]:
    """As many dims beside those that are reduced, of the channels alone both dims of space, then one more."""
    parts = written.elts if isinstance(written, ast.Tuple | ast.List) else [written]
    dims = sorted(dim for part in parts if (dim := number(part)) is not None)
    if dims and len(dims) == len(parts) and dims == list(range(dims[0], dims[0] + len(dims))):
        beside = ([dim + 1 for dim in dims], [dim - 1 for dim in dims]) if len(dims) > 1 else ([2, 3],) * (dims == [1])
        wider = ([*dims, dims[-1] + 1], [dims[0] - 1, *dims])
        yield from (f"({', '.join(map(str, one))})" for one in (*beside, *wider) if 0 not in one)


def _kept(source: Source, node: ast.Call, place: int) -> Iterator[Other]:
    """A sum or the like with its dim kept."""
    written = _dim(node, place)
    dims = [*map(number, written.elts if isinstance(written, ast.Tuple) else [written])]
    named, text = any(one.arg == "keepdim" for one in node.keywords), _text.written(source, node)
    if None not in dims and called(node) in REDUCING and not named and "#" not in text:
        yield node, f"{text[:-1].rstrip().rstrip(',')}, keepdim=True)"


def _exchanged(source: Source, node: ast.Call) -> Iterator[Other]:
    """Two neighbours of the sizes that a tensor is made with in each other's place."""
    first = node.args[0] if node.args else None
    function = innermost(source, node) if isinstance(first, ast.Name) and len(node.args) == 1 else None
    whole = last_bound(function, first) if function is not None and isinstance(first, ast.Name) else first
    plain = node.args if called(node) != "full" else []  # what it is filled with comes last
    sizes = whole.elts if isinstance(whole, ast.Tuple | ast.List) else plain
    ends = ("[", "]") if isinstance(whole, ast.List) else ("(", ")")
    texts = [_text.written(source, one) for one in sizes]
    for place in range(len(sizes) - 1):
        new = ", ".join(neighbours_swapped(texts, place))
        if whole is not None and sizes is not node.args:
            yield whole, f"{ends[0]}{new}{ends[1]}"
        else:
            named = [_text.written(source, one) for one in node.keywords]
            yield node, f"{_text.written(source, node.func)}({', '.join([new, *named])})"


def _pairs(source: Source, node: ast.Call) -> Iterator[Other]:
    written = node.args[1 - _is_method(node) :]
    dims = tuple(map(number, written))
    if len(dims) == 2 and None not in dims and not node.keywords and isinstance(node.func, ast.Attribute):
        first = "" if _is_method(node) else f"{_text.written(source, node.args[0])}, "
        for pair in ((1, 2), (-2, -1), (0, 1), (2, 3), (1, 3)):
            if pair not in (dims, dims[::-1]):
                yield node, f"{_text.written(source, node.func)}({first}{pair[0]}, {pair[1]})"


def _orders(source: Source, node: ast.Call) -> Iterator[Other]:
    """Back from where it moves them, two neighbours in each other's place, any two; the first one last."""
    written = node.args[1 - _is_method(node) :]
    nodes = written[0].elts if len(written) == 1 and isinstance(written[0], ast.Tuple | ast.List) else written
    dims = [dim for one in nodes if (dim := number(one)) is not None]
    if len(dims) != len(nodes):
        return
    head = _text.written(source, node.func)
    first = "" if _is_method(node) else f"{_text.written(source, node.args[0])}, "
    for order in _reordered(dims):
        new = ", ".join(map(str, order))
        yield node, f"{head}({first}({new}))" if nodes is not written else f"{head}({first}{new})"


def joined(source: Source, call: ast.Call) -> str:
    """The function that is meant in the place of one that joins."""
    name = called(call)
    return f"{_text.written(source, call.func).removesuffix(name)}{JOINED[name]}"


def _measured(source: Source, node: ast.Call) -> Iterator[Other]:
    """A size that was unpacked beside the one that is given: `b, n, _ = x.shape`."""
    function = innermost(source, node)
    known = unpacked(function) if function is not None else ()
    names = [group for line, group in known if line < node.lineno]
    for given in arguments(node):
        for group in names if isinstance(given, ast.Name) else ():
            if isinstance(given, ast.Name) and given.id in group:
                own = group.index(given.id)
                near = sorted(enumerate(group), key=lambda one: (abs(one[0] - own), -one[0]))
                yield from ((given, name) for _, name in near if name not in (given.id, "_"))


def _viewed(source: Source, node: ast.Call) -> Iterator[Other]:
    """The first two sizes as one, a product as two, or two sizes in each other's place."""
    sizes, head = [_text.written(source, one) for one in node.args], _text.written(source, node.func)
    if len(sizes) < 2 or any(isinstance(one, ast.Starred | ast.Tuple | ast.List) for one in node.args):
        return
    first, *rest = node.args
    if isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mult):
        both = f"{_text.written(source, first.left)}, {_text.written(source, first.right)}"
        yield node, f"{head}({', '.join([both, *sizes[1:]])})"
    elif number(first) is None and number(rest[0]) is None and len(sizes) > 2:
        both = f"{_text.alone(source, first)} * {_text.alone(source, rest[0])}"
        yield node, f"{head}({', '.join([both, *sizes[2:]])})"
    second = rest[0]
    if isinstance(second, ast.BinOp) and isinstance(second.op, ast.Mult) and number(first) is None:
        # Its factor belongs to the batch: `x.view(b * 3, n, d)` for `x.view(b, 3 * n, d)`.
        for factor, other in ((second.left, second.right), (second.right, second.left)):
            plain = _text.written if isinstance(factor, ast.Constant) else _text.alone
            both = f"{_text.alone(source, first)} * {plain(source, factor)}"
            yield node, f"{head}({', '.join([both, _text.written(source, other), *sizes[2:]])})"
    if len(sizes) > 3:
        yield node, f"{head}({', '.join([sizes[0], sizes[2], sizes[1], *sizes[3:]])})"
    for place, (one, other) in enumerate(pairwise(node.args) if len(sizes) > 2 else ()):
        # What is left open stands where its neighbour belongs.
        if -1 in (number(one), number(other)):
            yield node, f"{head}({', '.join(neighbours_swapped(sizes, place))})"


def _reordered(dims: list[int]) -> Iterator[list[int]]:
    """The likeliest first: channels moved to the end in place of back from there is the other way round."""
    back = [dims.index(dim) for dim in range(len(dims))] if sorted(dims) == list(range(len(dims))) else dims
    if dims[:1] == [0] and back != dims:
        yield back
    swaps = sorted(combinations(range(len(dims)), 2), key=lambda one: (one[0] == 0, one[1] - one[0] > 1, -one[1]))
    for one, two in swaps:
        order = [*dims]
        order[one], order[two] = order[two], order[one]
        yield order
    yield back


def _taken(source: Source, node: ast.Subscript, fewer: bool) -> Iterator[Other]:
    """`x[:, -1]` for `x[-1]` and back; `x` itself; the dim of 1 that a slice keeps."""
    x, parts = _text.written(source, node.value), _parts(node)
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and isinstance(node.slice, ast.Slice):
        upper = number(node.slice.upper)
        yield from ((node, f"{x}[:{upper + more}]") for more in (1, -1) if node.slice.lower is None) if upper else ()
        return
    nones = [place for place, part in enumerate(parts) if isinstance(part, ast.Constant) and part.value is None]
    if len(nones) == 1 and all(isinstance(part, ast.Slice) for place, part in enumerate(parts) if place != nones[0]):
        texts = [_text.written(source, part) for place, part in enumerate(parts) if place != nones[0]]
        ways = [[*texts[:place], "None", *texts[place:]] for place in range(len(texts) + 1) if place != nones[0]]
        yield from ((node, f"{x}[{', '.join(way)}]") for way in ways)
        return
    # Places that are given as a tensor are taken from another dim.
    named = [place for place, part in enumerate(parts) if isinstance(part, ast.Name | ast.Attribute | ast.Call)]
    if len(named) == 1 and named[0] <= 1 and all(map(_is_whole, parts[: named[0]] + parts[named[0] + 1 :])):
        text = _text.written(source, parts[named[0]])
        yield node, f"{x}[{text}]" if named[0] else f"{x}[:, {text}]"
    numbers = [place for place, part in enumerate(parts) if number(part) is not None]
    if len(numbers) != 1:
        return
    at, text = numbers[0], _text.written(source, parts[numbers[0]])
    rest = [part for place, part in enumerate(parts) if place != at]
    if not rest:
        yield from ((node, f"{x}[:, {text}]"), (node, x))
    elif all(map(_is_whole, rest)):
        yield from ((node, f"{x}[{text}]"), (node, x)) if at == 1 else ((node, f"{x}[:, {text}]"), (node, x))
        index = number(parts[at])
        if fewer and at and index is not None and index >= 0:
            yield parts[at], f"{index or ''}:{index + 1}"
    elif len(rest) == 1 and isinstance(rest[0], ast.Constant) and rest[0].value is ...:
        yield node, x


def _flags(source: Source, node: ast.Call) -> Iterator[Other]:
    """A flag the other way round, of the call or of the layer that it calls."""
    layer = layer_called(source, node.func)
    calls = assigned(source, node, layer) if layer is not None else [node]
    for one in (keyword for call in calls if isinstance(call, ast.Call) for keyword in call.keywords):
        if one.arg in _FLAGS and isinstance(one.value, ast.Constant) and isinstance(one.value.value, bool):
            yield one, f"{one.arg}={not one.value.value}"


def _is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _parts(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_method(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and not is_torch(node.func.value)
