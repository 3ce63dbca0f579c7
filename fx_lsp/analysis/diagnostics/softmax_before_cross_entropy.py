"""`cross_entropy` of probabilities: it takes a softmax itself, so there are two of them, and little is learned.

    probs = F.softmax(self.head(x), dim=-1)
    loss = F.cross_entropy(probs, target)

Instead: give it what the softmax is given.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._operations import operations, ran
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import Source, parsed
from fx_lsp.model.span import Span

_LOSSES = frozenset({"torch.nn.functional.cross_entropy", "CrossEntropyLoss"})
_SOFTMAX = frozenset({"torch.nn.functional.softmax", "torch.softmax", "torch.Tensor.softmax", "Softmax"})


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call whose first argument is a softmax, by itself or by the name bound to it last."""
    places = {operation.span for operation in ran(snapshot) if operation.target in _SOFTMAX}
    source = parsed(snapshot.path, snapshot.text)
    for call, operation in operations(snapshot, _LOSSES) if places else ():
        given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "input")]
        found = _softmax(given[0], source, call, places) if given else None
        if found is not None:
            message = "this takes a softmax of what is a softmax already"
            related = ((found, "the first softmax"),)
            yield Problem(operation.span, "warning", RULE.id, message, related)


def _softmax(value: ast.expr, source: Source, call: ast.Call, places: Container[Span]) -> Span | None:
    """The place where the value is made, if that is one of these."""
    if isinstance(value, ast.Name):
        bound = _bound(value.id, source, call)
        if bound is None:
            return None
        value = bound
    span = source.span(value)
    return span if span in places else None


def _bound(name: str, source: Source, call: ast.Call) -> ast.expr | None:
    """What the name is bound to last before the call, where that is a plain assignment in the same block."""
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if not isinstance(node, ast.FunctionDef) or not node.lineno <= call.lineno <= (node.end_lineno or 0):
            continue
        stores = [one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        before = [one for one in stores if one.id == name and one.lineno < call.lineno]
        last = max(before, key=lambda one: (one.lineno, one.col_offset), default=None)
        for statement in node.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and statement.targets[0] is last:
                return statement.value
    return None


RULE = Rule(id="softmax-before-cross-entropy", title="Two softmaxes in a row", find=find)
