"""A convolution gets another number of channels than it was made for.

    self.conv = nn.Conv2d(3, 64, 7)
    y = self.conv(x)  # x is f32[8, 224, 224, 3]

Instead: channels come right after the batch, `x.permute(0, 3, 1, 2)`; or make it for what it gets.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.causes._spatial import CONVOLUTIONS, channel_dim, dims_of, lacks_space


def explain(call: Call) -> str | None:
    """From `in_channels`, or the weight that a function is given."""
    x, wanted, dims = call.operand(0, "input"), _wanted(call), dims_of(call.target)
    channel = channel_dim(x, dims)
    if x is None or x.shape is None or wanted is None or channel is None or x.shape[channel] == wanted:
        return None
    if lacks_space(x, dims, wanted):
        return None
    text = f"{call.name} takes {wanted} channels in dim {channel}, and {x.known()} has {x.shape[channel]}"
    if x.shape[-1] == wanted:
        text += "; its last dim has them"
    return text


def _wanted(call: Call) -> int | None:
    if call.settings:
        found = call.settings.get("in_channels")
        return found if isinstance(found, int) else None
    weight, given = call.shape(1, "weight"), call.plain(6, "groups")
    groups = given if isinstance(given, int) else 1
    if weight is None or len(weight) < 3 or groups < 1:
        return None
    return weight[0] if "transpose" in call.target else weight[1] * groups


CAUSE = Cause("conv-channels", "A convolution for another number of channels", CONVOLUTIONS, explain)
