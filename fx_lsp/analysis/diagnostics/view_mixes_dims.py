"""A `view` or `reshape` where a transpose is meant: the numbers stay in their order, so samples or places are mixed.

    B, T, C = x.shape
    x = attention @ v  # f32[B, heads, T, 64]
    return x.reshape(B, T, C)

Instead: `x.transpose(1, 2).reshape(B, T, C)`; `permute` for a new order of dims.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Container, Iterator, Sequence

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._channels import is_of_channels, sizes_of
from fx_lsp.analysis.diagnostics._dims import bound, is_shape, is_size, statement_of
from fx_lsp.analysis.diagnostics._flows import SAME, calls_of, flows, made, operation_of, place_of
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.diagnostics._taken_apart import is_taken_apart
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import OperationVariant
from fx_lsp.model.value import TensorType, Value, label, tensors

_VIEWS = frozenset({"view", "reshape"})
_PARTS = frozenset({"getitem", "narrow"})
_WIDER = frozenset({"cat", "pad", "concat", "concatenate", "ConstantPad1d", "ConstantPad2d", "ZeroPad1d", "ZeroPad2d"})
_PLACES = 2
"""Dim of the places, where there are heads."""
_MATRIX = 3
"""Dims of a batch of matrices; one more than these where each head has one."""
_RECURRENT = frozenset({"RNN", "LSTM", "GRU"})


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each that puts a dim of a known size where other numbers are, whenever that can be told."""
    for flow in flows(snapshot, _VIEWS):
        for term, statement in calls_of(flow, _VIEWS):
            place, known = place_of(flow, term), _known(flow, term, statement)
            named = _swapped(flow, term, statement) if place is not None else -1
            named = 1 if named < 0 and is_of_channels(flow, term) else named
            named = 0 if named < 0 and _is_joined(flow, term, statement) else named
            named = 0 if named < 0 and is_taken_apart(flow, term, _VIEWS) else named
            named = _broken_row(flow, term) if named < 0 else named
            if place is not None and named >= 0:
                yield from _problem(place, named, next(one for one in ran(snapshot) if one.span == place).variants[0])
                continue
            if place is None or not known or _is_skew(flow, term):
                continue
            variants = [variant for one in ran(snapshot) if one.span == place for variant in one.variants]
            least = 1 if _is_state(flow, term.args[0], statement) else 2
            merged = _is_merged(flow, term, statement)
            parts = [one for one in known if one in _factors(flow, term)]
            own = any(_is_its_own(term, one) for one in known)
            between = len(known) == len(sizes_of(term)) and all(map(_is_between, variants))
            mixed = [(_PLACES if between else _mixed(one, known, least, merged, parts, own), one) for one in variants]
            told = [(dim, one) for dim, one in mixed if dim is not None]
            if told and all(dim >= 0 for dim, _ in told):
                yield from _problem(place, *told[0])


def _problem(place: Span, dim: int, first: OperationVariant) -> Iterator[Problem]:
    given, output = first.inputs[0], first.output
    message = (
        f"{label(given)} becomes {label(output)} with its numbers in the same order: "
        f"those of dim {dim} do not stay together"
    )
    yield Problem(place, "warning", RULE.id, message)


def _is_joined(flow: Flow, view: Term, statement: ast.stmt) -> bool:
    """Whether it is of the last state of a recurrent layer, whose layers and directions come first, with features of
    several rows side by side: those are of other samples."""
    operation = operation_of(flow, view) if _is_state(flow, view.args[0], statement) else None
    for one in operation.variants if operation is not None else ():
        state, joined = next(iter(one.inputs), None), one.output
        if not isinstance(state, TensorType) or not isinstance(joined, TensorType) or len(state.shape) != _MATRIX:
            return False
        if len(joined.shape) != 2 or min(*state.shape[:2], joined.shape[0]) < 2 or joined.shape[1] <= state.shape[2]:
            return False
    return operation is not None


def _broken_row(flow: Flow, view: Term) -> int:
    """The last dim of the view, where it is of rows of a table that do not stay in one piece: `table[codes]` of
    f32[N, C] as f32[B, C, H, W]; -1 for any other."""
    row, operation = made(flow, view.args[0]), operation_of(flow, view)
    found = operation_of(flow, row) if row is not None and row.op in ("getitem", "Embedding") else None
    if row is None or found is None or operation is None or not operation.variants:
        return -1
    if row.op == "getitem" and not all(_is_lookup(one.inputs) for one in found.variants):
        return -1
    shapes = [(next(iter(one.inputs), None), one.output) for one in operation.variants]
    pairs = [(x.shape, y.shape) for x, y in shapes if isinstance(x, TensorType) and isinstance(y, TensorType)]
    # One dim of the view is meant for the numbers of a row, and no other dim has that size by chance.
    cut = all(x[-1] in y[:-1] and x[-1] not in x[:-1] and _is_cut(x[-1], y) for x, y in pairs)
    return len(pairs[0][1]) - 1 if len(pairs) == len(shapes) and cut else -1


