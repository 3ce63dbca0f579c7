"""Single precision that `forward` makes half, whatever the model was moved to.

    attention = scores.half().softmax(-1).float()

Instead: `scores.softmax(-1)`, or the type of what it goes to, `.to(x.dtype)`; `torch.autocast` around the model.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import flows, modules_of
from fx_lsp.analysis.diagnostics._operations import operations
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.trace import Operation
from fx_lsp.model.value import TensorType

_CASTS = frozenset({"torch.Tensor.half", "torch.Tensor.bfloat16", "torch.Tensor.to", "torch.Tensor.type"})
_HALF = frozenset({"torch.float16", "torch.bfloat16", "torch.half"})
_ASKS = ("dtype", "half", "16", "amp", "cuda", "device", "gpu", "autocast", "precision", "training", "flash")
"""What a condition, or the head of a block, says where half precision is meant for some runs only."""
_NAMED = re.compile(r"(fp|bf|float)_?16|half_?precision", re.IGNORECASE)
"""Classes and methods that are there for half precision, by their name."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each that ran in a method of a module on what is single, unless a condition comes first, it
    goes back to the type it had, or the class or the method is named after half precision."""
    places = {one.span: one for _, one in operations(snapshot, _CASTS) if _halves(one)}
    modules = modules_of(snapshot) if places else frozenset[str]()
    for flow in flows(snapshot, {"half", "bfloat16", "to", "type"}) if places else ():
        if flow.file.names.get(id(flow.owner)) not in modules or flow.function.name.startswith("__"):
            continue
        if any(_NAMED.search(name) for name in (flow.function.name, getattr(flow.owner, "name", ""))):
            continue
        for node in (one for one in ast.walk(flow.function) if isinstance(one, ast.Call)):
            place = flow.file.source.span(node)
            if place in places and _names_it(flow, node) and not _asks(flow) and not _goes_back(flow, node):
                message = "this makes single precision half, whatever the model was moved to"
                yield Problem(place, "warning", RULE.id, message)


def _halves(operation: Operation) -> bool:
    """Whether it always is given single precision with dims, and gives half."""
    given = [(one.inputs[0] if one.inputs else None, one.output) for one in operation.variants]
    return bool(given) and all(
        isinstance(x, TensorType) and isinstance(y, TensorType) and x.shape and x.dtype == "f32" and "16" in y.dtype
        for x, y in given
    )


def _names_it(flow: Flow, call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "dtype")]
    return call.func.attr in ("half", "bfloat16") or any(flow.file.dotted(one) in _HALF for one in given)


def _asks(flow: Flow) -> bool:
    """Whether a condition or a context of the function is about types or devices."""
    for node in ast.walk(flow.function):
        heads = [node.test] if isinstance(node, ast.If | ast.IfExp) else []
        heads += [one.context_expr for one in node.items] if isinstance(node, ast.With) else []
        if any(word in ast.unparse(head) for head in heads for word in _ASKS):
            return True
    return False


def _goes_back(flow: Flow, call: ast.Call) -> bool:
    """Whether something is made of a type again, after, that was kept before: what is between takes half only."""
    kept: set[str] = set()
    for one in ast.walk(flow.function):
        if isinstance(one, ast.Assign) and one.lineno <= call.lineno:
            pairs = [(one.targets[0], one.value)]
            if isinstance(one.targets[0], ast.Tuple) and isinstance(one.value, ast.Tuple):
                pairs = [*zip(one.targets[0].elts, one.value.elts, strict=False)]
            kept |= {at.id for at, value in pairs if isinstance(at, ast.Name) and getattr(value, "attr", "") == "dtype"}
    casts = (one for one in ast.walk(flow.function) if isinstance(one, ast.Call) and one is not call)
    return any(
        getattr(one.func, "attr", "") in ("to", "type") and one.lineno >= call.lineno and _asks_for(one, kept)
        for one in casts
    )


def _asks_for(cast: ast.Call, kept: set[str]) -> bool:
    given = [*cast.args, *(one.value for one in cast.keywords)]
    return any(
        getattr(one, "id", "") in kept or (isinstance(one, ast.Attribute) and one.attr == "dtype") for one in given
    )


RULE = Rule(id="dtype-hard-coded", title="Half precision that the code names", find=find)
