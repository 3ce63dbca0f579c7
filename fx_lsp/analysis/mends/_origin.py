"""What made a tensor: a layer's constructor, or the call that makes a parameter; which functions keep its features."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from fx_lsp.analysis.mends._makers import Callers
from fx_lsp.analysis.source import Source

OUTPUTS = frozenset({"out_features", "out_channels", "embedding_dim", "hidden_size"})
"""Parameters that are the size of what a layer makes."""
_POOLED = tuple(f"{name}_pool{dims}d" for name in ("max", "avg", "adaptive_max", "adaptive_avg") for dims in (1, 2, 3))
KEEPING = frozenset(
    {"relu", "relu6", "gelu", "silu", "elu", "celu", "selu", "leaky_relu", "hardswish", "mish", "softplus", "tanh",
     "sigmoid", "softmax", "log_softmax", "exp", "log", "sqrt", "abs", "neg", "square", "clamp", "dropout",
     "dropout1d", "dropout2d", "dropout3d", "normalize", "to", "type", "type_as", "float", "half", "double",
     "bfloat16", "contiguous", "clone", "detach", "cpu", "cuda", "checkpoint", "interpolate", "batch_norm",
     "layer_norm", "pad", "add", "sub", "mul", "div", "expand", "repeat",
     *_POOLED}
)  # fmt: skip
"""Functions of which the result has the features of what they are given first."""
PARAMETER = "Parameter"
FILLED = frozenset({"zeros", "ones", "empty", "randn", "rand", "full"})
"""Functions that make a tensor of the sizes that they are given."""
TURNS = frozenset({"transpose", "permute", "movedim", "swapaxes", "t", "T", "mT", "unsqueeze", "squeeze",
                   "rearrange"})  # fmt: skip
"""Functions and attributes after which the features are in another dim."""


@dataclass(frozen=True)
class Origin:
    """A layer's constructor, or the call that makes a parameter."""

    source: Source
    node: ast.Call
    target: str
    """Class of the layer."""
    parameters: tuple[str, ...]
    callers: Callers
    """The expressions that led to the layer, innermost first."""
    turned: bool = False
    """Whether dims are moved after it."""
    parts: int = 1
    """Into how many it is split after it."""
    less: int = 0
    """How many of its features are cut off after it."""

    @property
    def ways(self) -> int:
        """How many of it are joined: of a recurrent layer in both directions two."""
        both = [one.value for one in self.node.keywords if one.arg == "bidirectional"]
        return 2 if any(isinstance(one, ast.Constant) and one.value is True for one in both) else 1

    def output(self, dim: int) -> str:
        """The parameter that is the size of what it makes in this dim."""
        return next((name for name in self.parameters if name in OUTPUTS), f"size {dim}")
