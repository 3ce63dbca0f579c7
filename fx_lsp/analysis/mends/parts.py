"""Results unpacked into another number of names: as many made, as many named."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.unpack_dims import parts
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._bound import subject
from fx_lsp.analysis.mends._broken import Broken, is_torch
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends.unpacking import assignment
from fx_lsp.model.value import Group, TensorType

_SPLITTING = ("chunk", "tensor_split", "split")


def propose(broken: Broken) -> Iterator[Edit]:
    """What makes as many; then names for all of them."""
    found, wanted = assignment(broken), broken.call.plain(1)
    if broken.call.target != "parts" or found is None or not isinstance(wanted, int):
        return
    statement, target = found
    given = broken.call.operands[0]
    if isinstance(given.value, TensorType):
        yield from _unbound(broken, statement.value, given.value.shape, wanted)
        return
    for value in _makers(broken, statement.value):
        yield from _split(broken, value, given.value, wanted)
        yield from _wider(broken, value, given.value, wanted)
    yield from _named(broken, target, given.value, parts(given) or 0, wanted)


def _makers(broken: Broken, value: ast.expr) -> list[ast.Call]:
    """The call that is unpacked; before `map` and names the one that made its parts."""
    if isinstance(value, ast.GeneratorExp | ast.ListComp):
        value = value.generators[0].iter
    elif isinstance(value, ast.Call) and called(value) == "map" and len(value.args) > 1:
        value = value.args[1]
    source, made = broken.origin(value)
    return [made] if isinstance(made, ast.Call) and source is broken.source else []


def _unbound(broken: Broken, value: ast.expr, shape: tuple[int, ...], wanted: int) -> Iterator[Edit]:
    """Along another dim."""
    for dim in (dim for dim, size in enumerate(shape) if size == wanted):
        yield from broken.instead(value, (f"{broken.alone(value)}.unbind({-1 if dim == len(shape) - 1 else dim})",))


def _split(broken: Broken, call: ast.Call, value: object, wanted: int) -> Iterator[Edit]:
    """`chunk` into as many; `split` into parts of another size, or into as many."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    items = value.items if isinstance(value, Group) else ()
    yield from _chunked(broken, call, wanted)
    method = name in _SPLITTING and not (len(call.args) > 1 and number(call.args[0]) is None)
    counts = [one for one in (*call.args[:2], *(given.value for given in call.keywords if given.arg != "dim"))
              if number(one) is not None] if method else []  # fmt: skip
    for node in counts[:1]:
        if name != "split":
            yield from broken.instead(node, (str(wanted),))
            continue
        if number(node) == wanted and isinstance(call.func, ast.Attribute):
            text = f"{broken.text(call.func).removesuffix('split')}chunk"
            yield from broken.instead(call.func, (text,))
        sizes = [[one.shape[dim] for one in items if isinstance(one, TensorType) and dim < len(one.shape)]
                 for dim in range(8)]  # fmt: skip
        yield from _turned(broken, call, items, number(node) or 0, wanted)
        totals = [sum(one) for one in sizes if one and one[0] == number(node)]
        yield from broken.instead(node, (str(total // wanted) for total in totals if total % wanted == 0))


def _chunked(broken: Broken, call: ast.Call, wanted: int) -> Iterator[Edit]:
    """`x.chunk(3, dim=2)` for a `split` into parts of a size that is no number."""
    if called(call) != "split" or len(call.args) != 1 or isinstance(call.args[0], ast.Constant | ast.List | ast.Tuple):
        return
    if isinstance(call.func, ast.Attribute) and not is_torch(call.func.value):
        named = "".join(f", {one.arg}={broken.text(one.value)}" for one in call.keywords if one.arg is not None)
        yield from broken.instead(call, (f"{broken.alone(call.func.value)}.chunk({wanted}{named})",))


def _turned(broken: Broken, call: ast.Call, items: Sequence[object], size: int, wanted: int) -> Iterator[Edit]:
    """Split along a dim that another one, of as many parts, is turned into first."""
    first, shapes = subject(broken.source, call), [one.shape for one in items if isinstance(one, TensorType)]
    given = next((one.value for one in call.keywords if one.arg == "dim"), call.args[-1] if call.args else None)
    dim, rank = number(given), len(shapes[0]) if shapes else 0
    if first is None or dim is None or given is call.args[0] or not -rank <= dim < rank:
        return
    for other, there in enumerate(shapes[0]):
        if other and other != dim % rank and there == size * wanted:
            yield from broken.after(first, (f".transpose({min(other, dim % rank)}, {max(other, dim % rank)})",))


def _wider(broken: Broken, call: ast.Call, value: object, wanted: int) -> Iterator[Edit]:
    """What is split into parts of one size made as wide as so many of them."""
    first = subject(broken.source, call)
    shapes = [one.shape for one in value.items if isinstance(one, TensorType)] if isinstance(value, Group) else []
    given = next((one.value for one in call.keywords if one.arg == "dim"), call.args[-1] if call.args else None)
    dim = number(given)
    if first is None or called(call) != "split" or not shapes or len({*shapes}) > 1 or dim is None:
        return
    if not -len(shapes[0]) <= dim < len(shapes[0]):
        return
    for origin in broken.origins(first):
        name = origin.output(dim % len(shapes[0]))
        known = {name: shapes[0][dim] * len(shapes)}
        made = broken.making(origin, known)
        yield from made.sized(name, shapes[0][dim] * wanted)


def _named(broken: Broken, target: ast.Tuple | ast.List, value: object, given: int, wanted: int) -> Iterator[Edit]:
    """Groups inside in parentheses; the rest in one name more."""
    items = value.items if isinstance(value, Group) else ()
    texts = [broken.text(one) for one in target.elts]
    for place, one in enumerate(items):
        inner = len(one.items) if isinstance(one, Group) else 0
        if inner > 1 and given + inner - 1 == wanted:
            new = [*texts[:place], f"({', '.join(texts[place : place + inner])})", *texts[place + inner :]]
            yield from broken.instead(target, (", ".join(new),))
    missing = given - wanted
    spare = [place for place, text in enumerate(texts) if text.startswith("_")]
    if 0 < -missing <= len(spare) and given > 0:
        left = [text for place, text in enumerate(texts) if place not in spare[missing:]]
        yield from broken.instead(target, (", ".join(left) + ("," if len(left) == 1 else ""),))
    if missing > 0:
        blanks = ["_"] * missing if missing < 3 else ["*_"]
        yield from broken.instead(target, (", ".join([*texts, *blanks]),))


MEND = Mend(frozenset({"unpack-dims"}), propose)