def _is_lookup(inputs: Sequence[Value]) -> bool:
    """Whether a tensor is indexed by one of whole numbers."""
    index = inputs[1] if len(inputs) == 2 else None
    return isinstance(index, TensorType) and index.dtype in ("i64", "i32")


def _is_cut(row: int, sizes: Sequence[int]) -> bool:
    """Whether numbers of one row are at several places of dims that are made of several rows."""
    step, found = 1, False
    for size in reversed(sizes):
        inside, above = row % (step * size) == 0, step % row == 0
        joined = step == 1 and size % row == 0
        found |= size > 1 and not (inside or above or joined)
        step *= size
    return found


def _swapped(flow: Flow, view: Term, statement: ast.stmt) -> int:
    """The first dim that is not where it was, of a view whose sizes all are those of the tensor itself, by the names
    that they were unpacked to: `x.view(b, w, h, c)` after `b, h, w, c = x.shape`; -1 for none, or for no such view."""
    x, parts = view.args[0], sizes_of(view)
    dims = [
        sorted(_dim_of(flow, x, one, statement) for one in (part.args if part.op == "mul" else (part,)))
        for part in parts
    ]
    flat = [one for part in dims for one in part]
    operation = operation_of(flow, view)
    shapes = [one.inputs[0] for one in operation.variants if one.inputs] if operation is not None else []
    ranks = {len(one.shape) for one in shapes if isinstance(one, TensorType)}
    if ranks != {len(flat)} or sorted(flat) != [*range(len(flat))] or len(shapes) == 0:
        return -1
    moved: set[int] = set()
    for one in shapes:
        real = [dim for dim in flat if isinstance(one, TensorType) and one.shape[dim] > 1]
        moved.add(next((dim for dim, place in zip(real, sorted(real), strict=True) if dim != place), -1))
    return moved.pop() if len(moved) == 1 else -1


def _dim_of(flow: Flow, x: Term, size: Term, statement: ast.stmt) -> int:
    """Which dim of a tensor a number is the size of; -1 where it is none, or where that is not certain."""
    place = bound(flow, size.node.id, statement) if isinstance(size.node, ast.Name) else None
    since = statement_of(flow, place) if isinstance(place, ast.Name) else None
    if not isinstance(since, ast.Assign) or len(since.targets) != 1 or not isinstance(since.targets[0], ast.Tuple):
        return -1
    names, value = since.targets[0].elts, since.value
    if any(isinstance(one, ast.Starred) for one in names) or place not in names or not is_shape(value):
        return -1
    owner = value.func if isinstance(value, ast.Call) else value
    inner = owner.value if isinstance(owner, ast.Attribute) else None
    same = isinstance(inner, ast.Name) and x.op == "name" and flow.variable(inner.id, since).value == x.value
    return names.index(place) if same else -1


def _known(flow: Flow, view: Term, statement: ast.stmt) -> list[int]:
    """Dims that the view makes and whose sizes are those of dims; none for a view that computes with sizes, as one that
    skews a matrix does."""
    wanted, parts = view.args[1:], sizes_of(view)
    output = operation_of(flow, view)
    if len(wanted) == 1 and wanted[0].node is not None and is_shape(wanted[0].node) and output is not None:
        ranks = {len(one.output.shape) for one in output.variants if isinstance(one.output, TensorType)}
        return [*range(ranks.pop())] if len(ranks) == 1 else []
    if any(
        isinstance(one, ast.Add | ast.Sub | ast.Starred) for part in parts if part.node for one in ast.walk(part.node)
    ):
        return []
    return [place for place, part in enumerate(parts) if is_size(flow, part, statement)]


def _factors(flow: Flow, view: Term) -> list[int]:
    """Dims that the view makes of sizes which are a factor of a dim in another view of the function: `b * heads`."""
    products = (
        node
        for call in ast.walk(flow.function)
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in _VIEWS and call is not view.node
        for node in ast.walk(call)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    )
    names = {one.id for node in products for one in ast.walk(node) if isinstance(one, ast.Name)}
    return [
        place for place, one in enumerate(sizes_of(view)) if isinstance(one.node, ast.Name) and one.node.id in names
    ]


def _is_its_own(view: Term, place: int) -> bool:
    """Whether the size is asked of the tensor itself: `x.view(-1, 3, x.shape[1])`."""
    sizes = sizes_of(view)
    size = sizes[place].node if place < len(sizes) else None
    asked = size.value if isinstance(size, ast.Subscript) else size.func if isinstance(size, ast.Call) else None
    viewed, owner = getattr(view.args[0], "node", None), getattr(asked, "value", None)
    return viewed is not None and owner is not None and ast.dump(viewed) == ast.dump(owner)


