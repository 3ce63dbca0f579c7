"""A product with a transposed matrix and an addition are one function.

Before:
    y = x @ self.weight.t() + self.bias
After:
    y = F.linear(x, self.weight, self.bias)
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite, pairs
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.model.value import TensorType

_PAIRS = pairs(("torch.matmul(x, torch.transpose(w, -2, -1)) + b", "F.linear(x, w, b)"))


def find(flow: Flow) -> Iterator[Found]:
    """Where what is added has one dim."""
    for found in _PAIRS(flow):
        operation = flow.file.operations.get(flow.file.source.span(found.node))
        for variant in operation.variants[:1] if operation is not None else ():
            if any(isinstance(one, TensorType) and len(one.shape) == 1 for one in variant.inputs):
                yield found


RULE = Rewrite("linear-by-hand", "Use linear", find)
