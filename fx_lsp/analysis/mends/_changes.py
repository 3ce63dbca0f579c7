"""Small changes of one expression: what people leave out, write too often, or in another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import pairwise

from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._broken import is_torch
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._seen import Seen
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk
from fx_lsp.model.value import Group, TensorType, Value

Change = tuple[ast.expr | ast.keyword, str]
"""What is written, and what may be in its place."""
Weighed = Iterator[tuple[float, str, Change]]
"""With how unlikely it is, from 1 on, and what it changes: the `order` or the number (`rank`) of dims, a size by `one`
or so many `times`, or something else."""
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


def changes(source: Source, node: ast.expr, seen: Seen, apart: tuple[set[int], set[int]]) -> Weighed:
    """All others, of the expression and of the numbers in it."""
    if isinstance(node, ast.Call):
        yield from _fewer(source, node)
        yield from _exchanged(source, node)
        yield from _named(source, node)
    if isinstance(node, ast.Tuple | ast.List):
        yield from _ordered(source, node)
    sooner = 0.6 if isinstance(node, ast.Call) and called(node) in _COUNTING else 0.0
    for one in _inside(node):
        if seen.value(source, one) is None:
            yield from ((cost - sooner, kind, change) for cost, kind, change in _number(source, one, apart))
        if isinstance(one, ast.Name) and one is not node:
            yield from _namesakes(source, one)
        if isinstance(one, ast.Tuple | ast.List) and one is not node:
            yield from ((cost + 0.5, kind, change) for cost, kind, change in _ordered(source, one))
        if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice | ast.Tuple) and _is_read(one):
            yield 1.8, "rank", (one, _text.written(source, one.value))


def _is_read(node: ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Load)


def _named(source: Source, node: ast.Call) -> Weighed:
    """Another function or layer, or the same for another number of dims."""
    name, head = called(node), _text.written(source, node.func)
    others = _OTHERS.get(name, ())
    if (found := re.fullmatch(r"(\w+)([123])d", name)) is not None and name[:1].isupper():
        others = (*others, *(f"{found[1]}{dims}d" for dims in "123" if dims != found[2]))
    for place, other in enumerate(others):
        yield 1.5 + 0.1 * place, "", (node.func, f"{head[: len(head) - len(name)]}{other}")


def _inside(node: ast.expr) -> Iterator[ast.expr]:
    """The expression, and what it is written with down to other calls, with their arguments."""
    yield node
    for one in ast.iter_child_nodes(node):
        if isinstance(node, ast.Call) and one is node.func and isinstance(one, ast.Name):
            continue
        if isinstance(one, ast.keyword):
            one = one.value
        if isinstance(one, ast.Slice):
            yield from (part for part in (one.lower, one.upper) if part is not None)
        elif isinstance(one, ast.expr) and not isinstance(one, ast.Lambda):
            yield from _inside(one)


def _namesakes(source: Source, node: ast.Name) -> Weighed:
    """Other variables of the function that are called nearly so: `lengths` for `mel_lengths`, `h` for `w`, `c3` for
    `c4`."""
    function = innermost(source, node)
    if function is None or not isinstance(node.ctx, ast.Load):
        return
    bound = {
        one.id: one.lineno for one in walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    given = {one.arg: function.lineno for one in (*function.args.args, *function.args.kwonlyargs)}
    words = {*node.id.split("_")}
    near = [name for name, line in {**bound, **given}.items() if line <= node.lineno and name not in (node.id, "self")
            and (words & {*name.split("_")} or (len(name) <= 2 and len(node.id) <= 2))]  # fmt: skip
    for place, name in enumerate(
        sorted(near, key=lambda name: -SequenceMatcher(None, name, node.id).ratio())[:MAX_NEAR]
    ):
        yield 1.7 + 0.1 * place, "", (node, name)


def _fewer(source: Source, node: ast.Call) -> Weighed:
    """Without a step, an argument or a flag; a flag the other way round."""
    head = _text.written(source, node.func)
    if isinstance(node.func, ast.Attribute) and not called(node)[:1].isupper():
        base = node.func.value
        if not is_torch(base) and (isinstance(base, ast.Name | ast.Call | ast.Subscript | ast.BinOp) or not node.args):
            yield 1.6, "rank", (node, _text.written(source, base))
        if len(node.args) == 1 and not node.keywords and getattr(base, "id", "") == "self":
            yield 2.2, "", (node, _text.written(source, node.args[0]))
    given = [_text.written(source, one) for one in (*node.args, *node.keywords)]  # type: ignore[arg-type]
    for place, one in enumerate(node.keywords, len(node.args)):
        if isinstance(one.value, ast.Constant) and isinstance(one.value.value, bool):
            yield 1.3, "", (one, f"{one.arg}={not one.value.value}")
        if one.arg is not None:
            yield 1.6, "", (node, f"{head}({', '.join([*given[:place], *given[place + 1 :]])})")
    if len(node.args) > 1 and not any(isinstance(one, ast.Starred) for one in node.args):
        place = len(node.args) - 1
        yield 2.2, "", (node, f"{head}({', '.join([*given[:place], *given[place + 1 :]])})")


def _exchanged(source: Source, node: ast.Call) -> Weighed:
    """Two arguments beside each other in each other's place."""
    given = node.args
    texts = [_text.written(source, one) for one in given]
    named = [_text.written(source, one) for one in node.keywords]  # type: ignore[arg-type]
    for place, (one, other) in enumerate(pairwise(given)):
        plain = (ast.Constant, ast.Starred, ast.GeneratorExp)
        if not isinstance(one, plain) and not isinstance(other, plain):
            new = [*texts[:place], texts[place + 1], texts[place], *texts[place + 2 :], *named]
            yield 1.9, "order", (node, f"{_text.written(source, node.func)}({', '.join(new)})")


