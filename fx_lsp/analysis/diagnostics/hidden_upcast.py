"""Half or single precision that becomes double, because the other operand is: twice the memory, and slow on a GPU.

    x = x + torch.from_numpy(table)  # f32 and f64

Instead: convert the other one where it is made, `.to(x.dtype)`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._operations import ran
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType, label

_LOWER = frozenset({"f32", "f16", "bf16"})


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each place; a number without dims converts nothing."""
    seen: set[Span] = set()
    for operation in ran(snapshot):
        for variant in operation.variants if operation.form == "function" and operation.span not in seen else ():
            tensors = [one for one in variant.inputs if isinstance(one, TensorType) and one.shape]
            lower = next((one for one in tensors if one.dtype in _LOWER), None)
            double = next((one for one in tensors if one.dtype == "f64"), None)
            output = variant.output
            if lower and double and isinstance(output, TensorType) and output.dtype == "f64":
                seen.add(operation.span)
                message = f"{label(lower)} becomes f64 here, because of {label(double)}"
                yield Problem(operation.span, "warning", RULE.id, message)


RULE = Rule(id="hidden-upcast", title="Double precision that nobody asked for", find=find)
