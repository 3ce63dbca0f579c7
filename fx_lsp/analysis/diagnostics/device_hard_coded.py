"""A device that `forward` names: the model runs on that one only, whatever it is moved to.

    mask = torch.zeros(T, T, device="cuda")
    x = x + self.table.cuda()

Instead: the device of an input, `device=x.device`; a buffer for what is always the same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import flows, modules_of
from fx_lsp.analysis.diagnostics._operations import operations, ran
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.snapshot import Problem, Snapshot

_NAMED = re.compile(r"(cuda|xpu|mps|npu)(:\d+)?$")
_ASKS = ("cuda", "device", "gpu", "mps", "xpu")
"""What a condition says that asks for the device."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call that ran in a method of a module, unless a condition asks for the device first."""
    targets = {one.target for one in ran(snapshot)} if any(one.reply.devices for one in snapshot.traces) else set[str]()
    places = {one.span: one.target for _, one in operations(snapshot, targets)}
    modules = modules_of(snapshot)
    for flow in flows(snapshot, {one.rpartition(".")[2] for one in targets}):
        if flow.file.names.get(id(flow.owner)) not in modules or flow.function.name.startswith("__"):
            continue
        for node in (one for one in ast.walk(flow.function) if isinstance(one, ast.Call)):
            place = flow.file.source.span(node)
            if place not in places:
                continue
            thrown = isinstance(flow.parents.get(id(node)), ast.Expr) and places[place].startswith("torch.Tensor.")
            if thrown and isinstance(getattr(node.func, "value", None), ast.Name):
                continue  # it moves nothing: that is what is wrong there, see `result-unused`
            device = _device(node)
            if device and not _asks_first(flow, node):
                message = f"this is on `{device}` wherever the model is; take the device of an input"
                yield Problem(place, "warning", RULE.id, message)


def _device(call: ast.Call) -> str:
    """The accelerator that is written in a call; empty for none."""
    name = getattr(call.func, "attr", "")
    given = [one.value for one in call.keywords if one.arg == "device"]
    if (
        name in ("cuda", "xpu", "mps", "npu")
        and isinstance(call.func, ast.Attribute)
        and not call.args
        and not call.keywords
    ):
        return name
    if name == "to":
        given += call.args[:1]
    for one in given:
        inner = (
            one.args[0] if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "device" and one.args else one
        )
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and _NAMED.match(inner.value):
            return inner.value
    return ""


def _asks_first(flow: Flow, node: ast.AST) -> bool:
    found: ast.AST | None = node
    while found is not None and found is not flow.function:
        if isinstance(found, ast.If | ast.IfExp | ast.Try):
            test = ast.unparse(found.test) if not isinstance(found, ast.Try) else "device"
            if any(word in test for word in _ASKS):
                return True
        found = flow.parents.get(id(found))
    return False


RULE = Rule(id="device-hard-coded", title="A device that the code names", find=find)