def _is_merged(flow: Flow, view: Term, statement: ast.stmt) -> bool:
    """Whether the first dim is made of two."""
    first = next(iter(sizes_of(view)), None)
    return first is not None and first.op == "mul" and all(is_size(flow, one, statement) for one in first.args)


def _mixed(
    variant: OperationVariant, known: Sequence[int], least: int, merged: bool, parts: Sequence[int], own: bool
) -> int | None:
    """The dim of what it is given that gets other strides than a view may give it; -1 for none.

    At least so many dims are to be there before as they are after, each of a size that no other has: else it may be an
    accident, and nothing is known; one of the tensor's `own` is enough where all sizes are there, in another order.
    The first one counts where it stays the first, or is `merged` of the first two.
    One of `parts` may be what a dim is taken apart into, and another have its size by accident.
    """
    given, output = variant.inputs[0] if variant.inputs else None, variant.output
    if not isinstance(given, TensorType) or not isinstance(output, TensorType) or max(known) >= len(output.shape):
        return None
    old, new = given.shape, output.shape
    whole = [place for place in known if new[place] > 1 and old.count(new[place]) == 1 == new.count(new[place])]
    kept, joined = old[0] == new[0] and (merged or 0 in known), merged and new[0] == math.prod(old[:2])
    first = 0 not in whole and new[0] > 1 and (kept or joined)
    permuted = own and len(set(old)) == len(old) and sorted(old) == sorted(new)
    if not whole or (len(whole) + first < least and not permuted):
        return None
    moved = [place for place in whole if math.prod(old[: old.index(new[place])]) != math.prod(new[:place])]
    apart = any(_starts(old, math.prod(new[:place]), new[place]) for place in parts)
    skewed = apart or any(new[place] + step in old and new[place] + step in new for place in moved for step in (-1, 1))
    return old.index(new[moved[0]]) if moved and not skewed else -1


def _is_between(variant: OperationVariant) -> bool:
    """Whether it is of the features of each head for each place, f32[B, heads, H * W, C], as f32[B, heads * C, H, W]:
    the channels are on both sides of the places."""
    given, output = variant.inputs[0] if variant.inputs else None, variant.output
    if not isinstance(given, TensorType) or not isinstance(output, TensorType):
        return False
    old, new = given.shape, output.shape
    if len(old) != _MATRIX + 1 or len(new) < _MATRIX + 1 or old[0] != new[0]:
        return False
    _, heads, places, features = old
    return new[1] == heads * features and math.prod(new[2:]) == places and 1 != places != features != 1


def _starts(old: Sequence[int], before: int, size: int) -> bool:
    """Whether a dim of a multiple of the size is there, after so many numbers."""
    return any(math.prod(old[:place]) == before and one > size and one % size == 0 for place, one in enumerate(old))


def _is_skew(flow: Flow, view: Term) -> bool:
    """Whether it moves the rows of matrices against each other, as relative positions do: of matrices with one column
    more, whose rows and columns it exchanges, or back from there."""
    viewed = operation_of(flow, view)
    variants = viewed.variants if viewed is not None else ()
    turned = [_exchanges(one.inputs[0], one.output) for one in variants if one.inputs]
    if not turned or not all(turned):
        return False
    given = made(flow, view.args[0], SAME | _PARTS | _VIEWS)
    operation = operation_of(flow, given) if given is not None and given.op in _WIDER else None
    first = operation.variants[0] if operation is not None else None
    if first is None or not isinstance(first.output, TensorType):
        return False
    wide = [*first.output.shape[-1:]]
    return any(wide == [size + 1 for size in part.shape[-1:]] for one in first.inputs for part in tensors(one))


def _exchanges(old: Value, new: Value) -> bool:
    """Whether the rows of a matrix for each head become as many as it has columns, and the other way round."""
    if not isinstance(old, TensorType) or not isinstance(new, TensorType):
        return False
    return len(old.shape) > _MATRIX and old.shape[-2:] == new.shape[-2:][::-1]


def _is_state(flow: Flow, term: Term, statement: ast.stmt) -> bool:
    """Whether it is the state that a recurrent layer gives: layers first, then samples."""
    place = bound(flow, term.node.id, statement) if isinstance(term.node, ast.Name) else None
    since = statement_of(flow, place) if isinstance(place, ast.Name) else None
    if not isinstance(since, ast.Assign) or not isinstance(since.targets[0], ast.Tuple):
        return False
    operation, first = flow.file.ran(since.value), since.targets[0].elts[0]
    return operation is not None and operation.target in _RECURRENT and first is not place


RULE = Rule(id="view-mixes-dims", title="A view where a transpose is meant", find=find)