def _ordered(source: Source, node: ast.Tuple | ast.List) -> Weighed:
    """Two entries in each other's place, all from the last one on, one of them left out; no slices."""
    if any(isinstance(one, ast.Slice | ast.Starred) for one in node.elts):
        return
    texts = [_text.written(source, one) for one in node.elts]
    whole = _text.written(source, node)
    start, end = (whole[0], whole[-1]) if whole[:1] in "([" and whole[-1:] in ")]" else ("", "")
    ways = [[*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]] for at in range(len(texts) - 1)]
    for place, way in enumerate(ways):
        yield 1.2 + 0.1 * place, "order", (node, f"{start}{', '.join(way)}{end}")
    if len(texts) > 2:
        yield 1.3, "order", (node, f"{start}{', '.join(reversed(texts))}{end}")
    for place in range(len(texts)) if len(texts) > 1 else ():
        left = [*texts[:place], *texts[place + 1 :]]
        comma = "," if len(left) == 1 and start == "(" else ""
        yield 1.8 + 0.1 * place, "", (node, f"{start}{', '.join(left)}{comma}{end}")


def _number(source: Source, node: ast.expr, apart: tuple[set[int], set[int]]) -> Weighed:
    """One more or less, twice as many or half of it; without what is added or multiplied; whole."""
    differences, times = apart
    if isinstance(node, ast.BinOp):
        left, right = _text.written(source, node.left), _text.written(source, node.right)
        parts = walk(node)
        if isinstance(node.op, ast.Div):
            yield 1.0, "", (node, f"{left} // {right}")
        elif isinstance(node.op, ast.Mult) and any(isinstance(getattr(one, "value", None), float) for one in parts):
            yield 1.2, "", (node, f"int({_text.written(source, node)})")
        if isinstance(node.op, ast.Add | ast.Sub):
            yield 1.5, "one", (node, left)
        if isinstance(node.op, ast.Mult | ast.FloorDiv):
            yield 1.5, "times", (node, left)
        if isinstance(node.op, ast.Add | ast.Mult):
            yield 1.8, "times", (node, right)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        number = node.value
        near = 1.4 if 1 in differences or number in (0, 1, 2) else 2.0
        yield from ((near, "one", (node, str(one))) for one in (number + 1, number - 1) if one >= 0)
        for factor in sorted(times & {2, 3, 4}) or [2]:
            yield 1.7, "times", (node, str(number * factor))
            if number % factor == 0 and number:
                yield 1.7, "times", (node, str(number // factor))
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for factor in sorted(times & {2, 3, 4}):
            yield 2.0, "times", (node, f"{factor} * {node.id}")
            yield 2.0, "times", (node, f"{node.id} // {factor}")
        if 1 in differences:
            yield from ((1.9, "one", (node, f"{node.id} {sign} 1")) for sign in "+-")
