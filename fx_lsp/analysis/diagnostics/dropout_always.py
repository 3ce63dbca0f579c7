"""A functional dropout that goes on in `eval()`: its `training` is True unless it is said.

    x = F.dropout(x, 0.1)

Instead: `F.dropout(x, 0.1, training=self.training)`, or a module, `self.dropout = nn.Dropout(0.1)`.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._operations import itself, operations, says
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.example import trains

_ALWAYS = frozenset(f"torch.nn.functional.dropout{dims}" for dims in ("", "1d", "2d", "3d"))
"""Those whose `training` is True by itself; that of the others is False."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call that ran: models run in `eval()`, unless the example says `train()`."""
    if any(trains(trace.example.setup, trace.call) for trace in snapshot.traces):
        return
    for call, operation in operations(snapshot, _ALWAYS):
        if itself(call, operation) and not says(call, "training", 2) and not _drops_nothing(call):
            message = "this drops in `eval()` too: `training` is True unless it is given, `training=self.training`"
            yield Problem(operation.span, "warning", RULE.id, message)


def _drops_nothing(call: ast.Call) -> bool:
    rates = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "p")]
    return any(isinstance(rate, ast.Constant) and not rate.value for rate in rates)


RULE = Rule(id="dropout-always", title="Dropout that does not end with training", find=find)
