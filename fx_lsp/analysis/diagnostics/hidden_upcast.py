"""Half or single precision that becomes double, because the other operand is: twice the memory, and slow on a GPU.

    x = x + torch.from_numpy(table)  # f32 and f64

Instead: convert the other one where it is made, `.to(x.dtype)`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._operations import told
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import TensorType, label

_LOWER = frozenset({"f32", "f16", "bf16"})


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each place; none where another file converts what a class of this one makes to double."""
    if any(module.in_double for module in snapshot.modules):
        return
    for span, message in told(snapshot, _upcast):
        yield Problem(span, "warning", RULE.id, message)


def _upcast(operation: Operation, variant: OperationVariant) -> str | None:
    """A number without dims converts nothing."""
    tensors = [one for one in variant.inputs if isinstance(one, TensorType) and one.shape]
    lower = next((one for one in tensors if one.dtype in _LOWER), None)
    double = next((one for one in tensors if one.dtype == "f64"), None)
    output = variant.output
    if operation.form != "function" or not isinstance(output, TensorType) or output.dtype != "f64":
        return None
    return f"{label(lower)} becomes f64 here, because of {label(double)}" if lower and double else None


RULE = Rule(id="hidden-upcast", title="Double precision that nobody asked for", find=find)
