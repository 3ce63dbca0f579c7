"""A layer over dims of space gets more or fewer dims than it takes.

    self.conv = nn.Conv2d(3, 64, 7)
    y = self.conv(x)  # x is f32[3, 8]

Instead: keep the dims apart, or add the one that is missing, `x.unsqueeze(0)`.
"""

from __future__ import annotations

from itertools import product

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.causes._spatial import CONVOLUTIONS, SPACE, channel_dim, dims_of, lacks_space

_POOLS = frozenset(
    name.format(dims)
    for name, dims in product(
        ("MaxPool{}d", "AvgPool{}d", "AdaptiveAvgPool{}d", "AdaptiveMaxPool{}d", "max_pool{}d", "avg_pool{}d",
         "adaptive_avg_pool{}d", "adaptive_max_pool{}d"),
        (1, 2, 3),
    )
)  # fmt: skip


def explain(call: Call) -> str | None:
    """From the number in the name."""
    x, dims = call.operand(0, "input"), dims_of(call.target)
    channels = call.settings.get("in_channels", "channels")
    lacking = lacks_space(x, dims, channels)
    weight = call.operand(1, "weight")
    if wants_weight(call):
        known = f"{weight.known()} has {_counted(len(weight.shape or ()))}" if weight is not None else ""
        return f"{call.name} takes a weight with {_counted(dims + 2)}, [out, in, {SPACE[dims]}], and {known}"
    if x is None or x.shape is None or (channel_dim(x, dims) is not None and not lacking):
        return None
    wanted = f"[batch, {channels}, {SPACE[dims]}], or the same without a batch"
    text = f"{call.name} takes {wanted}, and {x.known()} has {_counted(len(x.shape))}"
    return f"{text}, of which dim 1 has the channels" if lacking else text


def wants_weight(call: Call) -> bool:
    """Whether it is a function whose weight has other dims than it takes."""
    weight = call.shape(1, "weight")
    return call.target.startswith("conv") and weight is not None and len(weight) != dims_of(call.target) + 2


def _counted(dims: int) -> str:
    return f"{dims} dim" if dims == 1 else f"{dims} dims"


CAUSE = Cause("conv-dims", "A layer over space gets another number of dims", CONVOLUTIONS | _POOLS, explain)
