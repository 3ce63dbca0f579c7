"""What the warnings advise: a keyword more, a result that is kept, equal sizes, one softmax."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import grown, shrunk
from fx_lsp.analysis.mends._statements import innermost

_SOFTMAX = frozenset({"softmax", "Softmax"})


def propose(broken: Broken) -> Iterator[Edit]:
    """By the rule that warns."""
    if isinstance(broken.node, ast.Call):
        yield from _BY_RULE[broken.cause](broken, broken.node)


def _dim(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    return _with_keyword(broken, call, "dim=-1")


def _training(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    function = innermost(broken.source, broken.node)
    first = function.args.args[0].arg if function is not None and function.args.args else ""
    return _with_keyword(broken, call, "training=self.training") if first == "self" else iter(())


def _with_keyword(broken: Broken, call: ast.Call, keyword: str) -> Iterator[Edit]:
    given = [*call.args, *(one.value for one in call.keywords)]
    last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0), default=None)
    if last is not None and not isinstance(last, ast.GeneratorExp):
        for edit in broken.instead(last, (f"{broken.text(last)}, {keyword}",)):
            yield Edit(f"Add `{keyword}`", edit.path, edit.changes)


def _kept(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    """Bound to what it is made of, where that is a name."""
    node = call.func.value if isinstance(call.func, ast.Attribute) else None
    on_tensor = node is not None and broken.text(node) not in ("torch", "F", "nn.functional", "torch.nn.functional")
    kept = node if on_tensor else call.args[0] if call.args else None
    if isinstance(kept, ast.Name | ast.Attribute):
        text = broken.text(kept)
        yield from broken.instead(call, (f"{text} = {broken.text(call)}",))


def _equal(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    """A dim of 1 taken from the one that has it, or given to the other."""
    x, target = broken.call.shape(0), broken.call.shape(1)
    if x is None or target is None or len(call.args) < 2:
        return
    for place, shape, other in ((0, x, target), (1, target, x)):
        yield from broken.after(
            broken.place(place), (way for way, new in shrunk(shape) if new == other and "squeeze" in way)
        )
    for place, shape, other in ((1, target, x), (0, x, target)):
        yield from broken.after(broken.place(place), (suffix for suffix, new in grown(shape) if new == other))


def _bare(broken: Broken, call: ast.Call) -> Iterator[Edit]:
    """What the softmax is given, where the softmax is written."""
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "input")]
    softmax = _bound(broken, given[0], call) if given else None
    if not isinstance(softmax, ast.Call):
        return
    name = getattr(softmax.func, "attr", getattr(softmax.func, "id", ""))
    method = isinstance(softmax.func, ast.Attribute) and not softmax.args
    inner = softmax.func.value if method and isinstance(softmax.func, ast.Attribute) else None
    if inner is None or name not in _SOFTMAX:
        is_method = isinstance(softmax.func, ast.Attribute) and name in _SOFTMAX and _is_dim(softmax.args[:1])
        inner = softmax.func.value if is_method and isinstance(softmax.func, ast.Attribute) else None
        inner = softmax.args[0] if inner is None and softmax.args else inner
    if inner is not None and not isinstance(inner, ast.Starred):
        edit = next(broken.instead(softmax, (broken.alone(inner),)))
        yield Edit("Remove the softmax", edit.path, edit.changes)


def _is_dim(given: list[ast.expr]) -> bool:
    return bool(given) and isinstance(given[0], ast.Constant | ast.UnaryOp)


def _bound(broken: Broken, value: ast.expr, call: ast.Call) -> ast.expr | None:
    """The value itself, or what its name is bound to, where that is the only use of the name."""
    function = innermost(broken.source, broken.node)
    if not isinstance(value, ast.Name) or function is None:
        return value
    names = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == value.id]
    loads = [one for one in names if isinstance(one.ctx, ast.Load) and one.lineno <= call.lineno]
    before = [one for one in ast.walk(function) if isinstance(one, ast.Assign) and one.lineno < call.lineno]
    last = [one for one in before if getattr(one.targets[0], "id", "") == value.id][-1:]
    own = {id(one) for one in ast.walk(last[0].value)} if last else set[int]()
    since = [one for one in loads if last and one.lineno >= last[0].lineno and id(one) not in own]
    return last[0].value if last and since == [value] else None


_BY_RULE: dict[str, Callable[[Broken, ast.Call], Iterator[Edit]]] = {
    "softmax-without-dim": _dim,
    "dropout-always": _training,
    "result-unused": _kept,
    "loss-broadcast": _equal,
    "softmax-before-cross-entropy": _bare,
}
MEND = Mend(frozenset(_BY_RULE), propose)
