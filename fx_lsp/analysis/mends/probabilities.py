"""A softmax or a sigmoid too many, or one where logarithms are wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken, Part
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk

_SQUASHES = frozenset({"softmax", "Softmax", "log_softmax", "LogSoftmax", "sigmoid", "Sigmoid"})
_SAYS = {"sigmoid": "sigmoid", "Sigmoid": "sigmoid"}


def propose(broken: Broken) -> Iterator[Edit]:
    """What is given taken as it was before, or the other function that takes it as it is."""
    name = broken.call.target
    first = next((one for one in broken.related if _is_squash(one)), None)
    if broken.cause == "double-softmax":
        yield from _once(broken, name)
    if broken.cause == "probabilities-without-log":
        yield from _with_log(broken, name, first)
        return
    if first is not None and _is_only_for(broken, first):
        yield from _removed(broken, first)
    if broken.cause == "softmax-before-cross-entropy" and first is None:
        yield from _as_it_is(broken)
    if broken.cause == "sigmoid-before-logits" and _SAYS.get(_name(first)):
        yield from _renamed(broken, broken.node, "binary_cross_entropy_with_logits", "binary_cross_entropy")


def _once(broken: Broken, name: str) -> Iterator[Edit]:
    """The second one away; what it made logarithms of still becomes some."""
    inner = broken.place(0, "input")
    if inner is not None and name.lower().startswith("log"):
        yield from broken.instead(broken.node, (f"{broken.alone(inner)}.log()",))
    elif inner is not None:
        edit = next(broken.instead(broken.node, (broken.alone(inner),)))
        yield Edit("Remove the second softmax", edit.path, edit.changes)


def _with_log(broken: Broken, name: str, first: Part | None) -> Iterator[Edit]:
    given = broken.place(0, "input", "log_probs")
    if first is None:  # what a layer gives
        yield from _renamed(broken, broken.node, "nll_loss", "cross_entropy")
        dim = 1 if name in ("nll_loss", "NLLLoss") else -1
        yield from broken.after(given, (f".log_softmax({dim})",))
        return
    if _is_only_for(broken, first):
        yield from _renamed(broken, first.node, "softmax", "log_softmax")
    yield from broken.after(given, (".log()",))


def _as_it_is(broken: Broken) -> Iterator[Edit]:
    """The loss that takes logarithms, of what a module gives that ends with a softmax."""
    call, given = broken.node, broken.place(0, "input")
    if isinstance(call, ast.Call) and given is not None and len(call.args) + len(call.keywords) == 2:
        logs = next(broken.after(given, (".log()",)))
        for edit in _renamed(broken, call, "cross_entropy", "nll_loss"):
            yield Edit("Use `nll_loss` of the logarithms", edit.path, (*edit.changes, *logs.changes))


def _is_squash(part: Part) -> bool:
    return _name(part) in _SQUASHES and isinstance(part.node, ast.Call)


def _name(part: Part | None) -> str:
    return part.target.rpartition(".")[2] if part is not None else ""


def _removed(broken: Broken, part: Part) -> Iterator[Edit]:
    inner = part.written.get("0", part.written.get("input"))
    if inner is not None and not isinstance(inner, ast.Starred):
        edit = next(broken.instead(part.node, (broken.alone(inner),)))
        which = "first " if broken.cause == "double-softmax" else ""
        yield Edit(f"Remove the {which}{_SAYS.get(_name(part), 'softmax')}", edit.path, edit.changes)


def _renamed(broken: Broken, node: ast.expr | ast.stmt, old: str, new: str) -> Iterator[Edit]:
    """Another function of the same module, or another method."""
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr == old:
        yield from broken.instead(func, (f"{broken.alone(func.value)}.{new}",))


def _is_only_for(broken: Broken, part: Part) -> bool:
    """Whether what it gives is read by what is warned of alone: it stands there, or is bound to a name for it."""
    given = broken.place(0, "input", "log_probs")
    if any(one is part.node for one in walk(broken.node)):
        return True
    function = innermost(broken.source, broken.node)
    if not isinstance(given, ast.Name) or function is None:
        return False
    names = [one for one in walk(function) if isinstance(one, ast.Name) and one.id == given.id]
    before = [one for one in walk(function) if isinstance(one, ast.Assign) and one.lineno <= given.lineno]
    last = [one for one in before if getattr(one.targets[0], "id", "") == given.id][-1:]
    own = {id(one) for one in walk(last[0].value)} if last else set[int]()
    since = [
        one
        for one in names
        if isinstance(one.ctx, ast.Load) and last and one.lineno >= last[0].lineno and id(one) not in own
    ]
    return bool(last) and any(one is part.node for one in walk(last[0].value)) and since == [given]


MEND = Mend(
    frozenset({"double-softmax", "probabilities-without-log", "sigmoid-before-logits", "softmax-before-cross-entropy"}),
    propose,
)
