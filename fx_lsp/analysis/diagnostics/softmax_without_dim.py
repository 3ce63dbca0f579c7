"""`softmax` without `dim`: torch chooses one by the number of dims, warns, and seldom means what you do.

    weights = F.softmax(scores)  # f32[8, 10, 10]: over dim 0, the batch

Instead: `F.softmax(scores, dim=-1)`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.diagnostics._operations import itself, operations, says
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.value import TensorType, label

_TARGETS = frozenset(f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "softmin"))
_FIRST = (0, 1, 3)
"""Numbers of dims with which it takes the first one (`torch.nn.functional._get_softmax_dim`), else the second."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call, of a layer that was made without one as well."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    found = lineages(snapshot, {"softmax", "log_softmax", "softmin"}, {"dim"})
    for one in (one for one in found if one.sizes):
        dim = 0 if one.sizes[0] in _FIRST else 1
        message = f"no `dim` is given: with {one.sizes[0]} dims torch takes dim {dim}"
        yield Problem(one.span, "warning", RULE.id, message)


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    for call, operation in operations(snapshot, _TARGETS):
        x = operation.variants[0].inputs[0] if operation.variants and operation.variants[0].inputs else None
        if isinstance(x, TensorType) and itself(call, operation) and not says(call, "dim", 1):
            dim = 0 if len(x.shape) in _FIRST else 1
            message = f"no `dim` is given: with {label(x)} torch takes dim {dim}"
            yield Problem(operation.span, "warning", RULE.id, message)


RULE = Rule(id="softmax-without-dim", title="softmax over a dim that nobody chose", find=find, any_inputs=True)
