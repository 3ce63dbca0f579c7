"""A tensor that `forward` makes without a device: it is on the CPU, and what is made of the weights is on the GPU.

    positions = torch.arange(x.size(1))
    return x + self.embedding(positions)

Instead: the device of an input, `torch.arange(x.size(1), device=x.device)`.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import file_of
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span

_ASKS = ("cuda", "device", "gpu", "mps", "xpu")
"""What a condition says that asks for the device."""
_DEFAULTS = ("set_default_device", "set_default_tensor_type")


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each that came to weights, or to what was made of them, as it was made."""
    if any(word in snapshot.text for word in _DEFAULTS):
        return
    told: set[Span] = set()
    for trace in snapshot.traces:
        for one in trace.reply.lineage if not trace.older else ():
            if one.made != "unplaced" or one.span.path != snapshot.path or one.span in told:
                continue
            if not any(_asks(snapshot, place) for place in (one.span, one.source)):
                told.add(one.span)
                message = "this is on the CPU wherever the model is; take the device of an input"
                yield Problem(one.span, "warning", RULE.id, message, ((one.source, "meets what is on its device"),))


def _asks(snapshot: Snapshot, place: Span) -> bool:
    """Whether a condition of the function around it asks for the device: another one may run there."""
    if place.path != snapshot.path:
        return False
    around = [one for one, _ in file_of(snapshot).functions() if one.lineno <= place.line <= (one.end_lineno or 0)]
    tests = (node.test for one in around for node in ast.walk(one) if isinstance(node, ast.If | ast.IfExp))
    return any(word in ast.unparse(test) for test in tests for word in _ASKS)


RULE = Rule(id="device-left-out", title="A tensor that is on the CPU wherever the model is", find=find)
