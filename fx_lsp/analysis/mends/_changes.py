"""Small changes of one expression: what people leave out, write too often, or in another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import pairwise

from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._bound import bound_before
from fx_lsp.analysis.mends._number_changes import Weighed, number_changes
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._seen import Seen
from fx_lsp.analysis.mends._shapes import neighbours_swapped
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source
from fx_lsp.model.value import Group, TensorType, Value

_BY_RANK = {
    1: (".unsqueeze(1)", ".unsqueeze(0)", "[:-1]", "[1:]"),
    2: (".t()", ".unsqueeze(1)", ".unsqueeze(-1)", "[:, :-1]", "[:, 1:]", ".unsqueeze(0)", "[:, 0]", "[:, -1]",
        "[-1]", "[0]", ".flatten()"),
    3: (".transpose(1, 2)", ".transpose(0, 1)", "[:, 0]", "[:, -1]", ".flatten(0, 1)", "[:, 1:]", "[:, :-1]",
        ".flatten(1)", ".mean(1)", ".unsqueeze(1)", ".unsqueeze(-1)", "[-1]", "[0]"),
    4: (".transpose(1, 2)", ".flatten(2)", ".flatten(0, 1)", ".permute(0, 3, 1, 2)", ".permute(0, 2, 3, 1)",
        ".transpose(2, 3)", ".mean((2, 3))", ".flatten(1)", ".flatten(1, 2)", "[:, 0]", ".unsqueeze(1)"),
    5: (".transpose(1, 2)", ".flatten(0, 1)", ".transpose(2, 3)", ".flatten(2)", ".flatten(1, 2)", ".flatten(3)",
        "[:, 0]", "[0]"),
}  # fmt: skip
"""What stands after a tensor with so many dims, the usual first."""
_OF_SEVERAL = ("[1:]", "[:-1]", "[::-1]", "[-1]", "[0]", "[1]")
MAX_NEAR = 3
"""Names for one name."""
_KINDS = ((r"\.(t|transpose|permute)\(|\[::-1\]", "order"), (r"\[(:, )?(1:|:-1)\]", "one"), ("", "rank"))
"""What a suffix changes, the first that is found in it."""
_BUILTIN = frozenset({"enumerate", "zip", "range", "reversed", "map", "len", "print", "super"})
_COUNTING = frozenset({"arange", "range", "linspace", "randint"})
"""Functions whose end is easily one too early or too late."""
_OPPOSITES = (
    ("PixelShuffle", "PixelUnshuffle"), ("pixel_shuffle", "pixel_unshuffle"), ("Fold", "Unfold"),
    ("Flatten", "Unflatten"), ("squeeze", "unsqueeze"), ("stack", "cat"), ("repeat", "repeat_interleave"),
    ("repeat", "expand"), ("Upsample", "Identity"), ("LSTM", "GRU"), ("max", "amax"), ("min", "amin"),
    ("Conv1d", "ConvTranspose1d"), ("Conv2d", "ConvTranspose2d"), ("Conv3d", "ConvTranspose3d"), ("bmm", "matmul"),
    ("chunk", "split"), ("split", "tensor_split"), ("reshape", "transpose"),
)  # fmt: skip
"""Functions and layers that people take for each other."""
_OTHERS: Mapping[str, tuple[str, ...]] = {
    name: tuple(pair[1 - pair.index(name)] for pair in _OPPOSITES if name in pair)
    for name in dict.fromkeys(one for pair in _OPPOSITES for one in pair)
}
_TYPES = {"float": "f32", "long": "i64", "bool": "b8", "int": "i32"}


def reshaped(source: Source, node: ast.expr, value: Value | None) -> Weighed:
    """A step more, that its dims or its entries allow."""
    if isinstance(node, ast.Tuple | ast.List):
        return
    if isinstance(value, Group) and value.form in ("tuple", "list"):
        if isinstance(node, ast.Call) and called(node) in _BUILTIN:
            return
        suffixes = [one for one in _OF_SEVERAL if one != "[1]" or len(value.items) > 1]
    elif isinstance(value, TensorType):
        last = len(value.shape) - 1
        ones = [place for place, size in enumerate(value.shape) if size == 1]
        suffixes = [f".squeeze({-1 if place == last else place})" for place in reversed(ones)]
        suffixes += [one for one in _BY_RANK.get(len(value.shape), ()) if not _same(one, value.shape)]
    else:
        return
    late = 0.3 if isinstance(node, ast.Name) else 0.0
    for place, suffix in enumerate(suffixes):
        kind = next(kind for pattern, kind in _KINDS if re.search(pattern, suffix))
        yield 1 + late + 0.12 * place, kind, (node, _text.alone(source, node) + suffix)


def _same(suffix: str, shape: tuple[int, ...]) -> bool:
    """Whether it exchanges two dims of one size."""
    if suffix == ".t()":
        return shape[0] == shape[1]
    name, _, rest = suffix.partition("(")
    dims = [int(one) for one in rest.rstrip(")").split(",")] if name == ".transpose" else []
    return bool(dims) and shape[dims[0]] == shape[dims[1]]


def retyped(source: Source, node: ast.expr, value: Value | None) -> Weighed:
    """As another type."""
    if isinstance(value, TensorType):
        others = [name for name, dtype in _TYPES.items() if dtype != value.dtype]
        for place, name in enumerate(others):
            yield 1 + 0.4 * place, "", (node, f"{_text.alone(source, node)}.{name}()")


def changes(source: Source, node: ast.expr, seen: Seen, apart: tuple[set[int], set[int]], fails: ast.AST) -> Weighed:
    """All others, of the expression and of the numbers in it; what `fails` itself is not left out."""
    if isinstance(node, ast.Call):
        if node is not fails:
            yield from _without(source, node, seen)
        yield from _fewer(source, node)
        yield from _exchanged(source, node)
        yield from _named(source, node)
    if isinstance(node, ast.Tuple | ast.List):
        yield from _ordered(source, node)
    sooner = 0.6 if isinstance(node, ast.Call) and called(node) in _COUNTING else 0.0
    variables = _variables(source, node)
    for one, tight in _inside(node):
        if seen.value(source, one) is None:
            found = number_changes(source, one, apart, tight, variables)
            yield from ((cost - sooner, kind, change) for cost, kind, change in found)
        if isinstance(one, ast.Name) and one is not node and one.id in variables:
            yield from _namesakes(one, variables)
        if isinstance(one, ast.Tuple | ast.List) and one is not node:
            yield from ((cost + 0.5, kind, change) for cost, kind, change in _ordered(source, one))
        if (
            isinstance(one, ast.Subscript)
            and isinstance(one.slice, ast.Slice | ast.Tuple)
            and isinstance(one.ctx, ast.Load)
        ):
            yield 1.8, "rank", (one, _text.written(source, one.value))


def _variables(source: Source, node: ast.expr) -> set[str]:
    """The names that the function has bound before; constants of the whole file."""
    function = innermost(source, node)
    if function is None:
        return set()
    constants = {name for name in source.bindings if name.isupper()}
    return (constants | bound_before(function, node.lineno)) - {"self", "cls"}


def _named(source: Source, node: ast.Call) -> Weighed:
    """Another function or layer, or the same for another number of dims, of the same module or object."""
    name, head = called(node), _text.written(source, node.func)
    others = _OTHERS.get(name, ()) if isinstance(node.func, ast.Attribute) else ()
    found = re.fullmatch(r"(\w+)([123])d", name) if isinstance(node.func, ast.Attribute) else None
    if found is not None and name[:1].isupper():
        others = (*others, *(f"{found[1]}{dims}d" for dims in "123" if dims != found[2]))
    for place, other in enumerate(others):
        yield 1.5 + 0.1 * place, "", (node.func, f"{head[: len(head) - len(name)]}{other}")


def _inside(node: ast.expr, tight: bool = True) -> Iterator[tuple[ast.expr, bool]]:
    """The expression, and what it is written with; whether an operator would bind it closer than one of its own."""
    yield node, tight
    if isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        inner = [owner] if isinstance(owner, ast.Call | ast.Subscript | ast.BinOp) else []
        given = [one for one in node.args if not isinstance(one, ast.Starred)]
        given += [one.value for one in node.keywords if one.arg is not None]
        yield from (found for one in inner for found in _inside(one))
        yield from (found for one in given for found in _inside(one, tight=False))
    elif isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        bounds = [
            one for part in parts for one in ((part.lower, part.upper) if isinstance(part, ast.Slice) else (part,))
        ]
        yield from _inside(node.value)
        yield from (found for one in bounds if one is not None for found in _inside(one, tight=False))
    elif isinstance(node, ast.Tuple | ast.List):
        yield from (found for one in node.elts if not isinstance(one, ast.Slice | ast.Starred)
                    for found in _inside(one, tight=False))  # fmt: skip
    elif isinstance(node, ast.BinOp):
        yield from (found for one in (node.left, node.right) for found in _inside(one))
    elif isinstance(node, ast.UnaryOp):
        yield from _inside(node.operand)
    elif isinstance(node, ast.IfExp):
        yield from (found for one in (node.body, node.orelse) for found in _inside(one))


def _namesakes(node: ast.Name, variables: Collection[str]) -> Weighed:
    """Other variables that are called nearly so: `lengths` for `mel_lengths`, `h` for `w`, `c3` for `c4`."""
    words, short = {*node.id.split("_")}, len(node.id) <= 2
    near = [name for name in sorted(variables) if name != node.id
            and (words & {*name.split("_")} or (short and len(name) <= 2))]  # fmt: skip
    near.sort(key=lambda name: -SequenceMatcher(None, name, node.id).ratio())
    for place, name in enumerate(near[:MAX_NEAR]):
        yield 1.7 + 0.1 * place, "", (node, name)


def _without(source: Source, node: ast.Call, seen: Seen) -> Weighed:
    """What a method was called on, what a layer was given: a tensor, as far as was seen."""
    if not isinstance(node.func, ast.Attribute) or called(node)[:1].isupper():
        return
    base, first = node.func.value, node.args[0] if len(node.args) == 1 and not node.keywords else None
    if seen.value(source, base) is not None:
        yield 1.6, "rank", (node, _text.alone(source, base))
    elif getattr(base, "id", "") == "self" and first is not None and seen.value(source, first) is not None:
        yield 2.2, "", (node, _text.alone(source, first))


def _fewer(source: Source, node: ast.Call) -> Weighed:
    """Without an argument or a flag, a flag the other way round; where nothing is said beside them."""
    if "#" in _text.written(source, node) or any(isinstance(one, ast.Starred) for one in node.args):
        return
    head = _text.written(source, node.func)
    given = [_text.written(source, one) for one in (*node.args, *node.keywords)]
    for place, one in enumerate(node.keywords, len(node.args)):
        if isinstance(one.value, ast.Constant) and isinstance(one.value.value, bool):
            yield 1.3, "", (one, f"{one.arg}={not one.value.value}")
        if one.arg is not None:
            yield 1.6, "", (node, f"{head}({', '.join([*given[:place], *given[place + 1 :]])})")
    if len(node.args) > 1:
        place = len(node.args) - 1
        yield 2.2, "", (node, f"{head}({', '.join([*given[:place], *given[place + 1 :]])})")


def _exchanged(source: Source, node: ast.Call) -> Weighed:
    """Two arguments beside each other in each other's place."""
    if "#" in _text.written(source, node):
        return
    texts = [_text.written(source, one) for one in node.args]
    named = [_text.written(source, one) for one in node.keywords]
    for place, (one, other) in enumerate(pairwise(node.args)):
        plain = (ast.Constant, ast.Starred, ast.GeneratorExp)
        if not isinstance(one, plain) and not isinstance(other, plain):
            new = [*neighbours_swapped(texts, place), *named]
            yield 1.9, "order", (node, f"{_text.written(source, node.func)}({', '.join(new)})")


def _ordered(source: Source, node: ast.Tuple | ast.List) -> Weighed:
    """Two entries in each other's place, all from the last one on, one of them left out; no slices."""
    whole = _text.written(source, node)
    if "#" in whole or not node.elts or any(isinstance(one, ast.Slice | ast.Starred) for one in node.elts):
        return
    texts = [_text.written(source, one) for one in node.elts]
    first = node.elts[0]
    own = isinstance(node, ast.List) or (node.lineno, node.col_offset) < (first.lineno, first.col_offset)
    start, end = (whole[0], whole[-1]) if own else ("", "")
    for place in range(len(texts) - 1):
        yield 1.2 + 0.1 * place, "order", (node, f"{start}{', '.join(neighbours_swapped(texts, place))}{end}")
    if len(texts) > 2:
        yield 1.3, "order", (node, f"{start}{', '.join(reversed(texts))}{end}")
    for place in range(len(texts)) if len(texts) > 1 else ():
        left = [*texts[:place], *texts[place + 1 :]]
        comma = "," if len(left) == 1 and start == "(" else ""
        yield 1.8 + 0.1 * place, "", (node, f"{start}{', '.join(left)}{comma}{end}")
