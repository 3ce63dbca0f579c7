"""What torch's operations keep for their backward pass, as `derivatives.yaml` says."""

from __future__ import annotations

from fx_lsp.analysis.diagnostics._flows import called
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term

_WEIGHTED = frozenset({"Linear", "LayerNorm", "GroupNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Conv1d",
                       "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"})  # fmt: skip
LEARNS = _WEIGHTED | {"Embedding", "LSTM", "GRU", "RNN"}
"""Layers whose results need a gradient, whatever they are given."""
KEEPS_INPUT = _WEIGHTED | {"gelu", "GELU", "silu", "SiLU", "log", "sin", "cos", "square", "softplus", "mish"}
"""Operations that keep their first argument."""
KEEPS_RESULT = frozenset({
    "exp", "sigmoid", "Sigmoid", "tanh", "Tanh", "softmax", "Softmax", "log_softmax", "LogSoftmax", "sqrt", "rsqrt",
    "reciprocal", "relu", "ReLU",
})  # fmt: skip
"""Operations that keep their result."""
_PASSES = KEEPS_RESULT | KEEPS_INPUT | frozenset({
    "add", "sub", "mul", "div", "neg", "matmul", "transpose", "permute", "view", "reshape", "flatten", "unsqueeze",
    "squeeze", "cat", "stack", "tuple", "contiguous", "sum", "mean", "getitem", "dropout", "dropout_layer",
})  # fmt: skip
"""Operations whose result needs a gradient where an argument does."""
MAX_STEPS = 40
"""Operations followed back from one place."""


def needs_gradient(flow: Flow, term: Term) -> bool:
    """Whether it is made from what a layer with weights gives."""
    waiting, seen = [term], 0
    while waiting and seen < MAX_STEPS:
        one, seen = waiting.pop(), seen + 1
        if one.op == "name":
            found = flow.bound(one)
            waiting += [found] if found is not None else []
            continue
        named = called(flow, one)
        if named.op in LEARNS:
            return one.node is not None and flow.file.ran(one.node) is not None
        waiting += [*named.parts] if named.op in _PASSES else []
    return False
