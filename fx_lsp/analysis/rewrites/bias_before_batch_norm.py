"""BatchNorm takes the mean away, and with it the bias of the convolution before it.

Before:
    nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
After:
    nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, end_of_arguments

_SAYS = (
    "the bias is gone from the state dict: older checkpoints load with strict=False only, in train() all is the same"
)
_PLACES = {"Conv1d": 8, "Conv2d": 8, "Conv3d": 8, "Linear": 3}


def find(flow: Flow) -> Iterator[Found]:
    """Neighbours in a sequence or a list, and layers whose only use is the next one's input."""
    for node in ast.walk(flow.function):
        for left, right in (*pairwise(_in_order(flow, node)), *_appended(flow, node)):
            if isinstance(left, ast.Call) and isinstance(right, ast.Call):
                yield from _without_bias(flow, left, right)
    layers = flow.file.layers(flow.owner)
    for term, _ in flow.roots:
        if term.op.startswith("nn.BatchNorm") and term.args:
            inner = term.args[0]
            while (found := flow.defined(inner)) is not None:
                inner = found.term
            if inner.op in ("nn.Conv1d", "nn.Conv2d", "nn.Conv3d", "nn.Linear"):
                names = [str(one.args[-1].value).removeprefix("self.") for one in (inner, term)]
                left, right = (layers.get(name) for name in names)
                uses = sum(isinstance(node, ast.Attribute) and node.attr == names[0] for node in ast.walk(_owner(flow)))
                if left is not None and right is not None and uses == 2:
                    yield from _without_bias(flow, left, right)


def _in_order(flow: Flow, node: ast.AST) -> list[ast.expr]:
    """What is called one after the other: in a sequence, and in a list that is to be one."""
    if isinstance(node, ast.Call) and flow.file.dotted(node.func) == "torch.nn.Sequential":
        return _named(flow, node.args) or node.args
    parent = flow.parents.get(id(node))
    if isinstance(node, ast.List) and isinstance(parent, ast.Return):
        return node.elts if _is_starred(flow) else []
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    targets = [parent.target] if isinstance(parent, ast.AugAssign) else targets
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "extend":
        targets = [parent.func.value]
    name = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""
    return node.elts if isinstance(node, ast.List) and name and _becomes_sequence(flow, name) else []


def _named(flow: Flow, given: list[ast.expr]) -> list[ast.expr]:
    """The layers of an ordered dict, of pairs or of what is written in braces."""
    call = given[0] if len(given) == 1 and isinstance(given[0], ast.Call) else None
    if call is None or flow.file.dotted(call.func) != "collections.OrderedDict" or len(call.args) != 1:
        return []
    (entries,) = call.args
    if isinstance(entries, ast.Dict):
        return entries.values
    pairs = entries.elts if isinstance(entries, ast.List | ast.Tuple) else []
    layers = [one.elts[1] for one in pairs if isinstance(one, ast.Tuple) and len(one.elts) == 2]
    return layers if len(layers) == len(pairs) else []


def _appended(flow: Flow, node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What statements that follow each other append to the same list."""
    for first, second in pairwise(getattr(node, "body", ()) if isinstance(node, ast.stmt) else ()):
        (name, left), (other, right) = _append(first), _append(second)
        if left is not None and right is not None and name == other and _becomes_sequence(flow, name):
            yield left, right


def _append(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) and len(call.args) == 1 else None
    if not isinstance(call, ast.Call) or not isinstance(func, ast.Attribute) or func.attr != "append":
        return "", None
    return (func.value.id, call.args[0]) if isinstance(func.value, ast.Name) else ("", None)


def _is_starred(flow: Flow) -> bool:
    """Whether what the function gives goes into sequences as a whole, wherever the file calls it."""
    name = f"self.{flow.function.name}" if flow.owner is not None else flow.function.name
    calls = [one for part in flow.file.top for one in ast.walk(part) if isinstance(one, ast.Call)]
    sequences = (one for one in calls if flow.file.dotted(one.func) == "torch.nn.Sequential")
    inside = {id(one.value) for sequence in sequences for one in sequence.args if isinstance(one, ast.Starred)}
    own = [id(one) for one in calls if ast.unparse(one.func) == name]
    return bool(own) and inside.issuperset(own)


def _becomes_sequence(flow: Flow, name: str) -> bool:
    """Whether a list is only made longer, and given to sequences as a whole."""
    for node in ast.walk(flow.function):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            parent = flow.parents.get(id(node))
            call = flow.parents.get(id(parent))
            grows = isinstance(parent, ast.Attribute) and parent.attr in ("append", "extend")
            whole = isinstance(parent, ast.Starred) and isinstance(call, ast.Call) and (
                flow.file.dotted(call.func) == "torch.nn.Sequential"
            )  # fmt: skip
            if not grows and not whole:
                return False
    return True


def _owner(flow: Flow) -> ast.AST:
    return flow.owner if flow.owner is not None else flow.function


def _without_bias(flow: Flow, left: ast.Call, right: ast.Call) -> Iterator[Found]:
    layer, norm = (flow.file.dotted(one.func).removeprefix("torch.nn.") for one in (left, right))
    place = _PLACES.get(layer)
    if place is None or not norm.startswith("BatchNorm") or len(left.args) >= place:
        return
    given = {one.arg: one.value for one in left.keywords}
    if None in given or any(isinstance(one, ast.Starred) for one in left.args):
        return
    bias = given.get("bias")
    try:
        if bias is None:
            yield Found(left, ((end_of_arguments(flow.file, left), ", bias=False"),), _SAYS, other=True)
        elif isinstance(bias, ast.Constant) and bias.value is True:
            yield Found(left, ((flow.file.source.span(bias), "False"),), _SAYS, other=True)
    except Unwritable:
        return


RULE = Rewrite("bias-before-batch-norm", "Make it without a bias", find)
