"""What the warnings advise: a keyword more, a result that is kept, equal sizes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, attribute
from fx_lsp.analysis.mends._broken import Broken, is_torch
from fx_lsp.analysis.mends._parameters import arguments
from fx_lsp.analysis.mends._shapes import grown, shrunk
from fx_lsp.analysis.mends._statements import innermost

_SOFTMAX = ("Softmax", "LogSoftmax", "Softmin")


def propose(broken: Broken) -> Iterator[Edit]:
    """By the rule that warns."""
    if isinstance(broken.node, ast.Call):
        yield from _BY_RULE[broken.cause](broken, broken.node)
    elif broken.cause == "silent-broadcast":
        yield from _equal(broken)


def _dim(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    """Where a layer is made, if it is one."""
    made = _made(broken, call)
    given = arguments(made) if made is not None else []
    if made is not None and given:
        yield from broken.instead(given[0], ("-1",))
    elif made is not None and (changes := _text.added(broken.source, made, "dim=-1")) is not None:
        yield Edit("Add `dim=-1`", broken.source.path, changes)
    elif attribute(call.func) is None:
        yield from _with_keyword(broken, call, "dim=-1")


def _made(broken: Broken, call: ast.Call) -> ast.Call | None:
    """What a layer of torch that is called is made by, where that is one place of the class: alone, or the last of a
    sequence."""
    name = attribute(call.func)
    values = assigned(broken.source, call, name) if name is not None else []
    made = values[0] if len(values) == 1 else None
    if broken.call.target == "Sequential" and isinstance(made, ast.Call) and made.args:
        made = made.args[-1]
    is_layer = isinstance(made, ast.Call) and ast.unparse(made.func).rpartition(".")[2] in _SOFTMAX
    return made if is_layer and isinstance(made, ast.Call) and len(arguments(made)) < 2 else None


def _training(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    function = innermost(broken.source, broken.node)
    first = function.args.args[0].arg if function is not None and function.args.args else ""
    return _with_keyword(broken, call, "training=self.training") if first == "self" else iter(())


def _with_keyword(broken: Broken, call: ast.Call, keyword: str) -> Iterator[Edit]:
    given = arguments(call)
    last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0), default=None)
    if last is not None and not isinstance(last, ast.GeneratorExp):
        for edit in broken.instead(last, (f"{broken.text(last)}, {keyword}",)):
            yield Edit(f"Add `{keyword}`", edit.path, edit.changes)


def _kept(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    """Bound to what it is made of, where that is a name or an entry; what is bound to another variable stays."""
    alone = (one.value for one in broken.source.every(ast.Expr))
    node = call.func.value if isinstance(call.func, ast.Attribute) else None
    is_own = node is not None and not is_torch(node) and getattr(node, "id", "") != "self"
    kept = node if is_own else call.args[0] if call.args else None
    entry = isinstance(kept, ast.Subscript) and isinstance(getattr(kept.slice, "value", None), str)
    named = entry or isinstance(kept, ast.Name | ast.Attribute)
    if kept is not None and named and any(one is call for one in alone):
        yield from broken.instead(call, (f"{broken.text(kept)} = {broken.text(call)}",))


def _equal(broken: Broken, _: ast.Call | None = None) -> Iterator[Edit]:
    """A dim of 1 taken from the one that has it, or given to the other."""
    x, target = broken.call.shape(0), broken.call.shape(1)
    if x is None or target is None or broken.place(0) is None or broken.place(1) is None:
        return
    for place, shape, other in ((0, x, target), (1, target, x)):
        yield from broken.after(
            broken.place(place), (way for way, new in shrunk(shape) if new == other and "squeeze" in way)
        )
    for place, shape, other in ((1, target, x), (0, x, target)):
        yield from broken.after(broken.place(place), (suffix for suffix, new in grown(shape) if new == other))


def _over(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    """Over the last dim; over the classes, dim 1, for a loss, or where the last one is 1."""
    made = _made(broken, call)
    given = arguments(made) if made is not None else []
    dim = given[0] if len(given) == 1 else broken.place(1, "dim")
    x = broken.call.shape(0)
    last = "1" if "log" in broken.call.target.lower() or (x and x[-1] == 1) else "-1"
    yield from broken.instead(dim, (last,))


def _one(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    """The probability of one score."""
    x = broken.place(0, "input")
    if x is not None and broken.call.target in ("softmax", "Softmax"):
        yield from broken.instead(call, (f"{broken.alone(x)}.sigmoid()",))


_BY_RULE: dict[str, Callable[[Broken, ast.Call], Iterator[Edit]]] = {
    "softmax-without-dim": _dim,
    "dropout-always": _training,
    "result-unused": _kept,
    "loss-broadcast": _equal,
    "silent-broadcast": _equal,
    "softmax-over-batch": _over,
    "softmax-of-one": _one,
}
MEND = Mend(frozenset(_BY_RULE), propose)
